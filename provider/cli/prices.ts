/** The table of prices of a command: the file that its flag names, else the one that the project names. */

import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { type PriceTable, readTable } from "../engine/cost/table.ts";
import type { Program } from "../engine/host.ts";
import { CommandError, exitCode } from "./exit.ts";
import { readGiven } from "./given-files.ts";
import type { Settings } from "./settings.ts";

/** Undefined where none is named. Throws CommandError for one that cannot be used. */
export function readPrices(
  flag: string | undefined,
  { prices }: Pick<Program, "prices">,
  { file }: Pick<Settings, "file">,
): PriceTable | undefined {
  if (flag === undefined && prices === undefined) return undefined;
  const path = flag === undefined ? resolve(dirname(file), prices!) : resolve(flag);
  const faults: string[] = [];
  const table = readTable(read(flag ?? prices!, path), (message) => faults.push(message));
  if (faults.length === 0) return table;
  throw new CommandError(`the prices in ${flag ?? prices} cannot be used:\n${faults.join("\n")}`);
}

function read(name: string, path: string): unknown {
  const text = readGiven(path, { shown: `the prices in ${name}` });
  try {
    return parse(text);
  } catch (cause) {
    throw new CommandError(`cannot read the prices in ${name}: ${(cause as Error).message}`, exitCode.error, {
      cause,
    });
  }
}
