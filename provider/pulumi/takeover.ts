/** Decides whether a Create goes on with what an earlier, killed run began. It knows what the engine has mentioned, not how it said so. */

import type { EarlierAttempt, Notes } from "../core/protocol.ts";
import { type CreateLog, objectKey } from "./create-log.ts";
import { createNotebook, type Notebook, type Page } from "./notebook.ts";
import { endOf } from "./process-end.ts";

/** A create that has begun. */
export interface Begun {
  /** The earlier one to go on with, if there is one. */
  readonly earlierAttempt?: EarlierAttempt;
  /** None at first, but for those of the earlier attempt. */
  readonly notes: Notes;
  /** To be called when the create is over, however it went. */
  readonly end: () => void;
}

export interface Takeover {
  /** The engine has this resource in its state: it sent checked inputs of an earlier run. */
  sawOldInputs(urn: string): void;
  /** The engine named the id as the resource's own: it has saved it. */
  sawId(urn: string, type: string, id: string): void;
  /** Notes of objects that the engine has. */
  readonly notebook: Notebook;
  /** Writes down that a create begins. */
  begin(urn: string, type: string, at: string): Promise<Begun>;
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
  const notebook = createNotebook(log);
  /** Notes of the creates that run, by URN. */
  const pages = new Map<string, Page>();

  function name(type: string, id: string): void {
    const ids = named.get(type);
    if (ids) ids.add(id);
    else named.set(type, new Set([id]));
  }

  return {
    notebook,
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
      if (open?.id !== undefined) await notebook.quiet(objectKey(type, open.id));
      const earlier = log.find(urn);
      // A forced replacement is created without a Diff: the logged id may then be the very one that the engine has and is about to delete.
      const isHidden = withOldInputs.has(urn) && !withNamedId.has(urn);
      const isAfresh = earlier === undefined || isHidden;
      if (isAfresh) {
        if (isHidden) log.end(urn);
        log.leave(urn, {});
        begunAfresh.add(urn);
      } else begunAfresh.delete(urn);
      const id = isAfresh ? undefined : earlier.id;
      const page = notebook.ofCreate(urn, type, id);
      pages.set(urn, page);
      await log.begin(urn, type, at);
      const end = (): void => {
        page.end();
        pages.delete(urn);
      };
      const begun = { notes: page.notes, end };
      if (isAfresh) return begun;
      const { startedAt } = earlier;
      return { ...begun, earlierAttempt: id === undefined ? { startedAt } : { startedAt, id } };
    },
    made: async (urn, type, id) => {
      if (log.find(urn)?.id !== id) {
        // Before the line of the id, and written with it: whoever reads the id finds the notes.
        pages.get(urn)?.moveTo(id);
        await log.made(urn, id);
      }
      name(type, id);
    },
    refused: (urn) => {
      if (!begunAfresh.delete(urn)) return;
      log.end(urn);
      log.leave(urn, {});
    },
    isKnownId: (urn, type, id) =>
      (named.get(type)?.has(id) ?? false) || log.withId(type, id).some((other) => other !== urn),
  };
}
