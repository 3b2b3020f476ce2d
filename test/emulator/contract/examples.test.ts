/** The contract's own request examples (`examples.json`, as the contract has them) are sent to the emulator, every one. */

import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Seed } from "../../../emulator/account/account-file.ts";
import { starterAccount } from "../../../emulator/catalogue/starter.ts";
import { selfSigned } from "../../../emulator/certificate.ts";
import { beginning } from "../../beginning.ts";
import { type Answer, openSession, type Session } from "../session.ts";

const examples: { readonly [operation: string]: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL("examples.json", import.meta.url), "utf8"),
);
const unsent = new Set(Object.keys(examples));

/** What the examples name: instance 123 with profile 23456 in `us-east`, stopped, and credential 9991. */
const [instance, config] = ["computeInstances", "computeConfigs"].map(
  (name) => starterAccount.collections?.[name]?.[0],
);
const seed: Seed = {
  account: {},
  requests: [],
  collections: {
    computeInstances: [{ ...instance, id: 123, status: "offline", _lastConfig: 23456 }],
    computeConfigs: [{ ...config, id: 23456, compute_id: 123 }],
    managedCredentials: [
      { id: 9991, label: "seed", last_decrypted: null, _username: "johndoe", _password: "secret" },
    ],
  },
};

let on: Session;
beforeEach(async () => {
  on = await openSession({ seed });
});
afterEach(() => on.close());

/** Sends an example; `instead` has the fields that cannot be sent as written, and each use of it says why. */
async function send(
  operation: string,
  ids: readonly (number | string)[] = [],
  instead: object = {},
): Promise<Answer> {
  const [method, template = ""] = operation.split(" ");
  const left = [...ids];
  const path = template.replace(/\{\w+\}/g, () => String(left.shift()));
  const body = { ...examples[operation], ...instead };
  unsent.delete(operation);
  return method === "POST" ? on.post(path, body) : on.put(path, body);
}

