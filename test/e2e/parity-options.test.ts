/** Options and troubles that need a particular order of things, under both engines: equal plans, equal accounts, equal states. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, kept, leftovers } from "./account.ts";
import { createPair, type Pair } from "./pair.ts";
import { type Blocks, domain, having, record, subnet, vpc } from "./parity-program.ts";
import { type Program, pulumiBin } from "./pulumi.ts";

const urn = (type: string, name: string) => `urn:pulumi:dev::test::${type}::${name}`;

describe.skipIf(!pulumiBin)("particular options under both engines", { timeout: 120_000 }, () => {
  let pair: Pair;
  let blocks: Blocks = {};
  /** Edits the blocks as they are now; undefined takes one out. */
  const edit = (
    edits: { readonly [name: string]: Blocks[string] | undefined },
    outputs: object = {},
  ): Program => {
    blocks = having(blocks, edits);
    return { resources: blocks, outputs };
  };
  const text = (name: string, target: string, options?: object) => record("TXT", name, target, {}, options);
  const zoneOf = (more: object, options?: object) => domain({ domain: "options.example", ...more }, options);

  beforeAll(async () => {
    pair = await createPair({ resources: {} });
  });
  afterAll(() => pair?.close());

  it("children take over what their parent has: protect, retainOnDelete, deletedWith, provider", async () => {
    await pair.up(
      edit({
        zone: zoneOf({}, { protect: true }),
        child: text("child", "of a protected parent", { parent: "${zone}" }),
        free: text("free", "of a protected parent", { parent: "${zone}", protect: false }),
        other: { type: "pulumi:providers:plumbline", properties: {} },
        network: vpc({ label: "options-net" }, { provider: "${other}", retainOnDelete: true }),
        inside: subnet("network", "inside", "10.0.0.0/24", { parent: "${network}" }),
      }),
      { preview: true },
    );
    const { resources } = await pair.plumbline.stack.state();
    expect(resources["inside"]).toMatchObject({ retainOnDelete: true });
    await pair.up(
      edit({ zone: zoneOf({}), network: vpc({ label: "options-net" }, { provider: "${other}" }) }),
    );
  });

  it("an import with a difference is brought to what is declared", async () => {
    const { plumbline: id } = await pair.both(async ({ emulator }) => {
      const zone = kept(emulator, "domains")[0]?.id;
      const fields = { type: "TXT", name: "hand", target: "made by hand", ttl_sec: 300 };
      return `${zone}/${(await call(emulator, "POST", `/domains/${zone}/records`, fields)).id}`;
    });
    await pair.up(edit({ hand: text("hand", "declared otherwise", { import: id }) }));
    expect(kept(pair.plumbline.emulator, "domain_records").map(({ target }) => target)).toContain(
      "declared otherwise",
    );
    blocks = having(blocks, { hand: text("hand", "declared otherwise") });
  });

  it("one is replaced with the other, and deleted with it", async () => {
    await pair.up(
      edit({
        leader: text("leader", "one", { replaceOnChanges: ["target"] }),
        follower: text("follower", "stays", { replaceWith: ["${leader}"] }),
        inside: subnet("network", "inside", "10.0.0.0/24", {
          parent: "${network}",
          deletedWith: "${network}",
        }),
      }),
    );
    const { plan } = await pair.up(
      edit({ leader: text("leader", "two", { replaceOnChanges: ["target"] }) }),
      {
        preview: true,
      },
    );
    expect(plan).toMatchObject({ leader: { op: "replace" }, follower: { op: "replace" } });
    await pair.up(edit({ network: undefined, inside: undefined }), { preview: true });
    expect(kept(pair.plumbline.emulator, "vpcSubnets")).toEqual([]);
  });

  it("what is deleted first takes what hangs on it along", async () => {
    const options = { deleteBeforeReplace: true, replaceOnChanges: ["description"] };
    await pair.up(edit({ zone: zoneOf({ description: "one" }, options) }));
    const { plan } = await pair.up(edit({ zone: zoneOf({ description: "two" }, options) }), {
      preview: true,
    });
    expect(plan).toMatchObject({
      zone: { op: "replace", because: ["description"] },
      child: { op: "replace", because: ["domainId"] },
    });
    expect(kept(pair.plumbline.emulator, "domains")).toHaveLength(1);
  });

  it("only what is targeted is touched", async () => {
    const program = edit({
      free: text("free", "targeted", { parent: "${zone}" }),
      child: text("child", "left alone", { parent: "${zone}" }),
    });
    const free = urn("plumbline:dns/domain:Domain$plumbline:dns/record:Record", "free");
    const { changes } = await pair.up(program, { preview: true, flags: ["--target", free] });
    expect(changes).toMatchObject({ update: 1 });
    await pair.up(program);
  });

  it("a program that fails half-way goes on from there", async () => {
    const trouble = [{ method: "POST", path: "/vpcs", times: 20, do: "status", status: 400 } as const];
    await pair.both(async ({ emulator }) => emulator.setFaults(trouble));
    const program = edit({
      before: text("before", "made all the same"),
      broken: vpc({ label: "broken-net" }),
      after: subnet("broken", "after", "10.0.0.0/24"),
    });
    await pair.fail("up", program);
    await pair.both(async ({ emulator }) => emulator.setFaults([]));
    const { plan } = await pair.up(program, { afterFailure: true });
    expect(plan).toMatchObject({ before: { op: "same" }, broken: { op: "create" }, after: { op: "create" } });
    expect((await pair.up(program)).changes).toEqual({ same: 9 });
  });

  it("an object that is gone unnoticed is told of, and made again after a refresh", async () => {
    await pair.both(async ({ emulator }) => {
      const zone = kept(emulator, "domains")[0]?.id;
      const gone = kept(emulator, "domain_records").find(({ name }) => name === "before")?.id;
      await call(emulator, "DELETE", `/domains/${zone}/records/${gone}`);
    });
    const program = edit({ before: text("before", "changed while it is gone") });
    await pair.fail("up", program);
    const { plan } = await pair.up(program, { flags: ["--refresh"] });
    expect(plan).toMatchObject({ before: { op: "create" } });
  });

  it("outputs of every kind are the same", async () => {
    await pair.up(
      edit(
        {},
        {
          urn: "${zone.urn}",
          whole: "${leader}",
          text: "zone ${zone.domain} has ${zone.tags}, ${leader.ttlSec} $${x}",
          secret: { "fn::secret": { inside: ["${leader.target}"] } },
          json: { "fn::toJSON": { b: 1, a: [true, null, 1.5] } },
          stack: "${pulumi.project}/${pulumi.stack}/${pulumi.organization}",
          number: 1e6,
          missing: "${zone.errors}",
        },
      ),
      { preview: true },
    );
  });

  it("everything goes", async () => {
    await pair.run("destroy");
    expect(leftovers(pair.plumbline.emulator)).toEqual({});
  });
});
