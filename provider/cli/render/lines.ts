/** Shows a run as plain lines, each written once: for pipes, logs and `--no` terminals. */

import { quoted } from "../../core/masking.ts";
import type { EngineEvent, Operation, Step } from "../../engine/event.ts";
import {
  changeLines,
  countsText,
  diagnosticText,
  duration,
  inputLines,
  outputLines,
  type Palette,
  requestsText,
  title,
  word,
} from "./format.ts";

export interface LineOptions extends Palette {
  /** Show every changed property, and the inputs of what is made. */
  readonly diff: boolean;
  readonly write: (line: string) => void;
}

/** What shows a run: takes each event, and is closed at the end. */
export interface Renderer {
  event(event: EngineEvent): void;
  close(): void;
}

const headings: { readonly [operation in Operation]: string } = {
  validate: "Validating",
  preview: "Preview of",
  up: "Updating",
  refresh: "Refreshing",
  drift: "Looking for drift in",
  destroy: "Destroying",
  import: "Importing into",
  invoke: "Calling a function of",
  retarget: "Moving",
};

/** True for steps that a reader wants to see; what stays as it is only counts. */
export function isWorthALine(step: Step): boolean {
  return step.op !== "same" && step.op !== "read";
}

/** `Updating web (dev)`. */
export function headingText(operation: Operation, project: string, stack: string): string {
  return `${headings[operation]} ${quoted(project)} (${quoted(stack)})`;
}

/** The details under a step's own line. */
export function detailLines(step: Step, options: { diff: boolean } & Palette): string[] {
  const lines: string[] = [];
  if (step.op === "replace" && step.replaceReasons.length > 0) {
    lines.push(options.colors.magenta(`replaced because of ${quoted(step.replaceReasons.join(", "))}`));
  }
  if (step.unfinished) lines.push(`unfinished: ${quoted(step.unfinished.join(" "))}`);
  if (options.diff) {
    lines.push(...(step.op === "create" ? inputLines(step, options) : changeLines(step, options)));
  } else if ((step.op === "update" || step.op === "replace") && Object.keys(step.detailedDiff).length > 0) {
    lines.push(`changes: ${quoted(Object.keys(step.detailedDiff).join(", "))}`);
  }
  return lines;
}

/** The closing line of a run. */
export function summaryLine(event: Extract<EngineEvent, { event: "summary" }>, { colors }: Palette): string {
  const cost = `${requestsText(event.requests)}, ${duration(event.seconds)}`;
  if (event.result !== "succeeded" && !event.changes) return `${colors.red(event.result)}; ${cost}`;
  const planned = event.operation === "preview";
  const result =
    event.result === "succeeded"
      ? planned
        ? ""
        : `${colors.green("done")}: `
      : `${colors.red(event.result)}: `;
  return `${result}${countsText(event.counts, planned ? "plan" : "done")}; ${cost}`;
}

export function createLineRenderer(options: LineOptions): Renderer {
  const { colors, write } = options;
  const detailsOf = (step: Step) => {
    for (const line of detailLines(step, options)) write(`    ${line}`);
  };
  return {
    event(event) {
      switch (event.event) {
        case "start":
          write(colors.bold(headingText(event.operation, event.project, event.stack)));
          break;
        case "planned":
          if (!isWorthALine(event.step)) break;
          write(`${title(event.step, colors)} ${word(event.step, "plan")}`);
          detailsOf(event.step);
          break;
        case "finished":
          if (!isWorthALine(event.step)) break;
          write(`${title(event.step, colors)} ${word(event.step, "done")} (${duration(event.seconds)})`);
          if (options.diff) detailsOf(event.step);
          break;
        case "failed":
          write(`${title(event.step, colors)} ${colors.red("failed")} (${duration(event.seconds)})`);
          for (const reason of event.reasons) write(`    ${colors.red(quoted(reason))}`);
          break;
        case "progress":
          if (event.severity !== "debug") write(colors.dim(`  ${quoted(event.message)}`));
          break;
        case "diagnostic":
          write(diagnosticText(event, colors));
          break;
        case "outputs":
          if (Object.keys(event.outputs).length > 0) {
            write(colors.bold("Outputs"));
            for (const line of outputLines(event.outputs, options.showSecrets)) write(`  ${line}`);
          }
          break;
        case "summary":
          if (event.guard) write(`${colors.red("stopped:")} ${quoted(event.guard.message)}`);
          write(summaryLine(event, options));
          break;
        case "started":
          break;
      }
    },
    close() {},
  };
}
