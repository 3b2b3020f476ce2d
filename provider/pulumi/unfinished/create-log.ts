/**
 * The create log: which creates began and which ids they gave, and what verbs noted, on disk, so that a killed run loses nothing. It knows
 * no resource and no protocol.
 */

import type { ValueMap } from "../../core/value.ts";
import { openLineFile } from "./line-file.ts";

/** What automatic names came from; the same gives the same names. */
export interface Naming {
  /** Base64. */
  readonly seed: string;
  readonly autonaming?: { readonly proposedName: string; readonly mode: "propose" | "enforce" | "disable" };
}

/** What a resumed create needs of the one that was cut off. */
export interface Beginnings {
  readonly naming?: Naming;
  /** Inputs that tell its object, none of them secret, plain JSON; absent in logs of earlier versions. */
  readonly lasting?: ValueMap;
  /** True: it was to replace an object that the engine had. */
  readonly replaces?: true;
  /** The run of the engine that was last about the resource; absent in logs of earlier versions. */
  readonly met?: string;
}

/** A create whose end the engine has not shown to know. `id` is there once the service answered. */
export interface Attempt extends Beginnings {
  readonly urn: string;
  readonly type: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly id?: string;
  /** The id of another object that the engine named as the resource's own since it began. */
  readonly beside?: string;
  /** True: the run that began it ended in order, so that the engine has what it was answered. */
  readonly saved?: true;
  /** True: the user was told of it, once and for all, and only its own resource goes on with it. */
  readonly told?: true;
  /** The process that began it. */
  readonly pid: number;
}

/** All notes of one holder: an object (`objectKey`), or a create that has no id yet (its URN). */
export interface HeldNotes {
  readonly notes: ValueMap;
  /** The process whose verb wrote them and has not ended. */
  readonly pid?: number;
}

/** One line of the file. `hold` has all notes that the holder has from then on. */
type Line =
  | ({
      readonly begin: string;
      readonly type: string;
      readonly at: string;
      readonly pid: number;
    } & Beginnings)
  | { readonly made: string; readonly id: string }
  | { readonly beside: string; readonly id: string }
  | { readonly met: string; readonly run: string }
  | { readonly saved: string }
  | { readonly told: string }
  | { readonly end: string }
  | { readonly notes: string; readonly hold: ValueMap; readonly pid?: number };

export interface CreateLog {
  /** The unfinished attempt of a URN, as the file of all processes tells. */
  find(urn: string): Attempt | undefined;
  /** All unfinished attempts, as the file of all processes tells. */
  open(): readonly Attempt[];
  /** The URNs whose unfinished attempts gave this id, as far as they have been read. */
  withId(type: string, id: string): readonly string[];
  /** Resolves when the attempt is safely on disk; an earlier unfinished one of the URN keeps its start and what it began with, but is no replacement any more when other inputs are lasting now. */
  begin(urn: string, type: string, at: string, beginnings?: Beginnings): Promise<void>;
  /** Resolves when the id is safely on disk. */
  made(urn: string, id: string): Promise<void>;
  /** Remembers that the engine has another object as the resource's own than what the attempt made; reaches the disk soon. */
  beside(urn: string, id: string): void;
  /** Remembers that the run is about the resource of the attempt; reaches the disk soon. */
  meet(urn: string, run: string): void;
  /** Remembers that the engine has what it was answered; reaches the disk soon. */
  saved(urn: string): void;
  /** Remembers that the user was told of the attempt for good; its id is nobody's from then on. Reaches the disk soon. */
  told(urn: string): void;
  /** Forgets the attempt; reaches the disk soon. */
  end(urn: string): void;
  /** The holder's notes, as the file of all processes tells; undefined when there are none. */
  notes(holder: string): HeldNotes | undefined;
  /** Puts these in the place of the holder's notes, by a verb that goes on; resolves when they are safely on disk. */
  hold(holder: string, notes: ValueMap): Promise<void>;
  /** The same for good: no verb is at work. Reaches the disk soon. */
  leave(holder: string, notes: ValueMap): void;
  /** Resolves when everything so far is written. */
  flushed(): Promise<void>;
  /** Writes what is pending, at once; for the exit of the process. */
  flushNow(): void;
}

/** An object by its type and id: the same under whatever URN, and never its replacement. */
export function objectKey(type: string, id: string): string {
  return `${type} ${id}`;
}

/**
 * Opens the log in `file`, which need not exist and is removed when it holds nothing any more. Any number of processes may use one file.
 * `onTrouble` hears, once, why the log cannot be kept; everything goes on without it.
 */
