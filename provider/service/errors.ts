/** What the client throws beside the errors of its port (`core/service-port.ts`). No message holds a token or a body. */

import type { ErrorCode } from "../core/error-code.ts";

/** The service could not be reached, or never gave a usable answer; nothing was changed by this call. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError" as const;
  readonly errorCode: ErrorCode;
  constructor(message: string, options: ErrorOptions & { errorCode?: ErrorCode | undefined } = {}) {
    super(message, options);
    this.errorCode = options.errorCode ?? "PLB-REACH";
  }
}

/** A list lost items between its pages at each try, so no try saw all of it. */
export class ListChangedError extends Error {
  override readonly name = "ListChangedError" as const;
}

/** Answers of one client came from two accounts: nothing more was sent. */
export class AccountChangedError extends Error {
  override readonly name = "AccountChangedError" as const;
  readonly errorCode = "PLB-PROXY";
}

/** A setting of the client cannot work (base URL, token, brand); no request was made. */
export class SettingError extends Error {
  override readonly name = "SettingError" as const;
  readonly errorCode = "PLB-SETTING";
}
