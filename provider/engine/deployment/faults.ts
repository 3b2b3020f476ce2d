/** What fails in a run: told with its place, folded where it repeats, and remembered for the end. Decides nothing. */

import { urnParts } from "../../core/engines/urn.ts";
import { type ErrorCode, errorCodeOf } from "../../core/error-code.ts";
import {
  CancelledError,
  CheckFailedError,
  type CheckFailure,
  ResourceInitFailedError,
  type Urn,
} from "../../core/protocol.ts";
import type { Emit, Guard } from "../event.ts";
import { EngineError, isGuard, messageOf } from "../failure.ts";
import { type Diagnostic, type Goal, moreFindings, mostFindings, ProgramError } from "../host.ts";
import { PolicyError } from "../policy/verdict.ts";

export interface Faults {
  readonly report: (diagnostic: Diagnostic) => void;
  /** Reports what a resource failed of, with places where the goal knows them, and makes of it what its program gets. */
  readonly failure: (error: unknown, urn: Urn, goal?: Pick<Goal, "positionOf">) => ProgramError;
  /** True when the fault was told, or folded into one that was, or is one of those that are only counted. */
  readonly isTold: (diagnostic: Diagnostic) => boolean;
  /** Tells how many more resources failed for a reason that was told once, and how many findings of checks were not told. */
  readonly tellRepeated: () => void;
  /** Ends the run by a guard's refusal, with everything that it says. */
  readonly stop: (guard: Guard, diagnostics: readonly Diagnostic[]) => void;
  readonly hasFailed: () => boolean;
  readonly guard: () => Guard | undefined;
  /** Takes over that a part of the run failed, and the guard that refused it. */
  readonly join: (part: Pick<Faults, "hasFailed" | "guard">) => void;
}

export function createFaults({ emit, signal }: { emit: Emit; signal: AbortSignal }): Faults {
  let failed = false;
  let guard: Guard | undefined;
  const told = new Set<string>();
  const messages = new Set<string>();
  const repeated = new Map<string, { count: number; code?: ErrorCode }>();
  let findings = 0;
  let untold = 0;

  const report = (diagnostic: Diagnostic): void => {
    if (diagnostic.severity === "error") failed = true;
    emit({ event: "diagnostic", ...diagnostic });
  };

  /** A wrong token or an unreachable service fails every resource alike: one message says it. */
  const reportOnce = (diagnostic: Diagnostic): void => {
    told.add(keyOf(diagnostic));
    if (diagnostic.property === undefined && messages.has(diagnostic.message)) {
      const { message, code } = diagnostic;
      const count = (repeated.get(message)?.count ?? 0) + 1;
      repeated.set(message, { count, ...(code && { code }) });
    } else report(diagnostic);
    messages.add(diagnostic.message);
  };

  return {
    report,
    failure(error, urn, goal) {
      if (error instanceof ProgramError) return error;
      if (error instanceof CancelledError && signal.aborted) return new ProgramError([]);
      guard ??= guardOf(error, urn);
      failed = true;
      const diagnostics = faultsOf(error).map(
        ({ property, reason, errorCode: code, policy }): Diagnostic => ({
          severity: "error",
          message: property === "" || policy ? reason : `${property}: ${reason}`,
          ...(code && { code }),
          ...(policy && { policy }),
          urn,
          ...(property === "" ? {} : { property }),
          ...goal?.positionOf(property),
        }),
      );
      const isCheck = error instanceof CheckFailedError;
      for (const diagnostic of diagnostics) {
        if (isCheck) findings += 1;
        if (isCheck && findings > mostFindings) {
          told.add(keyOf(diagnostic));
          untold += 1;
        } else reportOnce(diagnostic);
      }
      return new ProgramError(diagnostics);
    },
    // The language counts the same findings beyond its own bound.
    isTold: (diagnostic) =>
      told.has(keyOf(diagnostic)) ||
      (untold > 0 && diagnostic.message.replace(/\d+/, "0") === moreFindings(0)),
    tellRepeated() {
      if (untold > 0) emit({ event: "diagnostic", severity: "error", message: moreFindings(untold) });
      untold = 0;
      for (const [message, { count, code }] of repeated) {
        emit({
          event: "diagnostic",
          severity: "error",
          message: `${count} more ${count === 1 ? "resource" : "resources"} failed for the same reason: ${message}`,
          ...(code && { code }),
        });
      }
      repeated.clear();
    },
    stop(by, diagnostics) {
      guard ??= by;
      failed = true;
      for (const diagnostic of diagnostics) report(diagnostic);
    },
    hasFailed: () => failed,
    guard: () => guard,
    join(part) {
      failed ||= part.hasFailed();
      guard ??= part.guard();
    },
  };
}

const keyOf = ({ urn, message }: Diagnostic): string => `${urn ?? ""} ${message}`;

/** The guard that an error is the refusal of, if it is one. */
function guardOf(error: unknown, urn: Urn): Guard | undefined {
  if (error instanceof EngineError && isGuard(error.code)) {
    const { errorCode: code } = error;
    return { kind: error.code, ...(code && { code }), message: error.message };
  }
  if (!(error instanceof CheckFailedError)) return undefined;
  const asked = error.failures.find((failure) => failure.guard);
  if (asked === undefined) return undefined;
  const { errorCode: code, reason } = asked;
  return { kind: "change", ...(code && { code }), message: `${urnParts(urn).name}: ${reason}` };
}

function faultsOf(error: unknown): readonly (CheckFailure & { readonly policy?: string })[] {
  if (error instanceof PolicyError)
    return error.verdicts.map(({ property, message: reason, policy }) => ({
      property,
      reason,
      policy,
      errorCode: "PLB-POLICY",
    }));
  if (error instanceof CheckFailedError && error.failures.length > 0) return error.failures;
  const errorCode = errorCodeOf(error);
  const reasons =
    error instanceof ResourceInitFailedError && error.reasons.length > 0 ? error.reasons : [messageOf(error)];
  return reasons.map((reason) => ({ property: "", reason, ...(errorCode && { errorCode }) }));
}
