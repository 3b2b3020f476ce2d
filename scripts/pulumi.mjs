/**
 * Where the tests of the real engine get Pulumi from: a `pulumi` on the PATH that brings its YAML runtime, else one built with Go from
 * the versions that `tools/pulumi/go.mod` pins, kept in `.cache/pulumi/bin`. Run by itself it prints the folder, or why there is none.
 */

import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { goProgram, goTools, suffix } from "./go-tools.mjs";
import { findProgram, isProgram } from "./programs.mjs";

export { goProgram };

const tools = goTools("pulumi", [
  {
    name: "pulumi",
    module: "github.com/pulumi/pulumi/pkg/v3",
    main: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    versionVariable: "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version",
  },
  {
    name: "pulumi-language-yaml",
    module: "github.com/pulumi/pulumi-yaml",
    main: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    versionVariable: "github.com/pulumi/pulumi-yaml/pkg/version.Version",
  },
]);

/** The folder with `pulumi` and `pulumi-language-yaml`, as far as there is one without building: from the PATH, or built before. */
export function findPulumi() {
  if (process.env.PLUMBLINE_WITHOUT_PULUMI === "1") return undefined;
  const pulumi = findProgram(`pulumi${suffix}`);
  const found = pulumi && dirname(pulumi);
  if (found !== undefined && isProgram(join(found, `pulumi-language-yaml${suffix}`))) return found;
  return tools.find();
}

/** Resolves to `{ bin }`, the folder with `pulumi` and `pulumi-language-yaml`, or to `{ reason }` why there is none. */
export async function ensurePulumi({ log = console.log } = {}) {
  const found = findPulumi();
  if (found !== undefined) return { bin: found };
  if (goProgram() === undefined) {
    return { reason: "neither `pulumi` with `pulumi-language-yaml` nor `go` is on the PATH" };
  }
  log("building Pulumi and its YAML runtime with go; this takes a few minutes, once");
  return tools.build();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { bin, reason } = await ensurePulumi({ log: console.error });
  if (bin === undefined) {
    console.error(reason);
    process.exit(1);
  }
  console.log(bin);
}
