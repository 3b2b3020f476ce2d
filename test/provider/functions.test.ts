import { afterAll, beforeAll, expect, test } from "vitest";
import type { ValueMap } from "../../provider/core/value.ts";
import { type Account, openAccount } from "./deployment.ts";

let account: Account;
let domainId: string;
let vpcId: string;
let volumeId: string;

const invoke = (name: string, args: ValueMap, preview = false) =>
  account.during(async (provider) => {
    const [area, fn] = name.split(".");
    return provider.invoke({ token: `plumbline:${area}/${fn}:${fn}`, args, preview });
  });
const result = async (name: string, args: ValueMap) => {
  const { result: found, failures } = await invoke(name, args);
  expect(failures).toEqual([]);
  return found;
};

beforeAll(async () => {
  account = await openAccount();
  const make = async (path: string, body: object) => String((await account.call("POST", path, body))["id"]);
  domainId = await make("/domains", {
    domain: "a.example",
    type: "master",
    soa_email: "x@a.example",
    tags: ["Prod"],
    group: "g",
  });
  await make("/domains", { domain: "b.example", type: "slave", master_ips: ["192.0.2.1"] });
  await make(`/domains/${domainId}/records`, { type: "A", name: "www", target: "192.0.2.1" });
  await make(`/domains/${domainId}/records`, { type: "TXT", name: "www", target: "hello" });
  await make(`/domains/${domainId}/records`, { type: "MX", target: "mail.example.org", priority: 5 });
  vpcId = await make("/vpcs", {
    label: "net",
    region: "us-east",
    subnets: [{ label: "web", ipv4: "10.0.0.0/24" }],
  });
  await make("/vpcs", { label: "far", region: "us-southeast" });
  volumeId = await make("/volumes", { label: "disk", region: "us-east", tags: ["Prod"] });
});
afterAll(() => account.close());

test("getDomain finds by id, given as text or number, and by name in any case", async () => {
  const ways: ValueMap[] = [{ id: domainId }, { id: Number(domainId) }, { domain: "A.example" }];
  for (const args of ways) {
    expect(await result("dns.getDomain", args)).toMatchObject({
      id: domainId,
      domain: "a.example",
      ttlSec: 0,
    });
  }
});

test("what does not exist is an error that names the key", async () => {
  await expect(invoke("dns.getDomain", { domain: "no.example" })).rejects.toThrow(
    'no Domain named "no.example"',
  );
  await expect(invoke("dns.getDomain", { id: 99 })).rejects.toThrow("no Domain with id 99");
  await expect(invoke("dns.getRecords", { domainId: 99 })).rejects.toThrow("no Domain with id 99");
  await expect(invoke("dns.getZoneFile", { domainId: 99 })).rejects.toThrow("no Domain with id 99");
  await expect(invoke("vpc.getVpc", { label: "no" })).rejects.toThrow('no Vpc labelled "no"');
  await expect(invoke("vpc.getSubnet", { vpcId, label: "no" })).rejects.toThrow(
    `labelled "no" in Vpc ${vpcId}`,
  );
  await expect(invoke("vpc.getSubnets", { vpcId: 99 })).rejects.toThrow("no Vpc with id 99");
  await expect(invoke("vpc.getVpcIps", { vpcId: 99 })).rejects.toThrow("no Vpc with id 99");
  await expect(invoke("blockstorage.getVolume", { id: 99 })).rejects.toThrow("no Volume with id 99");
});

test("arguments that contradict each other, are missing or unknown by name are failures, all at once", async () => {
  expect((await invoke("dns.getDomain", {})).failures).toEqual([
    { property: "id", reason: "is required, or domain in its place" },
  ]);
  expect((await invoke("dns.getDomain", { id: 1, domain: "x" })).failures[0]?.property).toBe("domain");
  const { failures } = await invoke("dns.getRecords", { domian: 1, type: "X" });
  expect(failures.map(({ property }) => property).sort()).toEqual(["domainId", "domian", "type"]);
});

test("a preview whose required arguments are not known yet answers nothing and refuses nothing", async () => {
  expect(await invoke("dns.getRecords", {}, true)).toEqual({ result: {}, failures: [] });
});

