/** The SDK for TypeScript as it is packed, installed where nothing else is. */

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packSdk } from "../../scripts/release/npm.mjs";
import { pulumiBin } from "../e2e/pulumi.ts";
import { comePulumiUser, pluginArchive } from "./pulumi-user.ts";

const root = resolve(import.meta.dirname, "../..");

/** One zone, made and taken down by a program that Pulumi's Automation API runs. */
const program = `
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import * as plumbline from "@plumbline/pulumi";
import { Record } from "@plumbline/pulumi/dns/index.js";

const declare = async () => {
  const zone = new plumbline.dns.Domain("zone", { domain: "site.example", type: "master", soaEmail: "admin@site.example" });
  new Record("www", { domainId: zone.id, type: "A", name: "www", target: "203.0.113.10" });
  return { domain: zone.domain };
};

async function main() {
  const stack = await LocalWorkspace.createOrSelectStack({ stackName: "dev", projectName: "site", program: declare });
  const preview = await stack.preview();
  const up = await stack.up();
  console.log(JSON.stringify({ preview: preview.changeSummary, up: up.summary.resourceChanges, domain: up.outputs.domain?.value }));
  await stack.destroy();
}

main();
`;

const compilerOptions = { module: "nodenext", target: "es2023", strict: true, types: ["node"] };

it.skipIf(!pulumiBin)(
  "is JavaScript with types, on which a program in TypeScript compiles and runs",
  { timeout: 300_000 },
  async () => {
    // Beside the folder there is what a registry would bring: Pulumi's own package, and the compiler.
    const user = await comePulumiUser({ installed: { node_modules: join(root, "node_modules") } });
    onTestFinished(user.leave);
    user.installPlugin(user.download(join(user.shelf, pluginArchive)));
    const sdk = user.download(join(user.shelf, packSdk(user.shelf, join(user.shelf, "sdk"))));
    user.succeed("npm", "install", "--offline", "--no-audit", "../node_modules/@pulumi/pulumi", `./${sdk}`);
    writeFileSync(join(user.folder, "index.ts"), program);
    writeFileSync(
      join(user.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["index.ts"] }),
    );
    user.succeed("node", "../node_modules/typescript/lib/tsc.js");
    const said = user.besideEmulator("node index.js");
    expect(JSON.parse(said.trim().split("\n").at(-1)!)).toEqual({
      preview: { create: 3 },
      up: { create: 3 },
      domain: "site.example",
    });
  },
);
