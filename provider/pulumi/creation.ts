/** Create, from the wire to the Provider and back: with what an earlier, killed run began, and with the create log kept. It knows no file. */

import grpc from "@grpc/grpc-js";
import type { CreateRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import wire from "@pulumi/pulumi/proto/provider_pb.js";
import { beginningOf } from "../core/engines/clock.ts";
import { noNotes } from "../core/engines/notes.ts";
import { markSecretOutputs, secretOutputs, unknownProperties } from "../core/engines/outputs.ts";
import { errorCodeOf, withErrorCode } from "../core/error-code.ts";
import type {
  CreateResponse,
  IsKnownId,
  Notes,
  ResourceIdentity,
  ResourceInfo,
  ValueMap,
} from "../core/protocol.ts";
import { ResourceInitFailedError, surelyNotWritten } from "../core/protocol.ts";
import { exchange } from "./exchange.ts";
import type { Session, Verb } from "./session.ts";
import {
  fateOf,
  isSameCreate,
  type Left,
  lastingInputs,
  leftBy,
  type Subject,
} from "./unfinished/resumption.ts";
import type { Begun, Takeover } from "./unfinished/takeover.ts";
import { StatusError } from "./wire/failure.ts";
import { timeoutOf } from "./wire/request.ts";

export function creation(session: Session) {
  const { encode, decode, run, kept } = exchange(session);

  async function create(request: CreateRequest) {
    return run(request, async (verb, identity) => {
      const inputs = decode(request.getProperties());
      const info = verb.catalogue.resources.get(identity.type);
      const work: Work = { ...verb, identity, inputs, info, ...timeoutOf(request) };
      const response = new wire.CreateResponse();
      const takeover = session.takeover(identity.urn);
      const unclear = takeover.unclear(identity.urn);
      if (unclear !== undefined)
        throw new StatusError(grpc.status.FAILED_PRECONDITION, withErrorCode(unclear, "PLB-PENDING"));
      const { id, state } = request.getPreview() ? await preview(work) : await make(work);
      if (!request.getPreview()) takeover.answered(identity.urn);
      response.setId(id);
      response.setProperties(encode(markSecretOutputs(state, inputs, secretOutputs(info))));
      return response;
    });
  }

  /** Foresees the create, and tells what becomes of what an earlier, killed run made for it. */
  async function preview(work: Work): Promise<CreateResponse> {
    const { provider, identity, inputs, info, log } = work;
    const takeover = session.takeover(identity.urn);
    const foreseen = takeover.foreseen(identity.urn);
    const subject = subjectOf(work, takeover, foreseen?.notes ?? noNotes);
    const left = foreseen?.cutOff.lasting && (await leftBy(provider, subject, foreseen.cutOff, inputs, info));
    if (left) log(left.obstacles.length > 0 ? "warning" : "info", fateOf(identity, left, true));
    const isKnownId: IsKnownId = (id, type) =>
      (id === left?.id && (type ?? identity.type) === identity.type) || subject.isKnownId(id, type);
    const { timeoutSeconds } = work;
    return provider.create({
      ...{ ...subject, inputs, preview: true, notes: noNotes },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      ...(left && { isKnownId }),
    });
  }

  /** Makes it, or goes on with what an earlier, killed run made of it. */
  async function make(work: Work): Promise<CreateResponse> {
    const { provider, identity, inputs, info, log, signal } = work;
    const { urn, type } = identity;
    const takeover = session.takeover(urn);
    await work.admit({ asks: true });
    const begin = async () =>
      takeover.begin(urn, type, await beginningOf(provider, signal), lastingInputs(inputs, info));
    let begun = await begin();
    try {
      const { cutOff } = begun;
      if (cutOff === undefined || isSameCreate(cutOff, inputs, info)) {
        return await createNow(work, takeover, begun);
      }
      const subject = subjectOf(work, takeover, begun.notes);
      const left = await leftBy(provider, subject, cutOff, inputs, info);
      if (left && left.obstacles.length === 0) {
        log("info", fateOf(identity, left, false));
        return await changeNow(work, takeover, begun, left);
      }
      if (left) {
        log("warning", fateOf(identity, left, false));
        await provider.delete({ ...subject, id: left.id, oldInputs: left.inputs, state: left.state });
        takeover.notebook.gone(type, left.id);
      } else if (cutOff.earlierAttempt.id !== undefined) {
        log("warning", withErrorCode(strayOf(cutOff.earlierAttempt.id), "PLB-PENDING"));
      }
      begun.end();
      takeover.over(urn);
      begun = await begin();
      return await createNow(work, takeover, begun);
    } finally {
      begun.end();
    }
  }

  async function createNow(work: Work, takeover: Takeover, begun: Begun): Promise<CreateResponse> {
    const { provider, identity, inputs, log, timeoutSeconds } = work;
    const { urn, type } = identity;
    const earlierAttempt = begun.cutOff?.earlierAttempt;
    let made: Made | undefined;
    try {
      made = await provider.create({
        ...subjectOf(work, takeover, begun.notes),
        inputs,
        preview: false,
        ...(timeoutSeconds !== undefined && { timeoutSeconds }),
        ...(earlierAttempt && { earlierAttempt }),
        onCreated: async (id, state, applied) => {
          made = { id, state, applied };
          await takeover.made(urn, type, id);
        },
      });
      if (made.id === "")
        throw new StatusError(grpc.status.INTERNAL, "the provider gave no id for what it created");
      await takeover.made(urn, type, made.id);
      if (earlierAttempt?.id !== undefined && earlierAttempt.id !== made.id) {
        log("warning", `${strayOf(earlierAttempt.id)} Made instead: ${made.id}.`);
      }
      return refusingUnknowns(work, made);
    } catch (error) {
      throw await failed(work, takeover, made, error);
    }
  }

  /** Brings what a killed create made to what is declared now. */
  async function changeNow(
    work: Work,
    takeover: Takeover,
    begun: Begun,
    left: Left,
  ): Promise<CreateResponse> {
    const { provider, identity, inputs, timeoutSeconds } = work;
    const { id, state } = left;
    await takeover.made(identity.urn, identity.type, id);
    if (!left.changes) return refusingUnknowns(work, { id, state });
    try {
      const updated = await provider.update({
        ...subjectOf(work, takeover, begun.notes),
        ...{ id, state, oldInputs: left.inputs, newInputs: inputs, preview: false },
        ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      });
      return refusingUnknowns(work, { id, state: updated.state });
    } catch (error) {
      throw await failed({ ...work, inputs: left.inputs }, takeover, { id, state }, error);
    }
  }

  /** The failure of a create: it keeps what was made, and forgets an attempt that surely made nothing. */
  async function failed(
    { identity: { urn, type }, inputs, info }: Work,
    takeover: Takeover,
    made: Made | undefined,
    error: unknown,
  ): Promise<unknown> {
    if (error instanceof StatusError) return error;
    const mark = (state: ValueMap) => markSecretOutputs(state, inputs, secretOutputs(info));
    if (error instanceof ResourceInitFailedError) {
      await takeover.made(urn, type, error.id);
      return kept(error.id, mark(error.state), error.inputs ?? inputs, error.reasons, errorCodeOf(error));
    }
    if (made !== undefined && made.id !== "") {
      const reason = error instanceof Error ? error.message : String(error);
      return kept(made.id, mark(made.state), made.applied ?? inputs, [reason], errorCodeOf(error));
    }
    if (surelyNotWritten(error)) takeover.refused(urn);
    return error;
  }

  /** What exists must be known, or the engine would throw it away. */
  function refusingUnknowns({ inputs, info }: Work, made: CreateResponse): CreateResponse {
    const stillUnknown = unknownProperties(made.state);
    if (stillUnknown.length === 0) return made;
    const reasons = [`created, but nothing is known of: ${stillUnknown.join(", ")}`];
    throw kept(made.id, markSecretOutputs(made.state, inputs, secretOutputs(info)), inputs, reasons);
  }

  return { create };
}

/** A create under way. */
interface Work extends Verb {
  readonly identity: ResourceIdentity;
  readonly inputs: ValueMap;
  readonly info: ResourceInfo | undefined;
  readonly timeoutSeconds?: number;
}

/** What was made; `applied` as long as it is not finished. */
interface Made extends CreateResponse {
  readonly applied?: ValueMap;
}

function subjectOf({ identity, log, signal }: Work, takeover: Takeover, notes: Notes): Subject {
  const { urn, type } = identity;
  return {
    ...identity,
    log,
    signal,
    notes,
    isKnownId: (other, otherType = type) => takeover.isKnownId(urn, otherType, other),
  };
}

/** What is said of an object that a killed create made and that was not found again as it was made. */
function strayOf(id: string): string {
  return `an earlier run was killed after it had made ${id} for this resource; that is not what is declared now. If ${id} is still there, delete it or import it.`;
}