test("getDomains filters by group, tag and type", async () => {
  const names = async (args: ValueMap) =>
    ((await result("dns.getDomains", args))["domains"] as { domain: string }[]).map(({ domain }) => domain);
  expect(await names({})).toEqual(["a.example", "b.example"]);
  expect(await names({ tag: "prod" })).toEqual(["a.example"]);
  expect(await names({ type: "slave" })).toEqual(["b.example"]);
  expect(await names({ group: "g", type: "slave" })).toEqual([]);
});

test("getRecords filters by name, relative or full, and type", async () => {
  const found = async (args: ValueMap) =>
    (
      (await result("dns.getRecords", { domainId, ...args }))["records"] as { type: string; id: string }[]
    ).map(({ type }) => type);
  expect(await found({})).toEqual(["A", "TXT", "MX"]);
  expect(await found({ name: "WWW" })).toEqual(["A", "TXT"]);
  expect(await found({ name: "www.a.example." })).toEqual(["A", "TXT"]);
  expect(await found({ name: "" })).toEqual(["MX"]);
  expect(await found({ type: "TXT" })).toEqual(["TXT"]);
  const { records } = await result("dns.getRecords", { domainId, type: "MX" });
  expect(records).toMatchObject([{ id: expect.stringMatching(`^${domainId}/\\d+$`), domainId, priority: 5 }]);
});

test("getZoneFile answers the rendered zone as lines and as text", async () => {
  account.emulator.advance(600);
  const { lines, text } = await result("dns.getZoneFile", { domainId });
  expect(lines).toContainEqual(expect.stringMatching(/192\.0\.2\.1/));
  expect(text).toBe((lines as string[]).map((line) => `${line}\n`).join(""));
});

test("VPC functions show networks with their subnets", async () => {
  const web = { label: "web", ipv4: "10.0.0.0/24", vpcId, computes: [] };
  expect(await result("vpc.getVpc", { label: "net" })).toMatchObject({ id: vpcId, subnets: [web] });
  expect(await result("vpc.getVpc", { id: vpcId })).toMatchObject({ label: "net" });
  expect((await result("vpc.getVpcs", {}))["vpcs"]).toHaveLength(2);
  expect((await result("vpc.getVpcs", { region: "us-southeast" }))["vpcs"]).toMatchObject([{ label: "far" }]);
  const subnet = await result("vpc.getSubnet", { vpcId, label: "web" });
  expect(subnet).toMatchObject(web);
  expect(await result("vpc.getSubnet", { vpcId, subnetId: subnet["subnetId"]! })).toEqual(subnet);
  expect((await result("vpc.getSubnets", { vpcId }))["subnets"]).toEqual([subnet]);
});

test("getVpcIps shows the addresses of one network or all", async () => {
  const { subnetId } = await result("vpc.getSubnet", { vpcId, label: "web" });
  const compute = await account.call("POST", "/compute/instances", {
    region: "us-east",
    type: "g6-standard-1",
    image: "compute/debian12",
    root_pass: "pW!aVz2e7HcR",
    interfaces: [{ purpose: "vpc", subnet_id: Number(subnetId), ipv4: { vpc: "10.0.0.9" } }],
  });
  const ways: ValueMap[] = [{}, { vpcId }];
  for (const args of ways) {
    const { ips } = await result("vpc.getVpcIps", args);
    expect(ips).toMatchObject([{ address: "10.0.0.9", vpcId, subnetId, computeId: String(compute["id"]) }]);
  }
  const { computes } = await result("vpc.getSubnet", { vpcId, label: "web" });
  expect(computes).toMatchObject([{ id: String(compute["id"]), interfaces: [{ id: expect.any(String) }] }]);
});

test("Volume functions find by id, label, region and tag", async () => {
  expect(await result("blockstorage.getVolume", { label: "disk" })).toMatchObject({ id: volumeId, size: 20 });
  expect(await result("blockstorage.getVolume", { id: volumeId })).toMatchObject({ label: "disk" });
  expect((await result("blockstorage.getVolumes", { tag: "PROD" }))["volumes"]).toHaveLength(1);
  expect((await result("blockstorage.getVolumes", { region: "us-southeast" }))["volumes"]).toEqual([]);
});
