/** Both engines with one face, so that one story is told to both: what each of them planned or did, in the same words. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmbedded, type EmbeddedStep } from "./embedded.ts";
import { createProject, type Program, type ProjectOptions, type Step } from "./pulumi.ts";

export type EngineName = "plumbline" | "pulumi";

/** What is planned for one resource, or was done: all that both engines tell alike. */
export interface Planned {
  /** create, update, replace, delete, same, import, read. */
  readonly op: string;
  /** Of a replacement: the properties that forced it, sorted. */
  readonly because: readonly string[];
  /** Kind of change by property path; only of updates, replacements, and imports that change what they find. */
  readonly paths: { readonly [path: string]: string };
}

export interface Ran {
  readonly code: number;
  /** By the resource's name. */
  readonly plan: { readonly [name: string]: Planned };
  /** Number of resources by op. */
  readonly changes: { readonly [op: string]: number };
  /** Errors and warnings. */
  readonly said: readonly string[];
  /** Everything that was printed. */
  readonly printed: string;
}

/** One stack of one engine. Every verb but `attempt` rejects when the engine fails. */
export interface Driver {
  readonly engine: EngineName;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly write: (program: Program | string) => void;
  readonly preview: (...flags: string[]) => Promise<Ran>;
  readonly up: (...flags: string[]) => Promise<Ran>;
  /** What was found out: `same`, `update`, `delete`. */
  readonly refresh: (...flags: string[]) => Promise<Ran>;
  readonly destroy: (...flags: string[]) => Promise<Ran>;
  readonly attempt: (verb: "preview" | "up" | "refresh" | "destroy", ...flags: string[]) => Promise<Ran>;
  /** Adopts each object, by name: its type and its id. */
  readonly import: (objects: {
    readonly [name: string]: readonly [type: string, id: string];
  }) => Promise<void>;
  readonly outputs: () => Promise<{ [name: string]: unknown }>;
  /** The exported state, secrets in the clear. */
  readonly state: () => Promise<Exported>;
  readonly command: (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
  readonly remove: () => void;
}

export interface Exported {
  readonly outputs: { readonly [name: string]: unknown };
  /** By name, without providers and the stack itself. */
  readonly resources: { readonly [name: string]: StateOf };
}

/** What both engines keep of a resource. */
export interface StateOf {
  readonly urn: string;
  readonly id: string;
  readonly type: string;
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly [key: string]: unknown;
}

const silent = ["--non-interactive"];
const verbFlags = {
  plumbline: {
    preview: [],
    up: ["--yes", "--skip-preview"],
    refresh: [],
    destroy: ["--yes"],
  },
  pulumi: {
    preview: [],
    up: ["--yes", "--skip-preview"],
    refresh: ["--yes", "--skip-preview"],
    destroy: ["--yes", "--skip-preview"],
  },
} as const;

/** Starts a stack under one of the engines. */
export async function createDriver(
  engine: EngineName,
  program: Program | string,
  options: ProjectOptions,
): Promise<Driver> {
  const stack =
    engine === "plumbline" ? embeddedRunner(program, options) : await pulumiRunner(program, options);
  const { project, attempt } = stack;
  const succeed = async (verb: keyof typeof verbFlags.pulumi, flags: readonly string[]) => {
    const ran = await attempt(verb, flags);
    if (ran.code === 0) return ran;
    const why = ran.said.length > 0 ? ran.said.join("\n") : ran.printed;
    throw new Error(`${engine} ${verb} ${flags.join(" ")}: ${ran.code}\n${why}`);
  };
  return {
    engine,
    folder: project.folder,
    env: project.env,
    write: project.write,
    preview: (...flags) => succeed("preview", flags),
    up: (...flags) => succeed("up", flags),
    refresh: (...flags) => succeed("refresh", flags),
    destroy: (...flags) => succeed("destroy", flags),
    attempt: (verb, ...flags) => attempt(verb, flags),
    import: stack.import,
    outputs: project.outputs,
    state: stack.state,
    command: project.command,
    remove: project.remove,
  };
}

type Verb = keyof typeof verbFlags.pulumi;

interface Runner {
  readonly project: Pick<Driver, "folder" | "env" | "write" | "outputs" | "command" | "remove">;
  readonly attempt: (verb: Verb, flags: readonly string[]) => Promise<Ran>;
  readonly import: Driver["import"];
  readonly state: Driver["state"];
}

function embeddedRunner(program: Program | string, options: ProjectOptions): Runner {
  const project = createEmbedded(program, options);
  return {
    project,
    attempt: async (verb, flags) => {
      const ran = await project.attempt(verb, ...verbFlags.plumbline[verb], ...silent, ...flags);
      const steps = ran.steps.filter(({ type, replaced }) => !type.startsWith("pulumi:") && !replaced);
      return {
        code: ran.code,
        ...told(steps.map((step) => [step.name, plannedByPlumbline(step)])),
        said: ran.diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message),
        printed: `${ran.stdout}${ran.stderr}`,
      };
    },
    import: async (objects) => {
      for (const [name, [type, id]] of Object.entries(objects)) await project.import(type, name, id);
    },
    state: async () => {
      const { code, stdout, stderr } = await project.command(
        ...["stack", "export", "--pulumi", "--show-secrets", "--stack", project.stack],
      );
      if (code !== 0) throw new Error(`plumbline stack export: ${code}\n${stdout}\n${stderr}`);
      return stateIn(stdout);
    },
  };
}

