/** What an area of the emulator is made of: handlers by operation, jobs by name. An area never sees HTTP, tokens, paging or the brand word. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A stored object; `id` is unique within its collection. Fields whose name starts with `_` are the emulator's own and are never answered. */
export interface Item {
  id: number;
  // biome-ignore lint/suspicious/noExplicitAny: stored items have each area's own shape, narrowed by the type argument of `collection`.
  [name: string]: any;
}

/** One kind of stored object, kept in order of id. Everything in it is plain JSON, so that `--data` can keep it. */
export interface Collection<T extends Item = Item> {
  /** Stores a new item under the next id (or the given one) and returns it. */
  insert(fields: Omit<T, "id"> & { id?: number }): T;
  get(id: number): T | undefined;
  find(test: (item: T) => boolean): T | undefined;
  filter(test: (item: T) => boolean): T[];
  /** The items whose field has the value, in order of id, by an index: no scan. The field may then only be changed by `update`. */
  by<K extends keyof T & string>(field: K, value: T[K]): T[];
  /** The items for which the function gives that value, by an index of its own: pass the same function each time. */
  by(keyOf: (item: T) => unknown, value: unknown): T[];
  /** How many items have the value in that field, by its index. */
  count<K extends keyof T & string>(field: K, value: T[K]): number;
  all(): T[];
  /** Changes the given fields in place; returns the item. What is changed in any other way is not kept by `--data`. */
  update(id: number, fields: Partial<T>): T;
  /** Changes one entry of a field that holds an object, so that it costs the same in a field of any size; `undefined` removes it. */
  setEntry<K extends keyof T & string>(id: number, field: K, key: string, value: Json | undefined): void;
  delete(id: number): boolean;
  readonly size: number;
}

export interface Clock {
  /** Now, after what `advance` added. */
  now(): Date;
  /** Now as the service writes it: `2024-04-01T10:00:00`, UTC, no fraction. */
  stamp(): string;
}

export interface EventFields {
  action: string;
  entity?: { id: number | string; type: string; label: string; url: string } | null;
  secondaryEntity?: { id: number | string; type: string; label: string; url: string } | null;
  /** Default `notification`. */
  status?: "scheduled" | "started" | "finished" | "failed" | "notification";
  /** `null` for the system's own doing; absent: the caller of the request under way. */
  username?: string | null;
  percentComplete?: number | null;
  message?: string;
}

/** The account's event log (notes, section 11). */
export interface Events {
  /** Records an event and returns its id. */
  emit(event: EventFields): number;
  /** Moves an event on (`finished`, 100 %, duration in seconds since it was recorded). */
  move(id: number, status: "started" | "finished" | "failed"): void;
}

/** Work that becomes due. Jobs are data (kept by `--data`); what a job does is registered by the area under its kind. */
export interface Jobs {
  /**
   * Due after `seconds` of the contract's time, which `--speed` divides; with `instant` at the next request, with `max` too, unless the area
   * says whose state it ends (`Area.shows`). Returns the job's id.
   */
  schedule(kind: string, seconds: number, data: JsonObject): number;
  /** Due at a moment of the emulator's clock, whatever `--speed` says: for what hangs on the calendar (a daily backup). Returns the job's id. */
  at(kind: string, moment: Date, data: JsonObject): number;
  /** Removes jobs of the kind whose data has the given fields. */
  cancel(kind: string, match: JsonObject): void;
}

/** The account behind the API: everything that an area may use. */
export interface World {
  collection<T extends Item = Item>(name: string): Collection<T>;
  readonly clock: Clock;
  readonly events: Events;
  readonly jobs: Jobs;
  /** The account's own single values (settings, balance…), plain JSON. */
  readonly account: { [name: string]: Json };
  /** Random hex digits; repeatable under a seed. */
  hex(digits: number): string;
  /** A repeatable random integer, `min..max` inclusive. */
  integer(min: number, max: number): number;
  /**
   * The brand word on the wire, only for text that the service composes and that users' own words stand beside, so that no
   * schema can mark it for exchange: the nameservers in zone files and DNS answers (notes, section 3). Absent: `compute`.
   */
  readonly brand?: string;
}

