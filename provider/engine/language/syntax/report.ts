/** Gathers what is found in a stack file, each finding with its place; knows nothing of what the findings mean. */

import type { ErrorCode } from "../../../core/error-code.ts";
import { type Diagnostic, moreFindings, mostFindings, type Position } from "../../host.ts";

/** What else a finding may name. */
export interface Particulars {
  readonly urn?: string;
  readonly property?: string;
  readonly code?: ErrorCode;
}

/** Findings so far, in the order in which they were made. */
export interface Report {
  readonly diagnostics: readonly Diagnostic[];
  /** A finding that forbids a run. `at` absent: it belongs to no place in a file. */
  readonly error: (at: Position | undefined, message: string, particulars?: Particulars) => void;
  /** A finding that does not forbid a run. Told once for each place and message. */
  readonly warning: (at: Position | undefined, message: string, particulars?: Particulars) => void;
  readonly hasErrors: () => boolean;
}

export function createReport(): Report {
  const diagnostics: Diagnostic[] = [];
  const told = new Set<string>();
  let errors = 0;
  const add = (
    severity: "error" | "warning",
    at: Position | undefined,
    message: string,
    particulars?: Particulars,
  ) => {
    const key = `${severity}\0${at?.file}\0${at?.line}\0${at?.column}\0${message}`;
    if (told.has(key)) return;
    told.add(key);
    if (severity === "error") errors += 1;
    diagnostics.push(diagnosticAt(severity, at, message, particulars));
  };
  return {
    diagnostics,
    error: (at, message, particulars) => add("error", at, message, particulars),
    warning: (at, message, particulars) => add("warning", at, message, particulars),
    hasErrors: () => errors > 0,
  };
}

/** One finding as the outside sees it. */
function diagnosticAt(
  severity: Diagnostic["severity"],
  at: Position | undefined,
  message: string,
  particulars: Particulars = {},
): Diagnostic {
  return {
    severity,
    message,
    ...particulars,
    ...(at === undefined ? {} : { file: at.file, line: at.line, column: at.column }),
  };
}

/** Findings in the order of the file, those without a place first; equal places keep their order. */
function inFileOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      byName(a.file ?? "", b.file ?? "") ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}

/** At most a hundred findings in the order of the file, errors before warnings where not all have room, and how many more there are. */
export function boundedInFileOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  if (diagnostics.length <= mostFindings) return inFileOrder(diagnostics);
  const sorted = inFileOrder(diagnostics);
  const byWeight = [
    ...sorted.filter(({ severity }) => severity === "error"),
    ...sorted.filter(({ severity }) => severity !== "error"),
  ];
  const left = byWeight.slice(mostFindings);
  const severity = left.some((finding) => finding.severity === "error") ? "error" : "warning";
  return [...inFileOrder(byWeight.slice(0, mostFindings)), { severity, message: moreFindings(left.length) }];
}

function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** An error's message, for a diagnostic. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
