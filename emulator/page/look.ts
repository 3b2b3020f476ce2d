/** What the page shows of an account: looks that change nothing and are bounded, however much there is. It knows no HTTP. */

import type { Account } from "../account/account.ts";
import { type EventItem, eventCollection } from "../account/events.ts";
import { type Item, type Json, type JsonObject, notFound } from "../area.ts";
import type { FaultRule } from "../face.ts";
import type { Faults } from "../http/faults.ts";
import type { LoggedRequest, Stats } from "../http/stats.ts";
import { shelves } from "./shelves.ts";

/** The newest requests and events and the next transitions: so many each. */
const shown = 100;
/** Objects of one page of a collection. */
const pageSize = 25;
/** Characters of a path, a query or a name. */
const longest = 300;

/** A part of something, and how much there is of it. */
interface Part<T> {
  readonly total: number;
  readonly shown: readonly T[];
}

export interface Overview {
  readonly now: string;
  readonly areas: readonly {
    readonly title: string;
    readonly collections: readonly {
      readonly name: string;
      readonly title: string;
      readonly count: number;
    }[];
  }[];
  /** The newest first, as are events. */
  readonly requests: Part<LoggedRequest>;
  readonly events: Part<Omit<EventItem, "_at">>;
  /** The next first. */
  readonly transitions: Part<{
    readonly id: number;
    readonly kind: string;
    readonly due: string;
    readonly data: JsonObject;
  }>;
  readonly faults: readonly (FaultRule & { readonly fired: number })[];
}

export interface ObjectLine {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly state: string;
}

export interface Look {
  overview(): Overview;
  /** One page, from 1 on, of the objects that hold the text, in whatever case. Refuses an unknown collection with 404. */
  objects(collection: string, page: number, text: string): Part<ObjectLine> & { readonly pages: number };
  /** The object without the emulator's own fields. Refuses what is not there with 404. */
  object(collection: string, id: number): Item;
}

export function createLook(
  account: Account,
  stats: Pick<Stats, "counts" | "last">,
  faults: Pick<Faults, "rules">,
): Look {
  const collection = (name: string) =>
    account.holds(name) ? account.worldOf(null).collection(name) : undefined;
  const counted = (name: string, title: string) => ({ name, title, count: collection(name)?.size ?? 0 });

  function areas(): Overview["areas"] {
    const known = new Set([eventCollection, ...shelves.flatMap((shelf) => Object.keys(shelf.collections))]);
    const others = account.names().filter((name) => !known.has(name));
    return [
      ...shelves.map(({ title, collections }) => ({
        title,
        collections: Object.entries(collections).map(([name, words]) => counted(name, words)),
      })),
      ...(others.length > 0
        ? [{ title: "Other", collections: others.map((name) => counted(name, name)) }]
        : []),
    ];
  }

  function requests(): Overview["requests"] {
    const newest = stats.last(shown).reverse();
    return {
      total: stats.counts().total,
      shown: newest.map((request) => ({
        ...request,
        path: cut(request.path),
        ...(request.query !== undefined && { query: cut(request.query) }),
      })),
    };
  }

  function events(): Overview["events"] {
    const all = collection(eventCollection)?.all() ?? [];
    return { total: all.length, shown: all.slice(-shown).reverse().map(visible) as unknown as EventItem[] };
  }

  function transitions(): Overview["transitions"] {
    const jobs = account.jobs.data();
    const next = jobs
      .slice(0, shown)
      .map(({ due, ...job }) => ({ ...job, due: new Date(due).toISOString() }));
    return { total: jobs.length, shown: next };
  }

  return {
    overview: () => ({
      now: account.clock.now().toISOString(),
      areas: areas(),
      requests: requests(),
      events: events(),
      transitions: transitions(),
      faults: faults.rules(),
    }),
    objects: (name, page, text) => {
      const wanted = text.toLowerCase();
      const holds = (item: Item) => JSON.stringify(visible(item)).toLowerCase().includes(wanted);
      const found = collection(name) ?? notFound();
      const items = wanted === "" ? found.all() : found.filter(holds);
      const pages = Math.max(1, Math.ceil(items.length / pageSize));
      const from = (Math.min(Math.max(page, 1), pages) - 1) * pageSize;
      return { total: items.length, pages, shown: items.slice(from, from + pageSize).map(lineOf) };
    },
    object: (name, id) => ({ id, ...(visible(collection(name)?.get(id) ?? notFound()) as JsonObject) }),
  };
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** What people call an object, by the first of these fields that it has. */
const naming = ["label", "domain", "name", "username", "title", "entity", "action"];

function lineOf(item: Item): ObjectLine {
  const name = naming.map((field) => item[field]).find((value) => typeof value === "string" && value !== "");
  const words = (field: string) => (typeof item[field] === "string" ? cut(item[field]) : "");
  return { id: item.id, name: cut(name ?? ""), type: words("type"), state: words("status") };
}

function visible(value: Json | Item): Json {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== "object" || value === null) return value as Json;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, content]) =>
      name.startsWith("_") ? [] : [[name, visible(content)]],
    ),
  );
}
