/** The Provider: one record of verbs that both engines call. Mirrors the Pulumi protocol without its wire. Pure types and errors. */

import type { RequestContext, ResourceIdentity, Urn } from "./protocol/context.ts";
import type { AppraiseRequest, ChargeInfo } from "./protocol/cost.ts";
import type { CheckFailure } from "./protocol/failures.ts";
import type { PropertyDiff } from "./protocol/property-diff.ts";
import type { TargetIdentity } from "./protocol/target.ts";
import type { Allowance } from "./service-port.ts";
import type { Value, ValueMap } from "./value.ts";

export interface CheckConfigRequest extends RequestContext {
  readonly urn: Urn;
  readonly oldInputs: ValueMap;
  readonly newInputs: ValueMap;
}

export interface CheckRequest extends ResourceIdentity, RequestContext {
  /** Inputs as checked before; absent for a create and for a replacement's second check. */
  readonly oldInputs?: ValueMap;
  /** Inputs as the user declared them; may hold unknowns. */
  readonly newInputs: ValueMap;
  /** 32 bytes for automatic names; equal seeds give equal names. */
  readonly randomSeed?: Uint8Array;
  readonly autonaming?: { readonly proposedName: string; readonly mode: "propose" | "enforce" | "disable" };
}

export interface CheckResponse {
  /** The inputs to save and to hand to the other verbs: the user's spelling, with automatic names added. */
  readonly inputs: ValueMap;
  readonly failures: readonly CheckFailure[];
}

export interface DiffRequest extends ResourceIdentity, RequestContext {
  readonly id: string;
  /** Checked inputs last applied. */
  readonly oldInputs: ValueMap;
  /** Outputs last read (inputs echoed, plus what the service made). */
  readonly state: ValueMap;
  /** Checked inputs now declared; may hold unknowns. */
  readonly newInputs: ValueMap;
  readonly ignoreChanges?: readonly string[];
}

export interface DiffResponse {
  readonly changes: boolean;
  /** By property path; each top-level property that differs has at least one. */
  readonly detailedDiff: { readonly [path: string]: PropertyDiff };
  /** Top-level properties whose change needs a replacement; empty means in place. */
  readonly replaces: readonly string[];
  /** True when the replacement cannot exist beside the old one (a fixed unique name). */
  readonly deleteBeforeReplace: boolean;
  /** Top-level outputs that no change of this diff can move. */
  readonly stables: readonly string[];
}

/** A create that an earlier run began and whose end nobody saved. */
export interface EarlierAttempt {
  /** When it began, by the service's clock if known (RFC 3339). */
  readonly startedAt: string;
  /** The id, when the answer came but the state was not saved. */
  readonly id?: string;
}

/** True when a resource of the deployment has this id, as far as the engine knows: one of the request's own type, or of the type with that canonical token. */
export type IsKnownId = (id: string, type?: string) => boolean;

export interface CreateRequest extends ResourceIdentity, RequestContext {
  readonly inputs: ValueMap;
  /** True: nothing is written; look-ups may still refuse (throwing CheckFailedError). */
  readonly preview: boolean;
  /** Seconds; absent or 0 means the type's own default. The provider enforces it. */
  readonly timeoutSeconds?: number;
  /** Set when resuming: the object is looked for first, and taken over instead of made again. */
  readonly earlierAttempt?: EarlierAttempt;
  /** True when another declared resource has this id already; such an object is never taken over. */
  readonly isKnownId?: IsKnownId;
  /**
   * Awaited as soon as the service gave an id, before any wait: save it. `state` may hold secrets shown only once. `applied` are the inputs that
   * a request surely carried, and the only ones that may be saved as applied: what is declared beyond them is still to be brought about, and
   * the next diff then says so. `isWhole`: nothing is left to do, and the create resolves to this very state next, without another request.
   */
  readonly onCreated?: (
    id: string,
    state: ValueMap,
    applied: ValueMap,
    isWhole?: boolean,
  ) => void | Promise<void>;
}

/** The create whose object is looked for: its type and its inputs as they were then. */
export interface FindRequest extends ResourceIdentity, RequestContext {
  readonly inputs: ValueMap;
  readonly earlierAttempt: EarlierAttempt;
  readonly isKnownId?: IsKnownId;
}

