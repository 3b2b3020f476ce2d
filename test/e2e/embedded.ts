/** The embedded engine for tests, as a user runs it: the built command line in a temporary folder, its JSON read as the command line's reference says. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, startCommand } from "../cli-process.ts";
import { type Program, type ProjectOptions, stackText } from "./pulumi.ts";

/** One step as the command line's JSON tells it. */
export interface EmbeddedStep {
  /** create, update, replace, delete, same, import, read. */
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly id: string | null;
  readonly detailedDiff: { readonly [path: string]: { readonly kind: string; readonly inputDiff: boolean } };
  readonly replaceReasons: readonly string[];
  /** The removal of what a replacement left behind. */
  readonly replaced?: boolean;
  readonly retained?: boolean;
  readonly deleteBeforeReplace?: boolean;
}

export interface EmbeddedDiagnostic {
  readonly severity: string;
  readonly message: string;
  readonly urn?: string;
  readonly property?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface EmbeddedOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Planned (a preview) or done. */
  readonly steps: readonly EmbeddedStep[];
  /** Number of resources by op; ops that nothing was done by are left out. */
  readonly changes: { readonly [op: string]: number };
  /** `succeeded`, `failed` or `cancelled`; undefined for a preview, whose exit code tells. */
  readonly result: string | undefined;
  readonly diagnostics: readonly EmbeddedDiagnostic[];
  /** By HTTP method. */
  readonly requests: { readonly [method: string]: number };
}

type Json = { readonly [name: string]: unknown };

export type Embedded = ReturnType<typeof createEmbedded>;

/** Makes a project's folder; there is no stack before the first `up`. Call `remove` at the end; it leaves the service alone. */
export function createEmbedded(program: Program | string, options: ProjectOptions) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-embedded-"));
  const project = join(folder, "project");
  const stack = options.stack ?? "dev";
  mkdirSync(project);

  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder,
    PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
    NO_COLOR: "1",
    PLUMBLINE_BASE_URL: options.baseUrl,
    PLUMBLINE_TOKEN: options.token,
    PLUMBLINE_BRAND: options.brand ?? "compute",
    ...options.environment,
  };

  function write(next: Program | string): void {
    writeFileSync(join(project, "Pulumi.yaml"), typeof next === "string" ? next : stackText(next));
  }

  /** Runs any command to its end, whatever it is. */
  const command = async (...args: string[]) => {
    const run = options.cli === "own" ? startCommand : runCommand;
    const { code, ...printed } = await run(args, { cwd: project, env });
    return { code: code ?? -1, ...printed };
  };

  /** Runs an operation with `--json`; resolves also when it fails. */
  async function attempt(...args: string[]): Promise<EmbeddedOutcome> {
    const ended = await command(...args, "--stack", stack, "--json");
    return { ...ended, ...(args[0] === "preview" ? readPreview(ended.stdout) : readLines(ended.stdout)) };
  }

  async function succeed(...args: string[]): Promise<EmbeddedOutcome> {
    const outcome = await attempt(...args);
    if (outcome.code !== 0)
      throw new Error(`plumbline ${args.join(" ")}: ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`);
    return outcome;
  }

  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await command(...args, "--stack", stack, "--json", "--show-secrets");
    if (code !== 0) throw new Error(`plumbline ${args.join(" ")}: ${code}\n${stdout}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  write(program);
  return {
    /** The project's folder: Pulumi.yaml and `.plumbline` are in it. */
    folder: project,
    stack,
    env,
    write,
    command,
    attempt,
    preview: (...args: string[]) => succeed("preview", ...args),
    up: (...args: string[]) => succeed("up", "--yes", "--skip-preview", ...args),
    refresh: (...args: string[]) => succeed("refresh", ...args),
    destroy: (...args: string[]) => succeed("destroy", "--yes", ...args),
    import: (type: string, name: string, id: string, ...args: string[]) =>
      succeed("import", type, name, id, ...args),
    outputs: () => json<{ [name: string]: unknown }>("stack", "output"),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

type Told = Omit<EmbeddedOutcome, "code" | "stdout" | "stderr">;

function counted(summary: unknown): { [op: string]: number } {
  return Object.fromEntries(
    Object.entries((summary ?? {}) as { [op: string]: number }).filter(([, count]) => count > 0),
  );
}

function readPreview(stdout: string): Told {
  const told = (stdout === "" ? {} : JSON.parse(stdout)) as Partial<Told> & Json;
  return {
    steps: told.steps ?? [],
    changes: counted(told["summary"]),
    result: undefined,
    diagnostics: told.diagnostics ?? [],
    requests: told.requests ?? {},
  };
}

function readLines(stdout: string): Told {
  const lines = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Json);
  const last = lines.at(-1);
  return {
    steps: lines.filter(({ event }) => event === "finished").map(({ step }) => step as EmbeddedStep),
    changes: counted(last?.["summary"]),
    result: last?.["result"] as string | undefined,
    diagnostics: lines.filter(({ event }) => event === "diagnostic") as unknown as EmbeddedDiagnostic[],
    requests: (last?.["requests"] ?? {}) as { [method: string]: number },
  };
}
