/** The SDK for Go as it is packed, unpacked where nothing else is, carries `examples/go` through its life. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
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

it.skipIf(!pulumiBin || !go)("builds, and the example on it lives", { timeout: 300_000 }, async () => {
  const user = await comePulumiUser({
    environment: { ...foldersOf(go!), GOPROXY: "off", GOTOOLCHAIN: "local" },
  });
  onTestFinished(user.leave);
  user.installPlugin(user.download(join(user.shelf, pluginArchive)));
  const archive = user.download(join(user.shelf, await packGo(user.shelf, join(user.shelf, "go"))));
  user.succeed("tar", "-xzf", archive);
  // The example's own names the plugin of the clone.
  writeFileSync(join(user.folder, "Pulumi.yaml"), "name: web-go\nruntime: go\n");
  for (const file of ["main.go", "main_test.go", "go.mod", "go.sum"]) {
    user.download(join(root, "examples", "go", file));
  }
  const sdk = `plumbline.example/sdk/go/plumbline=./${archive.replace(".tar.gz", "")}`;
  user.succeed(go!, "mod", "edit", `-replace=${sdk}`);
  user.succeed(go!, "test", "-c", "-o", "life", ".");
  expect(toldOfLife(user.besideEmulator("./life -test.v"))).toEqual(exampleLife);
});
