/** What several commands read from their flags alike. */

import { resolve } from "node:path";
import type { Command } from "commander";

/** Adds `--target`, which may be given several times. */
export function addTargetOption(command: Command): Command {
  return command.option(
    "-t, --target <urn>",
    "only this resource (a URN with * and **, or a name) and what it needs; may be given several times",
    (target: string, all: string[] = []) => [...all, target],
  );
}

export function targetsOf(flags: { target?: string[] }): { targets?: string[] } {
  return flags.target && flags.target.length > 0 ? { targets: flags.target } : {};
}

/** The flag of what reads the stack's objects. */
export const allowGone = ["--allow-gone", "go on although every object of the stack reads as gone"] as const;

export function goneOf(flags: { allowGone?: boolean }): { allowGone?: true } {
  return flags.allowGone ? { allowGone: true } : {};
}

/** Resolves a path given on the command line. */
export function pathOf(file: string): string {
  return resolve(process.cwd(), file);
}
