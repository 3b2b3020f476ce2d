/** The example `web` as tests run it: its text, with the plugin of this repository, and edits of it. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pluginFolder } from "./pulumi.ts";

/** The example itself. */
export const exampleFile = resolve(import.meta.dirname, "../../examples/web/Pulumi.yaml");
/** A copy that finds the plugin from any folder. */
export const text = readFileSync(exampleFile, "utf8").replace("path: ../../bin", `path: ${pluginFolder}`);

/** The example with edits made to its text; each must be there once. */
export function edited(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`the example does not have "${from}" once`);
    return before.replace(from, to);
  }, text);
}
/** One record updated in place, one subnet replaced. */
export const changed = [
  ["p=quarantine", "p=reject"],
  ["10.10.3.0/26", "10.10.4.0/24"],
] as const;
