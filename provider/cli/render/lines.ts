/** Shows a run as plain lines, each written once: for pipes, logs and `--no` terminals. */

import { duration } from "../../core/duration.ts";
import { withErrorCode } from "../../core/error-code.ts";
import { quoted } from "../../core/masking.ts";
import type { Urn } from "../../core/protocol.ts";
import type { EngineEvent, Operation, Step } from "../../engine/event.ts";
import { costLines } from "./cost.ts";
import {
  changeLines,
  countsText,
  inputLines,
  outputLines,
  type Palette,
  plainType,
  requestsText,
  stepLine,
  thousands,
} from "./format.ts";
import { createDiagnosticLines } from "./frame.ts";
import { phraseOf } from "./phrase.ts";
import { isWorthALine, planLines } from "./plan.ts";

export interface LineOptions extends Palette {
  /** Show every changed property, and the inputs of what is made. */
  readonly diff: boolean;
  readonly write: (line: string) => void;
}

/** What shows a run: takes each event, and is closed at the end. */
export interface Renderer {
  event(event: EngineEvent): void;
  /**
   * Takes the events of a run that was refused as a whole, where a program or a reader later on sees nothing else (JSON, Markdown, a page). Absent:
   * the standard error alone says it.
   */
  refused?(event: EngineEvent): void;
  /** Says something between the events, where that would spoil what is drawn otherwise. Absent: to the standard error. */
  notice?(line: string): void;
  close(): void;
}

const headings: { readonly [operation in Operation]: readonly [done: string, planned: string] } = {
  validate: ["Validating", "Validating"],
  preview: ["Preview of", "Preview of"],
  up: ["Updating", "Preview of"],
  refresh: ["Refreshing", "Preview of refreshing"],
  drift: ["Looking for drift in", "Looking for drift in"],
  destroy: ["Destroying", "Preview of destroying"],
  import: ["Importing into", "Preview of importing into"],
  invoke: ["Calling a function of", "Calling a function of"],
  retarget: ["Moving", "Preview of moving"],
};

type Start = Extract<EngineEvent, { event: "start" }>;
type Summary = Extract<EngineEvent, { event: "summary" }>;

/** `Updating web (dev)`. */
export function headingText({ operation, previewOnly, project, stack }: Start): string {
  return `${headings[operation][previewOnly ? 1 : 0]} ${quoted(project)} (${quoted(stack)})`;
}

