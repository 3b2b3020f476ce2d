/** Shows what the account has and no stack owns, each with the command that takes it over; as text, JSON or Markdown. */

import { quoted } from "../../core/masking.ts";
import { shortToken } from "../../core/token.ts";
import type { Ownership, Unowned } from "../../engine/engine.ts";
import type { Settings } from "../settings.ts";
import { leftOutLines } from "./account.ts";
import { print } from "./door.ts";
import { plainType, thousands } from "./format.ts";
import { cell, inert } from "./markdown.ts";

/** The words of a shell that take the object into the stack. */
const importCommand = ({ type, name, id }: Unowned, stack: string): string =>
  ["plumbline", "import", "--stack", stack, shortToken(type), name, id].map(shellWord).join(" ");

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export const unownedJson = ({ unowned, leftOut, stacks, open }: Ownership, stack: string): object => ({
  unowned: unowned.map((found) => ({ ...found, import: importCommand(found, stack) })),
  leftOut,
  stacks,
  ...(open.length > 0 && { open }),
});

const headOf = ({ unowned, stacks }: Ownership): string =>
  unowned.length === 0
    ? `nothing on the account that no stack owns${stacksOf(stacks)}`
    : `${thousands(unowned.length)} on the account that no stack owns${stacksOf(stacks)}`;

const stacksOf = (stacks: readonly string[]): string =>
  stacks.length === 0 ? " (there is no stack of it)" : ` (${stacks.map(quoted).join(", ")})`;

const openText = (open: readonly string[]): string =>
  `a run of ${open.map(quoted).join(", ")} left something open: what it was making may be among these; \`plumbline up\` there ends it`;

export function showUnowned({ colors, stack }: Settings, found: Ownership): void {
  for (const one of found.unowned) {
    print(
      `${colors.yellow("unowned")} ${colors.dim(plainType(one.type))} ${colors.bold(quoted(one.name))} (${quoted(one.id)})`,
    );
    print(`    ${quoted(importCommand(one, stack))}`);
  }
  for (const line of leftOutLines(found.leftOut, colors)) print(line);
  if (found.open.length > 0) print(openText(found.open));
  print(found.unowned.length === 0 ? colors.green(headOf(found)) : headOf(found));
}

export function showUnownedMarkdown({ stack }: Settings, found: Ownership): void {
  print(`### ${inert(headOf(found))}`);
  if (found.unowned.length > 0) {
    print("\n| object | type | id | taken over by |\n| --- | --- | --- | --- |");
    for (const one of found.unowned)
      print(
        `| **${inert(quoted(one.name))}** | ${plainType(one.type)} | ${inert(quoted(one.id))} | \`${cell(quoted(importCommand(one, stack)))}\` |`,
      );
  }
  if (found.open.length > 0) print(`\n${inert(openText(found.open))}`);
}
