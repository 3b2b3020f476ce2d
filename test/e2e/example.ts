/** The folders under `examples/` as tests find and run them: a stack in YAML, a TypeScript program, or both; each way by itself from nothing to nothing. */

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parse } from "yaml";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { comparable, writes } from "./account.ts";
import { automate, compile, installSdk } from "./automation.ts";
import { createDriver, type EngineName } from "./engines.ts";
import { createProject, type Project, pluginFolder, pulumiBin, stackText } from "./pulumi.ts";

const examples = resolve(import.meta.dirname, "../../examples");

export interface Example {
  readonly name: string;
  /** Folder of the stack in YAML, if it has one. */
  readonly yaml?: string;
  /** Folder of the TypeScript program, if it has one: the example's own, or `typescript` in it. */
  readonly program?: string;
}

/** What one life of an example came to. */
export interface Life {
  /** Names of what was made. */
  readonly created: readonly string[];
  /** What the second run would have changed, by name. */
  readonly changedAgain: { readonly [name: string]: string };
  /** Names of what was deleted. */
  readonly deleted: readonly string[];
  readonly outputs: { readonly [name: string]: unknown };
  /** Writes of the first run by operation. */
  readonly writes: { readonly [operation: string]: number };
  /** The account before and after, without what differs by chance. */
  readonly before: unknown;
  readonly after: unknown;
  /** Answers of the emulator that the contract does not know. */
  readonly mismatches: readonly string[];
}

/** Every folder under `examples/`, whatever is in it. */
export function findExamples(): Example[] {
  return readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = join(examples, name);
      const program = [folder, join(folder, "typescript")].find((place) =>
        existsSync(join(place, "index.ts")),
      );
      return {
        name,
        ...(runtimeOf(folder) === "yaml" && { yaml: folder }),
        ...(program !== undefined && { program }),
      };
    });
}

const textOf = (folder: string) => readFileSync(join(folder, "Pulumi.yaml"), "utf8");

function runtimeOf(folder: string): string | undefined {
  if (!existsSync(join(folder, "Pulumi.yaml"))) return undefined;
  const { runtime } = parse(textOf(folder)) as { runtime: string | { name: string } };
  return typeof runtime === "string" ? runtime : runtime.name;
}

/** The folder's Pulumi.yaml, which finds the plugin from anywhere. Throws when it does not find it from where it is. */
export function projectText(folder: string): string {
  const text = textOf(folder);
  const [, path] = /^ +path: (\S+)$/m.exec(text) ?? [];
  if (path === undefined || resolve(folder, path) !== pluginFolder)
    throw new Error(`${folder}/Pulumi.yaml names ${path} as the plugin's folder, not ${pluginFolder}`);
  return text.replace(`path: ${path}`, `path: ${pluginFolder}`);
}

async function onEmulator<T>(work: (emulator: Emulator) => Promise<T>): Promise<T> {
  const emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
  try {
    return await work(emulator);
  } finally {
    await emulator.close();
  }
}

const others = (plan: { readonly [name: string]: string }) =>
  Object.fromEntries(Object.entries(plan).filter(([, op]) => op !== "same"));

const namesOf = (plan: { readonly [name: string]: string }, wanted: string) =>
  Object.entries(plan).flatMap(([name, op]) => (op === wanted ? [name] : []));

/** Brings the YAML stack up twice and takes it down. */
export function liveInYaml(folder: string, engine: EngineName): Promise<Life> {
  return onEmulator(async (emulator) => {
    const before = comparable(emulator);
    const { baseUrl, token } = emulator;
    const stack = await createDriver(engine, projectText(folder), { baseUrl, token });
    try {
      for (const file of readdirSync(folder).filter((name) => name !== "Pulumi.yaml"))
        cpSync(join(folder, file), join(stack.folder, file), { recursive: true });
      const ops = ({ plan }: { plan: { readonly [name: string]: { readonly op: string } } }) =>
        Object.fromEntries(Object.entries(plan).map(([name, { op }]) => [name, op]));
      const created = namesOf(ops(await stack.up()), "create");
      const sent = writes(emulator);
      const changedAgain = others(ops(await stack.up()));
      const outputs = await stack.outputs();
      const deleted = namesOf(ops(await stack.destroy()), "delete");
      const { mismatches } = emulator;
      const after = comparable(emulator);
      return { created, changedAgain, deleted, outputs, writes: sent, before, after, mismatches };
    } finally {
      stack.remove();
    }
  });
}

/** The stack file alone, as somebody who tries it finds it: nothing set but `--emulator`. Resolves to what was said when it failed. */
export async function previewAlone(folder: string): Promise<string | undefined> {
  const stack = await createDriver("plumbline", stackText({}), { baseUrl: "", token: "" });
  try {
    const { code, stdout, stderr } = await stack.command(
      ...["preview", "--emulator", "--cwd", folder, "--state", join(stack.folder, "state")],
    );
    return code === 0 ? undefined : `${stdout}${stderr}`;
  } finally {
    stack.remove();
  }
}

export type Programs = Awaited<ReturnType<typeof openPrograms>>;

/** Gets TypeScript programs ready to run: one copy of the examples, one SDK, one login of Pulumi for all. Call `close` at the end. */
export async function openPrograms() {
  if (!pulumiBin) throw new Error("there is no pulumi: skip this test with `skipIf(!pulumiBin)`");
  const copies = mkdtempSync(join(tmpdir(), "plumbline-examples-"));
  cpSync(examples, join(copies, "examples"), {
    recursive: true,
    filter: (source) => !["node_modules", ".plumbline"].includes(basename(source)),
  });
  installSdk(copies);
  const project: Project = await createProject({}, { baseUrl: "", token: "" });

  /** Brings the program up twice and takes it down. Rejects with what the compiler finds wrong with it. */
  function live(folder: string): Promise<Life> {
    const copy = folder.replace(examples, join(copies, "examples"));
    const wrong = compile(copy);
    if (wrong !== "") throw new Error(wrong);
    return onEmulator(async (emulator) => {
      const before = comparable(emulator);
      const text = projectText(folder);
      writeFileSync(join(project.folder, "Pulumi.yaml"), text);
      const request = {
        ...{ folder: project.folder, stack: project.stack, entry: join(copy, "bin", "index.js") },
        project: (parse(text) as { name: string }).name,
      };
      const { baseUrl, token } = emulator;
      const env = { ...project.env, PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token };
      let sent: Life["writes"] | undefined;
      const onDone = () => {
        sent ??= writes(emulator);
      };
      const verbs = ["up", "up", "destroy"] as const;
      const [first, again, last] = await automate({ ...request, verbs }, { cwd: copy, env, onDone });
      return {
        created: namesOf(first!.plan, "create"),
        changedAgain: others(again!.plan),
        deleted: namesOf(last!.plan, "delete"),
        outputs: again!.outputs,
        writes: sent ?? {},
        before,
        after: comparable(emulator),
        mismatches: emulator.mismatches,
      };
    });
  }

  return {
    live,
    close() {
      project.remove();
      rmSync(copies, { recursive: true, force: true });
    },
  };
}
