/** Reads the project file's own keys: which it knows, which have no meaning to this engine, and the sections the program is made of. */

import { didYouMean } from "../../../core/nearest.ts";
import type { PolicySection, Position } from "../../host.ts";
import { type RecordEntries, readLiterals, readRecord, readText } from "../syntax/record.ts";
import type { Report } from "../syntax/report.ts";
import { describeNode, type MapEntry, type Node } from "../syntax/yaml.ts";
import { readPolicies } from "./policies.ts";
import { type Runtime, readRuntime } from "./runtime.ts";

/** The sections of a project file, as they stand. */
export interface Project {
  /** Empty when the file names none (already reported). */
  readonly name: string;
  readonly description?: string;
  readonly runtime: Runtime;
  /** Folder or file of a program, relative to the project file's folder. Absent: that folder. */
  readonly main?: { readonly value: string; readonly at: Position };
  /** Folder of the stacks' settings files, relative to the project file's. */
  readonly settingsFolder: string;
  /** Absent: none are set. */
  readonly policies?: PolicySection;
  readonly prices?: string;
  /** `options.refresh: always`. */
  readonly refresh: boolean;
  /** `config` and the older `configuration`. */
  readonly config: readonly (MapEntry | undefined)[];
  readonly variables: readonly MapEntry[];
  readonly resources: readonly MapEntry[];
  readonly outputs: readonly MapEntry[];
}

const keys = [
  "name",
  "runtime",
  "description",
  "namespace",
  "author",
  "website",
  "license",
  "main",
  "config",
  "configuration",
  "stackConfigDir",
  "variables",
  "resources",
  "outputs",
  "packages",
  "plugins",
  "pulumi",
  "requiredPulumiVersion",
  "components",
  "backend",
  "options",
  "template",
  "policies",
  "prices",
] as const;

/** Keys that Pulumi gives a meaning that this engine has not, and what to know of each. */
const meaningless: { readonly [key: string]: string } = {
  namespace: "it belongs to component packages, and Pulumi's engine refuses it in a program",
  template: "it is for `pulumi new`",
  requiredPulumiVersion: "there is no Pulumi version here to compare it with",
};

/** Reads a project file. What is wrong is reported; sections that are missing are empty. */
export function readProject(report: Report, root: Node): Project {
  const fields = readRecord(report, root, "the stack file", keys);
  for (const [key, reason] of Object.entries(meaningless)) {
    const entry = fields.get(key);
    if (entry) report.warning(entry.key.at, `"${key}" has no effect with this engine: ${reason}`);
  }
  readBackend(report, fields.get("backend"));
  readComponents(report, fields.get("components"));
  readPulumi(report, fields.get("pulumi"));
  const runtime = readRuntime(report, root, fields.get("runtime"));
  const main = readMain(report, fields.get("main"), runtime);
  readPlugins(report, fields.get("plugins"));
  readPackages(report, fields.get("packages"));
  const name = readText(report, fields.get("name"), '"name"')?.value ?? "";
  if (!fields.has("name"))
    report.error(root.at, 'the stack file needs a "name": the project that its resources belong to');
  else if (name !== "" && !/^[A-Za-z0-9_.-]{1,100}$/.test(name)) {
    report.error(
      fields.get("name")!.value.at,
      "a project's name may hold letters, digits, hyphens, underscores and periods, at most 100",
    );
  }
  const description = readText(report, fields.get("description"), '"description"')?.value;
  for (const key of ["author", "website", "license"]) readText(report, fields.get(key), `"${key}"`);
  const older = fields.get("configuration");
  if (older) report.warning(older.key.at, 'write "config": "configuration" is its older name');
  const config = fields.get("config");
  const prices = readText(report, fields.get("prices"), '"prices"')?.value;
  const policies = fields.get("policies");
  const folder = settingsFolder(report, fields.get("stackConfigDir"), config);
  if (runtime.name !== "yaml") warnOfSections(report, fields);
  return {
    name,
    runtime,
    ...(main === undefined ? {} : { main }),
    ...(description === undefined ? {} : { description }),
    settingsFolder: folder,
    ...(prices === undefined ? {} : { prices }),
    ...(policies && { policies: readPolicies(report, policies.value) }),
    refresh: readOptions(report, fields.get("options")),
    config: [config?.value.kind === "text" ? undefined : config, older],
    variables: section(report, fields.get("variables")),
    resources: section(report, fields.get("resources")),
    outputs: section(report, fields.get("outputs")),
  };
}

function section(report: Report, entry: MapEntry | undefined): readonly MapEntry[] {
  if (entry === undefined) return [];
  if (entry.value.kind === "map") return entry.value.entries;
  report.error(
    entry.value.at,
    `"${entry.key.value}" must be an object, and this is ${describeNode(entry.value)}`,
  );
  return [];
}

