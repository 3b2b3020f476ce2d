/** The package for npm brings nothing along: what we use is bundled (decision 029), and what working in a clone leaves there stays. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it("every package is a development dependency", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { [key: string]: object };
  const kinds = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
  expect(kinds).toEqual(["devDependencies"]);
});

it("takes no state, compiled program or package of an example that was run in the clone", () => {
  const clone = mkdtempSync(join(tmpdir(), "plumbline-clone-"));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  cpSync(join(root, "package.json"), join(clone, "package.json"));
  const left = [
    "examples/python/.plumbline/creates/dev",
    "examples/python/__pycache__/zone.cpython-311.pyc",
    "examples/typescript/bin/index.js",
    "examples/typescript/node_modules/@plumbline/pulumi/package.json",
    "examples/typescript/package-lock.json",
    "deploy/watch/.plumbline/stacks/dev.json",
  ];
  for (const file of ["examples/typescript/index.ts", "examples/python/__main__.py", ...left]) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    writeFileSync(join(clone, file), "");
  }
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: clone,
    encoding: "utf8",
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  expect(files.map(({ path }) => path).sort()).toEqual([
    "examples/python/__main__.py",
    "examples/typescript/index.ts",
    "package.json",
  ]);
});
