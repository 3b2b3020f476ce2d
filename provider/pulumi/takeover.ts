/** Decides whether a Create goes on with what an earlier, killed run began. It knows what the engine has mentioned, not how it said so. */

import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { EarlierAttempt } from "../core/protocol.ts";
import type { CreateLog } from "./create-log.ts";

export interface Takeover {
  /** The engine has this resource in its state: it sent checked inputs of an earlier run. */
  sawOldInputs(urn: string): void;
  /** The engine named the id as the resource's own: it has saved it. */
  sawId(urn: string, type: string, id: string): void;
  /** Writes down that a create begins; tells of the earlier attempt to go on with, if there is one. */
  begin(urn: string, type: string, at: string): Promise<EarlierAttempt | undefined>;
  /** Writes the id down. */
  made(urn: string, type: string, id: string): Promise<void>;
  /** The create was refused and made nothing. */
  refused(urn: string): void;
  /** True when the id belongs to a resource that the engine has, or to another one's create. */
  isKnownId(urn: string, type: string, id: string): boolean;
}

export function createTakeover(log: CreateLog): Takeover {
  /** Ids that the engine has named, by type. */
  const named = new Map<string, Set<string>>();
  const withOldInputs = new Set<string>();
  const withNamedId = new Set<string>();
  /** Creates of this process that went on with nothing: a refusal ends their entry. */
  const begunAfresh = new Set<string>();

  function name(type: string, id: string): void {
    const ids = named.get(type);
    if (ids) ids.add(id);
    else named.set(type, new Set([id]));
  }

  return {
    sawOldInputs: (urn) => void withOldInputs.add(urn),
    sawId: (urn, type, id) => {
      name(type, id);
      withNamedId.add(urn);
      for (const other of log.withId(type, id)) log.end(other);
    },
    begin: async (urn, type, at) => {
      const open = log.find(urn);
      // The plugin of a killed engine ends the calls that it still has; what they make must be there to be found.
      if (open !== undefined && open.id === undefined) await endOf(open.pid);
      const earlier = log.find(urn);
      // A forced replacement is created without a Diff: the logged id may then be the very one that the engine has and is about to delete.
      const isHidden = withOldInputs.has(urn) && !withNamedId.has(urn);
      if (earlier === undefined || isHidden) {
        if (isHidden) log.end(urn);
        begunAfresh.add(urn);
        await log.begin(urn, type, at);
        return undefined;
      }
      begunAfresh.delete(urn);
      await log.begin(urn, type, at);
      return earlier.id === undefined
        ? { startedAt: earlier.startedAt }
        : { startedAt: earlier.startedAt, id: earlier.id };
    },
    made: async (urn, type, id) => {
      if (log.find(urn)?.id !== id) await log.made(urn, id);
      name(type, id);
    },
    refused: (urn) => {
      if (begunAfresh.delete(urn)) log.end(urn);
    },
    isKnownId: (urn, type, id) =>
      (named.get(type)?.has(id) ?? false) || log.withId(type, id).some((other) => other !== urn),
  };
}

/** How long the plugin of a killed engine may take to end. */
const lingerMs = 60_000;
const pollMs = 100;

/** Resolves when another process is gone, or has had its time: its number may be somebody else's by now. */
async function endOf(pid: number): Promise<void> {
  const deadline = performance.now() + lingerMs;
  while (pid !== process.pid && isAlive(pid) && performance.now() < deadline) await setTimeout(pollMs);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

/** An ended process whose parent does not look, as in containers without an init, still has its number. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
