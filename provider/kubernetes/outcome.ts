/** What a look at an object comes to: what its status says then, and when it is looked at again. Pure. */

import {
  CancelledError,
  CheckFailedError,
  type CheckFailure,
  ResourceInitFailedError,
  surelyNotWritten,
} from "../core/protocol.ts";
import type { Missing } from "../core/schema/manifest/spec.ts";
import type { ValueMap } from "../core/value.ts";
import { annotation, externalId, ofCustomer } from "./annotations.ts";
import { type KubeObject, TakenError } from "./api.ts";
import type { Findings, NotReady, Verdict } from "./conditions.ts";

/** The look is given up: its Account is another process's now, or the API server did not take what a successor needs. Nothing is told of it. */
export class AbandonedError extends Error {
  override readonly name = "AbandonedError";
}

/** The service takes nothing by the token of the Account any more. Nothing is told of the look: the Account says it. */
export class TokenRefusedError extends Error {
  override readonly name = "TokenRefusedError";
}

/** What is to become of an object after a look at it. */
export type Next =
  /** It is looked at again with the next sweep, or when something that it hangs on changes. */
  | { readonly again: "later" }
  /** What failed may pass: again after a while that grows. */
  | { readonly again: "soon" }
  | { readonly again: "never" };

/** What is to be written to the status, and done next. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly findings?: Findings;
  readonly next: Next;
  /** What the service has now; absent: as it was. */
  readonly known?: { readonly id: string; readonly state: ValueMap; readonly applied: ValueMap };
  readonly isGone?: true;
}

export const stalled = (reason: string, message: string): NotReady => ({ is: "stalled", reason, message });
export const reconciling = (reason: string, message: string): NotReady => ({
  is: "reconciling",
  reason,
  message,
});

/** The service has what is declared. */
export const done = (
  id: string,
  state: ValueMap,
  applied: ValueMap,
  drifted: readonly string[] = [],
): Outcome => ({
  verdict: { is: "ready" },
  findings: { isSynced: true, drifted },
  next: { again: "later" },
  known: { id, state, applied },
});

/** An object that was made for another customer than its Account is of now: there its id would mean nothing, or something else. */
export function strangerOf({ metadata }: KubeObject, customer: string | undefined): Outcome | undefined {
  const owner = metadata.annotations?.[ofCustomer];
  if (owner === undefined || customer === undefined || owner === customer) return undefined;
  const message = `it was made for customer ${owner}, and its Account is of ${customer}: name an Account of ${owner}, or take the annotations ${ofCustomer} and ${externalId} away to have it made anew`;
  return { verdict: stalled("AnotherCustomer", message), next: { again: "never" } };
}

/** What an error of a verb means. Throws what says that everything is to end. */
export function outcomeOf(error: unknown): Outcome {
  if (
    error instanceof CancelledError ||
    error instanceof AbandonedError ||
    error instanceof TokenRefusedError
  )
    throw error;
  if (error instanceof CheckFailedError) return refused(error.failures);
  if (error instanceof TakenError)
    return {
      ...{ verdict: stalled("SecretTaken", error.message), findings: { isSynced: false } },
      next: { again: "never" },
    };
  if (error instanceof ResourceInitFailedError) {
    const { id, state, inputs = {}, reasons } = error;
    const verdict = reconciling("NotFinished", reasons.join("; "));
    return {
      ...{ verdict, findings: { isSynced: false }, next: { again: "soon" } },
      known: { id, state, applied: inputs },
    };
  }
  const { message } = error as Error;
  const isFinal = surelyNotWritten(error) && (error as { retryable?: boolean }).retryable !== true;
  const verdict = isFinal ? stalled("RefusedByService", message) : reconciling("Failed", message);
  return { verdict, findings: { isSynced: false }, next: { again: isFinal ? "never" : "soon" } };
}

/** Something that the object names is not there. */
export function waitingFor(missing: readonly Missing[]): Outcome {
  const message = missing
    .map(({ property, what }) => `spec.${property}: ${what} is not there yet`)
    .join("; ");
  return { verdict: reconciling("WaitingFor", message), next: { again: "later" } };
}

/** Id of the object that has the name that was asked for; undefined: the error is about something else. */
export const existingIn = (error: unknown): string | undefined =>
  error instanceof CheckFailedError
    ? error.failures.find(({ existing }) => existing !== undefined)?.existing
    : undefined;

function refused(failures: readonly CheckFailure[]): Outcome {
  const told = failures.map(({ property, reason }) => (property ? `spec.${property}: ${reason}` : reason));
  // What is there may be what is meant: it is never taken over by its name alone.
  if (failures.some(({ errorCode }) => errorCode === "PLB-NAME"))
    told.push(
      `if what is there is meant, write its id into the annotation ${externalId}, or ${annotation("adopt")}: by-name`,
    );
  const reason = failures.every(({ guard }) => guard === true) ? "Guarded" : "Refused";
  return {
    ...{ verdict: stalled(reason, told.join("; ")), findings: { isSynced: false } },
    next: { again: "never" },
  };
}

/** True where the service does not take the token, or the token may not do this. */
export function isTokenRefusal(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 16; at = at.cause, depth += 1)
    if ((at as { status?: unknown }).status === 401) return true;
  return false;
}
