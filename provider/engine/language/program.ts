/** Loads a project file into a Program: a stack file parsed and checked as far as no service is needed, or what runs a program. The language's one entrance. */

import { readFile as readAnything, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Catalogue } from "../../core/protocol.ts";
import { fileFault } from "../../core/wording.ts";
import {
  oddKindOf,
  readRegularFile,
  refuseLinkOut,
  UnreadableFileError,
} from "../../machine/regular-file.ts";
import { type Program, ProgramError, type ProgramNode } from "../host.ts";
import type { ProjectFiles } from "./evaluation/builtin.ts";
import { runTemplate } from "./evaluation/schedule.ts";
import { checkTemplate } from "./program/check.ts";
import { readConfig } from "./program/config.ts";
import { type Graph, linkTemplate, withFirst } from "./program/dependencies.ts";
import { createInference } from "./program/inference.ts";
import { type Project, readProject } from "./program/project.ts";
import type { ProgramRuntime } from "./program/runtime.ts";
import { type OpenSettings, readStackSettings, type StackSettings } from "./program/stack-settings.ts";
import { readTemplate, type Template } from "./program/template.ts";
import { boundedInFileOrder, createReport, type Report } from "./syntax/report.ts";
import { describeNode, type Node, parseSyntax } from "./syntax/yaml.ts";

/** Bytes of a stack file or a settings file, and of a file that a program reads. */
const LARGEST_FILE = 16 * 1024 * 1024;
const LARGEST_READ = 1024 * 1024 * 1024;

export interface LoadOptions {
  /** Path of the stack file, as diagnostics are to name it. */
  readonly file: string;
  /** Name of the stack; `organization/project/stack` counts as its last part. */
  readonly stack: string;
  readonly catalogue: Catalogue;
  /** Where the passphrase is looked up; default `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Reads a file by its path (as given, or beside `file`); rejects with code ENOENT when there is none. Default: the disk. */
  readonly readFile?: (path: string) => Promise<string | Uint8Array>;
  /** Opens what is encrypted in the stack's settings. Default: the passphrase of `environment`. */
  readonly opener?: OpenSettings;
  /** True: of a stack file, what nothing at hand opens in its settings is unknown. A program would have to be told it. */
  readonly mayStayShut?: boolean;
  /** Reads what `fn::remoteAsset` names; default: nobody looks there before it is needed. */
  readonly fetch?: (address: string) => Promise<Uint8Array>;
  /** What `${pulumi.organization}` is; default what the host says. */
  readonly organization?: string;
}

/** Loads a stack file. Never rejects for what is wrong in it: that is in the Program's diagnostics, in the order of the file. */
export async function loadProgram(options: LoadOptions): Promise<Program> {
  const report = createReport();
  const read = options.readFile ?? ((path: string) => readRegularFile(path, LARGEST_FILE));
  const root = await readSyntax(report, options.file, read, true);
  const stack = options.stack.split("/").pop() ?? options.stack;
  const settingsIn = (folder: string) => join(dirname(options.file), folder, `Pulumi.${stack}.yaml`);
  if (root === undefined) return failed(report, settingsIn(""));
  if (root.kind !== "map") {
    report.error(
      root.at,
      `a stack file is an object with a name, a runtime and resources, and this is ${describeNode(root)}`,
    );
    return failed(report, settingsIn(""));
  }
  const project = readProject(report, root);
  const settingsFile = settingsIn(project.settingsFolder);
  const mayStayShut = options.mayStayShut === true && project.runtime.name === "yaml";
  const settings = await loadSettings(report, settingsFile, read, project.name, { ...options, mayStayShut });
  const config = readConfig(report, project.config, {
    project: project.name,
    stack,
    settings,
    settingsFile: basename(settingsFile),
    catalogue: options.catalogue,
    isProgram: project.runtime.name !== "yaml",
  });
  const head = {
    projectName: project.name,
    ...(project.description === undefined ? {} : { description: project.description }),
    settingsFile,
    config: config.entries,
    providerConfig: config.provider,
    ...(project.prices === undefined ? {} : { prices: project.prices }),
    ...(project.policies && { policies: project.policies }),
    refresh: project.refresh,
  };
  if (project.runtime.name !== "yaml") return programOf(report, project, project.runtime, head, options);
  const template = readTemplate(report, project, config);
  const graph = linkTemplate(report, template);
  const inference = createInference(
    report,
    template,
    options.catalogue,
    graph.order.map((node) => node.name),
  );
  checkTemplate(report, template, options.catalogue, inference);
  const folder = resolve(dirname(options.file));
  const own = projectFiles(folder, options.readFile === undefined ? undefined : read);
  const files = options.fetch === undefined ? own : { ...own, fetch: options.fetch };
  const diagnostics = boundedInFileOrder(report.diagnostics);
  return {
    ...head,
    diagnostics,
    graph: resourceGraph(template, graph),
    run: (host, first = new Map()) => {
      if (report.hasErrors())
        return Promise.reject(new ProgramError(diagnostics.filter((d) => d.severity === "error")));
      const organization = options.organization ?? host.organization;
      const { catalogue } = options;
      return runTemplate({ host, template, graph: withFirst(graph, first), catalogue, files, organization });
    },
  };
}