/** The details under a step's own line. */
export function detailLines(step: Step, options: { diff: boolean } & Palette): string[] {
  const lines: string[] = [];
  // With the changes those that force a replacement are marked.
  const marked = new Set(
    options.diff ? Object.keys(step.detailedDiff).map((path) => path.split(/[.[]/)[0]) : [],
  );
  const reasons = step.op === "replace" ? step.replaceReasons.filter((reason) => !marked.has(reason)) : [];
  if (reasons.length > 0)
    lines.push(options.colors.magenta(`replaced because of ${quoted(reasons.join(", "))}`));
  if (step.unfinished)
    lines.push(`unfinished: ${quoted(withErrorCode(step.unfinished.join(" "), "PLB-PENDING"))}`);
  const changed = Object.keys(step.detailedDiff);
  if (options.diff) {
    lines.push(...(step.op === "create" ? inputLines(step, options) : changeLines(step, options)));
  } else if ((step.op === "update" || step.op === "replace") && changed.length > 0) {
    lines.push(`changes: ${quoted(changed.join(", "))}`);
  }
  return lines;
}

/** The closing lines of a run. */
export function summaryLines(event: Summary, { colors }: Palette): string[] {
  const isPlan = event.operation === "preview" || event.previewOnly === true;
  const cost = `${requestsText(event.requests)}, ${duration(event.seconds)}`;
  const lines = event.guard
    ? [`${colors.red("stopped:")} ${quoted(withErrorCode(event.guard.message, event.guard.code))}`]
    : [];
  if (event.result !== "succeeded" && !event.changes) lines.push(`${colors.red(event.result)}; ${cost}`);
  else {
    const result =
      event.result !== "succeeded"
        ? `${colors.red(event.result)}: `
        : isPlan
          ? ""
          : `${colors.green("done")}: `;
    lines.push(`${result}${countsText(event.counts, isPlan ? "plan" : "done")}; ${cost}`);
  }
  if (event.result === "cancelled" && !isPlan)
    lines.push(
      `What was done is saved, and nothing is lost: \`plumbline ${event.operation}\` goes on from here.`,
    );
  return lines;
}

/** Minutes of a wait after which it is told of again, the last one over and over. */
const again = [0, 0.5, 1, 2, 5, 10, 20];

/** Tells of a wait at its beginning and then less and less often, so that a long one does not fill a log. */
export function createPatience(now: () => number = Date.now) {
  const waits = new Map<string, { begun: number; told: number; next: number }>();
  return (urn: Urn | undefined, message: string): boolean => {
    const key = `${urn} ${message.split(":")[0]}`;
    const wait = waits.get(key) ?? { begun: now(), told: 0, next: 0 };
    waits.set(key, wait);
    if (now() - wait.begun < wait.next * 60_000) return false;
    wait.told += 1;
    wait.next = again[wait.told] ?? (now() - wait.begun) / 60_000 + again.at(-1)!;
    return true;
  };
}

export function createLineRenderer(options: LineOptions): Renderer {
  const { colors, write } = options;
  const planned: Step[] = [];
  const isDue = createPatience();
  const diagnosticLines = createDiagnosticLines(colors);
  /** How many of each type went with their parents. */
  const along = new Map<string, number>();
  const detailsOf = (step: Step) => detailLines(step, options);
  const writePlan = () => {
    for (const line of planLines(planned.splice(0), { ...options, detailsOf })) write(line);
  };
  return {
    event(event) {
      switch (event.event) {
        case "start":
          write(colors.bold(headingText(event)));
          break;
        case "planned":
          planned.push(event.step);
          break;
        case "finished":
          if (!isWorthALine(event.step)) break;
          if (event.step.along && !options.diff) {
            along.set(event.step.type, (along.get(event.step.type) ?? 0) + 1);
            break;
          }
          write(doneLine(event, options));
          if (options.diff) for (const line of detailsOf(event.step)) write(`    ${line}`);
          break;
        case "failed":
          write(doneLine(event, options));
          for (const reason of event.reasons)
            write(`    ${colors.red(quoted(withErrorCode(reason, event.code)))}`);
          break;
        case "progress":
          if (event.severity !== "debug" && isDue(event.urn, event.message))
            write(colors.dim(`  ${nameIn(event.urn)}${quoted(event.message)}`));
          break;
        case "diagnostic":
          for (const line of diagnosticLines(event)) write(line);
          break;
        case "outputs":
          writePlan();
          if (!event.isSame && Object.keys(event.outputs).length > 0) {
            write(colors.bold("Outputs"));
            for (const line of outputLines(event.outputs, options.showSecrets)) write(`  ${line}`);
          }
          break;
        case "cost":
          writePlan();
          for (const line of costLines(event.cost, colors)) write(line);
          break;
        case "summary":
          writePlan();
          if (along.size > 0) write(`- deleted    with their parents: ${alongText(along)}`);
          for (const line of summaryLines(event, options)) write(line);
          break;
        case "started":
          break;
      }
    },
    close: writePlan,
  };
}

/** `14 dns:Record, 3 vpc:Subnet`. */
const alongText = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([type, count]) => `${thousands(count)} ${plainType(type)}`).join(", ");

/** What became of a step, and how long it took. */
export function doneLine(
  event: Extract<EngineEvent, { event: "finished" | "failed" }>,
  options: Pick<Palette, "colors"> & { readonly width?: number },
): string {
  const state = event.event === "failed" ? "failed" : "done";
  return stepLine(event.step, phraseOf(event.step), { ...options, state, seconds: event.seconds });
}

/** `data: `, for what is told of a resource. */
const nameIn = (urn: Urn | undefined): string =>
  urn === undefined ? "" : `${quoted(urn.split("::").at(-1) ?? "")}: `;
