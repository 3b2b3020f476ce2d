/** One resource as an engine keeps it between runs of which some are killed: what is saved, what is noted, and which create is open. */

import { notesIn } from "../../provider/core/engines/notes.ts";
import {
  type DiffResponse,
  type Notes,
  ResourceInitFailedError,
  surelyNotWritten,
} from "../../provider/core/protocol.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { type Account, checked, type Resource, type Saved } from "./deployment.ts";
import { Killed, type Mortal, openMortal, type Trouble } from "./mortal.ts";

/** How an engine remembers: `early` saves an object as soon as it has an id, `late` when its verb has ended, and keeps the id of an open create. */
export type Memory = "early" | "late";

/** All that outlives a process. */
export interface Kept {
  saved?: Saved;
  /** The saved object was not finished: it is updated whatever its diff says. */
  isUnfinished?: boolean;
  /** A create that began, and what it was to make. */
  attempt?: { readonly startedAt: string; readonly inputs: ValueMap; id?: string };
  notes: ValueMap;
}

/** Every trouble of a process that makes so many writes. */
export const troubles = (
  writes: number,
  kinds: readonly Trouble["what"][] = ["before", "after", "refused"],
): Trouble[] => Array.from({ length: writes }, (_, i) => kinds.map((what) => ({ at: i + 1, what }))).flat();

interface Process extends Mortal {
  /** Of the object with these notes; a dead process keeps nothing. */
  readonly notes: (kept: Kept, isReadOnly: boolean) => Notes;
}

async function start(account: Account, trouble?: Trouble): Promise<Process> {
  const mortal = await openMortal(account, trouble);
  return {
    ...mortal,
    notes: (kept, isReadOnly) =>
      notesIn(
        {
          held: () => kept.notes,
          hold: async (notes) => {
            if (mortal.isDead()) throw new Killed("killed");
            kept.notes = structuredClone(notes) as ValueMap;
          },
        },
        { isReadOnly },
      ),
  };
}

/** What a run did. */
export interface Ran {
  readonly isKilled: boolean;
  /** What a living process failed of. */
  readonly error?: unknown;
  readonly writes: number;
  /** Of a resource that was saved; absent where it was made. */
  readonly diff?: DiffResponse;
}

/** Applies a declaration to the resource as an engine does, and keeps what the engine would. Throws what the provider throws without trouble. */
export async function run(
  account: Account,
  resource: Resource,
  declared: ValueMap,
  kept: Kept,
  { memory, trouble }: { readonly memory: Memory; readonly trouble?: Trouble },
): Promise<Ran> {
  const process = await start(account, trouble);
  let diff: DiffResponse | undefined;
  let failed: { readonly error: unknown } | undefined;
  try {
    await takeUp(process, resource, declared, kept, memory);
    if (kept.saved) diff = await change(process, resource, declared, kept);
    else await make(process, resource, declared, kept, memory);
  } catch (error) {
    if (trouble === undefined) throw error;
    if (!process.isDead()) {
      fail(kept, error);
      failed = { error };
    }
  } finally {
    await process.provider.close();
  }
  return { ...failed, isKilled: process.isDead(), writes: process.writes(), ...(diff && { diff }) };
}

/** An engine that saves early knows what its open create was to make: when something else is declared now, it looks for it. */
async function takeUp(process: Process, resource: Resource, declared: ValueMap, kept: Kept, memory: Memory) {
  const { attempt } = kept;
  if (kept.saved || !attempt || memory === "late") return;
  const inputs = await checked(process.provider, resource, declared);
  if (JSON.stringify(inputs) === JSON.stringify(attempt.inputs)) return;
  const earlierAttempt = { startedAt: attempt.startedAt };
  const found = await process.provider.find({
    ...{ ...resource, inputs: attempt.inputs, earlierAttempt, notes: process.notes(kept, false) },
  });
  delete kept.attempt;
  if (!found) return;
  kept.saved = { id: found.id, inputs: found.inputs, state: found.state };
  kept.isUnfinished = true;
}

async function make(process: Process, resource: Resource, declared: ValueMap, kept: Kept, memory: Memory) {
  const { provider } = process;
  const inputs = await checked(provider, resource, declared);
  const earlier = kept.attempt;
  kept.attempt ??= { startedAt: provider.serviceTime(), inputs };
  const { startedAt, id: earlierId } = kept.attempt;
  const earlierAttempt = earlierId === undefined ? { startedAt } : { startedAt, id: earlierId };
  const { id, state, spent } = await provider.create({
    ...{ ...resource, inputs, preview: false, notes: process.notes(kept, false) },
    ...(earlier && { earlierAttempt }),
    onCreated: (newId, newState, applied, isWhole) => {
      if (process.isDead()) throw new Killed("killed");
      if (memory === "late") {
        kept.attempt!.id = newId;
        return;
      }
      kept.saved = { id: newId, inputs: applied, state: newState };
      kept.isUnfinished = !isWhole;
      delete kept.attempt;
    },
  });
  save(kept, { id, inputs, state }, memory === "early" ? spent : []);
}

async function change(process: Process, resource: Resource, declared: ValueMap, kept: Kept) {
  const { provider } = process;
  const { id, inputs: oldInputs, state } = kept.saved!;
  const newInputs = await checked(provider, resource, declared, oldInputs);
  const own = { ...resource, id, oldInputs, state, newInputs };
  const diff = await provider.diff({ ...own, notes: process.notes(kept, true) });
  if (!diff.changes && !kept.isUnfinished) return diff;
  if (diff.replaces.length > 0)
    throw new Error(`it would be replaced because of ${diff.replaces.join(", ")}`);
  const updated = await provider.update({ ...own, preview: false, notes: process.notes(kept, false) });
  save(kept, { id, inputs: newInputs, state: updated.state }, []);
  return diff;
}

/** What exists and is not finished is saved as it is; a create that surely made nothing is forgotten. */
function fail(kept: Kept, error: unknown) {
  if (error instanceof ResourceInitFailedError) {
    kept.saved = { id: error.id, inputs: error.inputs ?? kept.saved!.inputs, state: error.state };
    kept.isUnfinished = true;
    delete kept.attempt;
  } else if (surelyNotWritten(error)) delete kept.attempt;
}

/** Notes that are spent are dropped after the save, or not at all: an engine need not know when it has saved. */
function save(kept: Kept, saved: Saved, spent: readonly string[] = []) {
  kept.saved = saved;
  delete kept.isUnfinished;
  delete kept.attempt;
  kept.notes = Object.fromEntries(Object.entries(kept.notes).filter(([key]) => !spent.includes(key)));
}
