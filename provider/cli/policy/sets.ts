/** Where the policies of a run come from: the project, and the files and folders that `--policies` and PLUMBLINE_POLICIES name. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { EngineError } from "../../engine/failure.ts";
import type { PolicySection, Program } from "../../engine/host.ts";
import { readPolicyFile } from "../../engine/language/policy-file.ts";
import type { Policies } from "../../engine/policy/rule.ts";
import { activeOf, type Listed, listPolicies, type PolicySet } from "../../engine/policy/settings.ts";
import { readRegularFile } from "../../machine/regular-file.ts";
import { catalogue } from "../../provider.ts";
import type { Settings } from "../settings.ts";
import { loadModules, type Modules } from "./modules.ts";

/** A file of settings is no larger. Bytes. */
const LARGEST_FILE = 1024 * 1024;
/** The file of settings in a folder of policies. */
export const settingsFile = "policies.yaml";

const isModule = (name: string): boolean =>
  /\.[mc]?[jt]s$/.test(name) && !/\.d\.[mc]?ts$/.test(name) && !/\.test\.[mc]?[jt]s$/.test(name);

export interface StackPolicies extends Policies {
  readonly allowed: ReadonlySet<string>;
  /** All rules, also those that are off. */
  readonly list: () => Promise<readonly Listed[]>;
  readonly close: () => Promise<void>;
}

/** The flag that names policies from outside the project. */
export function addPoliciesOption(command: Command): Command {
  return command.option(
    "--policies <path>",
    "a file or folder of policies to hold to beside the project's own; may be given several times",
    (path: string, all: string[] = []) => [...all, path],
  );
}

/** The flags of commands that hold to policies. */
export function addPolicyOptions(command: Command): Command {
  return addPoliciesOption(command).option(
    "--allow <policy>",
    "let a policy pass that says that it may be; may be given several times",
    (name: string, all: string[] = []) => [...all, name],
  );
}

/** The policies of a stack. Nothing is loaded before it is asked for. */
export function openPolicies(
  command: Command,
  program: Pick<Program, "policies">,
  settings: Pick<Settings, "file" | "stack">,
): StackPolicies {
  const { policies = [], allow = [] } = command.opts<{ policies?: string[]; allow?: string[] }>();
  const named = [...(process.env["PLUMBLINE_POLICIES"] ?? "").split(delimiter), ...policies];
  const opened: Modules[] = [];
  let listing: Promise<readonly Listed[]> | undefined;
  const list = () => {
    listing ??= load(
      { section: program.policies ?? nothing, folder: dirname(settings.file) },
      named.filter((path) => path !== ""),
      { stack: settings.stack, opened },
    );
    return listing;
  };
  return {
    allowed: new Set(allow),
    list,
    active: async () => activeOf(await list()),
    close: async () => {
      // What is still loading is waited for: its thread would be left behind.
      await listing?.catch(() => {});
      await Promise.all(opened.map((modules) => modules.close()));
    },
  };
}

/** The policies of a folder alone, for a stack. */
export function openFolder(folder: string, stack: string): Pick<StackPolicies, "active" | "close"> {
  const opened: Modules[] = [];
  const listing = load(undefined, [folder], { stack, opened });
  return {
    active: async () => activeOf(await listing),
    close: async () => {
      await listing.catch(() => {});
      await Promise.all(opened.map((modules) => modules.close()));
    },
  };
}

const nothing: PolicySection = { modules: [], rules: new Map() };

async function load(
  project: Pick<Source, "section" | "folder"> | undefined,
  named: readonly string[],
  { stack, opened }: { readonly stack: string; readonly opened: Modules[] },
): Promise<readonly Listed[]> {
  const own: Source[] = project ? [{ owner: "project", files: [], ...project }] : [];
  const sources = [...own, ...(await Promise.all([...new Set(named)].map(sourceOf)))];
  const sets: PolicySet[] = [];
  for (const source of sources) {
    const modules = await loadModules([...new Set([...source.files, ...filesOf(source)])]);
    opened.push(modules);
    sets.push({ owner: source.owner, section: source.section, rules: modules.rules });
  }
  return listPolicies(sets, stack, catalogue);
}

interface Source {
  readonly owner: string;
  readonly section: PolicySection;
  /** What its paths are relative to. */
  readonly folder: string;
  /** Modules that stand in a folder that was named. */
  readonly files: readonly string[];
}

/** What the user named: a folder, a file of settings, or a module. */
async function sourceOf(owner: string): Promise<Source> {
  const path = resolve(owner);
  if (!existsSync(path))
    throw new EngineError("usage", `--policies or PLUMBLINE_POLICIES: there is no ${owner}`);
  if (!statSync(path).isDirectory()) {
    if (isModule(path)) return { owner, section: nothing, folder: dirname(path), files: [path] };
    return { owner, section: await readSection(path), folder: dirname(path), files: [] };
  }
  const own = join(path, settingsFile);
  const section = existsSync(own) ? await readSection(own) : nothing;
  return { owner, section, folder: path, files: modulesIn(path) };
}

async function readSection(file: string): Promise<PolicySection> {
  const text = new TextDecoder().decode(await readRegularFile(file, LARGEST_FILE));
  const { section, diagnostics } = readPolicyFile(file, text);
  const faults = diagnostics.filter(({ severity }) => severity === "error");
  if (faults.length === 0) return section;
  const lines = faults.map(({ message, line, column }) => `${file}:${line}:${column}: ${message}`);
  throw new EngineError("usage", `the policies cannot be read:\n${lines.join("\n")}`);
}

/** The modules that a section names. */
function filesOf({ section, folder }: Source): string[] {
  return section.modules.flatMap(({ path, place }) => {
    const found = resolve(folder, path);
    if (!existsSync(found)) throw new EngineError("usage", `${place}: there is no ${path} beside this file`);
    return statSync(found).isDirectory() ? modulesIn(found) : [found];
  });
}

const modulesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter(isModule)
    .sort()
    .map((name) => join(folder, name));
