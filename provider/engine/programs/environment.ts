/** What a program is told as it starts: whom to talk to, and the config of its stack in the environment, where Pulumi's runtimes look for it. */

import { containsSecret, revealAll } from "../../core/value.ts";
import type { ConfigEntry, Host } from "../host.ts";
import { hasDescriptors, type Launch } from "./process.ts";
import type { Ready } from "./runtime.ts";

export interface Start {
  readonly ready: Ready;
  readonly config: ReadonlyMap<string, ConfigEntry>;
  /** Of the command. */
  readonly environment: { readonly [name: string]: string | undefined };
}

export interface Run {
  readonly ready: Ready;
  /** The project's folder. */
  readonly project: string;
  readonly organization: string;
}

/** Bytes of a variable: Linux takes twice as many, with its name. */
const longestVariable = 64 * 1024;

/** What every run is started with. */
export function launchOf({ ready, config, environment }: Start): Launch {
  const { command, args, folder } = ready;
  const values = configOf(config);
  const isLong =
    hasDescriptors && Object.values(values).some((text) => Buffer.byteLength(text) > longestVariable);
  const whole = { ...environment, ...ready.environment, ...pastProxies(environment) };
  const without = Object.fromEntries(Object.keys(values).map((name) => [name, undefined]));
  return {
    ...{ command, args, folder },
    ...(isLong
      ? { environment: { ...whole, ...without }, handed: values }
      : { environment: { ...whole, ...values } }),
  };
}

/** Program and engine talk on this machine, whatever proxy the environment names. */
function pastProxies(environment: Start["environment"]): { readonly no_grpc_proxy: string } {
  const given = environment["no_grpc_proxy"] ?? environment["no_proxy"] ?? "";
  return { no_grpc_proxy: [given, "127.0.0.1"].filter((each) => each !== "").join(",") };
}

/** What one run is told besides. */
export function argumentsOf({ ready, project, organization }: Run, host: Host, address: string): string[] {
  const named = {
    ...{ monitor: address, engine: address, organization },
    ...{ project: host.project, stack: host.stack },
    ...{ pwd: ready.folder, "root-directory": project, parallel: "16" },
  };
  return [
    ...Object.entries(named).map(([name, value]) => `--${name}=${value}`),
    ...(host.preview ? ["--dry-run"] : []),
    ready.entry,
  ];
}

/** Every value as text, lists and objects as JSON; the keys of secrets beside them. */
export function configOf(entries: ReadonlyMap<string, ConfigEntry>) {
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
