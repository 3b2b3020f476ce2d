/**
 * Notes what is about to be sent, so that a run after a kill knows which fields may have it: before the first request of an update, or of what
 * follows a create. Knows no type.
 */

import { same, toldOf } from "../../core/judgement/compare.ts";
import { canonicalOf } from "../../core/judgement/diff.ts";
import {
  markOf,
  openMarks,
  type Sent,
  sentIn,
  sentKey,
  unappliedFields,
} from "../../core/judgement/unapplied.ts";
import { isUnreadable } from "../../core/object/state.ts";
import { isWithin, parsePath } from "../../core/property-path.ts";
import type { DiffRequest, UpdateRequest } from "../../core/protocol.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { ValueMap } from "../../core/value.ts";
import type { Operation, VerbScope } from "../operation.ts";

/** The fields of an object that may not have the value that was saved as applied. */
export function unappliedOf(
  operation: Pick<Operation, "marker">,
  type: ResourceType,
  request: Pick<DiffRequest | UpdateRequest, "notes" | "oldInputs" | "newInputs" | "state">,
): ReadonlySet<string> {
  const { oldInputs, newInputs, state } = request;
  const values = { oldInputs, newInputs, known: state };
  return unappliedFields(type, values, sentIn(request.notes), operation.marker);
}

/** Whose fields are sent. */
interface Sender {
  readonly type: ResourceType;
  readonly scope: Pick<VerbScope, "notes" | "marker">;
  readonly inputs: ValueMap;
  readonly before?: {
    readonly inputs: ValueMap;
    readonly state: ValueMap;
    readonly ignoreChanges?: readonly string[];
  };
}

/** How sending ended, where it did not end well. */
export interface Outcome {
  /** Fields that do not have their declared value, as far as it is known. */
  readonly pending: ReadonlySet<string>;
  /** Those of them for which nothing was written. */
  readonly untouched: ReadonlySet<string>;
  /** What the object is now, and the inputs that are saved for it; absent where that was not looked at. */
  readonly now?: { readonly live: ValueMap; readonly applied: ValueMap };
}

/** The note of one verb. */
export interface SentNote {
  /** To be awaited before the first request that sets one of the fields. */
  readonly begin: (names: Iterable<string>, live: ValueMap) => Promise<void>;
  /** Everything is as declared. Resolves to the keys of notes that are of no use once that is saved. */
  readonly end: (live: ValueMap) => Promise<readonly string[]>;
  /** Something is left open. */
  readonly leave: (outcome: Outcome) => Promise<void>;
}

export function sentNote({ type, scope, inputs, before }: Sender): SentNote {
  const { notes, marker } = scope;
  const found = sentIn(notes);
  const known = before?.state ?? {};
  /** What earlier verbs left open. */
  const open = openMarks(type, found, canonicalOf(type, before?.inputs ?? {}, known), marker);
  const ignored = (before?.ignoreChanges ?? []).map(parsePath);
  const isIgnored = (name: string) => ignored.some((pattern) => isWithin([name], pattern));
  let held = found;

  const hold = async (next: Sent): Promise<void> => {
    if (JSON.stringify(next) === JSON.stringify(held)) return;
    held = next;
    await notes.set(sentKey, Object.keys(next).length > 0 ? { ...next } : undefined);
  };
  const marksOf = (values: ValueMap, live: ValueMap, names: Iterable<string>): Sent => {
    const canonical = canonicalOf(type, values, live);
    return Object.fromEntries([...names].map((name) => [name, [markOf(marker, type, name, canonical)]]));
  };

  return {
    begin: async (names, live) => {
      const sent = [...names].filter((name) => !annotations(type.inputs[name]!).trigger);
      if (sent.length === 0) return;
      const marks = Object.entries(marksOf(inputs, live, sent));
      const joined = marks.map(([name, own]) => [name, [...new Set([...(open[name] ?? []), ...own])]]);
      await hold({ ...open, ...Object.fromEntries(joined) });
    },
    end: async (live) => {
      const left = Object.entries(held).filter(([name]) => isIgnored(name));
      const done = Object.keys(held).filter((name) => !isIgnored(name) && type.inputs[name]);
      await hold({ ...Object.fromEntries(left), ...marksOf(inputs, live, done) });
      return left.length === 0 && done.length > 0 ? [sentKey] : [];
    },
    leave: async ({ pending, untouched, now }) => {
      const next: { [name: string]: readonly string[] } = {};
      for (const [name, marks] of Object.entries(held)) {
        if (!type.inputs[name]) continue;
        if (!pending.has(name) && !isIgnored(name))
          Object.assign(next, marksOf(inputs, now?.live ?? known, [name]));
        else if (now && !isUnreadable(type, name))
          Object.assign(next, seenMark(type, scope, name, { ...now, state: known }));
        else if (!untouched.has(name)) next[name] = marks;
        else if (open[name]) next[name] = open[name];
      }
      await hold(next);
    },
  };
}

/** The mark of what was seen of a field: of the saved input where that is what is there, else of what is there. */
function seenMark(
  type: ResourceType,
  { marker }: Pick<VerbScope, "marker">,
  name: string,
  { live, applied, state }: { live: ValueMap; applied: ValueMap; state: ValueMap },
): Sent {
  const field = type.inputs[name]!;
  const [saved, now, last] = [applied, live, state].map((values) => canonicalOf(type, values, live)) as [
    ValueMap,
    ValueMap,
    ValueMap,
  ];
  const isSaved =
    same(field, last[name], now[name]) || same(field, saved[name], toldOf(field, now[name], saved[name]));
  return { [name]: [markOf(marker, type, name, isSaved ? saved : now)] };
}

/** After a read: what was left open of fields that can be read is settled, whether or not the engine saves these inputs. */
export async function noteSeen(
  type: ResourceType,
  scope: Pick<VerbScope, "notes" | "marker">,
  seen: { readonly live: ValueMap; readonly inputs: ValueMap; readonly state: ValueMap },
): Promise<void> {
  const found = sentIn(scope.notes);
  const names = Object.keys(found).filter((name) => type.inputs[name] && !isUnreadable(type, name));
  if (names.length === 0) return;
  const settled = { live: seen.live, applied: seen.inputs, state: seen.state };
  const next = Object.assign({}, found, ...names.map((name) => seenMark(type, scope, name, settled)));
  if (JSON.stringify(next) !== JSON.stringify(found)) await scope.notes.set(sentKey, next);
}
