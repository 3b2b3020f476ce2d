/** What is packed for Pulumi, installed where nothing else is: the plugin by Pulumi's own command, under stack files and under a program on the SDK. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { packCommandLine, packSdk } from "../../scripts/release/npm.mjs";
import { packPlugin } from "../../scripts/release/plugin.mjs";
import { pulumiBin } from "../e2e/pulumi.ts";
import { comeStranger, type Stranger } from "./stranger.ts";

const root = resolve(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const archive = `pulumi-resource-plumbline-v${version}-linux-amd64.tar.gz`;

const environment = {
  PULUMI_CONFIG_PASSPHRASE: "correct horse",
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
};

/** One zone, made and taken down by a program in TypeScript that Pulumi's Automation API runs. */
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

describe.skipIf(!pulumiBin)("what is packed for Pulumi", { timeout: 300_000 }, () => {
  const shelf = mkdtempSync(join(tmpdir(), "plumbline-shelf-"));
  let commandLine: string;
  let sdk: string;
  let user: Stranger;
  beforeAll(async () => {
    commandLine = join(shelf, packCommandLine(shelf));
    sdk = join(shelf, packSdk(shelf, join(shelf, "sdk")));
    await packPlugin(shelf, join(shelf, "plugin"));
  });
  beforeEach(() => {
    // Beside the folder there is what a registry would bring: Pulumi's own package, and the compiler.
    const installed = { bin: pulumiBin!, clone: join(root, "bin"), node_modules: join(root, "node_modules") };
    user = comeStranger({ installed, environment });
    const dependencies = { "@pulumi/pulumi": "file:../node_modules/@pulumi/pulumi" };
    writeFileSync(join(user.folder, "package.json"), JSON.stringify({ dependencies }));
    succeed("npm", "install", "--offline", "--no-audit", `./${user.download(commandLine)}`);
    user.download(join(import.meta.dirname, "beside-emulator.mjs"));
    mkdirSync(join(user.folder, "states"));
  });
  afterEach(() => user.leave());
  afterAll(() => rmSync(shelf, { recursive: true, force: true }));

  /** Runs a program as the user; what it said. */
  function succeed(...command: [string, ...string[]]): string {
    const { code, stdout, stderr } = user.run(...command);
    expect(code, `${command.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
    return stdout;
  }

  const installPlugin = (file: string) =>
    succeed("pulumi", "plugin", "install", "resource", "plumbline", version, "--file", file);

  it.each(["its archive", "the folder of the built plugin"])(
    "the plugin from %s runs a stack file",
    (from) => {
      installPlugin(from === "its archive" ? user.download(join(shelf, archive)) : "../clone");
      writeFileSync(
        join(user.folder, "Pulumi.yaml"),
        `
name: site
runtime: yaml
resources:
  zone:
    type: plumbline:dns:Domain
    properties: { domain: site.example, type: master, soaEmail: admin@site.example }
outputs:
  domain: \${zone.domain}
`,
      );
      const said = succeed(
        "node",
        "beside-emulator.mjs",
        "pulumi stack init dev",
        "pulumi preview",
        "pulumi up --yes",
        "pulumi stack output domain",
        "pulumi preview --expect-no-changes",
        "pulumi destroy --yes",
      );
      expect(said).toMatch(/^site\.example$/m);
    },
  );

  it("the SDK is JavaScript with types, on which a program in TypeScript compiles and runs", () => {
    installPlugin(user.download(join(shelf, archive)));
    succeed("npm", "install", "--offline", "--no-audit", `./${user.download(sdk)}`);
    writeFileSync(join(user.folder, "index.ts"), program);
    writeFileSync(
      join(user.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["index.ts"] }),
    );
    succeed("node", "../node_modules/typescript/lib/tsc.js");
    const said = succeed("node", "beside-emulator.mjs", "node index.js");
    expect(JSON.parse(said.trim().split("\n").at(-1)!)).toEqual({
      preview: { create: 3 },
      up: { create: 3 },
      domain: "site.example",
    });
  });
});
