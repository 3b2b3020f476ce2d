/** Shows a run as JSON: lines as it happens, or one object for a preview. */

import { type EngineEvent, eventJson, type Step, stepJson } from "../../engine/event.ts";
import type { Diagnostic } from "../../engine/host.ts";
import type { Renderer } from "./lines.ts";

/** One JSON object a line; the last is the summary. */
export function createJsonRenderer(write: (line: string) => void, showSecrets: boolean): Renderer {
  return {
    event(event) {
      write(JSON.stringify(eventJson(event, showSecrets)));
    },
    close() {},
  };
}

/** Collects a preview and writes it as one object when it is closed. */
export function createPreviewJsonRenderer(write: (line: string) => void): Renderer {
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  let summary: Extract<EngineEvent, { event: "summary" }> | undefined;
  return {
    event(event) {
      if (event.event === "planned") steps.push(event.step);
      else if (event.event === "summary") summary = event;
      else if (event.event === "diagnostic") {
        const { event: _, ...diagnostic } = event;
        diagnostics.push(diagnostic);
      }
    },
    close() {
      write(
        JSON.stringify(
          {
            steps: steps.map(stepJson),
            summary: summary?.counts ?? { create: 0, update: 0, replace: 0, delete: 0, same: 0 },
            diagnostics,
            requests: summary?.requests ?? {},
          },
          null,
          2,
        ),
      );
    },
  };
}
