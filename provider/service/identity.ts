/**
 * Whose account the answers are of: the customer that each one names (notes, section 1.7), and that it is the same in all of them.
 * Knows headers only, not what was asked.
 */

import { AccountChangedError } from "./errors.ts";
import { type Answer, NoAnswer, type Send } from "./http/transport.ts";

export interface Identity {
  /** What the answers so far call the customer; `undefined` where none named one. */
  account(): string | undefined;
  /** True once the service has answered, so that asking it again would tell nothing new. */
  heard(): boolean;
  /** Throws AccountChangedError once two answers named two customers. */
  admit(): void;
  /** Wraps `next`: nothing is sent once the customer changed, and the answer that shows the change is not used. */
  watched(next: Send): Send;
}

const HEADER = "x-customer-uuid";

export function createIdentity(address: string): Identity {
  let account: string | undefined;
  let other: string | undefined;
  let heard = false;

  function changed(): AccountChangedError {
    return new AccountChangedError(
      `answers of ${address} come from two accounts, first ${account} and now ${other}: nothing more is sent; use one token (PLUMBLINE_TOKEN or plumbline:token) and no proxy that swaps it`,
    );
  }

  function admit(): void {
    if (other !== undefined) throw changed();
  }

  function hear(answer: Answer): void {
    if (isStranger(answer)) return;
    const named = answer.headers[HEADER]?.trim();
    if (named === undefined || !/^[\x21-\x7e]{1,100}$/.test(named)) {
      // A page of a proxy names nobody either, but it is not the service's word.
      heard ||= answer.status < 500 && typeof answer.json === "object" && answer.json !== null;
      return;
    }
    heard = true;
    account ??= named;
    if (named !== account) other ??= named;
  }

  return {
    account: () => account,
    heard: () => heard,
    admit,
    watched: (next) => async (request, signal) => {
      admit();
      const answer = await next(request, signal);
      hear(answer);
      if (other === undefined) return answer;
      // A write did run, but who knows where: its caller must not take the answer for one about its own account.
      if (request.method !== "GET") throw new NoAnswer(true, changed().message, true, changed());
      throw changed();
    },
  };
}

/** True when the service does not know the token; then whoever it names is not our customer. A token without the scope is known. */
function isStranger(answer: Answer): boolean {
  const scopes = answer.headers["x-oauth-scopes"];
  return answer.status === 401 && (scopes === undefined || scopes === "unknown");
}
