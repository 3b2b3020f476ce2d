/** An emulator's account as a test reads it: through the API, and whole, in a form in which two accounts can be compared. */

import type { Emulator } from "../../emulator/index.ts";

/** One object of the account, as the emulator keeps it. */
export interface Kept {
  readonly id: number;
  readonly [field: string]: unknown;
}

interface Account {
  readonly collections: { readonly [name: string]: readonly Kept[] };
}

/** Calls the service as the owner; throws on any answer that is no success. */
export async function call<T = Kept>(
  emulator: Emulator,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${emulator.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** The objects of a collection of the emulator's own data (`domains`, `domain_records`, `vpcs`, `vpcSubnets`, `volumes`). */
export function kept(emulator: Emulator, collection: string): readonly Kept[] {
  return (emulator.data() as Account).collections[collection] ?? [];
}

/** What a stack can make; all of it is gone after a destroy. */
export function leftovers(emulator: Emulator): { [collection: string]: number } {
  const made = ["domains", "domain_records", "vpcs", "vpcSubnets", "volumes"];
  return Object.fromEntries(
    made.map((name) => [name, kept(emulator, name).length] as const).filter(([, count]) => count > 0),
  );
}

/** Numbers of writes by operation. */
export function writes(emulator: Emulator): { [operation: string]: number } {
  return Object.fromEntries(
    Object.entries(emulator.stats().requests)
      .filter(([operation]) => !operation.startsWith("GET "))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

// Events and renderings tell of the way there (order, times, serial numbers), which the engines may choose.
const history = new Set(["events", "domain_renderings"]);
const accidental = new Set(["id", "created", "updated", "_at", "host_uuid"]);

/** Fields that hold the id, or ids, of objects of the collection. */
const references: { readonly [field: string]: string } = {
  _domainId: "domains",
  vpc_id: "vpcs",
  subnet_id: "vpcSubnets",
  volume_id: "volumes",
  compute_id: "computeInstances",
  credentials: "managedCredentials",
  _database: "databases",
  cluster_id: "lkeClusters",
  instance_id: "computeInstances",
};

/** Every object, without ids, stamps and what is random: references by the object's own name, collections in one order, empty ones left out. */
export function comparable(emulator: Emulator): { [collection: string]: unknown[] } {
  const { collections } = emulator.data() as Account;
  const named = (collection: string, id: unknown): string => {
    const object = collections[collection]?.find((one) => one.id === id);
    if (object === undefined) throw new Error(`${collection} has no object ${id}`);
    return `${collection} ${String(object["domain"] ?? object["label"])}`;
  };
  const stripped = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(stripped);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value)
      .filter(([field]) => !accidental.has(field))
      .map(([field, item]) => {
        const collection = references[field];
        if (!collection || item === null) return [field, stripped(item)] as const;
        return [
          field,
          Array.isArray(item) ? item.map((id) => named(collection, id)) : named(collection, item),
        ];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  };
  return Object.fromEntries(
    Object.entries(collections)
      .filter(([name, objects]) => !history.has(name) && objects.length > 0)
      .map(([name, objects]) => [
        name,
        objects
          .map(stripped)
          .map((object) => [JSON.stringify(object), object] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, object]) => object),
      ]),
  );
}

/** Text and lists of outputs in which ids stand for what they are ids of, and stamps are gone: equal for equal accounts. */
export function withoutIds(emulator: Emulator, value: unknown): unknown {
  const names = new Map<string, string>();
  // Records and clusters count from the same number: which of them an id is of is told by where it stands.
  const records = new Map<string, string>();
  for (const [collection, objects] of Object.entries((emulator.data() as Account).collections)) {
    if (history.has(collection)) continue;
    for (const object of objects) {
      const name =
        object["domain"] ?? object["label"] ?? `${object["type"]} ${object["name"]} ${object["target"]}`;
      const known = collection === "domain_records" ? records : names;
      // Kinds that count from the same number are named together, in no order of theirs.
      const others = known.get(String(object.id))?.split(" or ") ?? [];
      known.set(String(object.id), [...others, `(${collection} ${name})`].sort().join(" or "));
    }
  }
  const nameOf = (id: string, isRecord: boolean): string | undefined =>
    isRecord ? (records.get(id) ?? names.get(id)) : (names.get(id) ?? records.get(id));
  const masked = (part: unknown, within = ""): unknown => {
    if (typeof part === "string" || typeof part === "number") {
      const ids = String(part).split("/");
      const named = ids.map((id, at) => nameOf(id, at > 0 || /record/i.test(within)));
      const isOfIds = named.some(Boolean) && ids.every((id, at) => named[at] ?? !/^\d+$/.test(id));
      if (isOfIds) return ids.map((id, at) => named[at] ?? id).join("/");
      return typeof part === "number" ? part : part.replace(/\d{6,}/g, (id) => nameOf(id, false) ?? id);
    }
    if (Array.isArray(part)) return part.map((item) => masked(item, within));
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part)
        .filter(([field]) => !accidental.has(field) || field === "id")
        .map(([field, item]) => [field, masked(item, field)]),
    );
  };
  return masked(value);
}
