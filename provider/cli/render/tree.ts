/** Shows a run on a terminal as a tree that moves: what runs, for how long, what it waits for, how far the whole is. */

import { createLogUpdate } from "log-update";
import { quoted } from "../../core/masking.ts";
import type { Urn } from "../../core/protocol.ts";
import type { EngineEvent, Step } from "../../engine/event.ts";
import { outward } from "./door.ts";
import { diagnosticText, duration, outputLines, title, word } from "./format.ts";
import {
  detailLines,
  headingText,
  isWorthALine,
  type LineOptions,
  type Renderer,
  summaryLine,
} from "./lines.ts";

interface Row {
  readonly step: Step;
  readonly startedAt: number;
  state: "running" | "done" | "failed";
  seconds?: number;
  message?: string;
  reasons?: readonly string[];
}

export interface TreeOptions extends Omit<LineOptions, "write"> {
  readonly stream: NodeJS.WriteStream;
  /** How many resources the run is about, where a preview told; for the progress line. */
  readonly expected?: number;
}

/** Depth in the resource tree: the URN's type holds the types of all parents. */
function depth(urn: Urn): number {
  return (urn.split("::")[2] ?? "").split("$").length - 1;
}

export function createTreeRenderer(options: TreeOptions): Renderer {
  const { colors, stream } = options;
  const update = createLogUpdate(stream, { showCursor: true });
  const rows = new Map<Urn, Row>();
  const notes: string[] = [];
  const tail: string[] = [];
  let heading = "";
  let finished = 0;
  let timer: NodeJS.Timeout | undefined;

  const rowText = (row: Row): string[] => {
    const indent = "  ".repeat(depth(row.step.urn));
    const seconds = row.seconds ?? (Date.now() - row.startedAt) / 1000;
    const state =
      row.state === "running"
        ? `${colors.cyan(word(row.step, "running"))}${row.message ? colors.dim(` ${quoted(row.message)}`) : ""}`
        : row.state === "failed"
          ? colors.red("failed")
          : word(row.step, "done");
    return [
      `${indent}${title(row.step, colors)} ${state} ${colors.dim(`(${duration(seconds)})`)}`,
      ...(row.reasons ?? []).map((reason) => `${indent}    ${colors.red(quoted(reason))}`),
    ];
  };

  /** The rows that fit: what runs and what failed always, then the latest that are over. */
  const frame = (whole: boolean): string => {
    const all = [...rows.values()].filter((row) => isWorthALine(row.step) || row.state === "failed");
    const room = Math.max(5, (stream.rows ?? 24) - 6 - notes.length);
    const over = all.filter((row) => row.state === "done").length;
    let hidden = whole ? 0 : Math.max(0, all.length - room);
    hidden = Math.min(hidden, over);
    let left = hidden;
    const shown = all.filter((row) => row.state !== "done" || left-- <= 0);
    const lines = [heading];
    if (hidden > 0) lines.push(colors.dim(`  … ${hidden} more done`));
    lines.push(...shown.flatMap(rowText), ...notes);
    if (!whole) lines.push(progress());
    return [...lines, ...tail].join("\n");
  };

  const progress = (): string => {
    const total = Math.max(options.expected ?? 0, rows.size);
    const width = 24;
    const filled = total === 0 ? 0 : Math.round((finished / total) * width);
    const running = [...rows.values()].filter((row) => row.state === "running").length;
    return colors.dim(
      `[${"█".repeat(filled)}${"░".repeat(width - filled)}] ${finished}/${total}${running > 0 ? `, ${running} running` : ""}`,
    );
  };

  const draw = () => update(outward(frame(false)));

  const end = (event: Extract<EngineEvent, { event: "finished" | "failed" }>) => {
    const row = rows.get(event.step.urn);
    const next: Row = row ?? { step: event.step, startedAt: Date.now(), state: "running" };
    next.state = event.event === "failed" ? "failed" : "done";
    next.seconds = event.seconds;
    if (event.event === "failed") next.reasons = event.reasons;
    rows.set(event.step.urn, next);
    finished += 1;
  };

  return {
    event(event) {
      switch (event.event) {
        case "start":
          heading = colors.bold(headingText(event.operation, event.project, event.stack));
          timer = setInterval(draw, 250);
          timer.unref();
          break;
        case "started":
          rows.set(event.step.urn, { step: event.step, startedAt: Date.now(), state: "running" });
          break;
        case "planned":
          if (isWorthALine(event.step)) {
            notes.push(`${title(event.step, colors)} ${word(event.step, "plan")}`);
            notes.push(...detailLines(event.step, options).map((line) => `    ${line}`));
          }
          break;
        case "finished":
        case "failed":
          end(event);
          break;
        case "progress": {
          const row = event.urn === undefined ? undefined : rows.get(event.urn);
          if (row) row.message = event.message;
          else if (event.severity !== "debug") notes.push(colors.dim(`  ${quoted(event.message)}`));
          break;
        }
        case "diagnostic":
          notes.push(diagnosticText(event, colors));
          break;
        case "outputs":
          if (Object.keys(event.outputs).length > 0) {
            tail.push(colors.bold("Outputs"));
            tail.push(...outputLines(event.outputs, options.showSecrets).map((line) => `  ${line}`));
          }
          break;
        case "summary":
          if (event.guard) tail.push(`${colors.red("stopped:")} ${quoted(event.guard.message)}`);
          tail.push(summaryLine(event, options));
          break;
      }
    },
    close() {
      clearInterval(timer);
      // What is over is printed for good, whole, so that it can be scrolled back to.
      update.clear();
      stream.write(`${outward(frame(true))}\n`);
      update.done();
    },
  };
}
