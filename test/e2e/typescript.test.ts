/** The TypeScript example: checked by the compiler against the generated SDK, and run through its life by the Automation API. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { call, comparable, kept, leftovers, writes } from "./account.ts";
import { type AutomationVerb, automate, compile, installSdk } from "./automation.ts";
import { createEmbedded } from "./embedded.ts";
import { createProject, type Project, pluginFolder, pulumiBin } from "./pulumi.ts";
import { text as webExample } from "./web.ts";

const root = resolve(import.meta.dirname, "../..");
const example = join(root, "examples", "typescript");
const folder = mkdtempSync(join(tmpdir(), "plumbline-typescript-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the TypeScript example", () => {
  beforeAll(() => {
    for (const file of ["index.ts", "mail.ts", "package.json", "tsconfig.json"]) {
      cpSync(join(example, file), join(folder, file));
    }
  });

  it("has types that hold: the SDK's, and its own against them", () => {
    installSdk(folder);
    expect(compile(folder)).toBe("");
  });

  it("would not pass with a property that the SDK does not know, nor with one of the wrong type", () => {
    const program = readFileSync(join(example, "index.ts"), "utf8");
    const wrong = program
      .replace("refreshSec: 14400,", 'refreshSec: "soon",')
      .replace("size: 40,", "sise: 40,");
    const other = join(folder, "wrong");
    mkdirSync(other);
    cpSync(join(folder, "mail.ts"), join(other, "mail.ts"));
    writeFileSync(join(other, "index.ts"), wrong);
    cpSync(join(folder, "tsconfig.json"), join(other, "tsconfig.json"));
    expect(compile(other, "--noEmit")).toMatch(
      /'string' is not assignable to type 'Input<number>[\s\S]*'sise'/,
    );
  });
});

describe("a choice in the SDK", () => {
  it.each([
    ["publik", /'"publik"' is not assignable to type 'Input<CannedAcl/],
    ["public-read", /^$/],
  ])("of the access list %s", (acl, said) => {
    const other = mkdtempSync(join(folder, "choice-"));
    const bucket = `{ label: "site", cluster: "us-east-1", acl: ${JSON.stringify(acl)} }`;
    const program = `import * as plumbline from "@plumbline/pulumi";\nnew plumbline.objectstorage.Bucket("site", ${bucket});\n`;
    writeFileSync(join(other, "index.ts"), program);
    cpSync(join(folder, "tsconfig.json"), join(other, "tsconfig.json"));
    expect(compile(other, "--noEmit")).toMatch(said);
  });
});

describe.skipIf(!pulumiBin)("the TypeScript example by the Automation API", { timeout: 120_000 }, () => {
  let emulator: Emulator;
  let untouched: unknown;
  let project: Project;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
    untouched = comparable(emulator);
    const yaml = readFileSync(join(example, "Pulumi.yaml"), "utf8");
    project = await createProject(yaml.replace("path: ../../bin", `path: ${pluginFolder}`), {
      baseUrl: emulator.baseUrl,
      token: emulator.token,
    });
  });
  afterAll(async () => {
    project?.remove();
    await emulator?.close();
  });

  /** One operation in a process of its own. `plan`: what was done by resource, without what stayed. */
  async function run(verb: AutomationVerb, config: { [key: string]: string } = {}) {
    const request = {
      ...{ verbs: [verb], config, folder: project.folder, stack: project.stack },
      ...{ project: "web-typescript", entry: join(folder, "bin", "index.js") },
    };
    const [done] = await automate(request, { cwd: root, env: project.env });
    const { plan, outputs } = done!;
    const changed = Object.entries(plan).filter(([, op]) => op !== "same");
    return { plan: Object.fromEntries(changed), resources: Object.keys(plan).length, outputs };
  }

  it("is planned in full before anything is written", async () => {
    const { plan } = await run("preview");
    expect(Object.values(plan).filter((op) => op !== "create")).toEqual([]);
    expect(Object.keys(plan)).toHaveLength(22);
    expect(writes(emulator)).toEqual({});
  });

  it("makes the very account that the same stack in YAML makes", async () => {
    const { plan, outputs } = await run("up");
    expect(Object.keys(plan)).toHaveLength(22);
    expect(outputs).toEqual({
      domainId: String(kept(emulator, "domains")[0]?.id),
      networkId: String(kept(emulator, "vpcs")[0]?.id),
      subnets: { web: "10.10.1.0/24", data: "10.10.2.0/24", ops: "10.10.3.0/26" },
      dataDiskPath: "/dev/disk/by-id/scsi-0Compute_Volume_production-data",
      recordCount: 14,
    });

    const other = await startEmulator({ seed: starterAccount, speed: "instant" });
    const yaml = createEmbedded(webExample, { baseUrl: other.baseUrl, token: other.token });
    try {
      await yaml.up();
      expect(comparable(emulator)).toEqual(comparable(other));
    } finally {
      yaml.remove();
      await other.close();
    }
  });

  it("needs nothing the second time, nor after a refresh", async () => {
    const before = writes(emulator);
    expect((await run("up")).plan).toEqual({});
    expect(Object.values((await run("refresh")).plan).filter((op) => op !== "refresh")).toEqual([]);
    expect((await run("preview")).plan).toEqual({});
    expect(writes(emulator)).toEqual(before);
  });

  it("follows its config: one record more, one updated, one subnet replaced", async () => {
    const { plan, outputs } = await run("up", {
      webAddresses: JSON.stringify(["203.0.113.10", "203.0.113.11", "203.0.113.12"]),
      mailPolicy: "reject",
      opsRange: "10.10.4.0/24",
    });
    expect(plan).toEqual({ "apex4-3": "create", "mail-dmarc": "update", opsSubnet: "replace" });
    expect(outputs).toMatchObject({ recordCount: 15, subnets: { ops: "10.10.4.0/24" } });
    const targets = kept(emulator, "domain_records").map(({ target }) => target);
    expect(targets).toContain("203.0.113.12");
    expect(targets).toContain("v=DMARC1; p=reject; rua=mailto:dmarc@plumbline-web.example");
  });

  it("finds what changed behind its back, and puts it right", async () => {
    const zone = kept(emulator, "domains")[0]?.id;
    await call(emulator, "PUT", `/domains/${zone}`, { ttl_sec: 7200 });
    expect((await run("refresh")).plan).toMatchObject({ zoneDomain: "update" });
    expect((await run("up")).plan).toEqual({ zoneDomain: "update" });
    expect(kept(emulator, "domains")[0]?.["ttl_sec"]).toBe(3600);
  });

  it("is taken down without a trace", async () => {
    const { plan } = await run("destroy");
    expect(Object.values(plan).filter((op) => op !== "delete")).toEqual([]);
    expect(leftovers(emulator)).toEqual({});
    expect(comparable(emulator)).toEqual(untouched);
    expect(emulator.mismatches).toEqual([]);
  });
});
