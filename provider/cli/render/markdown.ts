/** Writes a preview as Markdown, for a comment on a merge request. */

import pc from "picocolors";
import { withErrorCode } from "../../core/error-code.ts";
import { quoted } from "../../core/masking.ts";
import { shortToken } from "../../core/token.ts";
import { createCollector } from "./collected.ts";
import { costMarkdown } from "./cost.ts";
import { changeLines, countsText, diagnosticText, inputLines, word } from "./format.ts";
import type { Renderer } from "./lines.ts";
import { isWorthALine } from "./plan.ts";

const colors = pc.createColors(false);

/** Keeps text from being read as a table's or code's own signs. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("`", "'").replaceAll("\n", " ");
}

export function createMarkdownRenderer(write: (line: string) => void, stack: string): Renderer {
  return createCollector(({ steps: all, diagnostics, cost, summary }) => {
    const steps = all.filter(isWorthALine);
    const counts = summary ? countsText(summary.counts, "plan") : "nothing to do";
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
    if (cost) for (const line of costMarkdown(cost, cell)) write(line);
    const guard = summary?.guard;
    if (guard) write(`\n**Stopped:** ${cell(quoted(withErrorCode(guard.message, guard.code)))}`);
    if (diagnostics.length > 0) {
      write("");
      for (const diagnostic of diagnostics) write(`- ${cell(diagnosticText(diagnostic, colors))}`);
    }
  });
}
