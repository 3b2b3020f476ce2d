/** Decides whether a Create goes on with what an earlier, killed run began. It knows what the engine has mentioned, not how it said so. */

import { notesIn } from "../../core/engines/notes.ts";
import type { EarlierAttempt, Notes } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { endOf } from "../../machine/process.ts";
import { type Attempt, type CreateLog, type Naming, objectKey } from "./create-log.ts";
import { createDeletions, type Deletions } from "./deletions.ts";
import { createNotebook, type Notebook, type Page } from "./notebook.ts";
import type { CutOff } from "./resumption.ts";

/** A create that has begun. */
export interface Begun {
  /** The earlier one to go on with, if there is one. */
  readonly cutOff?: CutOff;
  /** None at first, but for those of the earlier attempt. */
  readonly notes: Notes;
  /** To be called when the create is over, however it went. */
  readonly end: () => void;
}

export interface Takeover {
  /** A call of this run is about the resource. */
  meet(urn: string): void;
  /** Unfinished creates of earlier runs that no call of this run is about, whichever of its plugins it was made to. */
  leftBehind(): readonly Attempt[];
  /** A copy of the notes of an unfinished create. */
  notesOf(attempt: Attempt): Notes;
  /** The user was told of what the create left, and is not told again. */
  told(urn: string): void;
  /** The engine has saved all that it was answered. */
  saved(): void;
  /** The engine has this resource in its state: it sent checked inputs of an earlier run, of which these are lasting. */
  sawOldInputs(urn: string, lasting: ValueMap): void;
  /** The engine named the id as the resource's own, or (a delete) as what was: it has saved it. */
  sawId(urn: string, type: string, id: string, isDelete?: boolean): void;
  /** The engine was answered: whatever of the URN it deletes from now on, it does after it has saved what was made. */
  answered(urn: string): void;
  /** Why a forced replacement cannot be made now: whether the engine has what an earlier one made cannot be told; undefined: it can. */
  unclear(urn: string): string | undefined;
  /** Notes of objects that the engine has. */
  readonly notebook: Notebook;
  readonly deletions: Deletions;
  /** What a create's automatic names are to come from: what those of the one that it will go on with came from, else what is `given`. */
  naming(urn: string, given: Naming): Naming;
  /** What a create would go on with if it began now, and a copy of its notes. */
  foreseen(urn: string): { readonly cutOff: CutOff; readonly notes: Notes } | undefined;
  /** Writes down that a create begins, and the lasting inputs that it begins with. */
  begin(urn: string, type: string, at: string, lasting: ValueMap): Promise<Begun>;
  /** What is said when nothing will go on with a replacement that an earlier run was killed in, so that its new object may be left; undefined: nothing is. */
  abandoned(urn: string, id: string, when: "diff" | "delete"): string | undefined;
  /** Nothing is left of what was gone on with: the next `begin` begins afresh. */
  over(urn: string): void;
  /** Writes the id down. */
  made(urn: string, type: string, id: string): Promise<void>;
  /** The create was refused and made nothing. */
  refused(urn: string): void;
  /** True when the id belongs to a resource that the engine has, or to another one's create. */
  isKnownId(urn: string, type: string, id: string): boolean;
}

