/** Reads what a project file says of its runtime: a stack file in YAML, or a program and how it is started. */

import { readFlag, readRecord, readText } from "../syntax/record.ts";
import type { Report } from "../syntax/report.ts";
import type { MapEntry, Node } from "../syntax/yaml.ts";

/** A program of Node. */
export interface NodeRuntime {
  readonly name: "nodejs";
  /** False: the program is JavaScript, and is not compiled. */
  readonly typescript: boolean;
  /** What Node itself is given, as one line of a shell. */
  readonly nodeArguments: string;
  /** Path of the compiler's settings, from the program's folder. */
  readonly tsconfig?: string;
}

const toolchains = ["pip", "poetry", "uv"] as const;

/** A program in Python. */
export interface PythonRuntime {
  readonly name: "python";
  /** Path of a virtual environment, from the project's folder. Absent: what the toolchain made, or the Python of the PATH. */
  readonly virtualenv?: string;
  /** What installs the program's packages. */
  readonly toolchain: (typeof toolchains)[number];
}

export type ProgramRuntime = NodeRuntime | PythonRuntime;

export type Runtime = { readonly name: "yaml" } | ProgramRuntime;

const yaml: Runtime = { name: "yaml" };

/** What is wrong is reported, and YAML is taken for it. */
export function readRuntime(report: Report, root: Node, entry: MapEntry | undefined): Runtime {
  if (entry === undefined) {
    report.error(root.at, 'the stack file needs "runtime: yaml"');
    return yaml;
  }
  const isObject = entry.value.kind === "map";
  const fields = isObject ? readRecord(report, entry.value, '"runtime"', ["name", "options"]) : undefined;
  const named = fields ? fields.get("name") : entry;
  if (named === undefined) {
    report.error(entry.value.at, '"runtime" needs a "name": write runtime: yaml');
    return yaml;
  }
  const name = readText(report, named, "the runtime");
  if (name?.value === "nodejs") return readNode(report, fields?.get("options"));
  if (name?.value === "python") return readPython(report, fields?.get("options"));
  if (name !== undefined && name.value !== "yaml") {
    report.error(
      name.at,
      `this engine runs stack files in YAML and programs of Node (nodejs) and Python (python): a program in ${JSON.stringify(name.value)} is run by Pulumi's engine (pulumi up)`,
    );
  }
  readYaml(report, fields?.get("options"));
  return yaml;
}

function readYaml(report: Report, options: MapEntry | undefined): void {
  if (options === undefined) return;
  const known = readRecord(report, options.value, "the options of the runtime", ["compiler"]);
  const compiler = known.get("compiler");
  if (compiler)
    report.error(
      compiler.key.at,
      "this engine runs no compiler: write what it makes into a stack file, or use Pulumi's engine",
    );
}

function readNode(report: Report, options: MapEntry | undefined): NodeRuntime {
  const names = ["typescript", "nodeargs", "tsconfig", "packagemanager"];
  const fields = options && readRecord(report, options.value, "the options of the runtime", names);
  // Packages are installed by the user's own hand, whatever brings them.
  readText(report, fields?.get("packagemanager"), '"packagemanager"');
  const tsconfig = readText(report, fields?.get("tsconfig"), '"tsconfig"')?.value;
  return {
    name: "nodejs",
    typescript: readFlag(report, fields?.get("typescript"), '"typescript"') ?? true,
    nodeArguments: readText(report, fields?.get("nodeargs"), '"nodeargs"')?.value ?? "",
    ...(tsconfig === undefined ? {} : { tsconfig }),
  };
}

function readPython(report: Report, options: MapEntry | undefined): PythonRuntime {
  const names = ["toolchain", "typechecker", "virtualenv"];
  const fields = options && readRecord(report, options.value, "the options of the runtime", names);
  const checker = fields?.get("typechecker");
  if (checker && readText(report, checker, '"typechecker"'))
    report.warning(
      checker.key.at,
      '"typechecker" has no effect with this engine: check the program before it is run',
    );
  const virtualenv = readText(report, fields?.get("virtualenv"), '"virtualenv"')?.value;
  return {
    name: "python",
    toolchain: readToolchain(report, fields?.get("toolchain")),
    ...(virtualenv === undefined ? {} : { virtualenv }),
  };
}

function readToolchain(report: Report, entry: MapEntry | undefined): PythonRuntime["toolchain"] {
  const text = readText(report, entry, '"toolchain"');
  const known = toolchains.find((name) => name === (text?.value ?? "pip"));
  if (text !== undefined && known === undefined)
    report.error(
      text.at,
      `"toolchain" is ${toolchains.join(", ")}, and this is ${JSON.stringify(text.value)}`,
    );
  return known ?? "pip";
}
