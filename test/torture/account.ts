/** Two accounts compared object by object: ids, times and what is random stand for nothing, references for what they name. It knows no engine. */

interface Kept {
  readonly id: number;
  readonly [field: string]: unknown;
}

interface AccountData {
  readonly collections: { readonly [name: string]: readonly Kept[] };
}

/** Collections that tell of the way there, or that the service fills by itself as time goes. */
const history = new Set(["events", "domain_renderings", "managedIssues", "tokens"]);

/** Fields of any object that hold a time, an address or a secret of the service's choice. */
const accidental = new Set(["id", "created", "updated", "last_modified", "host_uuid", "_at", "_lastConfig"]);
const accidentalIn: { readonly [collection: string]: readonly string[] } = {
  computeInstances: ["ipv4", "ipv6"],
  databases: ["hosts", "_password", "_certificate"],
  objectStorageKeys: ["access_key", "_secret"],
  lkeClusters: ["_uuid", "_kubeconfig", "_token", "_serviceToken"],
  lkeNodes: ["name"],
  // What a monitor found so far is the service's, and comes with time.
  managedServices: ["status"],
  databaseBackups: ["_generation"],
};

/** Fields that hold the id, or ids, of objects of a collection. */
const references: { readonly [field: string]: string } = {
  _domainId: "domains",
  vpc_id: "vpcs",
  subnet_id: "vpcSubnets",
  volume_id: "volumes",
  compute_id: "computeInstances",
  instance_id: "computeInstances",
  disk_id: "computeDisks",
  cluster_id: "lkeClusters",
  pool_id: "lkePools",
  bucket_id: "objectStorageBuckets",
  credentials: "managedCredentials",
  _database: "databases",
};

/** An object as it is compared, and by what people know it. */
interface Plain {
  readonly name: string;
  readonly text: string;
}

export interface Differences {
  /** Objects that only the account that is judged has. */
  readonly extra: readonly string[];
  /** Objects that it lacks. */
  readonly missing: readonly string[];
  /** Objects that both have, and what they are in either. */
  readonly other: readonly string[];
}

/** A name as it was declared, without what was made up for it. */
const declared = (name: unknown): string =>
  String(name)
    .replace(/-[0-9a-f]{7}$/, "-#")
    .replace(/^lke\d+-\d+-[0-9a-f]+$/, "lke-#");

function nameOf(collection: string, object: Kept, named: (field: string, id: unknown) => string): string {
  const own = object["label"] ?? object["domain"] ?? object["username"];
  if (own !== undefined) return `${collection} ${declared(own)}`;
  const of = Object.keys(references).find(
    (field) => typeof object[field] === "number" && field !== "instance_id",
  );
  const parent = of === undefined ? "" : `${named(of, object[of])}: `;
  const words = [object["type"], object["name"], object["type"] === undefined ? "" : object["target"]];
  return `${collection} ${parent}${words.filter((word) => typeof word === "string" && word !== "").join(" ")}`;
}

/** Every object of the account by collection. */
function plain(data: unknown): Map<string, Plain[]> {
  const { collections } = data as AccountData;
  const byId = new Map<string, Map<number, Kept>>();
  for (const [name, objects] of Object.entries(collections))
    byId.set(name, new Map(objects.map((object) => [object.id, object])));
  const named = (field: string, id: unknown): string => {
    const collection = references[field]!;
    const object = byId.get(collection)?.get(id as number);
    return object === undefined ? `${collection} that is gone` : nameOf(collection, object, named);
  };
  // The bounds of an autoscaler that is off mean nothing.
  const meant = (object: Kept): Kept => {
    const scaler = object["autoscaler"] as { readonly enabled?: boolean } | undefined;
    return scaler?.enabled === false ? { ...object, autoscaler: { enabled: false } } : object;
  };
  const stripped = (value: unknown, left: ReadonlySet<string>): unknown => {
    if (Array.isArray(value)) return value.map((item) => stripped(item, left));
    if (typeof value === "string") return declared(value);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value)
      .filter(([field]) => !left.has(field))
      .map(([field, item]): [string, unknown] => {
        if (!(field in references) || item === null) return [field, stripped(item, left)];
        return [field, Array.isArray(item) ? item.map((id) => named(field, id)).sort() : named(field, item)];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  };
  const found = new Map<string, Plain[]>();
  for (const [collection, objects] of Object.entries(collections)) {
    if (history.has(collection)) continue;
    const left = new Set([...accidental, ...(accidentalIn[collection] ?? [])]);
    found.set(
      collection,
      objects
        // A backup that the service makes by itself comes with the hour.
        .filter((object) => collection !== "databaseBackups" || object["type"] !== "auto")
        .map((object) => ({
          name: nameOf(collection, object, named),
          text: JSON.stringify(stripped(meant(object), left)),
        })),
    );
  }
  return found;
}

/** What of `found` is not as in `wanted`. */
export function differences(found: unknown, wanted: unknown): Differences {
  const [here, there] = [plain(found), plain(wanted)];
  const result = { extra: [] as string[], missing: [] as string[], other: [] as string[] };
  for (const collection of new Set([...here.keys(), ...there.keys()])) {
    const missing = [...(there.get(collection) ?? [])];
    const extra = (here.get(collection) ?? []).filter((object) => {
      const at = missing.findIndex(({ text }) => text === object.text);
      if (at >= 0) missing.splice(at, 1);
      return at < 0;
    });
    for (const object of extra) {
      const at = missing.findIndex(({ name }) => name === object.name);
      if (at < 0) result.extra.push(object.name);
      else result.other.push(`${object.name}: ${changed(object.text, missing.splice(at, 1)[0]!.text)}`);
    }
    result.missing.push(...missing.map(({ name }) => name));
  }
  return result;
}

/** The fields in which two objects differ. */
function changed(found: string, wanted: string): string {
  const [here, there] = [JSON.parse(found), JSON.parse(wanted)] as { [field: string]: unknown }[];
  return Object.keys({ ...here, ...there })
    .filter((field) => JSON.stringify(here![field]) !== JSON.stringify(there![field]))
    .map((field) => `${field} is ${short(here![field])}, not ${short(there![field])}`)
    .join(", ");
}

const short = (value: unknown): string => (JSON.stringify(value) ?? "absent").slice(0, 80);

export const areEqual = ({ extra, missing, other }: Differences): boolean =>
  extra.length + missing.length + other.length === 0;

/** The differences for people, in a line. */
export function toldDifferences({ extra, missing, other }: Differences): string {
  const parts = [
    ...(extra.length > 0 ? [`too many: ${extra.join("; ")}`] : []),
    ...(missing.length > 0 ? [`missing: ${missing.join("; ")}`] : []),
    ...(other.length > 0 ? [`other: ${other.join("; ")}`] : []),
  ];
  return parts.join(" | ");
}

/** Ids of every object of the account. */
export function idsOf(data: unknown): ReadonlySet<string> {
  const { collections } = data as AccountData;
  return new Set(Object.values(collections).flatMap((objects) => objects.map(({ id }) => String(id))));
}
