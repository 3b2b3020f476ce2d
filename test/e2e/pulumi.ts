/** The real Pulumi engine for tests: a project in a temporary folder with its own state, home and environment, driven through the command line. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { findPulumi } from "../../scripts/pulumi.mjs";
import { killNow } from "../kill.ts";
import { passphrase, stackIn } from "./pulumi-backend.ts";

const root = resolve(import.meta.dirname, "../..");

/** The folder of `pulumi` and its YAML runtime; undefined when tests of the real engine must be left out. */
export const pulumiBin = process.env["PLUMBLINE_TEST_PULUMI"] || findPulumi();

/** The folder that a Pulumi.yaml names as the plugin's. */
export const pluginFolder = join(root, "bin");

/** What a Pulumi.yaml says beside runtime and plugin; `name` is `test` unless given. */
export interface Program {
  readonly name?: string;
  readonly config?: object;
  readonly variables?: object;
  readonly resources?: object;
  readonly outputs?: object;
}

/** The text of a Pulumi.yaml that finds the plugin in this repository. */
export function stackText(program: Program): string {
  const plugins = { providers: [{ name: "plumbline", path: pluginFolder }] };
  return stringify({ name: "test", runtime: "yaml", plugins, ...program });
}

export interface ProjectOptions {
  /** Where the service is; goes into the environment, as do token and brand. */
  readonly baseUrl: string;
  readonly token: string;
  readonly brand?: string;
  /** Default `dev`. */
  readonly stack?: string;
  readonly environment?: { readonly [name: string]: string };
  /**
   * `shared`: one process of the plugin serves all commands, which attach to it; each then takes half the time. Not for tests that kill, have
   * several providers, or change the environment. Default `own`: as the engine does by itself, some for each command.
   */
  readonly plugin?: "own" | "shared";
  /** `own`: each command of the embedded engine is a process, for tests that run several at once. Default: it runs in the test's own. */
  readonly cli?: "own";
}

/** One planned or done step, as the engine's events tell it. `op`: create, update, delete, same, replace, create-replacement, delete-replaced, refresh, import, read. */
export interface Step {
  readonly op: string;
  /** Part of a refresh: `op` says what was found. */
  readonly isRefresh: boolean;
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly id: string | undefined;
  readonly detailedDiff: {
    readonly [path: string]: { readonly diffKind: string; readonly inputDiff: boolean };
  };
  readonly replaces: readonly string[];
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the program's own resources: stack and providers are left out. */
  readonly steps: readonly Step[];
  /** Number of steps by op, without those of a refresh. */
  readonly changes: { readonly [op: string]: number };
  /** What `pulumi refresh` found: number of resources by op (same, update, delete). */
  readonly refreshed: { readonly [op: string]: number };
  readonly diagnostics: readonly Diagnostic[];
  /** Status lines (a wait's progress), which are not kept. */
  readonly status: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly severity: string;
  readonly message: string;
  readonly urn: string;
}

