/** Walks every answer of an account that has one of everything, and looks for host names: none may be a stranger's. */

import { expect, test } from "vitest";
import { operations } from "../../../emulator/contract/contract.ts";
import { type Answer, openSession, type Session } from "../session.ts";
import { makeBucket } from "./objectstorage/client.ts";

/** One of everything that has an id, and the ids that fill the paths of the contract. */
async function fill(on: Session, brand: string): Promise<{ [parameter: string]: number | string }> {
  const make = async (path: string, body: object) => (await on.post(path, body)) as Answer;
  const region = "us-east";
  const script = await make(`/${brand}/stackscripts`, {
    label: "script",
    images: ["any/all"],
    script: "#!/bin/sh",
  });
  const domain = await make("/domains", {
    domain: "ours.test",
    type: "master",
    soa_email: "a@ours.test",
    tags: ["t"],
  });
  const record = await make(`/domains/${domain.id}/records`, { type: "MX", target: "mail.ours.test" });
  const vpc = await make("/vpcs", { label: "net", region, subnets: [{ label: "sub", ipv4: "10.0.0.0/24" }] });
  const instance = await make(`/${brand}/instances`, {
    ...{ region, type: "g6-standard-2", image: `${brand}/debian12`, root_pass: "correct horse battery" },
    interfaces: [{ purpose: "vpc", subnet_id: vpc.subnets[0].id }],
  });
  const volume = await make("/volumes", { label: "volume", region });
  const database = { region, type: "g6-nanode-1" };
  const mysql = await make("/databases/mysql/instances", {
    ...database,
    label: "mysql",
    engine: "mysql/8.0.30",
  });
  const postgresql = await make("/databases/postgresql/instances", {
    ...{ ...database, label: "postgres", engine: "postgresql/14.6" },
  });
  const cluster = await make("/lke/clusters", {
    ...{ label: "cluster", region, k8s_version: "1.29" },
    node_pools: [{ type: "g6-standard-2", count: 1 }],
  });
  await makeBucket(on, "bucket");
  const { url } = await make("/object-storage/buckets/us-east-1/bucket/object-url", {
    ...{ name: "a", method: "PUT", content_type: "text/plain" },
  });
  await fetch(url, { method: "PUT", headers: { "content-type": "text/plain" }, body: "x" });
  const key = await make("/object-storage/keys", {});
  const contact = await make("/managed/contacts", { name: "Jo", email: "jo@ours.test" });
  const credential = await make("/managed/credentials", { label: "credential", password: "secret" });
  const service = await make("/managed/services", {
    ...{ label: "service", service_type: "url", address: "https://www.ours.test", timeout: 5 },
  });
  const token = await make("/profile/tokens", { label: "token" });
  const sshKey = await make("/profile/sshkeys", { label: "key", ssh_key: `ssh-ed25519 ${"A".repeat(68)}` });
  on.wait(3_600);
  on.emulator.change({ collections: { managedServices: { [service.id]: { _failing: true } } } });
  on.emulator.advance(600);
  for (const [kind, { id }] of Object.entries({ mysql, postgresql })) {
    const path = `/databases/${kind}/instances/${id}`;
    // It may be the hour of its maintenance.
    while ((await on.get(path)).status !== "active") on.emulator.advance(600);
    await make(`${path}/backups`, { label: "snap" });
  }
  on.emulator.advance(86_400 * 30);
  const [config] = await on.list(`/${brand}/instances/${instance.id}/configs`);
  const [disk] = await on.list(`/${brand}/instances/${instance.id}/disks`);
  const [pool] = await on.list(`/lke/clusters/${cluster.id}/pools`);
  const [issue] = await on.list("/managed/issues");
  const [event] = await on.list("/account/events");
  const backup = async (kind: string, id: number) =>
    (await on.list(`/databases/${kind}/instances/${id}/backups`))[0].id;
  return {
    ...{ stackscriptId: script.id, domainId: domain.id, recordId: record.id, vpcId: vpc.id, diskId: disk.id },
    ...{ vpcSubnetId: vpc.subnets[0].id, computeId: instance.id, configId: config.id, volumeId: volume.id },
    ...{ interfaceId: config.interfaces[0].id, keyId: key.id, contactId: contact.id, issueId: issue.id },
    ...{ credentialId: credential.id, serviceId: service.id, tokenId: token.id, eventId: event.id },
    ...{ poolId: pool.id, nodeId: pool.nodes[0].id, bucket: "bucket", version: "1.29", regionId: region },
    ...{
      kernelId: `${brand}/latest-64bit`,
      imageId: `${brand}/debian12`,
      tagLabel: "t",
      engineId: "mysql/8.0.30",
    },
    ...{ "/lke/ clusterId": cluster.id, "/object-storage/ clusterId": "us-east-1", typeId: "g6-nanode-1" },
    ...{ "/databases/mysql/ instanceId": mysql.id, "/databases/postgresql/ instanceId": postgresql.id },
    "/databases/mysql/ backupId": await backup("mysql", mysql.id),
    "/databases/postgresql/ backupId": await backup("postgresql", postgresql.id),
    ...{ sshKeyId: sshKey.id, address: instance.ipv4[0] },
    ...{ username: (await on.get("/profile")).username },
  };
}

