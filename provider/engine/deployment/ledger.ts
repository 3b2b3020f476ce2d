/**
 * The working state of one stack: read from its state file and the journal of a killed run, changed step by step with each change journalled
 * first, and folded back into the file at the end. Looking up costs the same however many resources there are. Calls no provider.
 */

import { randomUUID } from "node:crypto";
import type { Urn } from "../../core/protocol.ts";
import { containsSecret, type ValueMap } from "../../core/value.ts";
import type { Disk } from "./disk.ts";
import { EngineError } from "./failure.ts";
import { createJournal, type FoundJournal, type Journal, type JournalEntry, readJournal } from "./journal.ts";
import type { Sealer } from "./sealer.ts";
import {
  createRecorder,
  needsKey,
  parseSnapshot,
  readDeployment,
  type Snapshot,
  type SnapshotFile,
  saltOf,
  snapshotFile,
} from "./snapshot.ts";
import { type Attempt, ordered, type ResourceState, references } from "./state.ts";

export interface LedgerFiles {
  readonly disk: Disk;
  readonly snapshot: string;
  readonly journal: string;
}

/** New states by slot; null removes. */
export type Changes = readonly (readonly [slot: number, state: ResourceState | null])[];

export interface Ledger {
  readonly lineage: string;
  readonly serial: number;
  /** True when there is neither a state file nor a journal. */
  readonly isNew: boolean;
  readonly resources: ReadonlyMap<number, ResourceState>;
  /** By slot; a `creating` attempt has a slot without a resource. */
  readonly attempts: ReadonlyMap<number, Attempt>;
  /** Notes of the slot's object (or of the creation begun in it); absent where there is none. They go when the object does. */
  readonly notes: ReadonlyMap<number, ValueMap>;
  /** Slot of the resource that has the URN and is not waiting for its deletion. */
  readonly slotOf: (urn: Urn) => number | undefined;
  readonly isKnownId: (type: string, id: string) => boolean;
  /** Slots of what referred to the URN when the ledger was opened. */
  readonly dependants: (urn: Urn) => readonly number[];
  /** Position of each slot, dependencies first, as things are now. Costs O(resources). */
  readonly positions: () => ReadonlyMap<number, number>;
  /** A slot for a resource that is yet to be. */
  readonly reserve: () => number;
  /** Durable before it resolves: a write starts. */
  readonly begin: (
    kind: Attempt["kind"],
    slot: number,
    startedAt: string,
    resource?: ResourceState,
  ) => Promise<void>;
  /** Durable before it resolves: what came of it. Ends the attempts of `end`. */
  readonly set: (changes: Changes, end?: readonly number[]) => Promise<void>;
  /** Like `set`, for what may be lost in a kill: nobody waits for it. */
  readonly note: (changes: Changes) => void;
  /** Durable before it resolves: the slot's notes from now on. */
  readonly setNotes: (slot: number, notes: ValueMap) => Promise<void>;
  /** Seals and opens this stack's secrets. */
  readonly sealer: Sealer;
  /** What the state file would hold now. */
  readonly file: () => Promise<SnapshotFile>;
  /** Writes the state file when anything changed, and removes the journal. */
  readonly save: () => Promise<void>;
}

/**
 * Opens a stack's state. `write: false` (a preview) keeps every change in memory. With `write: true` the caller holds the lock, and the journal
 * of a killed run is folded into the state file first. Throws EngineError `state`, or PassphraseError.
 */
export async function openLedger(
  files: LedgerFiles,
  options: {
    readonly write: boolean;
    readonly sealer: (salt: string | undefined) => Sealer;
    readonly now: () => Date;
    readonly notice: (message: string) => void;
    /** For a stack that has none yet; default: a random one. */
    readonly lineage?: string;
  },
): Promise<Ledger> {
  const { disk } = files;
  const text = await disk.read(files.snapshot);
  const file = text === undefined ? undefined : parseSnapshot(text, files.snapshot);
  const serial = file?.plumbline.serial ?? 0;
  const journalText = await disk.read(files.journal);
  const found = journalText === undefined ? undefined : applicable(readJournal(journalText), serial, files);
  const salt = (file && saltOf(file.deployment, files.snapshot)) ?? found?.salt;
  const sealer = options.sealer(salt);
  if ((file && needsKey(file.deployment)) || found?.holdsSealed) await sealer.ready();
  const recorder = createRecorder(sealer);
  const state = createWorkingState(options.write);
  if (file) {
    state.load(readDeployment(file.deployment, sealer, recorder.remember));
  }
  for (const entry of found?.entries(sealer) ?? []) state.apply(entry);
  if (found && found.damaged > 0) {
    options.notice(
      `${found.damaged} entries of the journal ${files.journal} could not be read and were left out: run \`plumbline refresh\`, and look for objects that the state does not know.`,
    );
  }
  const lineage = file?.plumbline.lineage ?? found?.lineage ?? options.lineage ?? randomUUID();
  let written = serial;
  const fileAt = async (number: number): Promise<SnapshotFile> => {
    if (state.holdsSecret()) await sealer.ready();
    const time = options.now().toISOString();
    return snapshotFile({ ...state, serial: number, lineage, salt: sealer.salt(), time }, recorder.record);
  };
  const write = async (): Promise<void> => {
    const next = await fileAt(written + 1);
    await disk.replace(files.snapshot, `${JSON.stringify(next)}\n`);
    written += 1;
    await disk.remove(files.journal);
  };
  if (options.write && journalText !== undefined) {
    if (found) {
      await write();
      // The file decides the order of slots from here on, as it will for whoever reads the next journal.
      return openLedger(files, options);
    }
    await disk.remove(files.journal);
  }
  state.index();
  let journal: Journal | undefined;
  const append = (entry: JournalEntry): Promise<void> => {
    state.apply(entry);
    if (!options.write) return Promise.resolve();
    journal ??= createJournal(disk, files.journal, { base: written, lineage }, sealer, recorder.record);
    return journal.append(entry);
  };
  return {
    lineage,
    serial,
    isNew: text === undefined && journalText === undefined,
    resources: state.resources,
    attempts: state.attempts,
    notes: state.notes,
    slotOf: state.slotOf,
    isKnownId: state.isKnownId,
    dependants: state.dependants,
    positions: () => new Map(ordered(state.resources).map((slot, position) => [slot, position])),
    reserve: state.reserve,
    begin: (kind, slot, at, resource) => append({ begin: kind, slot, at, ...(resource ? { resource } : {}) }),
    set: (set, end = []) => append({ set, end }),
    note(set) {
      // A failed write is kept by the journal, and `save` reports it.
      append({ set, end: [] }).catch(() => {});
    },
    setNotes: (slot, notes) => append({ notes, slot }),
    sealer,
    file: () => fileAt(written),
    async save() {
      if (journal === undefined) return;
      await journal.flush();
      await write();
      journal = undefined;
    },
  };
}