/** One resource of the exported state. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: { readonly [name: string]: unknown };
  readonly outputs?: { readonly [name: string]: unknown };
  readonly initErrors?: readonly string[];
  readonly [key: string]: unknown;
}

export type Project = Awaited<ReturnType<typeof createProject>>;

/** Makes a project with a fresh stack. A program that is text is a whole Pulumi.yaml. Call `remove` at the end; it leaves the service alone. */
export async function createProject(program: Program | string, options: ProjectOptions) {
  if (pulumiBin === undefined)
    throw new Error("there is no pulumi: skip this test with `skipIf(!pulumiBin)`");
  const bin = pulumiBin;
  const folder = mkdtempSync(join(tmpdir(), "plumbline-pulumi-"));
  const project = join(folder, "project");
  const stack = options.stack ?? "dev";
  mkdirSync(project);
  mkdirSync(join(folder, "backend"));
  let lastLog = 0;

  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    HOME: folder,
    PULUMI_HOME: join(folder, "home"),
    // Without attribute files beside the state, which Pulumi does not write atomically: a kill may leave one that no later run can read.
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Brings `--event-log`.
    PULUMI_DEBUG_COMMANDS: "true",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
    NO_COLOR: "1",
    PLUMBLINE_BASE_URL: options.baseUrl,
    PLUMBLINE_TOKEN: options.token,
    PLUMBLINE_BRAND: options.brand ?? "compute",
    ...options.environment,
  };

  /** Writes the program anew. */
  function write(next: Program | string): void {
    writeFileSync(join(project, "Pulumi.yaml"), typeof next === "string" ? next : stackText(next));
  }

  /** Starts a command and leaves it to the caller; for tests that kill it. */
  function start(...args: string[]): ChildProcess {
    return spawn(join(bin, "pulumi"), args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Kills a started command as nothing can be caught, with the language host that would outlive it. The plugin must end by itself. */
  async function kill(child: ChildProcess): Promise<void> {
    const hosts = languageHostsOf(child.pid ?? 0);
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    for (const pid of hosts) killNow(pid);
  }

  /** Runs any command to its end, whatever it is; `stdin` is never there. */
  async function command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = start(...args, "--non-interactive", "--color=never");
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (data) => {
      stdout += data;
    });
    child.stderr?.on("data", (data) => {
      stderr += data;
    });
    const code = await new Promise<number>((settle, reject) => {
      child.once("error", reject);
      child.once("close", (exit) => settle(exit ?? -1));
    });
    return { code, stdout, stderr };
  }

  /** Runs an operation with its events; resolves also when it fails. */
  async function attempt(...args: string[]): Promise<Outcome> {
    lastLog += 1;
    const log = join(folder, `events-${lastLog}`);
    const ended = await command(...args, "--stack", stack, "--event-log", log);
    return { ...ended, ...readEvents(log) };
  }

  /** Runs an operation; rejects with everything it said when it fails. */
  async function succeed(...args: string[]): Promise<Outcome> {
    const outcome = await attempt(...args);
    if (outcome.code !== 0)
      throw new Error(`pulumi ${args.join(" ")}: ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`);
    return outcome;
  }

  write(program);
  const plugin = options.plugin === "shared" ? await startPlugin(project, env) : undefined;
  if (plugin) env["PULUMI_DEBUG_PROVIDERS"] = `plumbline:${plugin.port}`;
  const backend = stackIn(join(folder, "backend"), stack);
  const projectName = () =>
    (parse(readFileSync(join(project, "Pulumi.yaml"), "utf8")) as { name: string }).name;
  backend.create(projectName(), project);
  const exported = () => backend.resources(projectName()) as StateResource[];
  const all = () => revealed(exported()) as StateResource[];

  return {
    /** The project's folder: Pulumi.yaml and the plugin's create log are in it. */
    folder: project,
    stack,
    /** The environment of its commands; a test may change it between them. */
    env,
    write,
    start,
    kill,
    command,
    attempt,
    up: (...args: string[]) => succeed("up", "--yes", "--skip-preview", ...args),
    preview: (...args: string[]) => succeed("preview", ...args),
    refresh: (...args: string[]) => succeed("refresh", "--yes", "--skip-preview", ...args),
    destroy: (...args: string[]) => succeed("destroy", "--yes", "--skip-preview", ...args),
    import: (type: string, name: string, id: string, ...args: string[]) =>
      succeed("import", type, name, id, "--yes", "--protect=false", "--generate-code=false", ...args),
    outputs: async () => all().find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {},
    /** The state, without stack and providers, secrets in the clear. */
    resources: async () => all().filter(({ type }) => isOwn(type)),
    /** The state with everything, as `stack export --show-secrets` has it. */
    exported,
    /** The state file's text as it is on disk, for what must not be in it. */
    stateText: () => backend.text(projectName()),
    /** After the engine was killed: lets go of its lock. */
    recover: backend.unlock,
    remove: () => {
      plugin?.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Starts the plugin to be attached to. Its address of an engine is no one's: it makes the process end with this one. */
async function startPlugin(folder: string, env: NodeJS.ProcessEnv) {
  const child = spawn(join(pluginFolder, "pulumi-resource-plumbline"), ["127.0.0.1:1"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { port: Number(line.toString()), stop: () => child.kill("SIGKILL") };
}

/** Language hosts that the process started; none where there is no `/proc`. */
function languageHostsOf(parent: number): number[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc").flatMap((name) => {
    try {
      const [, program, ppid] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? [];
      return program?.startsWith("pulumi-language") && Number(ppid) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function isOwn(type: string): boolean {
  return !type.startsWith("pulumi:");
}

interface StepMetadata {
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly old?: { readonly id?: string };
  readonly new?: { readonly id?: string };
  readonly detailedDiff?: Step["detailedDiff"];
  readonly keys?: readonly string[];
}

interface EngineEvent {
  readonly resourcePreEvent?: { readonly metadata: StepMetadata };
  readonly resOutputsEvent?: { readonly metadata: StepMetadata };
  readonly diagnosticEvent?: {
    readonly severity: string;
    readonly message: string;
    readonly urn?: string;
    readonly ephemeral?: boolean;
  };
}

/** Steps as they ended: a refresh learns only then what it did. */
function readEvents(file: string): Omit<Outcome, "code" | "stdout" | "stderr"> {
  const events = (existsSync(file) ? readFileSync(file, "utf8") : "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as EngineEvent);
  const steps = new Map<string, Step>();
  const refreshing = new Set<string>();
  for (const { resourcePreEvent, resOutputsEvent } of events) {
    const metadata = (resOutputsEvent ?? resourcePreEvent)?.metadata;
    if (metadata === undefined || !isOwn(metadata.type)) continue;
    const { urn, op } = metadata;
    if (resourcePreEvent && op === "refresh") refreshing.add(urn);
    const isRefresh = resOutputsEvent ? refreshing.delete(urn) : refreshing.has(urn);
    steps.set(`${urn} ${isRefresh ? "refresh" : op}`, {
      op,
      isRefresh,
      urn,
      type: metadata.type,
      name: urn.split("::").slice(3).join("::"),
      id: metadata.new?.id || metadata.old?.id || undefined,
      detailedDiff: metadata.detailedDiff ?? {},
      replaces: metadata.keys ?? [],
    });
  }
  const all = [...steps.values()];
  const changes = countOps(all.filter(({ isRefresh }) => !isRefresh));
  const refreshed = countOps(all.filter(({ isRefresh }) => isRefresh));
  const said = (isStatus: boolean) =>
    events.flatMap(({ diagnosticEvent: event }) => {
      if (
        event === undefined ||
        event.severity.startsWith("debug") ||
        (event.ephemeral ?? false) !== isStatus
      ) {
        return [];
      }
      return [{ severity: event.severity, message: event.message, urn: event.urn ?? "" }];
    });
  return { steps: all, changes, refreshed, diagnostics: said(false), status: said(true) };
}

function countOps(steps: readonly Step[]): { [op: string]: number } {
  const counts: { [op: string]: number } = {};
  for (const { op } of steps) counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}

/** Secrets as the plain values that they are. */
function revealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== "object" || value === null) return value;
  const { plaintext } = value as { plaintext?: unknown };
  if (typeof plaintext === "string" && "4dabf18193072939515e22adb298388d" in value) {
    return revealed(JSON.parse(plaintext));
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revealed(item)]));
}
