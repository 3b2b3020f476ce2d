/** What the client throws. Errors are told apart by `name`; no message holds a token or a body. */

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
  }
}

/** A write was sent and no usable answer came: it may or may not have run. */
export class AnswerLostError extends Error {
  override readonly name = "AnswerLostError" as const;
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

/** The service could not be reached, or never gave a usable answer; nothing was changed by this call. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError" as const;
}

/** The call did not happen, or the wait ended, because of a cancel. */
export class CancelledError extends Error {
  override readonly name = "CancelledError" as const;

  constructor(reason?: unknown) {
    super("cancelled", reason === undefined ? undefined : { cause: reason });
  }
}

/** A wait did not end in time. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError" as const;
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

/** A list lost items between its pages at each try, so no try saw all of it. */
export class ListChangedError extends Error {
  override readonly name = "ListChangedError" as const;
}

/** Answers of one client came from two accounts: nothing more was sent. */
export class AccountChangedError extends Error {
  override readonly name = "AccountChangedError" as const;
}

/** A setting of the client cannot work (base URL, token, brand); no request was made. */
export class SettingError extends Error {
  override readonly name = "SettingError" as const;
}

/** True when the service says that the object, or its parent, is not there. */
export function isMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}
