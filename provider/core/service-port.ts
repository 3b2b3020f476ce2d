/** What resource types may ask of the service, and the errors that it answers with. `provider/service` implements it; `provider.ts` joins the two. No message holds a token or a body. */

import type { ErrorCode } from "./error-code.ts";

/** A wire object, in the service's own names. */
export interface WireObject {
  readonly [name: string]: unknown;
}

export interface WaitOptions {
  /** Seconds until the wait fails with a TimeoutError. */
  readonly timeoutSeconds: number;
  /** Called with how it stands (`creating for 12 s`) at most once a second; what it throws ends the wait. */
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What is left of the service's limit of requests. */
export interface Allowance {
  /** Requests that the window allows. */
  readonly limit: number;
  /** Those that it still does, what is under way taken off. */
  readonly remaining: number;
  /** Until the window ends; 0: a new one begins with the next request. */
  readonly resetSeconds: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A request to a pre-signed URL of an object (contract section 2.6). Repeating it changes nothing more. */
export interface SignedRequest {
  readonly method: "PUT" | "DELETE";
  /** Absolute, as the service signed it; a secret, because whoever has it may use it. */
  readonly url: string;
  /** What messages call the object (`object "a.txt" of bucket "b"`). */
  readonly what: string;
  /** Exactly the one that the URL was made for. */
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
}

/**
 * The service's operations as resource types use them. Paths are the contract's, filled in, relative to the base URL and
 * in the contract's brand word (`/compute/stackscripts`); bodies and answers are wire objects.
 */
export interface ServicePort {
  /** One object. Reads of several items of one collection within a short window become one paged list of that collection. Throws ApiError (404 when gone). */
  get(path: string, options?: CallOptions): Promise<WireObject>;
  /** As `get`, but always the object's own GET: for single views that no list answers (zone file, credentials) and for a read right after a write. */
  getFresh(path: string, options?: CallOptions): Promise<WireObject>;
  /** Every item of a list, all pages; equal lists asked within a short window are one. */
  list(path: string, options?: CallOptions & { filter?: WireObject; fresh?: boolean }): Promise<WireObject[]>;
  /** Not repeated unless it surely did not run; throws AnswerLostError when nobody knows. */
  post(path: string, body?: WireObject, options?: CallOptions): Promise<WireObject>;
  put(path: string, body: WireObject, options?: CallOptions): Promise<WireObject>;
  delete(path: string, options?: CallOptions): Promise<void>;
  /** Stores or deletes the bytes of an object, beside the API and without the token. A DELETE that finds nothing has succeeded. */
  sendSigned(request: SignedRequest, options?: CallOptions): Promise<void>;
  /**
   * Waits until `isDone` holds for the object, by one shared poller per collection with growing, jittered intervals.
   * `isDone` gets `undefined` when the object is gone; it may throw to end the wait with an error.
   */
  waitFor(
    path: string,
    isDone: (object: WireObject | undefined) => boolean,
    options: WaitOptions,
  ): Promise<WireObject | undefined>;
}

/** What is special about a list of the service, as the type of its objects tells it. Paths have parameters in braces. */
export interface SpecialList {
  readonly collection: string;
  /** Where its objects are made. */
  readonly made: string;
  /** The field that the last segment of an item's path repeats, where that is not its id. */
  readonly field?: string;
  /** The X-Filter that keeps the list to the account's own objects. */
  readonly filter?: WireObject;
  /** An item without this field is a short form, and is not served for the item itself. */
  readonly whole?: string;
  /** True: a create's answer holds what no later read shows (a secret). */
  readonly tellsOnce?: true;
}

/** One reason of a refusal (notes, section 1.1); `field` is the wire path in the contract's words (`node_pools[0].count`). */
export interface Reason {
  readonly reason: string;
  readonly field?: string;
}

export interface ApiErrorFields {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly reasons: readonly Reason[];
  /** True when the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** What to do about it, added to the message. */
  readonly advice?: string | undefined;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfterSeconds?: number | undefined;
  /** False where the answer had not the service's own form, so that a gateway may have given it. */
  readonly enveloped?: boolean;
  readonly errorCode?: ErrorCode | undefined;
}

/**
 * The service, or a gateway before it, answered with a status of 300 and above; a refusal that no gateway gives is always the service's own.
 *  `PUT /volumes/7: 400 size: can only grow`.
 */
export class ApiError extends Error {
  override readonly name = "ApiError" as const;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly reasons: readonly Reason[];
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly enveloped: boolean;
  readonly errorCode: ErrorCode | undefined;
  /** True for the refusal of a write that was repeated because nobody knows whether it had run: it may be refused for that. */
  mayHaveRun = false;

  constructor(fields: ApiErrorFields, cause?: unknown) {
    const reasons = fields.reasons.map(({ reason, field }) => (field ? `${field}: ${reason}` : reason));
    const said = `${fields.method} ${fields.path}: ${fields.status} ${reasons.join("; ")}`;
    super(
      fields.advice === undefined ? said : `${said.replace(/\.$/, "")}. ${fields.advice}`,
      cause === undefined ? undefined : { cause },
    );
    this.method = fields.method;
    this.path = fields.path;
    this.status = fields.status;
    this.reasons = fields.reasons;
    this.retryable = fields.retryable;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.enveloped = fields.enveloped ?? true;
    this.errorCode = fields.errorCode;
  }
}

/** A write was sent and no usable answer came: it may or may not have run. */
export class AnswerLostError extends Error {
  override readonly name = "AnswerLostError" as const;
  readonly errorCode = "PLB-LOST";
  readonly method: string;
  readonly path: string;
  /** The answer's status, when one came that does not say whether the write ran (500, 502, 503, 504). */
  readonly status: number | undefined;

  constructor(method: string, path: string, what: string, cause: unknown, status?: number) {
    super(`${method} ${path}: ${what}; nobody knows whether it ran`, { cause });
    this.method = method;
    this.path = path;
    this.status = status;
  }
}

/** A wait did not end in time. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError" as const;
  readonly errorCode = "PLB-WAIT";
  readonly path: string;
  readonly seconds: number;
  /** The object's `status` when it was last seen; absent when it has none or was never seen. */
  readonly lastStatus: string | undefined;

  constructor(
    path: string,
    seconds: number,
    lastStatus: string | undefined,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.path = path;
    this.seconds = seconds;
    this.lastStatus = lastStatus;
  }
}

export function isApiError(error: unknown, status?: number): error is ApiError {
  return error instanceof ApiError && (status === undefined || error.status === status);
}

/** The error of an object that the service answers for, but as one that is not there. */
export function notThere(path: string): ApiError {
  return new ApiError({
    method: "GET",
    path,
    status: 404,
    reasons: [{ reason: "Not found" }],
    retryable: false,
  });
}

/** True when the service says that the object (or its parent) is not there. */
export function isGone(error: unknown): error is ApiError {
  return isApiError(error, 404) || isApiError(error, 410);
}

/** True when nobody knows whether the write behind the error ran. */
export function isOpen(error: unknown): boolean {
  return isAnswerLost(error) || (isApiError(error) && error.mayHaveRun);
}

export function isAnswerLost(error: unknown): error is AnswerLostError {
  return error instanceof AnswerLostError;
}
