/**
 * The working state of one stack: read from its state file and the journal of a killed run, changed step by step with each change journalled
 * first, and folded back into the file at the end. Looking up costs the same however many resources there are. Calls no provider.
 */

import { createHash, randomUUID } from "node:crypto";
import { type Owner, stackOf } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import type { Change, StackStore } from "./backend.ts";
import { sealedJson } from "./encoding.ts";
import { createJournal, type FoundJournal, type Journal, type JournalEntry, readJournal } from "./journal.ts";
import { PassphraseError } from "./passphrase.ts";
import type { Sealer } from "./sealer.ts";
import {
  createRecorder,
  needsKey,
  parseSnapshot,
  readDeployment,
  refuseOtherStack,
  type SnapshotFile,
  saltOf,
  snapshotFile,
  targetsOf,
} from "./snapshot.ts";
import { type Attempt, ordered, type ResourceState } from "./state.ts";
import type { Target, Targets } from "./target.ts";
import { createWorkingState, type WorkingState } from "./working-state.ts";

/** What a ledger is kept in. */
export type LedgerStore = Pick<StackStore, "snapshot" | "journal">;

/** What a version says of the run that made it. */
export type Outcome = Pick<Change, "operation" | "result" | "counts">;

/** New states by slot; null removes. */
export type Changes = readonly (readonly [slot: number, state: ResourceState | null])[];

export interface Ledger {
  readonly lineage: string;
  readonly serial: number;
  /** Of everything that was saved when the ledger was opened: the same while nobody has changed the state. */
  readonly digest: string;
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
  /** What came of it; ends the attempts of `end`. Durable before anything that is begun afterwards, and where the store is near before it resolves. */
  readonly set: (changes: Changes, end?: readonly number[]) => Promise<void>;
  /** Like `set`, for what may be lost in a kill: nobody waits for it. */
  readonly note: (changes: Changes) => void;
  /** Durable before it resolves: the slot's notes from now on. */
  readonly setNotes: (slot: number, notes: ValueMap) => Promise<void>;
  /** Where the objects of each provider are, by `targetKey`. */
  readonly targets: Targets;
  /** Durable before it resolves: the provider's objects are there from now on. */
  readonly bind: (provider: string, target: Target) => Promise<void>;
  /** The state as it is now, in memory only: what is begun, set and noted there is seen there alone. */
  readonly fork: () => Ledger;
  /** Seals and opens this stack's secrets. */
  readonly sealer: Sealer;
  /** True: nothing at hand opens the secrets, and each of them is unknown. */
  readonly isShut: boolean;
  /** What the state file would hold now. */
  readonly file: () => Promise<SnapshotFile>;
  /** Writes the state file when anything changed, and removes the journal. The outcome goes into the history. */
  readonly save: (outcome: Outcome) => Promise<void>;
}

/**
 * Opens a stack's state. `write: false` (a preview) keeps every change in memory. With `write: true` the caller holds the lock, and the journal
 * of a killed run is folded into the state file first. Throws EngineError `state`, or PassphraseError.
 */
export async function openLedger(
  store: LedgerStore,
  options: {
    readonly write: boolean;
    readonly sealer: (salt: string | undefined) => Sealer;
    readonly now: () => Date;
    readonly notice: (message: string) => void;
    /** Whose the state must be; absent: anybody's. */
    readonly owner?: Owner;
    /** True: secrets that no passphrase opens stay shut, and are unknown, instead of a PassphraseError. For what needs none of them. */
    readonly withoutKey?: boolean;
    /** True: it may be on its way from another name. */
    readonly underWay?: boolean;
    /** What the state was before a killed run's journal was folded in. */
    readonly digest?: string;
    /** Says what made a version of the state; absent: no versions are kept. */
    readonly changeOf?: (outcome: Outcome) => Change;
    /** For a stack that has none yet; default: a random one. */
    readonly lineage?: string;
  },
): Promise<Ledger> {
  const { snapshot, journal: journalStore } = store;
  const text = await snapshot.read();
  const file = text === undefined ? undefined : parseSnapshot(text, snapshot.place);
  if (file && options.owner) refuseOtherStack(file, snapshot.place, options.owner);
  if (file && !options.underWay) refuseUnderWay(file, snapshot.place);
  const serial = file?.plumbline.serial ?? 0;
  const journalText = await journalStore.read();
  const digest = options.digest ?? digestOf(text, journalText);
  const found =
    journalText === undefined
      ? undefined
      : applicable(readJournal(journalText, journalStore.place), file, store);
  const salt = (file && saltOf(file.deployment, snapshot.place)) ?? found?.salt;
  const sealer = options.sealer(salt);
  const isShut = !(await opens(sealer, file, found, options));
  const opening = isShut ? shut : sealer;
  const recorder = createRecorder(sealer);
  const state = createWorkingState(options.write);
  if (file) {
    state.load({
      ...readDeployment(file.deployment, opening, recorder.remember),
      targets: targetsOf(file),
    });
  }
  for (const entry of found?.entries(opening) ?? []) state.apply(entry);
  if (found && found.damaged > 0) {
    options.notice(
      `${found.damaged} entries of the journal ${journalStore.place} could not be read and were left out: run \`plumbline refresh\`, and look for objects that the state does not know.`,
    );
  }
  const lineage = file?.plumbline.lineage ?? found?.lineage ?? options.lineage ?? randomUUID();
  let written = serial;
  const fileAt = async (number: number): Promise<SnapshotFile> => {
    if (state.holdsSecret() && !isShut) await sealer.ready();
    const time = options.now().toISOString();
    return snapshotFile({ ...state, serial: number, lineage, salt: sealer.salt(), time }, recorder.record);
  };
  const write = async (outcome: Outcome): Promise<void> => {
    const next = await fileAt(written + 1);
    await snapshot.replace(`${JSON.stringify(next)}\n`, options.changeOf?.(outcome));
    written += 1;
    await journalStore.remove();
  };
  if (options.write && journalText !== undefined) {
    if (found) {
      await write({ operation: "recovery", result: "interrupted" });
      // The file decides the order of slots from here on, as it will for whoever reads the next journal.
      return openLedger(store, { ...options, digest });
    }
    await journalStore.remove();
  }
  state.index();
  let journal: Journal | undefined;
  const append = (entry: JournalEntry): Promise<void> => {
    state.apply(entry);
    if (!options.write) return Promise.resolve();
    journal ??= createJournal(journalStore, { base: written, lineage }, sealer, recorder.record);
    return journal.append(entry);
  };
  const isNew = text === undefined && journalText === undefined;
  const ledger: Ledger = {
    ...viewOf(state, append),
    // Far away an outcome is not waited for: what is begun after it is kept after it, and a kill before that leaves an attempt to be found out.
    ...(journalStore.together > 1 && { set: async (set, end = []) => unwaited(append({ set, end })) }),
    ...{ lineage, serial, digest, isNew, sealer, isShut },
    fork: () => ({ ...ledger, ...inMemory(state.fork()), save: async () => {} }),
    file: () => fileAt(written),
    async save(outcome) {
      if (journal === undefined) return;
      await journal.flush();
      await write(outcome);
      journal = undefined;
    },
  };
  return ledger;
}

