/** What this engine does not do for a program is refused before anything is done, with what to do instead. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writes } from "../e2e/account.ts";
import { openNodeProjects, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

const modules = resolve(import.meta.dirname, "../../node_modules");

describe("a program is told", { timeout: 60_000 }, () => {
  it.each([
    [
      "of a resource of another package",
      'new pulumi.CustomResource("random:index/randomPet:RandomPet", "pet", {});',
      /random:index\/randomPet:RandomPet belongs to package "random".*pulumi up/s,
    ],
    [
      "of a dynamic resource",
      'new pulumi.CustomResource("pulumi-nodejs:dynamic:Resource", "own", {});',
      /pulumi-nodejs:dynamic:Resource belongs to package "pulumi-nodejs".*pulumi up/s,
    ],
    [
      "of a type that is spelt wrong",
      'new pulumi.CustomResource("plumbline:dns/domain:Domian", "zone", {});',
      /there is no resource type "plumbline:dns\/domain:Domian" - did you mean "plumbline:dns:Domain"/,
    ],
    [
      "of a function of another package",
      'pulumi.runtime.invokeOutput("aws:index/getRegion:getRegion", {});',
      /the function aws:index\/getRegion:getRegion belongs to another package.*pulumi up/s,
    ],
    [
      "of a component of a package",
      'new (class extends pulumi.Resource { constructor() { super("eks:index:Cluster", "k", false, {}, {}, true); } })();',
      /eks:index:Cluster is a component of a package.*pulumi up/s,
    ],
    [
      "of hooks",
      'new plumbline.vpc.Vpc("v", { label: "v", region: "us-east" }, { hooks: { beforeCreate: [() => {}] } });',
      /this engine has no resource hooks.*pulumi up/s,
    ],
    [
      "of hooks that a transform adds",
      'new plumbline.vpc.Vpc("v", { label: "v", region: "us-east" }, { transforms: [({ props, opts }) => ({ props, opts: { ...opts, hooks: { beforeCreate: [() => {}] } } })] });',
      /this engine has no resource hooks.*pulumi up/s,
    ],
    [
      "of a trigger",
      'new plumbline.vpc.Vpc("v", { label: "v", region: "us-east" }, { replacementTrigger: 1 });',
      /no replacementTrigger.*pulumi up/s,
    ],
    [
      "of what the checks find",
      'new plumbline.dns.Domain("zone", { domain: "shop.example", type: "slave" });',
      /index\.js:\d+:\d+.*masterIps/s,
    ],
    ["of a name that it uses twice", `${zoneOf()}{ ${zoneOf()} }`, /two resources have the URN/],
    [
      "of a duration that is none",
      zoneOf().replace(" });", ' }, { customTimeouts: { create: "soon" } });'),
      /"soon" is no duration/,
    ],
    [
      "of a file that is not there",
      'new plumbline.objectstorage.BucketObject("o", { cluster: "us-east-1", bucket: "b", name: "n", source: new pulumi.asset.FileAsset("nowhere.txt") });',
      /cannot read nowhere\.txt: there is no such file/,
    ],
    [
      "of a stack that is not there",
      'new pulumi.StackReference("organization/other/dev");',
      /index\.js:3:1: there is no stack organization\/other\/dev/,
    ],
    [
      "of an object that is not there, and where it reads it",
      '\nplumbline.dns.Domain.get("theirs", "99999999");',
      /[^/]index\.js:4:\d+: there is no object with the id "99999999"/,
    ],
    [
      "of what is wrong with what a package declares, and where it asks for that",
      `const fs = require("node:fs");
const kit = __dirname + "/node_modules/kit";
fs.mkdirSync(kit, { recursive: true });
fs.writeFileSync(kit + "/index.js", 'module.exports = (dns) => new dns.Domain("zone", { domain: "shop.example", type: "slave" });');
require("kit")(plumbline.dns);`,
      /[^/]index\.js:7:\d+.*masterIps/,
    ],
  ])("%s", async (_, source, told) => {
    const p = await projects.project(source);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(told);
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual({});
  });
});

describe("a project is told", { timeout: 60_000 }, () => {
  it.each([
    [
      "of a folder that is not there",
      { main: "source" },
      /Pulumi\.yaml:\d+:\d+.*"main" names "?source"?, and there is no/s,
    ],
    [
      "of a quote that does not end",
      { runtime: { name: "nodejs", options: { nodeargs: "--title='a" } } },
      /nodeargs/,
    ],
    [
      "of an option that is none",
      { runtime: { name: "nodejs", options: { typscript: false } } },
      /did you mean "typescript"/,
    ],
    [
      "of another language",
      { runtime: "dotnet" },
      /this engine runs stack files in YAML and programs of Node/,
    ],
  ])("%s", async (_, settings, told) => {
    const p = await projects.project(zoneOf(), settings);
    const { code, said } = await p.run("validate");
    expect(said).toMatch(told);
    expect(code).toBe(1);
  });

  it.each(["validate", "preview", "up"])(
    "by %s what Node says of an argument that it has not",
    async (command) => {
      const options = { nodeargs: "--no-such-argument" };
      const p = await projects.project(zoneOf(), { runtime: { name: "nodejs", options } });
      const { code, said } = await p.start([command, ...(command === "up" ? ["-y"] : [])]);
      expect(said).toMatch(/bad option: --no-such-argument.*The program failed \(exit code 9\)/s);
      expect(code).toBe(1);
    },
  );

  /** A project with packages of its own, which `change` makes. */
  async function with_(change: (packages: string, folder: string) => void) {
    const alone = mkdtempSync(join(tmpdir(), "plumbline-alone-"));
    const p = await projects.project(zoneOf());
    try {
      cpSync(p.folder, alone, { recursive: true });
      const packages = join(alone, "node_modules");
      mkdirSync(packages);
      change(packages, alone);
      return await p.run("validate", "--cwd", alone);
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  }

  it("to install its packages", async () => {
    const { code, said } = await with_(() => {});
    expect(said).toMatch(/needs the package @pulumi\/pulumi.*run npm install there/s);
    expect(code).toBe(1);
  });

  it("of packages that are too old", async () => {
    const { said } = await with_((packages) => {
      const old = join(packages, "@pulumi", "pulumi");
      mkdirSync(join(old, "cmd", "run"), { recursive: true });
      writeFileSync(join(old, "cmd", "run", "index.js"), "");
      writeFileSync(join(old, "package.json"), '{"version": "3.181.0"}');
    });
    expect(said).toMatch(/@pulumi\/pulumi 3\.181\.0 is too old.*npm install @pulumi\/pulumi@\^3/s);
  });

  it("of a compiler without an interface, where its program is in TypeScript", async () => {
    const { said } = await with_((packages, folder) => {
      symlinkSync(join(modules, "@pulumi"), join(packages, "@pulumi"));
      writeFileSync(join(folder, "index.ts"), "export const a = 1;");
      writeFileSync(join(folder, "package.json"), '{"main": "index.ts"}');
    });
    expect(said).toMatch(/cannot compile by typescript 7.*npm install --save-dev typescript@5/s);
  });
});