describe("the contract's examples work", () => {
  test.each([
    ["mysql", {}],
    // The contract's own list of values has `asynch` alone (section 2.5).
    ["postgresql", { replication_type: "asynch" }],
  ])("of a %s database", async (kind, instead) => {
    const path = `/databases/${kind}/instances`;
    // The resize example goes up from the smallest type.
    const { id, version } = await send(`POST ${path}`, [], { ...instead, type: "g6-nanode-1" });
    expect(await on.get(`/databases/engines/${kind}%2F${version}`)).toMatchObject({ version });
    await on.refused(400, "POST", path, { ...examples[`POST ${path}`], ...instead });
    await on.post(path, { ...examples[`POST ${path}`], ...instead, label: "example-db-2" });
    // It may be the hour of its backup or its maintenance.
    const rested = async (seconds: number) => {
      on.wait(seconds);
      while ((await on.get(`${path}/${id}`)).status !== "active") on.wait(600);
    };
    await rested(3_600);
    // `type` and `allow_list` are never changed in one request (section 2.5).
    const { type, ...rest } = examples[`PUT ${path}/{instanceId}`]!;
    expect(await send(`PUT ${path}/{instanceId}`, [id], { type: undefined })).toMatchObject(rest);
    await rested(3_600);
    await send(`PUT ${path}/{instanceId}`, [id], { allow_list: undefined, updates: undefined });
    await rested(7_200);
    expect(await on.get(`${path}/${id}`)).toMatchObject({ type });
    // Labels of snapshots have no hyphens (section 2.5).
    await send(`POST ${path}/{instanceId}/backups`, [id], { label: "db_snapshot" });
  });

  test("of domains and records", async () => {
    const domain = await send("POST /domains");
    expect(await send("PUT /domains/{domainId}", [domain.id])).toMatchObject({ tags: domain.tags });
    // An example for all types at once: each field goes with a type that has it (section 2.4).
    const records = "POST /domains/{domainId}/records";
    const bare = { priority: 0, weight: 0, port: 0 };
    const record = await send(records, [domain.id], bare);
    expect(record).toMatchObject({ name: "test", target: "192.0.2.0", ttl_sec: 604_800 });
    await send("PUT /domains/{domainId}/records/{recordId}", [domain.id, record.id], bare);
    const srv = { type: "SRV", service: "sip", protocol: "tcp", target: "sip" };
    expect(await send(records, [domain.id], srv)).toMatchObject({ priority: 50, weight: 50, port: 80 });
    await on.remove(`/domains/${domain.id}`);
    const other = await on.post("/domains", {
      domain: "example.com",
      type: "master",
      soa_email: "a@example.com",
    });
    expect(await send("POST /domains/{domainId}/clone", [other.id])).toMatchObject({ domain: "example.org" });
  });

  test("of an import, from a nameserver that answers", async () => {
    const source = await openSession({ dns: 0 });
    const { domain } = examples["POST /domains/import"] as { domain: string };
    const axfr_ips = ["127.0.0.1"];
    await source.post("/domains", { domain, type: "master", soa_email: "a@example.com", axfr_ips });
    const remote_nameserver = `127.0.0.1:${source.emulator.dnsPort}`;
    expect(await send("POST /domains/import", [], { remote_nameserver })).toMatchObject({ domain });
    await source.close();
  });

  test("of a StackScript, with images that are retired", async () => {
    const made = await send("POST /compute/stackscripts");
    expect(made).toMatchObject(examples["POST /compute/stackscripts"]!);
    expect(await send("PUT /compute/stackscripts/{stackscriptId}", [made.id])).toMatchObject({ id: made.id });
    for (const image of made.images)
      expect(await on.get(`/images/${image}`)).toMatchObject({ id: image, deprecated: true });
  });

  test("of clusters and pools", async () => {
    // The contract's own list of values has `ext4` (section 13 of the notes).
    const disks = [{ size: 1024, type: "ext4" }];
    const pool = { ...(examples["POST /lke/clusters"]!["node_pools"] as object[])[0], disks };
    const { id } = await send("POST /lke/clusters", [], { node_pools: [pool] });
    await send("PUT /lke/clusters/{clusterId}", [id]);
    on.wait(3_600);
    await send("POST /lke/clusters/{clusterId}/regenerate", [id]);
    const added = await send("POST /lke/clusters/{clusterId}/pools", [id], { disks });
    expect(added).toMatchObject({ count: 6, autoscaler: { enabled: true, min: 3, max: 12 } });
    await send("PUT /lke/clusters/{clusterId}/pools/{poolId}", [id, added.id]);
  });

  test("of managed monitoring", async () => {
    const contact = await send("POST /managed/contacts");
    await send("PUT /managed/contacts/{contactId}", [contact.id]);
    const credential = await send("POST /managed/credentials");
    await send("PUT /managed/credentials/{credentialId}", [credential.id]);
    await send("POST /managed/credentials/{credentialId}/update", [credential.id]);
    expect((await send("PUT /managed/compute-settings/{computeId}", [123])).ssh).toEqual(
      examples["PUT /managed/compute-settings/{computeId}"]!["ssh"],
    );
    const service = await send("POST /managed/services");
    expect(await send("PUT /managed/services/{serviceId}", [service.id])).toMatchObject({
      credentials: [9991],
    });
  });

  test("of Object Storage", async () => {
    const place = ["us-east-1", "example-bucket"];
    const bucket = "/object-storage/buckets/{clusterId}/{bucket}";
    await send("POST /object-storage/buckets");
    await send(`POST ${bucket}/access`, place);
    await send(`PUT ${bucket}/access`, place);
    const { url } = await on.post(
      bucket.replace("{clusterId}/{bucket}", place.join("/")).concat("/object-url"),
      {
        name: "<name>",
        method: "PUT",
        content_type: "text/plain",
      },
    );
    await fetch(url, { method: "PUT", headers: { "content-type": "text/plain" }, body: "x" });
    await send(`PUT ${bucket}/object-acl`, place);
    expect((await send(`POST ${bucket}/object-url`, place)).url).toContain("/example-bucket/example?");
    const key = "POST /object-storage/keys";
    const [access] = examples[key]!["bucket_access"] as { cluster: string; bucket_name: string }[];
    await on.post("/object-storage/buckets", { cluster: access!.cluster, label: access!.bucket_name });
    const { id } = await send(key);
    await send("PUT /object-storage/keys/{keyId}", [id]);
    // A certificate that is none stands in for one.
    const [from, to] = [-1, 1].map((days) => new Date(beginning.getTime() + days * 86_400_000));
    const made = selfSigned({
      seed: "a".repeat(64),
      name: "test",
      hosts: ["example-bucket"],
      from: from!,
      to: to!,
    });
    const pair = { certificate: made.certificate, private_key: made.privateKey };
    expect(await send(`POST ${bucket}/ssl`, place, pair)).toEqual({ ssl: true });
  });

  test("of volumes", async () => {
    const { id } = await send("POST /volumes");
    expect(await on.get(`/volumes/${id}`)).toMatchObject({ compute_id: 123, label: "my-volume", size: 20 });
    on.wait(60);
    // Size and instance are not changed by an update: what only answers have is ignored (notes, section 1.4).
    expect(await send("PUT /volumes/{volumeId}", [id])).toMatchObject({ compute_id: 123, size: 20 });
    expect(await send("POST /volumes/{volumeId}/resize", [id])).toMatchObject({ size: 30 });
    on.wait(60);
    await on.post(`/volumes/${id}/detach`);
    await send("POST /volumes/{volumeId}/attach", [id], { compute_id: 123 });
    await on.put(`/volumes/${id}`, { label: "other" });
    expect(await send("POST /volumes/{volumeId}/clone", [id])).toMatchObject({
      label: "my-volume",
      size: 30,
    });
  });

  test("of VPCs and subnets", async () => {
    const vpc = await send("POST /vpcs");
    await send("PUT /vpcs/{vpcId}", [vpc.id]);
    const [subnet] = vpc.subnets;
    await send("PUT /vpcs/{vpcId}/subnets/{vpcSubnetId}", [vpc.id, subnet.id]);
    await on.remove(`/vpcs/${vpc.id}/subnets/${subnet.id}`);
    expect(await send("POST /vpcs/{vpcId}/subnets", [vpc.id])).toMatchObject({ ipv4: "10.0.1.0/24" });
  });
});

afterAll(() => expect([...unsent], "no test sends these examples").toEqual([]));