export function openCreateLog(file: string, onTrouble: (message: string) => void = () => {}): CreateLog {
  const attempts = new Map<string, Attempt>();
  const urnsById = new Map<string, Set<string>>();
  const held = new Map<string, HeldNotes>();

  const lines = openLineFile<Line>(file, {
    apply,
    clear: () => {
      attempts.clear();
      urnsById.clear();
      held.clear();
    },
    live: () => [
      ...[...attempts.values()].flatMap(linesOfAttempt),
      ...[...held].map(([holder, { notes, ...rest }]): Line => ({ notes: holder, hold: notes, ...rest })),
    ],
    isDurable: (line) => "begin" in line || "made" in line || ("notes" in line && line.pid !== undefined),
    leavesWaste: (line) => "end" in line || "notes" in line,
    onTrouble: (why) =>
      onTrouble(
        `the create log cannot be kept (${why}): if this run is killed, look for objects that it made and did not save`,
      ),
  });

  function apply(line: Line): void {
    if ("notes" in line) {
      const { notes: holder, hold, pid } = line;
      if (Object.keys(hold).length === 0) held.delete(holder);
      else held.set(holder, pid === undefined ? { notes: hold } : { notes: hold, pid });
    } else if ("begin" in line) {
      const { begin: urn, type, at, pid, ...beginnings } = line;
      const fresh: Attempt = { urn, type, startedAt: at, ...beginnings, pid };
      const { beside: _, saved: __, told: ___, replaces, ...earlier } = attempts.get(urn) ?? fresh;
      const isSame = JSON.stringify(earlier.lasting) === JSON.stringify(beginnings.lasting);
      const { met } = beginnings;
      attempts.set(urn, { ...earlier, ...(replaces && isSame && { replaces }), ...(met && { met }), pid });
    } else if ("beside" in line) change(line.beside, { beside: line.id });
    else if ("met" in line) change(line.met, { met: line.run });
    else if ("saved" in line) change(line.saved, { saved: true });
    else if ("told" in line) {
      unindex(attempts.get(line.told));
      change(line.told, { told: true });
    } else if ("made" in line) {
      const attempt = attempts.get(line.made);
      if (attempt === undefined) return;
      unindex(attempt);
      attempts.set(line.made, { ...attempt, id: line.id });
      const key = objectKey(attempt.type, line.id);
      const urns = urnsById.get(key);
      if (urns) urns.add(line.made);
      else urnsById.set(key, new Set([line.made]));
    } else {
      unindex(attempts.get(line.end));
      attempts.delete(line.end);
    }
  }

  function change(urn: string, more: Partial<Attempt>): void {
    const attempt = attempts.get(urn);
    if (attempt) attempts.set(urn, { ...attempt, ...more });
  }

  function unindex(attempt: Attempt | undefined): void {
    if (attempt?.id !== undefined) urnsById.get(objectKey(attempt.type, attempt.id))?.delete(attempt.urn);
  }

  lines.catchUp();
  return {
    find: (urn) => {
      lines.catchUp();
      return attempts.get(urn);
    },
    open: () => {
      lines.catchUp();
      return [...attempts.values()];
    },
    withId: (type, id) => [...(urnsById.get(objectKey(type, id)) ?? [])],
    begin: (urn, type, at, beginnings) =>
      lines.write({ begin: urn, type, at, pid: process.pid, ...beginnings }),
    made: (urn, id) => lines.write({ made: urn, id }),
    beside: (urn, id) => void lines.write({ beside: urn, id }),
    meet: (urn, run) => void lines.write({ met: urn, run }),
    saved: (urn) => void lines.write({ saved: urn }),
    told: (urn) => void lines.write({ told: urn }),
    end: (urn) => {
      if (attempts.has(urn)) void lines.write({ end: urn });
    },
    notes: (holder) => {
      lines.catchUp();
      return held.get(holder);
    },
    hold: (holder, notes) => lines.write({ notes: holder, hold: notes, pid: process.pid }),
    leave: (holder, notes) => {
      if (Object.keys(notes).length > 0 || held.has(holder)) void lines.write({ notes: holder, hold: notes });
    },
    flushed: lines.flushed,
    flushNow: lines.flushNow,
  };
}

function linesOfAttempt({
  urn,
  type,
  startedAt,
  id,
  beside,
  saved,
  told,
  pid,
  ...beginnings
}: Attempt): Line[] {
  return [
    { begin: urn, type, at: startedAt, pid, ...beginnings },
    ...(id === undefined ? [] : [{ made: urn, id }]),
    ...(beside === undefined ? [] : [{ beside: urn, id: beside }]),
    ...(saved === undefined ? [] : [{ saved: urn }]),
    ...(told === undefined ? [] : [{ told: urn }]),
  ];
}
