/**
 * Reads a guide as a list of steps for its reader. Each fenced block is one, told by what stands behind its fence:
 *
 * - `sh` is typed into a terminal and succeeds; `code=3`: it ends with that exit code; `type=TEXT`: what is typed when it asks for a value (a question is
 *   answered with yes); `other`: into another terminal, where it goes on.
 * - `text` is what the block before it showed, whole. `…` stands for what is left out of a line, and alone on a line for lines. Times may be others.
 * - a language and a name (`yaml Pulumi.yaml`): a file of that name, with what is in the block. The text before says the name, too.
 * - `diff` and a name: lines of that file that are changed.
 *
 * `<!-- not run: why -->` before a block leaves it out, and so does `<!-- needs: what -->` where the reader has it not.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openScreen } from "../cli/render/screen.ts";
import type { Stranger } from "./stranger.ts";

export const guides = resolve(import.meta.dirname, "../../docs/guides");

/** What is typed, or done by an editor (a program in the shell's words as well). */
export interface Step {
  readonly text: string;
  readonly terminal: "main" | "other";
  /** Default 0. */
  readonly code?: number;
  readonly typed?: string;
  /** It goes on, and has said this once it is at work. */
  readonly until?: string;
  /** What the guide says that it shows. */
  readonly shows?: string;
}

const fenced = /(?:^<!-- (not run|needs): (.+?) -->\n+)?^```(\w*)[ ]?([^\n]*)\n([\s\S]*?)^```$/gm;

/** For a reader who has what is named. */
export const readGuide = (name: string, ...has: string[]): Step[] =>
  stepsOf(readFileSync(join(guides, name), "utf8"), has);

/** Throws for a block that is none of those above. */
export function stepsOf(text: string, has: readonly string[] = []): Step[] {
  const steps: Step[] = [];
  for (const match of text.matchAll(fenced)) {
    const [block, mark, reason, language, words = "", content = ""] = match;
    if (mark !== undefined && !(mark === "needs" && has.includes(reason!))) continue;
    const before = text.slice(0, match.index).trimEnd().split("\n\n").at(-1)!;
    const last = steps.at(-1);
    if (language === "text" && last && last.shows === undefined)
      steps[steps.length - 1] = shown(last, content);
    else if (language === "sh") steps.push(typed(content.trimEnd(), words));
    else if (words !== "" && before.includes(`\`${words}\``))
      steps.push({ text: (language === "diff" ? changed : written)(words, content), terminal: "main" });
    else throw new Error(`what is a reader to do with this?\n${block}`);
  }
  return steps;
}

function typed(text: string, words: string): Step {
  const given = new Map(words.split(" ").map((word) => word.split("=") as [string, string]));
  const [code, value] = [given.get("code"), given.get("type")];
  return {
    text,
    terminal: given.has("other") ? "other" : "main",
    ...(code !== undefined && { code: Number(code) }),
    ...(value !== undefined && { typed: value }),
  };
}

/** What goes on has no end: its first line tells that it is at work. */
const shown = (step: Step, shows: string): Step => ({
  ...step,
  shows,
  ...(step.terminal === "other" && { until: shows.split("\n")[0]!.split("…")[0]! }),
});

const written = (name: string, content: string) =>
  `cat > ${name} <<'END OF THE FILE'\n${content}END OF THE FILE`;

/** An editor's work as a program: every line that goes is there once. */
function changed(name: string, content: string): string {
  const side = (sign: string) =>
    content
      .split("\n")
      .filter((line) => line !== "" && line[0] !== sign)
      .map((line) => line.slice(1))
      .join("\n");
  const program = `
    const { readFileSync, writeFileSync } = require("node:fs");
    const [name, from, to] = process.argv.slice(1);
    const parts = readFileSync(name, "utf8").split(from);
    if (parts.length !== 2) throw new Error(name + " has " + (parts.length - 1) + " times: " + from);
    writeFileSync(name, parts.join(to));`;
  return `node -e ${quoted(program)} ${[name, side("+"), side("-")].map(quoted).join(" ")}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** What a terminal of a hundred columns shows of the output. */
async function seen(output: string): Promise<string> {
  const screen = openScreen(100, 50);
  screen.stream.write(output);
  const lines = await screen.lines();
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

const times = /\b\d+(?:\.\d+)? s\b/g;

/** What is done at the same time is told in any order: rows of what is over, in one. */
function settled(text: string): string[] {
  const lines = text.replace(times, "# s").split("\n");
  const isDone = (line: string | undefined) => /^[-+=~±] \w+ed /.test(line ?? "");
  for (let start = 0; start < lines.length; start++) {
    let end = start;
    while (isDone(lines[end])) end++;
    lines.splice(start, end - start, ...lines.slice(start, end).sort());
    start = end;
  }
  return lines;
}

/** An expression for everything that the guide's text stands for. */
function meant(shows: string): RegExp {
  const lines = settled(shows.trim()).map((line) => (line === "…" ? "(?:.*\n)*?" : `${inLine(line)}\n`));
  return new RegExp(`^${lines.join("")}$`);
}

const inLine = (line: string) =>
  line
    .split("…")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");

/** In the form that `meant` is for. */
const comparable = (text: string) => `${settled(text).join("\n")}\n`;

/** Takes the steps on the machine of a stranger. Resolves to what is not as the guide says. */
export async function walk(
  user: Pick<Stranger, "download" | "folder" | "run">,
  steps: readonly Step[],
): Promise<string[]> {
  const walker = user.download(join(import.meta.dirname, "walk.mjs"));
  writeFileSync(join(user.folder, "steps.json"), JSON.stringify(steps));
  const { stdout, stderr } = user.run("node", walker, "steps.json");
  const { results, problem } = JSON.parse(
    stdout || JSON.stringify({ results: [], problem: stderr }),
  ) as Walked;
  const wrong = problem === undefined ? [] : [problem];
  for (const [at, output] of results.entries()) {
    const { text, shows } = steps[at]!;
    const found = await seen(output);
    if (shows !== undefined && !meant(shows).test(comparable(found)))
      wrong.push(`${text}\nshows, other than the guide says:\n${found}`);
  }
  return wrong;
}

interface Walked {
  /** By step, what its terminal got. */
  readonly results: readonly string[];
  /** Why the last of them is the last. */
  readonly problem?: string;
}
