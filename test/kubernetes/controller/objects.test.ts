/** A controller over a real API server and the emulator: objects in any order, found and put right, and what may go wrong with one. */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../provider/kubernetes/api.ts";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openSite, type Site } from "./site.ts";

const domain = "plumbline:dns/domain:Domain";
const record = "plumbline:dns/record:Record";
const vpc = "plumbline:vpc/vpc:Vpc";
const subnet = "plumbline:vpc/subnet:Subnet";
const bucket = "plumbline:objectstorage/bucket:Bucket";
const object = "plumbline:objectstorage/object:Object";
const key = "plumbline:objectstorage/key:Key";
const credential = "plumbline:managed/credential:Credential";
const zone = { domain: "one.example", type: "master", soaEmail: "root@one.example" };
const www = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
const externalId = "plumbline.dev/external-id";

describe.skipIf(!hasKubernetes)("the controller", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let site: Site;
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
  }, 120_000);
  beforeEach(async () => {
    site = await openSite(cluster);
  });
  afterEach(() => site?.close());
  afterAll(() => cluster?.close());

  const count = async (path: string): Promise<unknown> => (await site.call("GET", path))["results"];
  const idOf = ({ metadata }: KubeObject): string => metadata.annotations![externalId]!;
  const events = async (name: string): Promise<string[]> => {
    const { body } = await cluster.ask("GET", `/apis/events.k8s.io/v1/namespaces/${site.namespace}/events`);
    return (body["items"] as { reason: string; regarding: { name: string } }[])
      .filter(({ regarding }) => regarding.name === name)
      .map(({ reason }) => reason)
      .sort();
  };
  const poke = (kind: string, name: string) =>
    site.patch(kind, name, { metadata: { annotations: { "plumbline.dev/reconcile": `${Date.now()}` } } });
  /** What it says after one more look. */
  async function looked(kind: string, name: string): Promise<KubeObject> {
    const before = site.looks(kind);
    await poke(kind, name);
    await expect.poll(() => site.looks(kind), { timeout: 10_000 }).toBeGreaterThan(before);
    return (await site.get(kind, name))!;
  }

  it("makes what is declared in any order, and takes it down in any order", async () => {
    await site.apply(record, "www", www);
    await site.startController();
    await site.until(record, "www", "Reconciling", { reason: "WaitingFor" });
    await site.apply(domain, "zone", zone);
    const made = await site.ready(record, "www");
    const id = idOf(await site.ready(domain, "zone"));
    expect(made.status!.id).toMatch(new RegExp(`^${id}/`));
    expect(await count(`/domains/${id}/records`)).toBe(1);
    await site.remove(domain, "zone");
    await site.untilGone(domain, "zone");
    await site.until(record, "www", "Reconciling", { reason: "WaitingFor" });
    await site.remove(record, "www");
    await site.untilGone(record, "www");
    expect(await count("/domains")).toBe(0);
    await expect.poll(() => events("zone")).toEqual(["Deleted", "Made"]);
  });

  it("makes three levels that are declared at once, from the last to the first, and takes all down at once", async () => {
    await site.startController();
    const { specs } = threeLevels();
    for (const [kind, name, spec] of [...specs].reverse()) await site.apply(kind, name, spec);
    for (const [kind, name] of specs) await site.ready(kind, name);
    expect((await site.get(object, "page"))!.status!.atProvider).toMatchObject({
      bucket: "assets",
      name: "index.html",
    });
    for (const [kind, name] of specs) await site.remove(kind, name);
    for (const [kind, name] of specs) await site.untilGone(kind, name);
    expect([await count("/vpcs"), (await site.call("GET", "/object-storage/buckets"))["results"]]).toEqual([
      0, 0,
    ]);
  });

  it("takes content from a ConfigMap and passwords from a Secret, and follows both when they change", async () => {
    await site.startController();
    await site.apply(bucket, "assets", { cluster: "us-east-1", label: "assets" });
    await site.apply(object, "page", {
      ...{ bucketRef: { name: "assets" }, name: "index.html" },
      source: { configMapKeyRef: { name: "page", key: "html" } },
    });
    await site.until(object, "page", "Reconciling", { reason: "WaitingFor" });
    await cluster.ask("POST", `/api/v1/namespaces/${site.namespace}/configmaps`, {
      ...{ metadata: { name: "page" }, data: { html: "<p>é</p>" }, binaryData: { icon: "/wD+" } },
    });
    expect((await site.ready(object, "page")).status!.atProvider).toMatchObject({ size: 9 });
    const icon = { bucketRef: { name: "assets" }, name: "icon" };
    await site.apply(object, "icon", { ...icon, source: { configMapKeyRef: { name: "page", key: "icon" } } });
    expect((await site.ready(object, "icon")).status!.atProvider).toMatchObject({
      ...{ size: 3, etag: createHash("md5").update(Buffer.from("/wD+", "base64")).digest("hex") },
    });
    await site.apply(credential, "login", {
      label: "shop",
      passwordSecretRef: { name: "login", key: "password" },
    });
    const waiting = await site.until(credential, "login", "Reconciling", { reason: "WaitingFor" });
    expect(JSON.stringify(waiting.status)).toContain("key password of Secret login is not there yet");
    await site.secret("login", { password: "the-first-word" });
    const first = await site.ready(credential, "login");
    const writes = await site.writes(async () => {
      await site.secret("login", { password: "the-second-word" });
      await expect
        .poll(async () => JSON.stringify((await site.get(credential, "login"))!.status!.applied), {
          timeout: 10_000,
        })
        .not.toBe(JSON.stringify(first.status!.applied));
    });
    expect(writes).toBe(1);
    const shown = JSON.stringify([await site.get(credential, "login"), site.log]);
    expect(shown).not.toMatch(/the-(first|second)-word/);
  });

  it("writes what the service tells in secret into the Secret that is named, and stops where that is another's", async () => {
    await site.startController();
    await site.secret("theirs", { a: "b" });
    await site.apply(key, "refused", { label: "refused", writeSecretsTo: { name: "theirs" } });
    const refused = await site.until(key, "refused", "Stalled", { reason: "SecretTaken" });
    expect(JSON.stringify(refused.status)).toContain("the Secret theirs is not of Key refused");
    expect(await count("/object-storage/keys")).toBe(0);
    await site.apply(key, "ours", { label: "ours", writeSecretsTo: { name: "ours" } });
    const made = await site.ready(key, "ours");
    const { body } = await cluster.ask("GET", `/api/v1/namespaces/${site.namespace}/secrets/ours`);
    const values = Object.entries(body["data"] as { [key: string]: string }).map(
      ([name, value]) => [name, Buffer.from(value, "base64").toString()] as const,
    );
    const hidden = Object.fromEntries(values)["secretKey"]!;
    expect(hidden.length).toBeGreaterThan(10);
    expect(JSON.stringify([made, site.log])).not.toContain(hidden);
    expect(body["metadata"]).toMatchObject({ ownerReferences: [{ uid: made.metadata.uid }] });
    // Once theirs is gone the name is free.
    await site.secret("theirs", null);
    await site.ready(key, "refused");
  });

  it("finds drift and deletion at a look, puts both right and tells it", async () => {
    await site.startController();
    await site.apply(domain, "zone", { ...zone, description: "ours" });
    const id = idOf(await site.ready(domain, "zone"));
    await site.call("PUT", `/domains/${id}`, { description: "theirs" });
    await sleep(300);
    await looked(domain, "zone");
    await expect.poll(async () => (await site.call("GET", `/domains/${id}`))["description"]).toBe("ours");
    await site.call("DELETE", `/domains/${id}`);
    await sleep(300);
    await poke(domain, "zone");
    await expect
      .poll(
        async () =>
          idOf((await site.get(domain, "zone"))!) !== id &&
          (await site.get(domain, "zone"))!.status!.id !== id,
        { timeout: 10_000 },
      )
      .toBe(true);
    expect(await count("/domains")).toBe(1);
    await expect.poll(() => events("zone")).toEqual(["Changed", "DeletedOutside", "Drifted", "Made", "Made"]);
  });

  it("does not try again what the service refused until it changes", async () => {
    await site.call("POST", "/domains", { domain: "one.example", type: "master", soa_email: "a@b.example" });
    await site.startController();
    await site.apply(domain, "zone", zone);
    const { status } = await site.until(domain, "zone", "Stalled", {});
    expect(status!.conditions!.map(({ type, status: truth }) => `${type} ${truth}`).sort()).toEqual([
      "Ready False",
      "Stalled True",
      "Synced False",
    ]);
    expect(JSON.stringify(status)).toContain("write its id into the annotation plumbline.dev/external-id");
    const asked = site.emulator.stats().total;
    await sleep(3_000);
    expect(site.emulator.stats().total).toBe(asked);
    await site.apply(domain, "zone", { ...zone, domain: "two.example" });
    await site.ready(domain, "zone");
  });

  it("takes over by its name what is there, where it is told to, and nothing that another object stands for", async () => {
    const there = { domain: "one.example", type: "master", soa_email: "a@b.example" };
    const { id } = await site.call("POST", "/domains", there);
    await site.startController();
    const byName = { "plumbline.dev/adopt": "by-name" };
    await site.apply(domain, "zone", zone, byName);
    const taken = await site.ready(domain, "zone");
    expect(taken.metadata.annotations).toMatchObject({ "plumbline.dev/external-id": String(id) });
    expect(taken.metadata.annotations).not.toHaveProperty(["plumbline.dev/create-started"]);
    expect(await site.call("GET", `/domains/${id}`)).toMatchObject({ soa_email: zone.soaEmail });
    await site.apply(domain, "twin", zone, byName);
    await site.until(domain, "twin", "Stalled", { reason: "Refused" });
    expect((await site.call("GET", "/domains"))["results"]).toBe(1);
  });

  it("takes over by their ids the objects of a cluster that was restored without status, and writes nothing", async () => {
    const controller = await site.startController();
    for (let at = 0; at < 5; at += 1)
      await site.apply(domain, `zone-${at}`, { ...zone, domain: `zone-${at}.example` });
    const before = await Promise.all([0, 1, 2, 3, 4].map((at) => site.ready(domain, `zone-${at}`)));
    await controller.close();
    for (const { metadata, spec } of before) {
      await site.patch(domain, metadata.name, { metadata: { finalizers: [] } });
      await site.remove(domain, metadata.name);
      await site.untilGone(domain, metadata.name);
      await site.apply(domain, metadata.name, spec, { [externalId]: idOf({ metadata } as KubeObject) });
    }
    const writes = await site.writes(async () => {
      await site.startController();
      for (const { metadata, status } of before)
        expect((await site.ready(domain, metadata.name)).status!.id).toBe(status!.id);
    });
    expect([writes, await count("/domains")]).toEqual([0, 5]);
  });

  it("finds its object again when somebody takes the id away, and makes no second one", async () => {
    await site.startController();
    await site.apply(domain, "zone", zone);
    await site.apply(record, "www", www);
    const [first, under] = [await site.ready(domain, "zone"), await site.ready(record, "www")];
    for (const [kind, name, before] of [
      [domain, "zone", first],
      [record, "www", under],
    ] as const) {
      await site.patch(kind, name, { metadata: { annotations: { [externalId]: null } } });
      await expect
        .poll(async () => idOf((await site.get(kind, name))!), { timeout: 10_000 })
        .toBe(idOf(before));
      await site.ready(kind, name);
    }
    expect([await count("/domains"), await count(`/domains/${first.status!.id}/records`)]).toEqual([1, 1]);
  });

  it("keeps what it is not to touch, and tells of what it only observes", async () => {
    await site.startController();
    await site.apply(domain, "zone", { ...zone, description: "ours" });
    const { status } = await site.ready(domain, "zone");
    await site.patch(domain, "zone", { metadata: { annotations: { "plumbline.dev/paused": "true" } } });
    await site.apply(domain, "zone", { ...zone, description: "later" });
    await sleep(500);
    expect((await site.call("GET", `/domains/${status!.id}`))["description"]).toBe("ours");
    await site.patch(domain, "zone", { metadata: { annotations: { "plumbline.dev/paused": null } } });
    await expect
      .poll(async () => (await site.call("GET", `/domains/${status!.id}`))["description"])
      .toBe("later");
    const theirs = {
      domain: "two.example",
      type: "master",
      soa_email: "a@two.example",
      description: "theirs",
    };
    const { id } = await site.call("POST", "/domains", theirs);
    const spec = { domain: "two.example", type: "master", soaEmail: "a@two.example", description: "wished" };
    await site.apply(domain, "seen", spec, { "plumbline.dev/observe": "true", [externalId]: `${id}` });
    const seen = await site.until(domain, "seen", "Drifted", { status: "True" });
    expect(JSON.stringify(seen.status)).toContain("description");
    expect((await site.call("GET", `/domains/${id}`))["description"]).toBe("theirs");
    await site.remove(domain, "seen");
    await site.untilGone(domain, "seen");
    expect(await count("/domains")).toBe(2);
  });

  it("goes on beside somebody else who writes the same status and metadata all the time", async () => {
    await site.startController();
    await site.apply(domain, "zone", zone);
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        await site.patch(domain, "zone", { metadata: { labels: { n: `${n}` } } });
        await site
          .patch(domain, "zone", { status: { atProvider: { description: `${n}` } } }, "status")
          .catch(() => {});
      }
    })();
    try {
      await sleep(3_000);
    } finally {
      isOver = true;
      await writing;
    }
    await site.ready(domain, "zone");
    await expect
      .poll(async () => (await site.get(domain, "zone"))!.status!.atProvider!["description"], {
        timeout: 20_000,
      })
      .toBe("");
    expect(await count("/domains")).toBe(1);
  });

  function threeLevels() {
    const specs: readonly (readonly [string, string, object])[] = [
      [vpc, "net", { label: "net", region: "us-east" }],
      [subnet, "web", { vpcRef: { name: "net" }, label: "web", ipv4: "10.0.0.0/24" }],
      [bucket, "assets", { cluster: "us-east-1", label: "assets" }],
      [object, "page", { bucketRef: { name: "assets" }, name: "index.html", source: { text: "hello" } }],
    ];
    return { specs };
  }
});
