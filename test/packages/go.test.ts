/** The SDK for Go as it is packed, unpacked where nothing else is, carries the examples in Go through their lives. */

import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findGo } from "../../scripts/languages.mjs";
import { packGo } from "../../scripts/release/sources.mjs";
import { pulumiBin } from "../e2e/pulumi.ts";
import { comePulumiUser, exampleLife, pluginArchive, toldOfLife } from "./pulumi-user.ts";

const root = resolve(import.meta.dirname, "../..");
const go = findGo();

/** Where this machine keeps what Go has downloaded and built. */
const foldersOf = (program: string) =>
  JSON.parse(execFileSync(program, ["env", "-json", "GOCACHE", "GOMODCACHE"], { encoding: "utf8" }));

it.skipIf(!pulumiBin || !go)("builds, and the examples on it live", { timeout: 600_000 }, async () => {
  const user = await comePulumiUser({
    environment: { ...foldersOf(go!), GOPROXY: "off", GOTOOLCHAIN: "local" },
  });
  onTestFinished(user.leave);
  user.installPlugin(user.download(join(user.shelf, pluginArchive)));
  const archive = user.download(join(user.shelf, await packGo(user.shelf, join(user.shelf, "go"))));
  user.succeed("tar", "-xzf", archive);
  for (const name of ["go.mod", "go.sum", "go", "functions/go", "tls/go", "tls/tls"])
    cpSync(join(root, "examples", name), join(user.folder, "examples", name), { recursive: true });
  const sdk = `plumbline.example/sdk/go/plumbline=../${archive.replace(".tar.gz", "")}`;
  user.succeed(go!, "-C", "examples", "mod", "edit", `-replace=${sdk}`);
  const lives = (name: string) => {
    const folder = join("examples", name);
    // The example's own names the plugin of the clone.
    const project = `name: ${name.replace("/", "-")}\nruntime: go\n`;
    writeFileSync(join(user.folder, folder, "Pulumi.yaml"), project);
    user.succeed(go!, "-C", folder, "test", "-c", "-o", "example.test", ".");
    return toldOfLife(user.besideEmulator(`cd ${folder} && ./example.test -test.v`));
  };
  expect(lives("go")).toEqual(exampleLife);
  const life = (count: number) => ({
    preview: { create: count },
    up: { create: count },
    again: { same: count },
  });
  expect(lives("functions/go")).toEqual({ ...life(22), nodeStatus: "ready" });
  expect(lives("tls/go")).toEqual({ ...life(3), encrypted: true });
});
