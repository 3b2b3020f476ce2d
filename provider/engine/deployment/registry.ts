/** What this run has registered so far, and which saved states that has accounted for: the memory behind `register`. */

import pLimit from "p-limit";
import type { Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import type { Step } from "../event.ts";
import type { Attempt } from "../state/state.ts";
import type { Lookup } from "./adoption/lookup.ts";
import type { Entry, Found } from "./goal.ts";
import { createProviders, type Providers } from "./providers.ts";
import type { Run } from "./run.ts";
import type { Succession } from "./succession.ts";

export interface Registry extends Providers, Pick<Succession, "heldFor" | "isLeft"> {
  readonly run: Run;
  /** Finds what the state has lost; absent: it is not looked for. */
  readonly lookup: Lookup | undefined;
  /** Starts a registration. Throws when the URN was registered before. */
  readonly add: (entry: Entry) => void;
  /** Decides a claimed registration: some hundred at a time, so that what each holds is gone before the next begins. */
  readonly atWork: <T>(work: () => Promise<T>) => Promise<T>;
  /** Waits, within `atWork`, for other registrations; meanwhile others have its place, for they may be among those awaited. */
  readonly aside: (others: readonly Promise<unknown>[]) => Promise<void>;
  readonly entry: (urn: Urn) => Entry | undefined;
  /** The saved state of the entry, by its URN or one of its aliases, once nobody else is working on it. */
  readonly claim: (entry: Entry) => Promise<Found | undefined>;
  readonly touch: (entry: Entry, slot: number) => void;
  readonly isTouched: (slot: number) => boolean;
  /** Registrations under way of the given slots, other than `except`. */
  readonly underWay: (slots: readonly number[], except: Entry) => Promise<unknown>[];
  /** The slot's object is being deleted by `work`, to be made anew when its resource is registered. */
  readonly reserveForReplacement: (slot: number, reasons: readonly string[], work: Promise<boolean>) => void;
  /** What deletes the slots' objects to make room for other resources; each resolves to false when something could not be deleted. */
  readonly removalsOf: (slots: Iterable<number>) => Promise<boolean>[];
  readonly reasonsOf: (slot: number | undefined) => readonly string[] | undefined;
  /** Slots of what waits for its deletion under the entry's URNs, from before this run or because of an attempt that it took up. */
  readonly waitingFor: (entry: Entry) => readonly number[];
  readonly addWaiting: (entry: Entry, slot: number) => void;
  /** A creation of the entry that an earlier run began. */
  readonly creationBegunFor: (entry: Entry) => { slot: number; attempt: Attempt } | undefined;
  /** True for a creation that an earlier run began and that no registration has taken up. */
  readonly isLeftOpen: (slot: number) => boolean;
  /** Slots of objects that this run's own replacements left: their end belongs to the replacement. */
  readonly superseded: Set<number>;
  /** Throws EngineError `plan` when a saved plan wants another step. */
  readonly expect: (step: Step, inputs: ValueMap) => void;
}

export function createRegistry(
  run: Run,
  options: {
    readonly stackUrn: Urn;
    readonly defaultConfig: ValueMap;
    /** Everything that the program registers, where that is known: what has a block of its own is nobody's under an alias. */
    readonly declared?: ReadonlySet<Urn>;
    readonly succession?: Succession;
    readonly lookup?: Lookup | undefined;
  },
): Registry {
  const entries = new Map<Urn, Entry>();
  const touched = new Map<number, Entry>();
  const superseded = new Set<number>();
  const places = pLimit(256);
  const reserved = new Map<number, { reasons: readonly string[]; work: Promise<boolean> }>();
  const begun = new Map<Urn, number>();
  const leftOpen = new Set<number>();
  const waiting = new Map<Urn, number[]>();
  for (const [slot, state] of run.ledger.resources) {
    if (state.delete) waiting.set(state.urn, [...(waiting.get(state.urn) ?? []), slot]);
  }
  for (const [slot, attempt] of run.ledger.attempts) {
    if (attempt.kind !== "creating") continue;
    begun.set(attempt.resource.urn, slot);
    leftOpen.add(slot);
  }

  const touch = (entry: Entry, slot: number): void => {
    touched.set(slot, entry);
    entry.slots.push(slot);
  };

  /** The URNs under which it may find what is its own: those of other blocks are no more its than their objects are. */
  const namesOf = (entry: Entry): Urn[] => [
    entry.urn,
    ...entry.aliases.filter((urn) => !options.declared?.has(urn)),
  ];

  async function claim(entry: Entry): Promise<Found | undefined> {
    const slot = namesOf(entry)
      .map((urn) => run.ledger.slotOf(urn))
      .find((one) => one !== undefined && !touched.has(one));
    if (slot === undefined) return undefined;
    await reserved.get(slot)?.work.catch(() => {});
    touch(entry, slot);
    const state = run.ledger.resources.get(slot);
    return state && { slot, state };
  }

  const providers = createProviders(run, { ...options, entries, claim, superseded });

  return {
    run,
    lookup: options.lookup,
    heldFor: (urn) => options.succession?.heldFor(urn) ?? [],
    isLeft: (slot) => options.succession?.isLeft(slot) ?? false,
    add(entry) {
      if (entries.has(entry.urn)) {
        throw new Error(`two resources have the URN ${entry.urn}: give one of them another name`);
      }
      entries.set(entry.urn, entry);
    },
    atWork: (work) => places(work),
    async aside(others) {
      places.concurrency += 1;
      await Promise.allSettled(others);
      places.concurrency -= 1;
    },
    entry: (urn) => entries.get(urn),
    claim,
    superseded,
    touch,
    isTouched: (slot) => touched.has(slot),
    underWay: (slots, except) =>
      slots.flatMap((slot) => {
        const entry = touched.get(slot);
        return entry && entry !== except && !entry.ended ? [entry.done] : [];
      }),
    reserveForReplacement: (slot, reasons, work) => void reserved.set(slot, { reasons, work }),
    removalsOf: (slots) => [...slots].flatMap((slot) => reserved.get(slot)?.work ?? []),
    reasonsOf: (slot) => (slot === undefined ? undefined : reserved.get(slot)?.reasons),
    waitingFor: (entry) => namesOf(entry).flatMap((urn) => waiting.get(urn) ?? []),
    addWaiting: (entry, slot) => void waiting.set(entry.urn, [...(waiting.get(entry.urn) ?? []), slot]),
    creationBegunFor(entry) {
      for (const urn of namesOf(entry)) {
        const slot = begun.get(urn);
        const attempt = slot === undefined ? undefined : run.ledger.attempts.get(slot);
        if (slot === undefined || attempt === undefined) continue;
        begun.delete(urn);
        leftOpen.delete(slot);
        return { slot, attempt };
      }
      return undefined;
    },
    isLeftOpen: (slot) => leftOpen.has(slot),
    ...providers,
    expect: (step, inputs) => run.plan?.expect(step, inputs),
  };
}
