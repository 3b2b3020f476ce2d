/** The line of a stack file that an error is about, with a caret under the place. Shows no value that may be a secret. */

import { readFileSync, statSync } from "node:fs";
import stringWidth from "string-width";
import type { Diagnostic } from "../../engine/host.ts";
import { type Colors, diagnosticText } from "./format.ts";

/** Larger files are not read for it. Bytes. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Of many errors only the first have a frame. */
const MOST_FRAMES = 10;
const WIDEST = 120;
/** Longer lines are not shown: nobody has written them by hand. */
const LONGEST_LINE = 1000;

/** Keys whose values are kept out, and lines of nothing but key material. */
const SECRET =
  /((?:["']?[\w-]*(?:password|token|secret|passphrase|privatekey|access_?key)[\w-]*["']?)\s*:\s*)(?!\s*["']?\$\{)(\S[^,}]*)/gi;
const MATERIAL = /^[\s\w+/=-]*[A-Za-z0-9+/=]{40,}[\s-]*$/;

/** Diagnostics as lines: each with what is wrong, and the first errors with their place. One for each command. */
export function createDiagnosticLines(colors: Colors): (diagnostic: Diagnostic) => string[] {
  let frames = 0;
  return (diagnostic) => {
    const text = diagnosticText(diagnostic, colors);
    if (diagnostic.severity !== "error" || frames >= MOST_FRAMES) return [text];
    const frame = frameOf(diagnostic, colors);
    if (frame.length > 0) frames += 1;
    return [text, ...frame];
  };
}

function frameOf({ file, line, column }: Diagnostic, colors: Colors): string[] {
  if (file === undefined || line === undefined || column === undefined) return [];
  const source = lineOf(file, line);
  if (source === undefined || source.length > LONGEST_LINE || MATERIAL.test(source)) return [];
  const shown = source.replace(SECRET, (_, key: string, value: string) => key + "*".repeat(value.length));
  // What is far to the right is brought into view.
  const from = column > WIDEST - 20 ? column - 60 : 0;
  const text = shown.slice(from, from + WIDEST).replaceAll("\t", " ");
  const indent = stringWidth(text.slice(0, Math.max(0, column - 1 - from)));
  const gutter = String(line).padStart(6);
  return [
    `${colors.dim(`${gutter} |`)} ${text}`,
    `${colors.dim(`${" ".repeat(gutter.length)} |`)} ${" ".repeat(indent)}${colors.red("^")}`,
  ];
}

function lineOf(file: string, line: number): string | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    return readFileSync(file, "utf8").split("\n")[line - 1]?.replace(/\r$/, "");
  } catch {
    // The error itself is told all the same: it was found when the file could be read.
    return undefined;
  }
}