/** The journal when it changes this very snapshot; an older one was folded into it already. */
function applicable(
  found: FoundJournal | undefined,
  serial: number,
  files: LedgerFiles,
): FoundJournal | undefined {
  if (found === undefined || found.base < serial) return undefined;
  if (found.base > serial) {
    throw new EngineError(
      "state",
      `The journal ${files.journal} continues a newer state than ${files.snapshot} holds (${found.base} and ${serial}): bring the newer state file back.`,
    );
  }
  return found;
}

/** `forgets: false` (a preview): what the plan deletes is still there, so its id stays known. */
function createWorkingState(forgets: boolean) {
  const resources = new Map<number, ResourceState>();
  const attempts = new Map<number, Attempt>();
  const notes = new Map<number, ValueMap>();
  const renamed = new Map<Urn, Urn>();
  const byUrn = new Map<Urn, number>();
  const ids = new Map<string, number>();
  let next = 0;
  let referring: Map<Urn, number[]> | undefined;
  let atOpening: (readonly [number, ResourceState])[] = [];

  const idKey = (state: ResourceState): string | undefined =>
    state.id ? `${state.type} ${state.id}` : undefined;

  function count(state: ResourceState | undefined, by: 1 | -1): void {
    const key = state && idKey(state);
    if (key === undefined) return;
    const now = (ids.get(key) ?? 0) + by;
    if (now > 0) ids.set(key, now);
    else if (forgets) ids.delete(key);
  }

  function put(slot: number, state: ResourceState | null): void {
    const before = resources.get(slot);
    count(before, -1);
    if (before && byUrn.get(before.urn) === slot) byUrn.delete(before.urn);
    // Once an object is gone, its notes would be about nothing.
    if (state === null || state.pendingReplacement) notes.delete(slot);
    if (state === null) {
      resources.delete(slot);
      return;
    }
    resources.set(slot, state);
    count(state, 1);
    if (!state.delete) byUrn.set(state.urn, slot);
    if (before && before.urn !== state.urn) renamed.set(before.urn, state.urn);
    next = Math.max(next, slot + 1);
  }

  function apply(entry: JournalEntry): void {
    if ("notes" in entry) {
      if (Object.keys(entry.notes).length > 0) notes.set(entry.slot, entry.notes);
      else notes.delete(entry.slot);
      return;
    }
    if ("begin" in entry) {
      const resource = entry.resource ?? resources.get(entry.slot);
      if (resource === undefined) return;
      attempts.set(entry.slot, { kind: entry.begin, startedAt: entry.at, resource });
      next = Math.max(next, entry.slot + 1);
      return;
    }
    for (const slot of entry.end) attempts.delete(slot);
    for (const [slot, state] of entry.set) put(slot, state);
    for (const slot of entry.end) if (!resources.has(slot)) notes.delete(slot);
  }

  return {
    resources,
    attempts,
    notes,
    renamed,
    apply,
    load(saved: Pick<Snapshot, "resources" | "attempts" | "notes">): void {
      for (const [slot, state] of saved.resources.entries()) put(slot, state);
      for (const [slot, kept] of saved.notes) notes.set(slot, kept);
      for (const { index, notes: kept, ...attempt } of saved.attempts) {
        if (index === undefined) next += 1;
        attempts.set(index ?? next - 1, attempt);
        if (kept !== undefined) notes.set(index ?? next - 1, kept);
      }
    },
    index(): void {
      atOpening = [...resources];
    },
    reserve: () => next++,
    slotOf: (urn: Urn) => byUrn.get(urn),
    isKnownId: (type: string, id: string) => ids.has(`${type} ${id}`),
    dependants(urn: Urn): readonly number[] {
      if (referring === undefined) {
        referring = new Map();
        for (const [slot, state] of atOpening) {
          for (const needed of references(state)) {
            const known = referring.get(needed);
            if (known) known.push(slot);
            else referring.set(needed, [slot]);
          }
        }
      }
      return referring.get(urn) ?? [];
    },
    holdsSecret(): boolean {
      const states = [...resources.values(), ...[...attempts.values()].map((attempt) => attempt.resource)];
      return states.some((state) => containsSecret(state.inputs) || containsSecret(state.outputs));
    },
  };
}
