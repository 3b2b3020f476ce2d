/** What every verb of one resource does with a request and an answer: decoding, secrets kept out of messages, what exists kept in the engine's state. It knows no verb. */

import { withoutUnknowns } from "../core/engines/outputs.ts";
import { type ErrorCode, withErrorCode } from "../core/error-code.ts";
import type { ResourceIdentity, ValueMap } from "../core/protocol.ts";
import { decodeProperties, encodeProperties } from "../wire/struct.ts";
import type { Session, Verb } from "./session.ts";
import type { Takeover } from "./unfinished/takeover.ts";
import { initFailed, type StatusError } from "./wire/failure.ts";
import { identityOf, type Named } from "./wire/request.ts";

export function exchange(session: Session) {
  const encode = (properties: ValueMap) => encodeProperties(properties, { keepSecrets: session.keepSecrets });

  /** Decodes a request's properties and remembers their secrets, so that no message shows them. */
  function decode(properties: Parameters<typeof decodeProperties>[0]): ValueMap {
    const values = decodeProperties(properties);
    session.guard(values);
    return values;
  }

  function run<T>(request: Named, work: (verb: Verb, identity: ResourceIdentity) => Promise<T>): Promise<T> {
    return session.run(request.getUrn(), (verb) => {
      const identity = identityOf(request, verb.catalogue);
      session.takeover(identity.urn).meet(identity.urn);
      return work(verb, identity);
    });
  }

  /** The engine named the id as the resource's own, or as what it deletes. */
  function sawId({ urn, type }: ResourceIdentity, id: string, isDelete = false): Takeover {
    const takeover = session.takeover(urn);
    takeover.sawId(urn, type, id, isDelete);
    return takeover;
  }

  /** The status that keeps what exists in the engine's state. */
  function kept(
    id: string,
    state: ValueMap,
    inputs: ValueMap,
    reasons: readonly string[],
    code?: ErrorCode,
  ): StatusError {
    session.guard(state);
    const told = reasons.map((reason) => session.hide(withErrorCode(reason, code)));
    return initFailed(
      { id, properties: withoutUnknowns(state), inputs, reasons: told },
      { keepSecrets: session.keepSecrets },
    );
  }

  return { encode, decode, run, sawId, kept };
}
