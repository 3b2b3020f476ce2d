/** The same folder of policies under Pulumi's engine, as a policy pack, and under the embedded one. */

import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { startCommand } from "../cli-process.ts";
import { createProject, type Program, type Project, pluginFolder, pulumiBin } from "./pulumi.ts";

describe.skipIf(!pulumiBin)("a folder of policies", () => {
  let emulator: Emulator;
  let project: Project;
  const program = (acl: string): Program => ({
    resources: {
      zone: {
        type: "plumbline:dns:Domain",
        properties: { domain: "shop.example", type: "master", soaEmail: "a@shop.example", ttlSec: 30 },
      },
      site: {
        type: "plumbline:objectstorage:Bucket",
        properties: { cluster: "us-east-1", label: "site", acl },
      },
    },
  });
  beforeEach(async () => {
    emulator = await startEmulator({ speed: "instant" });
    project = await createProject(program("public-read"), {
      baseUrl: emulator.baseUrl,
      token: emulator.token,
    });
    project.env["PATH"] = `${pluginFolder}${delimiter}${project.env["PATH"]}`;
    mkdirSync(join(project.folder, "rules"));
    const write = (name: string, text: string) => writeFileSync(join(project.folder, "rules", name), text);
    write("policies.yaml", "rules: { public-bucket: { stacks: [dev] }, ttl-bounds: { level: advisory } }\n");
    write(
      "tags.ts",
      `export default { name: "tags", level: "advisory", check: (step: { inputs?: object }): string[] => [] };\n`,
    );
    const packed = await plumbline("policy", "pack", "rules");
    expect(packed.code, packed.stderr).toBe(0);
  });
  afterEach(async () => {
    project.remove();
    await emulator.close();
  });
  const plumbline = (...args: string[]) => startCommand(args, { cwd: project.folder, env: project.env });
  const buckets = async () => {
    const answer = await fetch(`${emulator.baseUrl}/object-storage/buckets`, {
      headers: { authorization: `Bearer ${emulator.token}` },
    });
    return ((await answer.json()) as { results: number }).results;
  };

  it("stops the same declaration in both engines, by the same rule at the same property", async () => {
    const finding = "acl: everybody can read what is in it (policy public-bucket)";
    const warning = "ttlSec: 30 seconds are shorter than 300 (policy ttl-bounds)";
    for (const words of [["preview"], ["up", "--yes", "--skip-preview"]]) {
      // First, for it plans all before it writes; Pulumi stops at what is refused, and by then may have made the zone.
      const embedded = await plumbline(...words, "--policies", "rules", "--state", "own");
      expect(embedded.code, embedded.stderr).toBe(4);
      expect(embedded.stdout).toContain(finding);
      expect(embedded.stdout).toContain(warning);
      const pulumi = await project.attempt(...words, "--policy-pack", "rules");
      expect(pulumi.code, pulumi.stdout).not.toBe(0);
      expect(pulumi.stdout).toMatch(/\[mandatory\] +public-bucket/);
      expect(pulumi.stdout).toContain(finding);
    }
    expect(await buckets()).toBe(0);
  });

  it("lets pass what follows it, with its advice", async () => {
    project.write(program("private"));
    const pulumi = await project.up("--policy-pack", "rules");
    expect(pulumi.stdout).toMatch(/\[advisory\] +ttl-bounds/);
    expect(await buckets()).toBe(1);
  });

  it("whose module is broken stops Pulumi before anything is planned", async () => {
    writeFileSync(join(project.folder, "rules", "tags.ts"), "export default {");
    const pulumi = await project.attempt("up", "--yes", "--skip-preview", "--policy-pack", "rules");
    expect(pulumi.code).not.toBe(0);
    expect(pulumi.stdout + pulumi.stderr).toMatch(/the policy module .*tags\.ts cannot be loaded/);
    expect(await buckets()).toBe(0);
  });
});
