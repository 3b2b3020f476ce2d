/**
 * The append-only record of what an operation begins and ends, one JSON line each, durable before the next thing happens; and how such a
 * file is read back after a kill. Knows no resource: states travel through it as version 3 records.
 */

import { containsSecret, type ValueMap } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import type { JournalStore } from "./backend.ts";
import { decodeResource, encodeResource, holdsSealed, type Json, type JsonMap } from "./encoding.ts";
import { isMap, nestingFault, recordFault } from "./form.ts";
import type { Sealer } from "./sealer.ts";
import type { Attempt, ResourceState } from "./state.ts";
import { type Target, targetRecord } from "./target.ts";

/**
 * A change of the working state. Each resource has a slot, a number that stays its own while the journal lasts.
 * begin: a write is about to start for a slot (`creating` brings what is to be made). set: slots have these states now, null is none, and the
 * attempts of the slots in `end` are over. The parts of one entry count together or not at all. notes: all notes of the slot's object from now on,
 * plain JSON; they go when the object does. target: the provider's objects are there from now on (`target.ts`).
 */
export type JournalEntry =
  | {
      readonly begin: Attempt["kind"];
      readonly slot: number;
      readonly at: string;
      readonly resource?: ResourceState;
    }
  | {
      readonly set: readonly (readonly [slot: number, state: ResourceState | null])[];
      readonly end: readonly number[];
    }
  | { readonly notes: ValueMap; readonly slot: number }
  | { readonly target: Target; readonly provider: string };

export interface JournalHeader {
  /** Serial of the snapshot that the entries change; 0: there was none. */
  readonly base: number;
  readonly lineage: string;
}

export interface Journal {
  /** Resolves when the entry is durable. Entries keep the order in which they were appended; those that wait together are written together. */
  readonly append: (entry: JournalEntry) => Promise<void>;
  /** Waits for everything appended. */
  readonly flush: () => Promise<void>;
}

/** Starts a journal; it is there from its first entry on. After a failed write every later append fails too. */
export function createJournal(
  store: Pick<JournalStore, "add" | "together">,
  header: JournalHeader,
  sealer: Sealer,
  toRecord: (state: ResourceState) => JsonMap = (state) =>
    encodeResource(state, (text) => ({ ciphertext: sealer.seal(text) })),
): Journal {
  interface Waiting {
    readonly entry: JournalEntry;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  /** Resolves when everything that was sent is kept. */
  let kept: Promise<unknown> = Promise.resolve();
  const underWay = new Set<Promise<void>>();
  let isOpen = false;
  let writtenSalt = sealer.salt();
  let failure: unknown;

  async function encode(batch: readonly Waiting[]): Promise<string> {
    const lines: object[] = isOpen ? [] : [{ journal: 1, ...header }];
    if (batch.some(({ entry }) => hasSecret(entry))) await sealer.ready();
    if (sealer.salt() !== writtenSalt) lines.push({ salt: sealer.salt() });
    for (const { entry } of batch) lines.push(entryToJson(entry, toRecord));
    isOpen = true;
    writtenSalt = sealer.salt();
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  async function drain(): Promise<void> {
    // Whatever is asked for in the same turn shares one write and one sync.
    await Promise.resolve();
    while (waiting.length > 0) {
      while (underWay.size >= store.together) await Promise.race(underWay);
      const batch = waiting;
      waiting = [];
      try {
        if (failure !== undefined) throw failure;
        send(batch, store.add(await encode(batch)));
      } catch (error) {
        fail(batch, error);
      }
    }
    running = undefined;
  }

  /** Tells a batch that it is kept once it and all before it are. */
  function send(batch: readonly Waiting[], adding: Promise<void>): void {
    kept = Promise.all([kept, adding]);
    const told = kept.then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error: unknown) => fail(batch, error),
    );
    const ended = told.finally(() => underWay.delete(ended));
    underWay.add(ended);
  }

  function fail(batch: readonly Waiting[], error: unknown): void {
    failure ??= error;
    for (const { reject } of batch) reject(error);
  }

  return {
    append(entry) {
      const done = new Promise<void>((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
      });
      running ??= drain();
      return done;
    },
    async flush() {
      while (running || underWay.size > 0) await Promise.all([running, ...underWay]);
      if (failure !== undefined) throw failure;
    },
  };
}

function hasSecret(entry: JournalEntry): boolean {
  if ("notes" in entry || "target" in entry) return false;
  const states = "begin" in entry ? [entry.resource] : entry.set.map(([, state]) => state);
  return states.some((state) => state && (containsSecret(state.inputs) || containsSecret(state.outputs)));
}

