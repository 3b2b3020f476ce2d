/** What tells one account of one service from another. Pure types. */

/** Which account of which service a Provider works on: what a saved state belongs to. */
export interface TargetIdentity {
  /** As configured, with the version segment, without a trailing slash. */
  readonly baseUrl: string;
  /** What the service's answers call the customer; absent where they name none. */
  readonly account?: string;
  /**
   * A digest of address and token, never the token: while it is the same the account is, too, so that no request is needed to tell. Absent:
   * nobody can tell without one.
   */
  readonly credential?: string;
}
