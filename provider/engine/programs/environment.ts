/** What a program is started with: its arguments, and the config of its stack in the environment, where Pulumi's runtime looks for it. */

import { containsSecret, revealAll } from "../../core/value.ts";
import type { ConfigEntry, Host } from "../host.ts";
import type { NodeRuntime } from "../language/program/runtime.ts";
import { preload } from "./preload.ts";
import type { Launch } from "./process.ts";
import { type Found, UnreadyError } from "./runtime.ts";

export interface Start {
  readonly found: Found;
  readonly runtime: NodeRuntime;
  /** The project's folder. */
  readonly project: string;
  readonly config: ReadonlyMap<string, ConfigEntry>;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly organization: string;
}

/** Throws UnreadyError where the arguments for Node are no line of a shell. */
export function launchOf(start: Start, host: Host, address: string): Launch {
  const { found, runtime, project } = start;
  const named = {
    ...{ monitor: address, engine: address, organization: start.organization },
    ...{ project: host.project, stack: host.stack },
    ...{ pwd: found.folder, "root-directory": project, parallel: "16" },
  };
  return {
    script: found.script,
    nodeArguments: [...preload(start.environment), ...wordsOf(runtime.nodeArguments)],
    args: [
      ...Object.entries(named).map(([name, value]) => `--${name}=${value}`),
      ...(host.preview ? ["--dry-run"] : []),
      found.entry,
    ],
    folder: found.folder,
    environment: {
      ...start.environment,
      ...configOf(start.config),
      PULUMI_NODEJS_TYPESCRIPT: String(found.compiles),
      ...(runtime.tsconfig === undefined ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: runtime.tsconfig }),
    },
  };
}

/** Every value as text, lists and objects as JSON; the keys of secrets beside them. */
export function configOf(entries: ReadonlyMap<string, ConfigEntry>): { [name: string]: string } {
  const values: { [key: string]: string } = {};
  const secrets: string[] = [];
  for (const [key, { value, isSecret }] of entries) {
    if (value === undefined) continue;
    const plain = revealAll(value);
    values[key] = typeof plain === "string" ? plain : JSON.stringify(plain);
    if (isSecret || containsSecret(value)) secrets.push(key);
  }
  return { PULUMI_CONFIG: JSON.stringify(values), PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secrets) };
}

/** The words of a line; quotes hold a word together. */
function wordsOf(line: string): string[] {
  const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  if (line.replace(word, "").trim() !== "")
    throw new UnreadyError(`"nodeargs" has a quote that does not end: ${line}`);
  return (line.match(word) ?? []).map((each) => each.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
