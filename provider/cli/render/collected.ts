/** Collects what a preview finds, to be shown as a whole at its end. */

import type { CostReport } from "../../engine/cost/report.ts";
import type { EngineEvent, Step } from "../../engine/event.ts";
import type { Diagnostic } from "../../engine/host.ts";
import type { Renderer } from "./lines.ts";

export interface Collected {
  /** All of them, also what stays as it is. */
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  /** Absent: it was not asked for. */
  readonly cost: CostReport | undefined;
  /** Absent: the preview came to no end. */
  readonly summary: Extract<EngineEvent, { event: "summary" }> | undefined;
}

/** A renderer that shows nothing until it is closed. */
export function createCollector(show: (seen: Collected) => void): Renderer {
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  let cost: CostReport | undefined;
  let summary: Collected["summary"];
  const collect = (event: EngineEvent): void => {
    if (event.event === "planned") steps.push(event.step);
    else if (event.event === "cost") cost = event.cost;
    else if (event.event === "summary") summary = event;
    else if (event.event === "diagnostic") {
      const { event: _, ...diagnostic } = event;
      diagnostics.push(diagnostic);
    }
  };
  return {
    event: collect,
    refused: collect,
    close: () => show({ steps, diagnostics, cost, summary }),
  };
}
