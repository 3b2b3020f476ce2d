/** What evaluation stands on, and how it tells what the host rejected. Evaluates nothing by itself. */

import type { Catalogue, Urn } from "../../../core/protocol.ts";
import type { ValueMap } from "../../../core/value.ts";
import { type Host, type Position, ProgramError } from "../../host.ts";
import type { Expression } from "../syntax/expression.ts";
import { messageOf, type Report } from "../syntax/report.ts";
import type { ProjectFiles } from "./builtin.ts";
import type { Sizes } from "./size.ts";
import type { Term } from "./term.ts";

/** What is there at once, but for what has to be asked for or read. */
export type Eventual<T> = T | Promise<T>;

/** What evaluation stands on. */
export interface Evaluation {
  readonly host: Host;
  readonly catalogue: Catalogue;
  readonly files: ProjectFiles;
  readonly report: Report;
  /** What a name stands for; undefined when it failed (already reported) or is unknown to the file. */
  readonly lookUp: (name: string) => Term | undefined;
  /** Outputs of another stack, asked for once in a run. */
  readonly stackOutputs: (stack: string) => Promise<ValueMap>;
  /** Provider of calls that name none. */
  readonly defaultProvider: () => Urn | undefined;
  /** Evaluates a declaration: some hundred at a time, so that what each needs meanwhile is gone before the next begins. */
  readonly declaration: <T>(work: () => Promise<T>) => Promise<T>;
  /** What its values may come to. */
  readonly sizes: Sizes;
  /** The value of an expression, or undefined when it failed; why is in the report by then. Everything that can fail on its own is tried. */
  readonly evaluate: (expression: Expression) => Eventual<Term | undefined>;
}

/** Reports what the host rejected with, at `at` unless it gave places of its own. A ProgramError without findings (a cancel) adds none. */
export function reportError(report: Report, at: Position, error: unknown): void {
  if (!(error instanceof ProgramError)) {
    report.error(at, messageOf(error));
    return;
  }
  for (const { message, urn, property, file, line, column } of error.diagnostics) {
    const own =
      file !== undefined && line !== undefined && column !== undefined ? { file, line, column } : at;
    report.error(own, message, {
      ...(urn === undefined ? {} : { urn }),
      ...(property === undefined ? {} : { property }),
    });
  }
}
