/**
 * Where the tests of the real engine get Pulumi from: a `pulumi` on the PATH that brings its YAML runtime, else one built with Go from
 * the versions that `tools/pulumi/go.mod` pins, kept in `.cache/pulumi/bin`. Run by itself it prints the folder, or why there is none.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findProgram, isProgram } from "./programs.mjs";

const root = resolve(import.meta.dirname, "..");
const toolsFolder = join(root, "tools", "pulumi");
const builtFolder = join(root, ".cache", "pulumi", "bin");
const suffix = process.platform === "win32" ? ".exe" : "";

const programs = [
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
];

/** The version that go.mod pins for a module. */
function pinnedVersion(module) {
  const line = readFileSync(join(toolsFolder, "go.mod"), "utf8")
    .split("\n")
    .map((text) => text.replace(/^\s*require\s+/, "").trim())
    .find((text) => text.startsWith(`${module} `));
  if (line === undefined) throw new Error(`tools/pulumi/go.mod does not pin ${module}`);
  return line.split(" ")[1];
}

/** The go program, or undefined when there is none. */
export function goProgram() {
  return findProgram(`go${suffix}`);
}

function build(go, folder) {
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    for (const { name, module, main, versionVariable } of programs) {
      const flags = ["build", "-trimpath", "-ldflags", `-X ${versionVariable}=${pinnedVersion(module)}`];
      const run = spawnSync(go, [...flags, "-o", join(fresh, name + suffix), main], {
        cwd: toolsFolder,
        encoding: "utf8",
        env: { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ""} -mod=readonly`.trim() },
      });
      if (run.status !== 0) {
        const why = run.error?.message ?? run.stderr.trim().split("\n").slice(-3).join("; ");
        return `building ${name} with go failed: ${why}`;
      }
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return undefined;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The digest of go.sum stands for the versions that were built. */
function wantedKey() {
  const sums = readFileSync(join(toolsFolder, "go.sum"));
  return createHash("sha256").update(sums).digest("hex");
}

function builtKey() {
  try {
    return readFileSync(join(builtFolder, "key"), "utf8").trim();
  } catch {
    return undefined;
  }
}

/** The folder with `pulumi` and `pulumi-language-yaml`, as far as there is one without building: from the PATH, or built before. */
export function findPulumi() {
  if (process.env.PLUMBLINE_WITHOUT_PULUMI === "1") return undefined;
  const pulumi = findProgram(`pulumi${suffix}`);
  const found = pulumi && dirname(pulumi);
  if (found !== undefined && isProgram(join(found, `pulumi-language-yaml${suffix}`))) return found;
  const isWhole = programs.every(({ name }) => isProgram(join(builtFolder, name + suffix)));
  return isWhole && builtKey() === wantedKey() ? builtFolder : undefined;
}

/** Resolves to `{ bin }`, the folder with `pulumi` and `pulumi-language-yaml`, or to `{ reason }` why there is none. */
export async function ensurePulumi({ log = console.log } = {}) {
  const found = findPulumi();
  if (found !== undefined) return { bin: found };
  const go = goProgram();
  if (go === undefined) {
    return { reason: "neither `pulumi` with `pulumi-language-yaml` nor `go` is on the PATH" };
  }
  log("building Pulumi and its YAML runtime with go; this takes a few minutes, once");
  const failure = build(go, builtFolder);
  if (failure !== undefined) return { reason: failure };
  writeFileSync(join(builtFolder, "key"), `${wantedKey()}\n`);
  return { bin: builtFolder };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { bin, reason } = await ensurePulumi({ log: console.error });
  if (bin === undefined) {
    console.error(reason);
    process.exit(1);
  }
  console.log(bin);
}
