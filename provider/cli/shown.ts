/** How a run is shown: which renderer, and what of the events reaches it. */

import { print } from "./render/door.ts";
import { createJsonRenderer } from "./render/json.ts";
import { createLineRenderer, type Renderer } from "./render/lines.ts";
import { createTreeRenderer } from "./render/tree.ts";
import type { Settings } from "./settings.ts";

/** The renderer of a command that changes something: a tree on a terminal, else lines; JSON when asked for. */
export function renderer(settings: Settings, options: { diff?: boolean; expected?: number } = {}): Renderer {
  const { colors, showSecrets } = settings;
  const palette = { colors, showSecrets, diff: options.diff === true };
  if (settings.json) return createJsonRenderer(print, showSecrets);
  if (!settings.isTerminal) return createLineRenderer({ ...palette, write: print });
  return createTreeRenderer({
    ...palette,
    stream: process.stdout,
    ...(options.expected === undefined ? {} : { expected: options.expected }),
  });
}

/** A renderer of lines, also on a terminal: for what is read rather than watched. */
export function lines(settings: Settings, diff = false): Renderer {
  return createLineRenderer({
    colors: settings.colors,
    showSecrets: settings.showSecrets,
    diff,
    write: print,
  });
}

/** Tells only what went wrong. */
export function problemsOnly(inner: Renderer): Renderer {
  return {
    event(event) {
      if (event.event === "diagnostic" || event.event === "failed") inner.event(event);
    },
    ...(inner.refused && { refused: inner.refused }),
    ...(inner.notice && { notice: inner.notice }),
    close: () => inner.close(),
  };
}

/** Passes on what was not told before: a preview and the run after it find the same in the same file. */
export function once(inner: Renderer, told: Set<string>): Renderer {
  return {
    event(event) {
      if (event.event === "diagnostic" && event.severity !== "error") {
        const text = JSON.stringify(event);
        if (told.has(text)) return;
        told.add(text);
      }
      inner.event(event);
    },
    ...(inner.refused && { refused: inner.refused }),
    ...(inner.notice && { notice: inner.notice }),
    close: () => inner.close(),
  };
}

/** Shows a run in two ways at once. */
export function both(one: Renderer, other: Renderer): Renderer {
  return {
    event(event) {
      one.event(event);
      other.event(event);
    },
    ...((one.refused ?? other.refused) && {
      refused(event) {
        one.refused?.(event);
        other.refused?.(event);
      },
    }),
    ...(one.notice && { notice: one.notice }),
    close() {
      one.close();
      other.close();
    },
  };
}