function entryToJson(entry: JournalEntry, toRecord: (state: ResourceState) => JsonMap): JsonMap {
  if ("notes" in entry) return { slot: entry.slot, notes: entry.notes as JsonMap };
  if ("target" in entry) return { provider: entry.provider, target: { ...targetRecord(entry.target) } };
  if ("begin" in entry) {
    const { resource, ...rest } = entry;
    return resource ? { ...rest, resource: toRecord(resource) } : rest;
  }
  return {
    set: entry.set.map(([slot, state]): Json => [slot, state && toRecord(state)]),
    end: [...entry.end],
  };
}

/** A journal as it was found. */
export interface FoundJournal extends JournalHeader {
  /** Salt that the entries brought, when the snapshot had none. */
  readonly salt?: string;
  readonly holdsSealed: boolean;
  /** Lines that could not be read before the last one; the last one may be torn by the kill, which loses nothing that was acknowledged. */
  readonly damaged: number;
  /** The entries; secrets are opened, so the sealer must be ready. */
  readonly entries: (sealer: Pick<Sealer, "open">) => JournalEntry[];
}

/**
 * Reads a journal's text; undefined when it is no more than the beginning of a first line, so that nothing was begun. Throws EngineError `state`
 * for any other first line that is none.
 */
export function readJournal(text: string, place = "the stack's journal"): FoundJournal | undefined {
  const depth = nestingFault(text);
  if (depth !== undefined) {
    throw new EngineError(
      "state",
      `${place} is damaged: ${depth}, so what the last run did cannot be told. Nothing was done. Bring the file back, or remove it, run \`plumbline refresh\`, and look for objects that the state does not know.`,
    );
  }
  const lines = text.split("\n");
  // What follows the last line end was torn off by a kill.
  lines.pop();
  const parsed = lines.map((line) => parseLine(line));
  const header = parsed[0];
  if (header?.journal !== 1 || !Number.isSafeInteger(header.base) || typeof header.lineage !== "string") {
    if (isTornHeader(text)) return undefined;
    throw new EngineError(
      "state",
      `The first line of ${place} is damaged, so what the last run did cannot be told. Nothing was done. Bring the file back, or remove it, run \`plumbline refresh\`, and look for objects that the state does not know.`,
    );
  }
  const body = parsed.slice(1);
  const whole = body.filter((line) => line !== undefined) as JsonMap[];
  const lastIsTorn = body.length > 0 && body[body.length - 1] === undefined;
  const salt = whole.find((line) => typeof line.salt === "string")?.salt as string | undefined;
  return {
    base: Number(header.base),
    lineage: String(header.lineage),
    damaged: body.length - whole.length - (lastIsTorn ? 1 : 0),
    holdsSealed: whole.some((line) => holdsSealed(line)),
    ...(salt === undefined ? {} : { salt }),
    entries: (sealer) =>
      whole.flatMap((line): JournalEntry[] => {
        if (Array.isArray(line.set)) {
          const set = (line.set as [number, JsonMap | null][]).map(
            ([slot, record]) => [slot, record && decodeResource(record, sealer)] as const,
          );
          return [{ set, end: (line.end ?? []) as number[] }];
        }
        if (line.notes !== undefined) return [{ notes: line.notes as JsonMap, slot: Number(line.slot) }];
        if (line.target !== undefined)
          return [{ target: line.target as unknown as Target, provider: String(line.provider) }];
        if (line.begin === undefined) return [];
        const resource = line.resource && decodeResource(line.resource as JsonMap, sealer);
        return [
          {
            begin: line.begin as Attempt["kind"],
            slot: Number(line.slot),
            at: String(line.at),
            ...(resource ? { resource } : {}),
          },
        ];
      }),
  };
}

/** True when a kill can have left this of a first line, before its line end. Anything else is not ours to drop, however short. */
function isTornHeader(text: string): boolean {
  const base = /^\{"journal":1,"base":\d+/.exec(text);
  if (base === null) return '{"journal":1,"base":'.startsWith(text);
  const rest = text.slice(base[0].length);
  return ',"lineage":"'.startsWith(rest) || /^,"lineage":"(?:[^"\\\n]|\\[^\n])*(?:\\|"\}?)?$/.test(rest);
}

/** A line that has the form of one; what it says of a resource must be a record of one. */
function parseLine(line: string): JsonMap | undefined {
  try {
    const json = JSON.parse(line) as unknown;
    if (!isMap(json)) return undefined;
    const records = Array.isArray(json.set)
      ? json.set.map((pair: unknown) => (Array.isArray(pair) ? pair[1] : {}))
      : [json.resource ?? null];
    return records.every((one: unknown) => one === null || recordFault(one) === undefined)
      ? (json as JsonMap)
      : undefined;
  } catch {
    return undefined;
  }
}