/** Every text in an answer, with what stands in base64 beside it. */
function texts(value: unknown): string[] {
  if (typeof value === "string") {
    const inner = /^[A-Za-z0-9+/]{200,}=*$/.test(value)
      ? [Buffer.from(value, "base64").toString("latin1")]
      : [];
    return [value, ...inner.filter((text) => /^[\s\x20-\x7e]+$/.test(text))];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}

const hostForm = /(?<![\w.%+-])(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z]{2,}\b/gi;
/** Names of XML, which nobody looks up. */
const namespaces = ["s3.amazonaws.com", "acs.amazonaws.com", "www.w3.org"];

test.each(["compute", "acme"])(
  "under the brand %s no answer names a host that a stranger may have",
  async (brand) => {
    const on = await openSession({ brand });
    const ids = await fill(on, brand);
    const seen = new Map<string, string>();
    const unseen: string[] = [];
    for (const { method, template } of operations) {
      if (method !== "GET") continue;
      const path = template.replaceAll("compute", brand).replace(/\{(\w+)\}/g, (_, name) => {
        const scoped = Object.keys(ids).find(
          (key) => key.endsWith(` ${name}`) && template.startsWith(key.split(" ")[0]!),
        );
        return encodeURIComponent(ids[scoped ?? name.replace(brand, "compute")] ?? "unknown");
      });
      const answer = await fetch(
        `${on.emulator.baseUrl}${path}${template.endsWith("object-acl") ? "?name=a" : ""}`,
        {
          headers: { authorization: `Bearer ${on.emulator.token}` },
        },
      );
      if (answer.status === 200)
        for (const text of texts(await answer.json()))
          for (const [host] of text.matchAll(hostForm)) seen.set(host, template);
      else if (answer.status !== 204) unseen.push(`${template}: ${answer.status}`);
    }
    expect(unseen).toEqual([]);
    // The emulator's own kinds of hosts are among them, so that the walk is known to have seen them.
    const own = ["lke", "db", "objects"].map((offer) => `${brand}${offer}.invalid`);
    for (const domain of own)
      expect(
        [...seen.keys()].some((host) => host.endsWith(`.${domain}`)),
        domain,
      ).toBe(true);
    const strange = [...seen].filter(([host]) => {
      if (/\.(?:test|example|invalid)$|^(?:.*\.)?example\.(?:com|net|org)$/i.test(host)) return false;
      // A zone's nameservers are the contract's own text (section 4.2), for a registrar and for no client of the API.
      return !namespaces.includes(host) && !new RegExp(`^ns[1-5]\\.${brand}\\.com$`).test(host);
    });
    expect(strange).toEqual([]);
    await on.close();
  },
);
