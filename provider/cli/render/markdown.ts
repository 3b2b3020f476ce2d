/** Writes a preview as Markdown, for a comment on a merge request. */

import pc from "picocolors";
import { shortToken } from "../../core/token.ts";
import type { Step } from "../../engine/event.ts";
import type { Diagnostic } from "../../engine/host.ts";
import { changeLines, countsText, diagnosticText, inputLines, word } from "./format.ts";
import type { Renderer } from "./lines.ts";
import { isWorthALine } from "./plan.ts";

const colors = pc.createColors(false);

/** Keeps text from being read as a table's or code's own signs. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("`", "'").replaceAll("\n", " ");
}

export function createMarkdownRenderer(write: (line: string) => void, stack: string): Renderer {
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  let counts = "nothing to do";
  return {
    event(event) {
      if (event.event === "planned" && isWorthALine(event.step)) steps.push(event.step);
      else if (event.event === "diagnostic") diagnostics.push(event);
      else if (event.event === "summary") counts = countsText(event.counts, "plan");
    },
    close() {
      write(`### Plan for \`${cell(stack)}\`: ${counts}\n`);
      if (steps.length > 0) {
        write("| | resource | type | changes |\n| --- | --- | --- | --- |");
        for (const step of steps) {
          const palette = { colors, showSecrets: false };
          const isNew = step.op === "create";
          const changed = isNew ? inputLines(step, palette) : changeLines(step, palette);
          const changes = [
            ...(step.unfinished ?? []).map(cell),
            ...changed.map((line) => `\`${cell(line)}\``),
          ].join("<br>");
          write(`| ${word(step, "plan")} | **${cell(step.name)}** | ${shortToken(step.type)} | ${changes} |`);
        }
      }
      if (diagnostics.length > 0) {
        write("");
        for (const diagnostic of diagnostics) write(`- ${cell(diagnosticText(diagnostic, colors))}`);
      }
    },
  };
}