async function pulumiRunner(program: Program | string, options: ProjectOptions): Promise<Runner> {
  const project = await createProject(program, { plugin: "shared", ...options });
  return {
    project,
    attempt: async (verb, flags) => {
      const ran = await project.attempt(verb, ...verbFlags.pulumi[verb], ...flags);
      const isRefresh = verb === "refresh";
      const steps = ran.steps.filter((step) => step.isRefresh === isRefresh);
      return {
        code: ran.code,
        ...told(withImports(steps.flatMap((step) => plannedByPulumi(step)))),
        said: ran.diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message),
        printed: `${ran.stdout}${ran.stderr}`,
      };
    },
    import: async (objects) => {
      const resources = Object.entries(objects).map(([name, [type, id]]) => ({ type, name, id }));
      const file = join(project.folder, "import.json");
      writeFileSync(file, JSON.stringify({ resources }));
      const flags = ["--yes", "--protect=false", "--generate-code=false", "--skip-preview"];
      const ran = await project.attempt("import", "--file", file, ...flags);
      if (ran.code !== 0) throw new Error(`pulumi import: ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
    },
    state: async () => stateOf(project.exported() as unknown as StateOf[]),
  };
}

function told(
  planned: readonly (readonly [name: string, planned: Planned])[],
): Pick<Ran, "plan" | "changes"> {
  const plan = Object.fromEntries(planned);
  const changes: { [op: string]: number } = {};
  for (const { op } of Object.values(plan)) changes[op] = (changes[op] ?? 0) + 1;
  return { plan, changes };
}

const tellsPaths = new Set(["update", "replace", "import"]);

function plannedByPlumbline({ name: _, op, detailedDiff, replaceReasons }: EmbeddedStep): Planned {
  const paths = Object.entries(detailedDiff).map(([path, { kind }]) => [path, kind]);
  return {
    op,
    because: [...replaceReasons].sort(),
    paths: tellsPaths.has(op) ? Object.fromEntries(paths) : {},
  };
}

/**
 * Pulumi tells a replacement as three steps; the one called `replace` stands for them. It also tells that it forgets what was only read
 * (`discard`); the embedded engine just does.
 */
function plannedByPulumi({ name, op, detailedDiff, replaces }: Step): [string, Planned][] {
  if (["create-replacement", "delete-replaced", "discard"].includes(op)) return [];
  const paths = Object.entries(detailedDiff).map(([path, { diffKind }]) => [path, diffKind]);
  const planned = {
    op,
    because: op === "replace" ? [...replaces].sort() : [],
    paths: tellsPaths.has(op) ? Object.fromEntries(paths) : {},
  };
  return [[name, planned]];
}

/** Pulumi tells an import that is not as declared as an import and an update. */
function withImports(planned: readonly [string, Planned][]): [string, Planned][] {
  const imported = new Set(planned.filter(([, { op }]) => op === "import").map(([name]) => name));
  return planned.map(([name, one]) => [name, imported.has(name) ? { ...one, op: "import" } : one]);
}

/** What an export of a state tells. */
export function stateIn(exported: string): Exported {
  const { deployment } = JSON.parse(exported) as { deployment: { resources?: StateOf[] } };
  return stateOf(deployment.resources ?? []);
}

export function stateOf(all: readonly StateOf[]): Exported {
  const own = all.filter(({ type }) => !type.startsWith("pulumi:"));
  return {
    outputs: (all.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {}) as Exported["outputs"],
    resources: Object.fromEntries(own.map((state) => [state.urn.split("::").at(-1) ?? "", state])),
  };
}