function refuseUnderWay({ plumbline, deployment }: SnapshotFile, place: string): void {
  if (plumbline.renaming === undefined) return;
  const name = stackOf(String(deployment.resources?.[0]?.urn ?? "")) || "NAME";
  throw new EngineError(
    "state",
    `${place} comes from a \`plumbline stack rename\` that was cut off: nothing was done. Run it again: plumbline stack rename ${name} --stack ${plumbline.renaming}`,
  );
}

/** A failed write is kept by the journal: whatever is begun next fails with it, and `save` reports it. */
const unwaited = (written: Promise<void>): void => void written.catch(() => {});

/** How a working state is seen and changed; `append` takes each entry. */
function viewOf(state: WorkingState, append: (entry: JournalEntry) => Promise<void>) {
  return {
    resources: state.resources,
    attempts: state.attempts,
    notes: state.notes,
    targets: state.targets,
    slotOf: state.slotOf,
    isKnownId: state.isKnownId,
    dependants: state.dependants,
    positions: () => new Map(ordered(state.resources).map((slot, position) => [slot, position])),
    reserve: state.reserve,
    begin: (kind, slot, at, resource) => append({ begin: kind, slot, at, ...(resource ? { resource } : {}) }),
    set: (set, end = []) => append({ set, end }),
    note(set) {
      unwaited(append({ set, end: [] }));
    },
    setNotes: (slot, notes) => append({ notes, slot }),
    bind: (provider, target) => append({ target, provider }),
  } satisfies Partial<Ledger>;
}

/** A working state whose changes are kept nowhere else. */
const inMemory = (state: WorkingState) => viewOf(state, async (entry) => state.apply(entry));

function digestOf(...texts: readonly (string | undefined)[]): string {
  return createHash("sha256")
    .update(JSON.stringify(texts.map((text) => text ?? null)))
    .digest("base64url");
}

/** Stands in for a sealer that no passphrase opens: each secret is unknown, and its record goes back as it was. */
const shut: Pick<Sealer, "open"> = { open: () => sealedJson };

/** False: there are secrets that nothing at hand opens. Throws PassphraseError unless that is allowed. */
async function opens(
  sealer: Sealer,
  file: SnapshotFile | undefined,
  found: FoundJournal | undefined,
  options: { readonly withoutKey?: boolean; readonly notice: (message: string) => void },
): Promise<boolean> {
  const isNeeded = file !== undefined && needsKey(file.deployment);
  if (found?.holdsSealed) await sealer.ready();
  if (!isNeeded || found?.holdsSealed) return true;
  try {
    await sealer.ready();
    return true;
  } catch (error) {
    if (!options.withoutKey || !(error instanceof PassphraseError)) throw error;
    options.notice(`${error.message} Until then they stay shut, and only what needs none of them is done.`);
    return false;
  }
}

/** The journal when it changes this very snapshot; an older one was folded into it already. */
function applicable(
  found: FoundJournal | undefined,
  file: SnapshotFile | undefined,
  { snapshot, journal }: LedgerStore,
): FoundJournal | undefined {
  const serial = file?.plumbline.serial ?? 0;
  if (found !== undefined && file !== undefined && found.lineage !== file.plumbline.lineage) {
    throw new EngineError(
      "state",
      `The journal ${journal.place} is not of the state in ${snapshot.place}, but of another history: nothing was done. Bring the two files of one run together, or move the journal away when it is none of this stack's.`,
    );
  }
  if (found === undefined || found.base < serial) return undefined;
  if (found.base > serial) {
    throw new EngineError(
      "state",
      `The journal ${journal.place} continues a newer state than ${snapshot.place} holds (${found.base} and ${serial}): bring the newer state file back.`,
    );
  }
  return found;
}