export interface Caller {
  readonly username: string;
  /** False for a request without a token to an operation that allows it. */
  readonly authenticated: boolean;
  readonly restricted: boolean;
  /** True when the caller may do this to the entity: always for unrestricted users, else by grant. */
  may(entity: GrantEntity, id: number, permission: "read_only" | "read_write"): boolean;
  /** True when the caller has the global grant (`add_domains`): always for unrestricted users. */
  mayAdd(grant: string): boolean;
  /** Gives a restricted creator read_write on what it made. */
  grant(entity: GrantEntity, id: number, label: string): void;
}

export type GrantEntity = "compute" | "database" | "domain" | "image" | "stackscript" | "volume" | "vpc";

/** One request, authenticated, and validated against the contract's schema. */
export interface Call {
  readonly world: World;
  readonly caller: Caller;
  /** Decoded path parameters by the contract's names. Integer ones are checked: anything else was answered 404 before. */
  readonly params: { readonly [name: string]: string };
  /** The integer path parameter of that name. */
  id(name: string): number;
  readonly query: URLSearchParams;
  /** Checked body: unknown and read-only fields dropped, `null` dropped where the contract does not allow it. `{}` when there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: the body was validated against the operation's schema.
  readonly body: { readonly [name: string]: any };
  /** The raw body's field names, to tell "not sent" from "sent as null". */
  readonly sent: ReadonlySet<string>;
  /** IPv4 or IPv6 address of the client. */
  readonly remoteAddress: string;
  /** Where the client reached the emulator (`http://127.0.0.1:8080`), for answers that tell it of an address beside the API. */
  readonly origin: string;
}

/** One request to what an area serves beside the API; nothing about it was checked. */
export interface SideRequest {
  readonly world: World;
  readonly method: string;
  /** As asked, still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Buffer;
}

export interface SideAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer | string;
}

/** Answers one operation. A list operation returns every item that the caller may see, as an array: filter, order and pages are done outside. */
export type Handler = (call: Call) => unknown | Promise<unknown>;

export interface Area {
  readonly name: string;
  /** By operation, as in the contract: `GET /domains/{domainId}`. */
  readonly handlers: { readonly [operation: string]: Handler };
  /**
   * By operation: what is wrong with a request beyond its schema. Asked when the schema refuses already, so that all problems are told
   * together (notes, section 1.1); the body is then without the refused fields, in the elements of a list too, about which nothing
   * more is told. It must change nothing; what it throws (404, 403) goes before. An operation without one tells only the schema's problems then.
   */
  readonly judges?: { readonly [operation: string]: (call: Call) => readonly Reason[] };
  /**
   * By path template outside `/v4` (`/_objects/{clusterId}/{bucket}/{name}`): what is served beside the API to whoever asks for a path
   * that begins like the template up to its first parameter. Fault rules and statistics name it by its template.
   */
  readonly beside?: { readonly [template: string]: (request: SideRequest) => SideAnswer };
  /** By job kind (`volume.active`). */
  readonly jobs?: { readonly [kind: string]: (world: World, data: JsonObject) => void };
  /**
   * By kind of a job that ends a state: the id, as answered, of the object in that state. At the speed `max` the job waits until an answer to a
   * GET told of the object, so that whoever waits for the state sees it.
   */
  readonly shows?: {
    readonly [kind: string]: (world: World, data: JsonObject) => number | string | undefined;
  };
  /** Puts what a new account has from the start (regions, types…). */
  readonly seed?: (world: World) => void;
}

export interface Reason {
  reason: string;
  field?: string;
}

/** An answer of 400 and above. Throw it from a handler; collect reasons first, so that all problems are told at once. */
export class Refusal extends Error {
  readonly status: number;
  readonly reasons: readonly Reason[];
  constructor(status: number, reasons: readonly Reason[]) {
    super(`${status}: ${reasons.map((r) => (r.field ? `${r.field}: ${r.reason}` : r.reason)).join("; ")}`);
    this.name = "Refusal";
    this.status = status;
    this.reasons = reasons;
  }
}

/** Refuses with 400 and one reason. */
export function refuse(reason: string, field?: string): never {
  throw new Refusal(400, [field === undefined ? { reason } : { reason, field }]);
}

/** Refuses with 400 when there are reasons. */
export function refuseAll(reasons: readonly Reason[]): void {
  if (reasons.length > 0) throw new Refusal(400, reasons);
}

export function notFound(): never {
  throw new Refusal(404, [{ reason: "Not found" }]);
}

export function forbidden(): never {
  throw new Refusal(403, [{ reason: "Unauthorized" }]);
}