/** What it comes to is read by whoever opens the states; here only its form is judged. */
function readBackend(report: Report, entry: MapEntry | undefined): void {
  if (entry === undefined) return;
  const url = readText(
    report,
    readRecord(report, entry.value, '"backend"', ["url"]).get("url"),
    '"url" of the backend',
  );
  if (url !== undefined && /^[^/]*:\/\/(?:[^/?#@]*:[^/?#@]+@|.*[?&]password=)/i.test(url.value))
    report.warning(
      url.at,
      "a password stands in the address of the backend, for everybody who reads this file: leave it out, and give it by the environment (PGPASSWORD, a password file)",
    );
}

function readComponents(report: Report, entry: MapEntry | undefined): void {
  if (entry === undefined || (entry.value.kind === "map" && entry.value.entries.length === 0)) return;
  report.error(
    entry.key.at,
    '"components" are Pulumi\'s: component packages are run by its engine, and a program holds none',
  );
}

function readPulumi(report: Report, entry: MapEntry | undefined): void {
  if (entry === undefined) return;
  const fields = readRecord(report, entry.value, '"pulumi"', ["requiredVersion"]);
  const version = fields.get("requiredVersion");
  if (version)
    report.warning(
      version.key.at,
      '"requiredVersion" has no effect with this engine: there is no Pulumi version here to compare it with',
    );
}

function readMain(report: Report, entry: MapEntry | undefined, runtime: Runtime): Project["main"] {
  const main = readText(report, entry, '"main"');
  if (main === undefined || /^\.?\/?$/.test(main.value)) return undefined;
  if (runtime.name !== "yaml") return { value: main.value, at: main.at };
  report.error(
    main.at,
    '"main" is not supported: this engine takes the program from the project file itself; name another file with --file',
  );
  return undefined;
}

/** A program declares what it wants itself. */
function warnOfSections(report: Report, fields: RecordEntries): void {
  for (const section of ["variables", "resources", "outputs"]) {
    const at = fields.get(section)?.key.at;
    if (at) report.warning(at, `"${section}" has no effect: the program declares its own`);
  }
}

function readPlugins(report: Report, entry: MapEntry | undefined): void {
  if (entry === undefined) return;
  const fields = readRecord(report, entry.value, '"plugins"', ["providers", "languages", "analyzers"]);
  for (const [kind, list] of fields) {
    if (list.value.kind !== "list") {
      report.error(list.value.at, `"${kind}" must be a list, and this is ${describeNode(list.value)}`);
      continue;
    }
    for (const item of list.value.items) {
      const plugin = readRecord(report, item, `a plugin under "${kind}"`, ["name", "version", "path"]);
      for (const key of ["name", "path"]) {
        if (!plugin.has(key)) report.error(item.at, `a plugin under "${kind}" needs a "${key}"`);
      }
      for (const key of ["name", "version", "path"])
        readText(report, plugin.get(key), `"${key}" of a plugin`);
    }
    if (kind === "analyzers" && list.value.items.length > 0) {
      report.warning(
        list.key.at,
        '"analyzers" have no effect with this engine: policy packs are run by Pulumi\'s',
      );
    }
  }
}

function readPackages(report: Report, entry: MapEntry | undefined): void {
  if (entry === undefined) return;
  for (const item of section(report, entry)) {
    if (item.value.kind === "text") continue;
    const names = ["source", "version", "parameters", "checksums", "pluginDownloadURL"];
    const fields = readRecord(report, item.value, `package ${JSON.stringify(item.key.value)}`, names);
    if (!fields.has("source"))
      report.error(item.value.at, `package ${JSON.stringify(item.key.value)} needs a "source"`);
    for (const key of ["source", "version", "pluginDownloadURL"])
      readText(report, fields.get(key), `"${key}" of a package`);
    readLiterals(report, fields.get("parameters"), '"parameters" of a package');
  }
}

function readOptions(report: Report, entry: MapEntry | undefined): boolean {
  if (entry === undefined) return false;
  const refresh = readText(
    report,
    readRecord(report, entry.value, '"options"', ["refresh"]).get("refresh"),
    '"refresh"',
  );
  if (refresh === undefined) return false;
  if (refresh.value === "always") return true;
  report.error(
    refresh.at,
    `"refresh" knows one word, always, and this is ${JSON.stringify(refresh.value)}${didYouMean(refresh.value, ["always"])}`,
  );
  return false;
}

/** `config` may be the settings folder's path, in an old form of the file. */
function settingsFolder(report: Report, entry: MapEntry | undefined, config: MapEntry | undefined): string {
  const folder = readText(report, entry, '"stackConfigDir"')?.value;
  if (config?.value.kind !== "text") return folder ?? ".";
  report.warning(config.value.at, 'write "stackConfigDir": a path under "config" is its older form');
  if (folder !== undefined)
    report.error(
      config.value.at,
      'the folder of the stacks\' settings is given twice: keep "stackConfigDir"',
    );
  return folder ?? config.value.value;
}