/** `run` names the run of the engine, the same for all its plugins. */
export function createTakeover(log: CreateLog, run: string): Takeover {
  /** Ids that the engine has named, by type. */
  const named = new Map<string, Set<string>>();
  const withOldInputs = new Map<string, ValueMap>();
  const withAnswer = new Set<string>();
  /** Checked as something new, and not created since. */
  const checkedAnew = new Set<string>();
  const withNamedId = new Set<string>();
  /** Creates of this process that went on with nothing: a refusal ends their entry. */
  const begunAfresh = new Set<string>();
  const notebook = createNotebook(log);
  const deletions = createDeletions(log);
  /** Creates of this process: what they made is being replaced with, not left. */
  const begunHere = new Set<string>();
  /** What calls of this process were about, by URN. */
  const met = new Set<string>();
  /** Notes of the creates that run, by URN. */
  const pages = new Map<string, Page>();
  /** What automatic names came from, by URN. */
  const namings = new Map<string, Naming>();

  // A forced replacement is created without a Diff: the logged id may then be the very one that the engine has and is about to delete.
  const isHidden = (urn: string) => {
    const saved = withNamedId.has(urn) ? undefined : withOldInputs.get(urn);
    const open = saved && log.find(urn);
    return saved !== undefined && !(open && isSurelyUnsaved(open, saved));
  };

  function copyOfNotes({ urn, type, id }: Attempt): Notes {
    let held = log.notes(id === undefined ? urn : objectKey(type, id))?.notes ?? {};
    const hold = async (next: ValueMap) => {
      held = next;
    };
    return notesIn({ held: () => held, hold }, { isReadOnly: false });
  }

  function name(type: string, id: string): void {
    const ids = named.get(type);
    if (ids) ids.add(id);
    else named.set(type, new Set([id]));
  }

  return {
    notebook,
    deletions,
    meet: (urn) => {
      if (met.has(urn)) return;
      met.add(urn);
      const open = log.find(urn);
      if (open && !open.saved && open.met !== run) log.meet(urn, run);
    },
    leftBehind: () =>
      log.open().filter((open) => !open.saved && !open.told && open.met !== run && !met.has(open.urn)),
    notesOf: copyOfNotes,
    told: (urn) => log.told(urn),
    saved: () => {
      deletions.saved();
      for (const urn of begunHere) if (log.find(urn)?.id !== undefined) log.saved(urn);
    },
    sawOldInputs: (urn, lasting) => void withOldInputs.set(urn, lasting),
    sawId: (urn, type, id, isDelete = false) => {
      name(type, id);
      withNamedId.add(urn);
      for (const other of log.withId(type, id)) log.end(other);
      const open = log.find(urn);
      if (!open?.replaces) return;
      if (!isDelete) log.beside(urn, id);
      else if (withAnswer.has(urn)) log.end(urn);
    },
    answered: (urn) => void withAnswer.add(urn),
    unclear: (urn) => {
      const open = isHidden(urn) ? log.find(urn) : undefined;
      if (!open?.replaces || begunHere.has(urn)) return undefined;
      return `an earlier run was killed while it replaced this, after it had made ${open.id}, and Pulumi does not say here whether it has saved that: run \`pulumi refresh\` first, and then the same again`;
    },
    naming: (urn, given) => {
      // A forced replacement is checked twice as something new, and a first create once.
      if (checkedAnew.has(urn) && !withOldInputs.has(urn)) withOldInputs.set(urn, {});
      checkedAnew.add(urn);
      const earlier = isHidden(urn) ? undefined : log.find(urn)?.naming;
      const isSwitchedOff = given.autonaming?.mode === "disable";
      const naming = isSwitchedOff ? given : (earlier ?? given);
      namings.set(urn, naming);
      return naming;
    },
    foreseen: (urn) => {
      checkedAnew.delete(urn);
      const earlier = isHidden(urn) ? undefined : log.find(urn);
      if (earlier === undefined) return undefined;
      return { cutOff: cutOffOf(earlier), notes: copyOfNotes(earlier) };
    },
    begin: async (urn, type, at, lasting) => {
      checkedAnew.delete(urn);
      const open = log.find(urn);
      // The plugin of a killed engine ends the calls that it still has; what they make must be there to be found.
      if (open !== undefined && open.id === undefined) await endOf(open.pid);
      if (open?.id !== undefined) await notebook.quiet(objectKey(type, open.id));
      const earlier = log.find(urn);
      const isAfresh = earlier === undefined || isHidden(urn);
      if (isAfresh) {
        log.end(urn);
        log.leave(urn, {});
        begunAfresh.add(urn);
      } else begunAfresh.delete(urn);
      const id = isAfresh ? undefined : earlier.id;
      begunHere.add(urn);
      const page = notebook.ofCreate(urn, type, id);
      pages.set(urn, page);
      const naming = namings.get(urn);
      await log.begin(urn, type, at, {
        ...(naming && { naming }),
        met: run,
        lasting,
        ...(withOldInputs.has(urn) && { replaces: true }),
      });
      const end = (): void => {
        page.end();
        pages.delete(urn);
      };
      const begun = { notes: page.notes, end };
      return isAfresh ? begun : { ...begun, cutOff: cutOffOf(earlier) };
    },
    abandoned: (urn, id, when) => {
      // What was checked and is deleted is deleted first, and made anew by a create that does go on.
      const isGoneOnWith = begunHere.has(urn) || (when === "delete" && withOldInputs.has(urn));
      const open = isGoneOnWith ? undefined : log.find(urn);
      if (open === undefined || open.id === id) return undefined;
      const what =
        open.id === undefined
          ? `an object made at or after ${open.startedAt} may be its`
          : `it had made ${open.id}`;
      return `an earlier run was killed while it replaced this, and this run does not go on with that: ${what}; if it is still there, delete it or import it`;
    },
    over: (urn) => {
      log.end(urn);
      log.leave(urn, {});
    },
    made: async (urn, type, id) => {
      if (log.find(urn)?.id !== id) {
        // Before the line of the id, and written with it: whoever reads the id finds the notes.
        pages.get(urn)?.moveTo(id);
        await log.made(urn, id);
      }
      deletions.forget(type, id);
      name(type, id);
    },
    refused: (urn) => {
      if (!begunAfresh.delete(urn)) return;
      log.end(urn);
      log.leave(urn, {});
    },
    isKnownId: (urn, type, id) =>
      (named.get(type)?.has(id) ?? false) ||
      log.withId(type, id).some((other) => other !== urn) ||
      log.find(urn)?.beside === id,
  };
}

/** True when the engine, whose resource has these lasting inputs, cannot have saved what the attempt made: it has the object that was to be replaced. */
function isSurelyUnsaved({ replaces, id, beside, lasting = {} }: Attempt, saved: ValueMap): boolean {
  if (!replaces) return false;
  // The id is on the disk before the engine is answered.
  if (id === undefined || beside !== undefined) return true;
  return Object.entries(lasting).some(
    ([name, value]) => name in saved && JSON.stringify(saved[name]) !== JSON.stringify(value),
  );
}

function cutOffOf({ startedAt, id, lasting }: Attempt): CutOff {
  const earlierAttempt: EarlierAttempt = id === undefined ? { startedAt } : { startedAt, id };
  return lasting === undefined ? { earlierAttempt } : { earlierAttempt, lasting };
}
