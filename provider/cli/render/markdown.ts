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

/** Text between backticks, in a table or not: none of its signs is one of theirs. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("`", "'").replaceAll("\n", " ");
}

/**
 * Text that others wrote, anywhere else: nothing in it is read as Markdown or HTML, so that it neither hides nor forges a part of the plan, and nobody
 * is called by it.
 */
export function inert(text: string): string {
  return cell(text.replace(/\\|[*~$]|\](?=\()|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\$&"))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/@(?=[\w-])/g, "@<!-- -->");
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
          ...(step.unfinished ?? []).map(inert),
          ...changed.map((line) => `\`${cell(line)}\``),
        ].join("<br>");
        write(
          `| ${word(step, "plan")} | **${inert(step.name)}** | ${inert(shortToken(step.type))} | ${changes} |`,
        );
      }
    }
    if (cost) for (const line of costMarkdown(cost, inert)) write(line);
    const guard = summary?.guard;
    if (guard) write(`\n**Stopped:** ${inert(quoted(withErrorCode(guard.message, guard.code)))}`);
    if (diagnostics.length > 0) {
      write("");
      for (const diagnostic of diagnostics) write(`- ${inert(diagnosticText(diagnostic, colors))}`);
    }
  });
}
