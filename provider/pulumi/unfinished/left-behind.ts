/**
 * What killed runs created and nobody declares any more: Pulumi's engine, which never saved it, names it in no call. It is looked up and told, and
 * stays for the user to declare again, import or delete; what is gone is forgotten. It knows no session.
 */

import { setTimeout } from "node:timers/promises";
import { urnParts } from "../../core/engines/urn.ts";
import { withErrorCode } from "../../core/error-code.ts";
import type { Log, Provider, ResourceIdentity } from "../../core/protocol.ts";
import { isAlive } from "../../machine/process.ts";
import type { Attempt } from "./create-log.ts";
import { readAsMade } from "./resumption.ts";
import type { Takeover } from "./takeover.ts";

/** The engine kills a plugin that has not ended after five seconds. */
const patienceMs = 2_500;

/** What it is looked up and told with. */
export interface Means {
  readonly provider: Provider;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Throws when the account is not the one that the objects are on. */
  readonly admit: (options: { readonly asks: boolean }) => Promise<void>;
}

/** What became of the object; undefined where that cannot be told. */
type Seen = { readonly id: string | undefined } | undefined;

/** Tells, once in a run, of each unfinished create of the project's stack that no call of the run is about. */
export async function tellLeftBehind(means: Means, takeover: Takeover, project: string): Promise<void> {
  const left = takeover.leftBehind().filter(({ urn }) => urnParts(urn).project === project);
  await Promise.all(
    left.map(async (attempt) => {
      if (isOfBefore(attempt)) {
        means.log("warning", withErrorCode(textOfSetting(attempt), "PLB-PENDING"));
        return takeover.told(attempt.urn);
      }
      const patience = new AbortController();
      const seen = await Promise.race([
        look(means, takeover, attempt).catch(() => undefined),
        setTimeout(patienceMs, undefined, { signal: patience.signal }),
      ]);
      patience.abort();
      means.log("warning", withErrorCode(textOf(attempt, seen), "PLB-PENDING"));
      if (seen && seen.id === undefined) takeover.over(attempt.urn);
      else takeover.meet(attempt.urn);
    }),
  );
}

/** True where the object was there before the create: settings, which are only set, have nothing that tells one from another. */
const isOfBefore = ({ lasting }: Attempt): boolean =>
  lasting !== undefined && Object.keys(lasting).length === 0;

async function look(means: Means, takeover: Takeover, attempt: Attempt): Promise<Seen> {
  const { urn, type, startedAt, id, lasting, pid } = attempt;
  // What another process may still be at is not looked for.
  if (pid !== process.pid && isAlive(pid)) return undefined;
  const { provider, signal, admit } = means;
  await admit({ asks: true });
  const identity: ResourceIdentity = { urn, type, name: urnParts(urn).name };
  const subject = { ...identity, log: () => {}, signal, notes: takeover.notesOf(attempt) };
  if (id !== undefined) return { id: (await readAsMade(provider, { ...subject, id })) && id };
  if (lasting === undefined) return undefined;
  const found = await provider.find({
    ...subject,
    inputs: lasting,
    earlierAttempt: { startedAt },
    isKnownId: (other, otherType = type) => takeover.isKnownId(urn, otherType, other),
  });
  return { id: found?.id };
}

function textOfSetting({ urn, type, startedAt, id }: Attempt): string {
  const { name } = urnParts(urn);
  const where = id === undefined ? "" : ` on ${id}`;
  return `an earlier run was cut off at ${startedAt} while it set ${name} (${type})${where}, and nothing in this run names that: what it set may hold still. This is not said again. Declare ${name} again, or set it at the service.`;
}

function textOf({ urn, type, startedAt, id }: Attempt, seen: Seen): string {
  const { name } = urnParts(urn);
  const begun = `an earlier run was cut off at ${startedAt} while it created ${name} (${type}), and nothing in this run names that`;
  if (seen && seen.id === undefined)
    return `${begun}: it was looked for and is not there, so that this is not said again. Should it be there all the same, delete it at the service or import it.`;
  const there =
    seen === undefined
      ? `it may be there${id === undefined ? "" : `, as ${id}`}, and could not be looked for now`
      : `it is there, as ${seen.id}`;
  const known = seen?.id ?? id ?? "ID";
  return `${begun}: ${there}. Pulumi does not know it and never deletes it. Declare ${name} again, and the next update goes on with it; or import it (pulumi import ${type} ${name} ${known}); or delete it at the service, which the next run sees. If Pulumi has it after all, a run without targets settles this.`;
}
