/** What resource types may ask of the service. `provider/service` implements it without knowing it; `provider.ts` joins the two. Pure types. */

/** A wire object, in the service's own names. */
export interface WireObject {
  readonly [name: string]: unknown;
}

export interface WaitOptions {
  /** Seconds until the wait fails with a TimeoutError. */
  readonly timeoutSeconds: number;
  /** Called with a short status (`volume 7: creating (12 s)`) at most once a second. */
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
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

/** One reason of a refusal; `field` is the wire path (`subnets[0].ipv4`). */
export interface ApiReason {
  readonly reason: string;
  readonly field?: string;
}

/** The shape of the errors that the port throws for an answer of 400 and above; known by `name`, so that no room needs the other's class. */
export interface ApiErrorShape extends Error {
  readonly name: "ApiError";
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly reasons: readonly ApiReason[];
  readonly retryable: boolean;
  /** True for the refusal of a write that was repeated because nobody knows whether it had run: it may be refused for that. */
  readonly mayHaveRun?: boolean;
}

/** A write was sent and no answer came: it may or may not have run. */
export interface AnswerLostErrorShape extends Error {
  readonly name: "AnswerLostError";
  readonly method: string;
  readonly path: string;
}

export function isApiError(error: unknown, status?: number): error is ApiErrorShape {
  return (
    error instanceof Error &&
    error.name === "ApiError" &&
    (status === undefined || (error as ApiErrorShape).status === status)
  );
}

/** The error of an object that the service answers for, but as one that is not there. */
export function notThere(path: string): ApiErrorShape {
  const reasons: readonly ApiReason[] = [{ reason: "it is not there" }];
  const shape = { name: "ApiError", method: "GET", path, status: 404, reasons, retryable: false } as const;
  return Object.assign(new Error(`GET ${path}: it is not there`), shape);
}

/** True when the service says that the object (or its parent) is not there. */
export function isGone(error: unknown): boolean {
  return isApiError(error, 404) || isApiError(error, 410);
}

/** True when nobody knows whether the write behind the error ran. */
export function isOpen(error: unknown): boolean {
  return isAnswerLost(error) || (isApiError(error) && error.mayHaveRun === true);
}

export function isAnswerLost(error: unknown): error is AnswerLostErrorShape {
  return error instanceof Error && error.name === "AnswerLostError";
}
