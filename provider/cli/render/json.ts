/** Shows a run as JSON: lines as it happens, or one object for a preview. */

import { type EngineEvent, eventJson, stepJson } from "../../engine/event.ts";
import { createCollector } from "./collected.ts";
import { costJson } from "./cost.ts";
import type { Renderer } from "./lines.ts";

/** One JSON object a line; the last is the summary. */
export function createJsonRenderer(write: (line: string) => void, showSecrets: boolean): Renderer {
  const event = (told: EngineEvent): void => write(JSON.stringify(eventJson(told, showSecrets)));
  return { event, refused: event, close() {} };
}

/** Writes a preview as one object when it is closed. */
export function createPreviewJsonRenderer(write: (line: string) => void): Renderer {
  return createCollector(({ steps, diagnostics, cost, summary }) =>
    write(
      JSON.stringify(
        {
          steps: steps.map(stepJson),
          summary: summary?.counts ?? { create: 0, update: 0, replace: 0, delete: 0, same: 0 },
          diagnostics,
          ...(cost ? { cost: costJson(cost) } : {}),
          requests: summary?.requests ?? {},
          ...(summary?.guard ? { guard: summary.guard } : {}),
        },
        null,
        2,
      ),
    ),
  );
}
