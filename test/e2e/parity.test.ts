/** The same stack file under both engines, through a chain of edits: equal plans, equal accounts, equal outputs, equal states. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/index.ts";
import { stores } from "../stores.ts";
import { call, kept, leftovers } from "./account.ts";
import { createDriver, type Driver } from "./engines.ts";
import { createPair, type Pair } from "./pair.ts";
import { type Block, domain, first, having, program, record, volume, vpc } from "./parity-program.ts";
import { pulumiBin } from "./pulumi.ts";

describe.skipIf(!pulumiBin)("the same edits under both engines", { timeout: 120_000 }, () => {
  let pair: Pair;
  let blocks = first;
  /** Edits the program as it is now. */
  const edit = (edits: { readonly [name: string]: Block | undefined }) => {
    blocks = having(blocks, edits);
    return program(blocks);
  };
  const options = (name: string, more: object): Block => {
    const block = blocks[name] as Block;
    return { ...block, options: { ...block.options, ...more } };
  };

  beforeAll(async () => {
    pair = await createPair(program(first));
    await pair.configure({
      confidential: { secret: "known to two" },
      key: { secret: "owner-token" },
      service: ({ emulator }) => emulator.baseUrl,
    });
    await pair.both(({ emulator }) =>
      call(emulator, "POST", "/vpcs", { label: "elsewhere", region: "us-iad" }),
    );
  });
  afterAll(() => pair?.close());

  it("make the same, with functions, secrets, a provider of its own and something only read", async () => {
    const { changes } = await pair.up(program(first), { preview: true });
    expect(changes).toEqual({ create: 12, read: 1 });
    const { plumbline } = await pair.both(({ stack }) => stack.outputs());
    expect(plumbline).toMatchObject({
      secret: "known to two",
      region: "us-iad",
      text: "v=dHdvIGVuZ2luZXM=",
    });
  });

  it("find nothing to do the second time", async () => {
    const { changes } = await pair.up(program(first));
    expect(changes).toEqual({ same: 12, read: 1 });
  });

  it("update in place", async () => {
    const { plan } = await pair.up(
      edit({
        zone: domain({ domain: "parity.example", tags: ["one"], ttlSec: 3600, axfrIps: ["203.0.113.7"] }),
        apex: record("A", "", "203.0.113.2"),
        mail: record("MX", "", "mx2.parity.example", { priority: 20 }),
        network: vpc({ label: "parity-net", description: "now told" }, { provider: "${second}" }),
        disk: volume({ label: "parity-disk-two", size: 40, tags: ["a"] }),
      }),
      { preview: true },
    );
    expect(plan).toMatchObject({
      zone: { paths: { ttlSec: "add", axfrIps: "add", description: "delete" } },
      apex: { paths: { target: "update", ttlSec: "delete" } },
      disk: { op: "update" },
      www: { op: "same" },
    });
  });

  it("replace, and what hangs on it too", async () => {
    const { plan } = await pair.up(
      edit({
        apex: record("AAAA", "", "2001:db8::1"),
        network: vpc({ label: "parity-net-two", region: "us-iad" }, { provider: "${second}" }),
        named: volume({ size: 10, label: "named-by-hand", region: "us-iad" }, { deleteBeforeReplace: true }),
      }),
      { preview: true },
    );
    expect(plan).toMatchObject({
      apex: { op: "replace", because: ["type"] },
      network: { op: "replace", because: ["region"] },
      inner: { op: "replace", because: ["vpcId"] },
      outer: { op: "replace", because: ["vpcId"] },
      named: { op: "replace", because: ["region"] },
    });
  });

  it("delete what is taken out, and leave what is to be retained", async () => {
    const { plan } = await pair.up(edit({ mail: undefined, outer: undefined }), { preview: true });
    expect(plan).toMatchObject({ mail: { op: "delete" }, outer: { op: "delete" } });
    expect(kept(pair.plumbline.emulator, "vpcSubnets")).toHaveLength(2);
  });

  it("take over an object by its id, or by its name", async () => {
    const objects = await pair.both(async ({ emulator }) => {
      const zone = kept(emulator, "domains")[0]?.id;
      const fields = { type: "TXT", name: "hand", target: "made by hand" };
      return [zone, (await call(emulator, "POST", `/domains/${zone}/records`, fields)).id].join("/");
    });
    expect(objects.plumbline).toBe(objects.pulumi);
    const { plan } = await pair.up(
      edit({
        hand: record("TXT", "hand", "made by hand", {}, { import: objects.plumbline }),
        alike: vpc({ label: "elsewhere", region: "us-iad" }, { import: "elsewhere" }),
      }),
      { preview: true },
    );
    expect(plan).toMatchObject({ hand: { op: "import" }, alike: { op: "import" } });
    blocks = having(blocks, { hand: record("TXT", "hand", "made by hand") });
    expect((await pair.up(program(blocks))).plan).toMatchObject({ hand: { op: "same" } });
  });

  it("do not touch what is to be ignored, and replace what is told to be", async () => {
    const { plan } = await pair.up(
      edit({
        text: record("TXT", "", "ignored", { ttlSec: 600 }, { ignoreChanges: ["target"] }),
        quiet: record("TXT", "quiet", "a new one", {}, { replaceOnChanges: ["target"] }),
      }),
    );
    expect(plan).toMatchObject({
      text: { op: "update", paths: { ttlSec: "add" } },
      quiet: { op: "replace", because: ["target"] },
    });
    const { plan: again } = await pair.up(program(blocks));
    expect(again).toMatchObject({ text: { op: "same" }, quiet: { op: "same" } });
  });

  it("follow a resource to another name and another parent", async () => {
    const { note, inner, ...rest } = blocks;
    blocks = {
      ...rest,
      remark: { ...(note as Block), options: { aliases: [{ name: "note" }] } },
      within: {
        ...(inner as Block),
        options: { provider: "${second}", aliases: [{ name: "inner", parent: "${network}" }] },
      },
    };
    const outputs = { secret: "${remark.target}" };
    const { plan } = await pair.up(program(blocks, { outputs }));
    expect(plan).toMatchObject({ remark: { op: "same" }, within: { op: "same" } });
    blocks = having(blocks, { note: note, remark: undefined });
    blocks = having(blocks, { note: { ...(note as Block), options: { aliases: [{ name: "remark" }] } } });
    expect((await pair.up(program(blocks))).plan).toMatchObject({ note: { op: "same" } });
  });

  it("move a resource to another provider of the same service", async () => {
    const { plan } = await pair.up(edit({ network: vpc({ label: "parity-net-two", region: "us-iad" }) }), {
      preview: true,
    });
    expect(plan).toMatchObject({ network: { op: "same" }, within: { op: "same" } });
  });

  it("keep what is protected, whether it is to be replaced, taken out or destroyed", async () => {
    await pair.up(edit({ apex: options("apex", { protect: true }) }));
    const protectedApex = blocks;
    const replaced = await pair.refuse(
      "up",
      program(having(blocks, { apex: record("A", "", "203.0.113.9", {}, { protect: true }) })),
    );
    expect(replaced).toEqual({
      plumbline: expect.stringContaining("protect"),
      pulumi: expect.stringContaining("protect"),
    });
    await pair.refuse(
      "up",
      program(having(blocks, { apex: undefined, www: record("CNAME", "www", "x.example") })),
    );
    await pair.refuse("destroy", program(protectedApex));
    await pair.up(edit({ apex: options("apex", { protect: false }) }));
  });

  it("refuse the same things before any write", async () => {
    const bad = {
      "a property that is not there": { apex: record("A", "", "203.0.113.1", { colour: "red" }) },
      "a reference to nothing": { apex: record("A", "", "${nobody.id}") },
      "a value out of range": { mail: record("MX", "", "mx.parity.example", { priority: 999 }) },
    };
    for (const edits of Object.values(bad)) await pair.refuse("preview", program(having(blocks, edits)));
  });

  it("find the same drift, and put it right the same way", async () => {
    await pair.both(async ({ emulator }) => {
      const zone = kept(emulator, "domains").find((one) => one["domain"] === "parity.example")?.id;
      const www = kept(emulator, "domain_records").find((one) => one["name"] === "www")?.id;
      const disk = kept(emulator, "volumes").find((one) => one["label"] === "named-by-hand")?.id;
      await call(emulator, "PUT", `/domains/${zone}`, { description: "by hand", ttl_sec: 7200 });
      await call(emulator, "DELETE", `/domains/${zone}/records/${www}`);
      await call(emulator, "PUT", `/volumes/${disk}`, { tags: ["by-hand"] });
    });
    expect((await pair.run("preview", "--refresh")).changes).toMatchObject({ create: 1, update: 2 });
    expect((await pair.run("refresh")).changes).toMatchObject({ delete: 1, update: 2 });
    const { changes } = await pair.up(program(blocks));
    expect(changes).toMatchObject({ create: 1, update: 2 });
  });

  describe("hand their state over", () => {
    /** A new stack of the other engine, on the account of the first, with its config. */
    async function successor(from: "plumbline" | "pulumi", environment = {}): Promise<Driver> {
      return follower(from === "plumbline" ? "pulumi" : "plumbline", pair[from], environment);
    }
    async function follower(
      engine: "plumbline" | "pulumi",
      { emulator, stack }: { readonly emulator: Emulator; readonly stack: Driver },
      environment = {},
    ): Promise<Driver> {
      const { baseUrl, token } = emulator;
      const next = await createDriver(engine, pair.present(), { baseUrl, token, environment, plugin: "own" });
      cpSync(join(stack.folder, "Pulumi.dev.yaml"), join(next.folder, "Pulumi.dev.yaml"));
      return next;
    }
    const exported = (from: "plumbline" | "pulumi", to: Driver, ...flags: string[]): Promise<string> =>
      exportedOf(pair[from].stack, to, ...flags);
    async function exportedOf(from: Driver, to: Driver, ...flags: string[]): Promise<string> {
      const { stdout, stderr, code } = await from.command("stack", "export", "--stack", "dev", ...flags);
      if (code !== 0) throw new Error(stderr);
      const file = join(to.folder, "export.json");
      writeFileSync(file, stdout);
      return file;
    }
    async function findsNothingToDo(next: Driver): Promise<void> {
      expect(Object.keys((await next.preview("--expect-no-changes")).changes).sort()).toEqual([
        "read",
        "same",
      ]);
      expect((await next.refresh()).changes).toEqual({ same: expect.any(Number) });
    }

    it.each([
      ["sealed", []],
      ["in the clear", ["--show-secrets"]],
    ])("to Pulumi, which finds nothing to do, secrets %s", async (_, flags) => {
      const next = await successor("plumbline");
      try {
        const file = await exported("plumbline", next, "--pulumi", ...flags);
        const imported = await next.command("stack", "import", "--file", file, "--stack", "dev");
        expect(`${imported.code} ${imported.stderr}`).toMatch(/^0/);
        await findsNothingToDo(next);
      } finally {
        next.remove();
      }
    });

    it.each([
      ["sealed", []],
      ["in the clear", ["--show-secrets"]],
    ])("to Plumbline's engine, which finds nothing to do, secrets %s", async (_, flags) => {
      const next = await successor("pulumi");
      try {
        const file = await exported("pulumi", next, ...flags);
        const imported = await next.command("stack", "import", file, "--stack", "dev");
        expect(`${imported.code} ${imported.stderr}`).toMatch(/^0/);
        await findsNothingToDo(next);
        const saved = readFileSync(join(next.folder, ".plumbline", "stacks", "test", "dev.json"), "utf8");
        for (const secret of ["known to two", "owner-token"]) expect(saved).not.toContain(secret);
      } finally {
        next.remove();
      }
    });

    it.each(Object.entries(stores).filter(([name]) => name !== "a folder"))(
      "to Plumbline's engine with its state in %s, and from there back to Pulumi",
      async (_, open) => {
        const environment = await open();
        const next = await successor("pulumi", environment);
        const last = await follower("pulumi", pair.pulumi);
        try {
          const imported = await next.command(
            ...["stack", "import", await exported("pulumi", next), "--stack", "dev"],
          );
          expect(`${imported.code} ${imported.stderr}`).toMatch(/^0/);
          await findsNothingToDo(next);
          const file = await exportedOf(next, last, "--pulumi");
          const back = await last.command("stack", "import", "--file", file, "--stack", "dev");
          expect(`${back.code} ${back.stderr}`).toMatch(/^0/);
          await findsNothingToDo(last);
        } finally {
          next.remove();
          last.remove();
        }
      },
    );
  });

  it("destroy everything but what is to be retained or is only read", async () => {
    await pair.up(
      edit({
        alike: options("alike", { retainOnDelete: true }),
        within: options("within", { deletedWith: "${network}" }),
      }),
    );
    await pair.run("destroy");
    expect(leftovers(pair.plumbline.emulator)).toEqual({ vpcs: 1 });
  });
});
