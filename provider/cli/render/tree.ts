/**
 * Shows a run on a terminal: what is over scrolls by, and under it moves what runs, for how long, what it waits for, how far the whole is. A frame
 * costs what it shows: it has a bounded number of rows, whatever runs.
 */

import sliceAnsi from "slice-ansi";
import { withErrorCode } from "../../core/error-code.ts";
import { quoted } from "../../core/masking.ts";
import type { Urn } from "../../core/protocol.ts";
import type { EngineEvent, Step } from "../../engine/event.ts";
import { outward } from "./door.ts";
import { inLine, outputLines, plainType, stepLine, thousands, word } from "./format.ts";
import { createDiagnosticLines } from "./frame.ts";
import {
  detailLines,
  doneLine,
  headingText,
  type LineOptions,
  type Renderer,
  summaryLines,
} from "./lines.ts";
import { createLiveArea } from "./live-area.ts";
import { phraseOf } from "./phrase.ts";
import { isWorthALine, planLines } from "./plan.ts";

export interface TreeOptions extends Omit<LineOptions, "write"> {
  readonly stream: NodeJS.WriteStream;
  /** How many resources the run is about, where a preview told; for the progress line. */
  readonly expected?: number;
}

interface Row {
  readonly step: Step;
  readonly startedAt: number;
  message?: string;
}

/** Times a second that a frame is drawn. */
const FRAMES = 5;
/** Of more that are done alike than these only the count is shown. */
const MOST_ALIKE = 20;

export function createTreeRenderer(options: TreeOptions): Renderer {
  const { colors, stream } = options;
  const area = createLiveArea(stream);
  const diagnosticLines = createDiagnosticLines(colors);
  const running = new Map<Urn, Row>();
  const planned: Step[] = [];
  /** Done and not shown one by one, by what became of them. */
  const folded = new Map<string, { step: Step; count: number }>();
  /** What scrolls by with the next frame. */
  let over: string[] = [];
  let finished = 0;
  let timer: NodeJS.Timeout | undefined;

  const rowText = ({ step, startedAt, message }: Row): string => {
    const seconds = (Date.now() - startedAt) / 1000;
    return stepLine(step, message ?? phraseOf(step), { colors, state: "running", seconds, width: width() });
  };

  /** The longest running first, as many as there is room for, and how far the whole is. */
  const frame = (): string[] => {
    const room = Math.max(1, Math.min(12, (stream.rows ?? 24) - 4));
    const shown: Row[] = [];
    for (const row of running.values()) {
      if (shown.length === room) break;
      if (isWorthALine(row.step)) shown.push(row);
    }
    const hidden = running.size - shown.length;
    return [
      ...shown.map(rowText),
      ...(hidden > 0 && shown.length === room ? [colors.dim(`  … ${thousands(hidden)} more running`)] : []),
      progress(),
    ];
  };

  const progress = (): string => {
    const { expected } = options;
    const doing = `${thousands(running.size)} running`;
    if (expected === undefined) return colors.dim(`  ${thousands(finished)} done, ${doing}`);
    const width = 24;
    const total = Math.max(expected, finished);
    const filled = total === 0 ? 0 : Math.floor((finished / total) * width);
    const bar = `[${"█".repeat(filled)}${"░".repeat(width - filled)}]`;
    return colors.dim(`${bar} ${thousands(finished)} of ${thousands(total)} done, ${doing}`);
  };

  /** A row ends before the last column, where some terminals begin the next one. */
  const width = (): number => Math.max(20, (stream.columns ?? 80) - 1);

  const fit = (line: string): string => sliceAnsi(outward(line), 0, width());

  const draw = () => {
    area.draw(over.map(outward), frame().map(fit));
    over = [];
  };

  /** What is done is shown one by one until there are many of a kind. */
  const tellDone = (event: Extract<EngineEvent, { event: "finished" }>) => {
    const { step } = event;
    if (!isWorthALine(step)) return;
    const key = `${word(step, "done")} ${step.type}`;
    const group = folded.get(key) ?? { step, count: 0 };
    folded.set(key, group);
    group.count += 1;
    if (!options.diff && group.count > MOST_ALIKE) return;
    over.push(doneLine(event, { colors, width: width() }));
    if (options.diff) over.push(...detailLines(step, options).map((line) => `    ${line}`));
  };

  const tellFolded = () => {
    if (options.diff) return;
    for (const { step, count } of folded.values())
      if (count > MOST_ALIKE)
        over.push(
          colors.dim(
            `  … ${thousands(count - MOST_ALIKE)} more ${plainType(step.type)} ${word(step, "done")}`,
          ),
        );
    folded.clear();
  };

  const tellPlan = () =>
    over.push(
      ...planLines(planned.splice(0), { ...options, detailsOf: (step) => detailLines(step, options) }),
    );

  return {
    event(event) {
      switch (event.event) {
        case "start":
          over.push(colors.bold(headingText(event)));
          timer = setInterval(draw, 1000 / FRAMES);
          timer.unref();
          break;
        case "started":
          running.set(event.step.urn, { step: event.step, startedAt: Date.now() });
          break;
        case "planned":
          planned.push(event.step);
          break;
        case "finished":
        case "failed":
          running.delete(event.step.urn);
          finished += 1;
          if (event.event === "finished") tellDone(event);
          else
            over.push(
              doneLine(event, { colors, width: width() }),
              ...event.reasons.map(
                (reason) => `    ${colors.red(quoted(withErrorCode(reason, event.code)))}`,
              ),
            );
          break;
        case "progress": {
          const row = event.urn === undefined ? undefined : running.get(event.urn);
          if (row) row.message = event.message;
          else if (event.severity !== "debug") over.push(colors.dim(`  ${quoted(event.message)}`));
          break;
        }
        case "diagnostic":
          over.push(...diagnosticLines(event));
          break;
        case "outputs":
          tellPlan();
          tellFolded();
          if (!event.isSame && Object.keys(event.outputs).length > 0)
            over.push(
              colors.bold("Outputs"),
              ...outputLines(event.outputs, options.showSecrets).map((line) => `  ${line}`),
            );
          break;
        case "summary":
          tellPlan();
          tellFolded();
          over.push(...summaryLines(event, options));
          break;
      }
    },
    notice(line) {
      const names = [...running.values()]
        .filter(({ step }) => isWorthALine(step))
        .map(({ step }) => inLine(step.name));
      const shown = names.length > 5 ? [...names.slice(0, 5), `${thousands(names.length - 5)} more`] : names;
      over.push(...line.split("\n"), ...(shown.length > 0 ? [`  still under way: ${shown.join(", ")}`] : []));
      draw();
    },
    close() {
      clearInterval(timer);
      area.draw(over.map(outward), []);
      area.close();
      over = [];
    },
  };
}