/** `undefined`: the attempt made nothing. `state` is what is there now, as far as the look-up showed it, and `inputs` those that surely apply to it. */
export type FindResponse =
  | {
      readonly id: string;
      readonly inputs: ValueMap;
      readonly state: ValueMap;
      /** What only the answer to its create told is lost, so that nobody can use it: it is to be deleted, and made anew where it is wanted. */
      readonly lost?: true;
    }
  | undefined;

/** What a verb that was carried out leaves to its engine. */
interface Carried {
  /** Keys of notes that are of no use any more once this answer is saved: an engine that knows when that is drops them then. */
  readonly spent?: readonly string[];
}

export interface CreateResponse extends Carried {
  /** Empty in a preview. */
  readonly id: string;
  /** Checked inputs echoed plus outputs. In a preview: what can be derived, the rest `unknown`. Never unknown otherwise. */
  readonly state: ValueMap;
}

export interface ReadRequest extends ResourceIdentity, RequestContext {
  /** The canonical id, or for an import also the natural name (`example.com/www/A`). */
  readonly id: string;
  /** Absent for an import. */
  readonly state?: ValueMap;
  /** Absent for an import. */
  readonly inputs?: ValueMap;
}

/** `undefined` means gone: only a 404 of the object or its parent says so. */
export type ReadResponse =
  | { readonly id: string; readonly inputs: ValueMap; readonly state: ValueMap }
  | undefined;

export interface UpdateRequest extends ResourceIdentity, RequestContext {
  readonly id: string;
  readonly isKnownId?: IsKnownId;
  readonly oldInputs: ValueMap;
  readonly state: ValueMap;
  readonly newInputs: ValueMap;
  readonly preview: boolean;
  readonly timeoutSeconds?: number;
  readonly ignoreChanges?: readonly string[];
}

export interface UpdateResponse extends Carried {
  readonly state: ValueMap;
}

export interface DeleteRequest extends ResourceIdentity, RequestContext {
  readonly id: string;
  readonly oldInputs: ValueMap;
  readonly state: ValueMap;
  readonly timeoutSeconds?: number;
}

export interface InvokeRequest extends RequestContext {
  /** Canonical token, for example `plumbline:dns/getRecords:getRecords`. */
  readonly token: string;
  readonly args: ValueMap;
  readonly preview: boolean;
}

export interface InvokeResponse {
  readonly result: ValueMap;
  readonly failures: readonly CheckFailure[];
}

/** One existing object of a type, as `import --all` needs it. */
export interface ListedResource {
  /** What `read` takes as id. */
  readonly id: string;
  /** A name to propose for it (`www-a`). */
  readonly name: string;
  /** Why an import of a whole account leaves this object out; absent: it does not. */
  readonly leftOut?: string;
}

/** Runs a verb by hand. */
export interface RunRequest extends RequestContext {
  /** Canonical token of the type, or of a verb of an area. */
  readonly type: string;
  /** The canonical id, or the natural name as for an import. `""` for a verb of an area. */
  readonly id: string;
  readonly verb: string;
  readonly args: ValueMap;
  /** The word that `foresee` asked for. Without it such a verb is refused. */
  readonly consent?: string;
}

/** What a verb of an area would do, so that the user can be asked. */
export interface Foresight {
  /** Arguments that are refused; then nothing more is known. */
  readonly failures: readonly CheckFailure[];
  /** What will be lost, one line each. */
  readonly losses: readonly string[];
  /** The word that the user must type to show that this account is meant; absent: a plain yes is enough. */
  readonly word?: string;
}

export interface RunResponse {
  /** Arguments that were refused; then nothing was run. */
  readonly failures: readonly CheckFailure[];
}

export interface ListRequest extends RequestContext {
  readonly type: string;
  /** For child types: the parent's id. Absent lists every parent's children. */
  readonly parentId?: string;
}

/** Requests made, by HTTP method. */
export type RequestCounts = { readonly [method: string]: number };

/**
 * Every verb, once, for every type. One Provider serves one operation (a preview or an update) of one configuration:
 * it remembers what it checked, so that two resources of one plan that cannot both exist are refused.
 * Verbs throw: CheckFailedError (a refusal found by a look-up), ResourceInitFailedError (it exists, but not finished),
 * CancelledError, or any Error whose message may be shown. No message shows a secret.
 */
