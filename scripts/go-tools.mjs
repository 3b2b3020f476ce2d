/** Programs that tests need and Go builds: from the versions that a committed go.mod pins, once, into the cache that git ignores. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findProgram, isProgram } from "./programs.mjs";

const root = resolve(import.meta.dirname, "..");
export const suffix = process.platform === "win32" ? ".exe" : "";

/** The go program, or undefined when there is none. */
export function goProgram() {
  return findProgram(`go${suffix}`);
}

/**
 * The tools of one folder below `tools`. `programs` have a `name` and a `main` package, and where their version is to be told by a variable of
 * theirs its name as `versionVariable` and the `module` that go.mod pins.
 */
export function goTools(name, programs) {
  const toolsFolder = join(root, "tools", name);
  const folder = join(root, ".cache", name, "bin");

  /** The version that go.mod pins for a module. */
  function pinnedVersion(module) {
    const line = readFileSync(join(toolsFolder, "go.mod"), "utf8")
      .split("\n")
      .map((text) => text.replace(/^\s*require\s+/, "").trim())
      .find((text) => text.startsWith(`${module} `));
    if (line === undefined) throw new Error(`tools/${name}/go.mod does not pin ${module}`);
    return line.split(" ")[1];
  }

  function build(go) {
    mkdirSync(dirname(folder), { recursive: true });
    const fresh = mkdtempSync(`${folder}-`);
    try {
      for (const { name: program, module, main, versionVariable } of programs) {
        const version = versionVariable ? ["-ldflags", `-X ${versionVariable}=${pinnedVersion(module)}`] : [];
        const args = ["build", "-trimpath", ...version, "-o", join(fresh, program + suffix), main];
        const run = spawnSync(go, args, {
          cwd: toolsFolder,
          encoding: "utf8",
          env: { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ""} -mod=readonly`.trim() },
        });
        if (run.status !== 0) {
          const why = run.error?.message ?? run.stderr.trim().split("\n").slice(-3).join("; ");
          return `building ${program} with go failed: ${why}`;
        }
      }
      writeFileSync(join(fresh, "key"), `${wantedKey()}\n`);
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
      return readFileSync(join(folder, "key"), "utf8").trim();
    } catch {
      return undefined;
    }
  }

  return {
    /** The folder with the programs where they were built before, else undefined. */
    find() {
      const isWhole = programs.every((program) => isProgram(join(folder, program.name + suffix)));
      return isWhole && builtKey() === wantedKey() ? folder : undefined;
    },
    /** Builds them; `{ bin }` is the folder with them, `{ reason }` says why there is none. */
    build() {
      const go = goProgram();
      const reason = go === undefined ? "`go` is not on the PATH" : build(go);
      return reason === undefined ? { bin: folder } : { reason };
    },
  };
}
