/** The example `web` through its whole life, under each engine on an emulator of its own. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { call, comparable, type Kept, kept, leftovers, writes } from "./account.ts";
import { createDriver, type Driver, type EngineName } from "./engines.ts";
import { type Program, pulumiBin } from "./pulumi.ts";
import { changed, edited, text } from "./web.ts";

const limit = { timeout: 120_000 };
const engines: readonly EngineName[] = ["plumbline", "pulumi"];

for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(`the web example under ${engine}`, limit, () =>
    life(engine),
  );
}

function life(engine: EngineName): void {
  let emulator: Emulator;
  let untouched: ReturnType<typeof comparable>;
  let stack: Driver;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
    untouched = comparable(emulator);
    const { baseUrl, token } = emulator;
    stack = await createDriver(engine, text, { baseUrl, token, plugin: "own" });
  });
  afterAll(async () => {
    stack?.remove();
    await emulator?.close();
  });

  const records = () => kept(emulator, "domain_records");
  const record = (type: string, name: string): Kept => {
    const [found, ...more] = records().filter((one) => one["type"] === type && one["name"] === name);
    if (found === undefined || more.length > 0) throw new Error(`${more.length} records ${type} ${name}`);
    return found;
  };
  const one = (collection: string, label: string): Kept => {
    const found = kept(emulator, collection).find((object) => object["label"] === label);
    if (found === undefined) throw new Error(`${collection} has no ${label}`);
    return found;
  };
  const zoneId = () => kept(emulator, "domains")[0]?.id;

  it("is planned in full before anything is written", async () => {
    const { changes, said } = await stack.preview();
    expect(changes).toEqual({ create: 21 });
    expect(said).toEqual([]);
    expect(writes(emulator)).toEqual({});
  });

  it("is made with one request each, as declared", async () => {
    expect((await stack.up()).changes).toEqual({ create: 21 });
    expect(writes(emulator)).toEqual({
      "POST /domains": 1,
      "POST /domains/{domainId}/records": 14,
      "POST /volumes": 2,
      "POST /vpcs": 1,
      "POST /vpcs/{vpcId}/subnets": 3,
    });
    expect(kept(emulator, "domains")).toMatchObject([
      {
        domain: "plumbline-web.example",
        soa_email: "hostmaster@plumbline-web.example",
        ttl_sec: 3600,
        refresh_sec: 14400,
        tags: ["production", "web"],
      },
    ]);
    expect(String(record("TXT", "s1._domainkey")["target"])).toMatch(/^v=DKIM1; k=rsa; p=\w{300,}IDAQAB$/);
    expect(record("SRV", "_sip._tcp")).toMatchObject({ priority: 10, weight: 60, port: 5060 });
    expect(record("A", "*.sites")["target"]).toBe("203.0.113.10");
    const network = one("vpcs", "production").id;
    expect(kept(emulator, "vpcSubnets")).toMatchObject([1, 2, 3].map(() => ({ vpc_id: network })));
    expect(one("volumes", "production-data")).toMatchObject({ size: 40, compute_id: 1001, status: "active" });
    expect(one("volumes", "production-backup")).toMatchObject({ size: 80, compute_id: null });
    expect(await stack.outputs()).toEqual({
      domainId: String(zoneId()),
      networkId: String(network),
      subnets: { web: "10.10.1.0/24", data: "10.10.2.0/24", ops: "10.10.3.0/26" },
      dataDiskPath: "/dev/disk/by-id/scsi-0Compute_Volume_production-data",
    });
  });

  it("needs nothing the second time, nor after a refresh", async () => {
    const before = writes(emulator);
    expect((await stack.up()).changes).toEqual({ same: 21 });
    expect((await stack.refresh()).changes).toEqual({ same: 21 });
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 21 });
    expect(writes(emulator)).toEqual(before);
  });

  it("takes what changed behind its back into the state, then puts it right", async () => {
    const wildcard = record("A", "*.sites");
    await call(emulator, "PUT", `/domains/${zoneId()}/records/${wildcard.id}`, { target: "198.51.100.66" });
    await call(emulator, "PUT", `/vpcs/${one("vpcs", "production").id}`, { description: "mine now" });
    const found = await stack.refresh();
    expect(found.changes).toEqual({ same: 19, update: 2 });
    const repaired = await stack.up();
    expect(repaired.changes).toEqual({ same: 19, update: 2 });
    expect(repaired.plan["wildcard"]?.paths).toEqual({ target: "update" });
    expect(repaired.plan["network"]?.paths).toEqual({ description: "update" });
    expect(record("A", "*.sites")["target"]).toBe("203.0.113.10");
    expect(one("vpcs", "production")["description"]).toBe("Private network of the production servers");
  });

  it("puts a change and a loss right in one go", async () => {
    const volume = one("volumes", "production-backup");
    await call(emulator, "PUT", `/volumes/${volume.id}`, { tags: ["production"] });
    await call(emulator, "DELETE", `/domains/${zoneId()}/records/${record("CNAME", "www").id}`);
    const { changes, plan } = await stack.up("--refresh");
    expect(changes).toEqual({ same: 19, update: 1, create: 1 });
    expect(plan).toMatchObject({ backupDisk: { op: "update" }, www: { op: "create" } });
    expect(one("volumes", "production-backup")["tags"]).toEqual(["production", "web"]);
    expect(record("CNAME", "www")["target"]).toBe("plumbline-web.example");
    expect((await stack.up("--refresh")).changes).toEqual({ same: 21 });
  });

  it("is updated in place where it can be, and replaced where it cannot", async () => {
    stack.write(edited(...changed));
    const before = one("vpcSubnets", "ops").id;
    const expected = {
      dmarc: { op: "update", because: [], paths: { target: "update" } },
      opsSubnet: { op: "replace", because: ["ipv4"], paths: { ipv4: "update-replace" } },
    };
    expect((await stack.preview()).plan).toMatchObject(expected);
    const { plan, changes } = await stack.up();
    expect(changes).toEqual({ same: 19, update: 1, replace: 1 });
    expect(plan).toMatchObject(expected);
    expect(record("TXT", "_dmarc")["target"]).toContain("p=reject");
    expect(one("vpcSubnets", "ops")).toMatchObject({ ipv4: "10.10.4.0/24" });
    expect(one("vpcSubnets", "ops").id).not.toBe(before);
    expect(await stack.outputs()).toMatchObject({ subnets: { ops: "10.10.4.0/24" } });
    expect((await stack.up()).changes).toEqual({ same: 21 });
  });

  it("refuses what the service would refuse, with the property and without a write", async () => {
    const before = writes(emulator);
    stack.write(edited(...changed, ["size: 80", "size: 60"]));
    const refused = await stack.attempt("up");
    expect(refused.code).toBe(1);
    expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(/size/);
    expect(writes(emulator)).toEqual(before);
  });

  it("is adopted elsewhere by ids and by names, and then needs no change", async () => {
    const { config, variables, resources } = parse(edited(...changed)) as Program & {
      resources: { [name: string]: object };
    };
    const zone = "plumbline-web.example";
    const adopted = {
      zoneDomain: ["plumbline:dns/domain:Domain", zone],
      www: ["plumbline:dns/record:Record", `${zone}/www/CNAME`],
      dkimKey: ["plumbline:dns/record:Record", `${zoneId()}/${record("TXT", "s1._domainkey").id}`],
      network: ["plumbline:vpc/vpc:Vpc", `${one("vpcs", "production").id}`],
      webSubnet: ["plumbline:vpc/subnet:Subnet", "production/web"],
      dataDisk: ["plumbline:blockstorage/volume:Volume", "production-data"],
      backupDisk: ["plumbline:blockstorage/volume:Volume", `${one("volumes", "production-backup").id}`],
    } as const;
    const program = {
      ...(config && { config }),
      ...(variables && { variables }),
      resources: Object.fromEntries(Object.keys(adopted).map((name) => [name, resources[name]])),
    };
    const other = await createDriver(engine, program, { baseUrl: emulator.baseUrl, token: emulator.token });
    try {
      const before = writes(emulator);
      await other.import(adopted);
      expect((await other.preview("--expect-no-changes")).changes).toEqual({ same: 7 });
      expect((await other.up()).changes).toEqual({ same: 7 });
      expect(writes(emulator)).toEqual(before);
    } finally {
      other.remove();
    }
  });

  it("keeps what is protected, and is taken down without a trace", async () => {
    stack.write(edited(...changed, ["  backupDisk:\n", "  backupDisk:\n    options: { protect: true }\n"]));
    expect((await stack.up()).changes).toEqual({ same: 21 });
    const refused = await stack.attempt("destroy");
    expect(refused.code).toBe(engine === "plumbline" ? 4 : 1);
    expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(/backupDisk[\s\S]*protect/);
    expect(kept(emulator, "volumes").length).toBeGreaterThan(0);
    expect(one("volumes", "production-backup")["size"]).toBe(80);

    stack.write(edited(...changed));
    await stack.up();
    expect((await stack.destroy()).changes).toEqual({ delete: 21 });
    expect(leftovers(emulator)).toEqual({});
    expect(comparable(emulator)).toEqual(untouched);
    expect(emulator.mismatches).toEqual([]);
  });
}