export interface Provider {
  readonly checkConfig: (request: CheckConfigRequest) => Promise<CheckResponse>;
  readonly diffConfig: (request: CheckConfigRequest) => Promise<DiffResponse>;
  /** Sets target and credentials: explicit config before environment. Makes no request. */
  readonly configure: (config: ValueMap) => Promise<void>;
  readonly check: (request: CheckRequest) => Promise<CheckResponse>;
  readonly diff: (request: DiffRequest) => Promise<DiffResponse>;
  readonly create: (request: CreateRequest) => Promise<CreateResponse>;
  /** The state that the preview of a create answers with; makes no request. Absent where only a preview can tell. */
  readonly foretell?: (request: ResourceIdentity & { readonly inputs: ValueMap }) => ValueMap;
  /**
   * Looks for the object that an earlier create made, by the rules of `create` with `earlierAttempt`, but makes nothing, changes
   * nothing and waits for nothing. An engine needs it for a create that was cut off and is no longer declared as it was: the object is
   * found, then updated or deleted.
   */
  readonly find: (request: FindRequest) => Promise<FindResponse>;
  readonly read: (request: ReadRequest) => Promise<ReadResponse>;
  readonly update: (request: UpdateRequest) => Promise<UpdateResponse>;
  readonly delete: (request: DeleteRequest) => Promise<void>;
  readonly invoke: (request: InvokeRequest) => Promise<InvokeResponse>;
  readonly list: (request: ListRequest) => Promise<readonly ListedResource[]>;
  /** Runs a verb of an existing object once, and waits until the object is ready again. Absent where a provider has no verbs. */
  readonly run?: (request: RunRequest) => Promise<RunResponse>;
  /** Looks up what a verb of an area would destroy; writes nothing. Absent where a provider has no such verbs. */
  readonly foresee?: (request: RunRequest) => Promise<Foresight>;
  /**
   * Tells the account from what answers said so far; makes one GET where there was none yet, so that the service's time is known after it, too.
   * `asks: false`: makes none, and leaves the account out where no answer named it yet. Absent where a provider knows no accounts.
   */
  readonly identify?: (options?: {
    readonly asks?: boolean;
    readonly signal?: AbortSignal;
  }) => Promise<TargetIdentity>;
  /**
   * What each object is charged for, with the prices that the service lists: at most one request for each list of prices. Absent where a provider
   * knows no prices.
   */
  readonly appraise?: (request: AppraiseRequest) => Promise<readonly (readonly ChargeInfo[])[]>;
  /** The resource is not declared any more: what was remembered of it is so no longer. For an engine that keeps a Provider for long. */
  readonly forget?: (urn: Urn) => void;
  /** Requests made so far. */
  readonly requests: () => RequestCounts;
  /** What is left of the service's limit, by what its answers told; undefined before the first. Absent where a provider knows no limit. */
  readonly allowance?: () => Allowance | undefined;
  /** Now, by the service's clock as last seen in an answer, else by this machine's (RFC 3339). For EarlierAttempt. */
  readonly serviceTime: () => string;
  /** Stops waits and new writes of everything under way; idempotent, returns at once. */
  readonly cancel: () => void;
  /** Closes connections. */
  readonly close: () => Promise<void>;
}

export type {
  AreaVerbInfo,
  Catalogue,
  FunctionInfo,
  ObjectReference,
  PropertyInfo,
  Relations,
  ResourceInfo,
  UniqueName,
  VerbInfo,
} from "./protocol/catalogue-info.ts";
export type { Log, Notes, RequestContext, ResourceIdentity, Severity, Urn } from "./protocol/context.ts";
export type { Appraised, AppraiseRequest, ChargeInfo, Price, Span } from "./protocol/cost.ts";
export type { CheckFailure } from "./protocol/failures.ts";
export {
  CancelledError,
  CheckFailedError,
  MissingSettingError,
  ResourceInitFailedError,
  surelyNotWritten,
} from "./protocol/failures.ts";
export type { DiffKind, PropertyDiff } from "./protocol/property-diff.ts";
export type { TargetIdentity } from "./protocol/target.ts";
export type { Allowance } from "./service-port.ts";
export type { Value, ValueMap };