/** A program that is no stack file: what it declares is not known before it runs. */
async function programOf(
  report: Report,
  project: Project,
  runtime: ProgramRuntime,
  head: Omit<Program, "diagnostics" | "graph" | "run" | "prepare">,
  options: LoadOptions,
): Promise<Program> {
  const { openProgram } = await import("../programs/program.ts");
  const { file, environment = process.env, fetch, organization } = options;
  const { run, prepare } = openProgram({
    file,
    project,
    runtime,
    config: head.config,
    environment,
    fetch,
    organization,
  });
  const diagnostics = boundedInFileOrder(report.diagnostics);
  return {
    ...head,
    diagnostics,
    graph: undefined,
    ...(report.hasErrors() ? {} : { prepare }),
    run: (host, first) => {
      if (!report.hasErrors()) return run(host, first);
      return Promise.reject(new ProgramError(diagnostics.filter((d) => d.severity === "error")));
    },
  };
}

async function readSyntax(
  report: Report,
  file: string,
  read: (path: string) => Promise<string | Uint8Array>,
  isNeeded: boolean,
): Promise<Node | undefined> {
  let text: string;
  try {
    const content = await read(file);
    if (content.length > LARGEST_FILE) {
      throw new UnreadableFileError(`it is larger than ${LARGEST_FILE / 1024 / 1024} MiB`);
    }
    text = typeof content === "string" ? content : new TextDecoder().decode(content);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT" && !isNeeded) return undefined;
    report.error({ file, line: 1, column: 1 }, `cannot read ${file}: ${fileFault(error)}`);
    return undefined;
  }
  const before = report.diagnostics.length;
  const root = parseSyntax(report, file, text);
  if (root === undefined && isNeeded && report.diagnostics.length === before) {
    report.error(
      { file, line: 1, column: 1 },
      "the stack file is empty: it needs a name, a runtime (yaml) and resources",
    );
  }
  return root;
}

async function loadSettings(
  report: Report,
  file: string,
  read: (path: string) => Promise<string | Uint8Array>,
  project: string,
  options: LoadOptions,
): Promise<StackSettings> {
  const root = await readSyntax(report, file, read, false);
  if (root === undefined) return new Map();
  return readStackSettings(report, root, {
    project,
    environment: options.environment ?? process.env,
    opener: options.opener,
    ...(options.mayStayShut && { mayStayShut: true }),
    readPassphraseFile: async (path) => {
      // A pipe is a usual way to hand over a passphrase.
      const content = await (options.readFile ?? readAnything)(path);
      return typeof content === "string" ? content : new TextDecoder().decode(content);
    },
  });
}

/** A program of which nothing could be read. */
function failed(report: Report, settingsFile: string): Program {
  const diagnostics = boundedInFileOrder(report.diagnostics);
  return {
    projectName: "",
    diagnostics,
    graph: [],
    settingsFile,
    config: new Map(),
    providerConfig: {},
    refresh: false,
    run: () => Promise.reject(new ProgramError(diagnostics)),
  };
}

function projectFiles(
  folder: string,
  read: ((path: string) => Promise<string | Uint8Array>) | undefined,
): ProjectFiles {
  if (read === undefined) {
    const kindOf = async (path: string) => {
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) return "nothing" as const;
      const odd = oddKindOf(found);
      if (odd !== undefined && !found.isDirectory()) {
        throw new UnreadableFileError(`it is ${odd}, and only a regular file or a folder is taken`);
      }
      await refuseLinkOut(folder, path);
      return found.isDirectory() ? ("folder" as const) : ("file" as const);
    };
    const readWithin = async (path: string) => {
      await refuseLinkOut(folder, path);
      return readRegularFile(path, LARGEST_READ);
    };
    return { folder, read: readWithin, kindOf };
  }
  const bytes = async (path: string) => {
    const content = await read(path);
    return typeof content === "string" ? new TextEncoder().encode(content) : content;
  };
  return {
    folder,
    read: bytes,
    kindOf: (path) =>
      bytes(path).then(
        () => "file" as const,
        () => "nothing" as const,
      ),
  };
}

/** Resources by what they need, with variables in between left out. */
function resourceGraph(template: Template, graph: Graph): ProgramNode[] {
  const behind = new Map<string, ReadonlySet<string>>();
  const result: ProgramNode[] = [];
  for (const node of graph.order) {
    const resources = new Set<string>();
    for (const name of node.needs.keys()) {
      if (template.resources.has(name)) resources.add(name);
      else for (const resource of behind.get(name) ?? []) resources.add(resource);
    }
    behind.set(node.name, resources);
    const resource = template.resources.get(node.name);
    if (resource === undefined) continue;
    result.push({
      key: resource.key,
      type: resource.type?.value ?? "",
      name: resource.name,
      dependsOn: [...resources],
      position: resource.at,
    });
  }
  return result;
}
