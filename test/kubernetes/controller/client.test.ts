/** The client over a real API server: what is followed is known whatever becomes of the way to the server, and what is written is nobody else's. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ConflictError, type KubeObject, TakenError } from "../../../provider/kubernetes/api.ts";
import { type Client, createClient } from "../../../provider/kubernetes/client.ts";
import { connectBy } from "../../../provider/kubernetes/server/kubeconfig.ts";
import { kinds } from "../../../provider/provider.ts";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openRelay, type Relay } from "./relay.ts";

const kind = kinds.get("plumbline:dns/domain:Domain")!;
const domains = "/apis/dns.plumbline.dev/v1alpha1/namespaces/site/domains";
const zone = (name: string) => ({
  ...{ apiVersion: "dns.plumbline.dev/v1alpha1", kind: "Domain", metadata: { name } },
  spec: { domain: `${name}.example`, type: "master", soaEmail: "root@one.example" },
});

describe.skipIf(!hasKubernetes)("the client", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let relay: Relay;
  const opened: Client[] = [];
  const troubles: string[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
    await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name: "plumbline" } });
    relay = await openRelay(Number(new URL(cluster.url).port));
  }, 120_000);
  afterEach(async () => {
    relay.mend();
    await Promise.all(opened.splice(0).map((each) => each.close()));
    for (const { metadata } of (await cluster.ask("GET", domains)).body["items"] as KubeObject[])
      await cluster.ask("DELETE", `${domains}/${metadata.name}`);
  });
  afterAll(async () => {
    relay?.close();
    await cluster?.close();
  });

  function open(options: { silence?: number; namespaces?: string[] } = {}): Client {
    const connection = connectBy(cluster.kubeconfig(`https://127.0.0.1:${relay.port}`));
    const client = createClient({
      ...{ connection, instance: "one", namespaces: [], ...options },
      troubled: (what, error) => void troubles.push(`${what}: ${error?.message ?? "mended"}`),
    });
    opened.push(client);
    return client;
  }
  /** What a listener knows, by name. */
  async function followed(client: Client) {
    const known = new Map<string, KubeObject>();
    const heard: string[] = [];
    await client.follow(kind, (object, isGone) => {
      const { name } = object.metadata;
      heard.push(`${isGone ? "-" : "+"}${name}`);
      if (isGone) known.delete(name);
      else known.set(name, object);
    });
    return { known, heard };
  }
  const make = (name: string) => cluster.ask("POST", domains, zone(name));
  const describing = (name: string, description: string) =>
    cluster.ask("PATCH", `${domains}/${name}`, { spec: { description } }, "application/merge-patch+json");
  const found = async (client: Client, name: string): Promise<KubeObject> =>
    (await followed(client)).known.get(name)!;

  it("tells all that are there, page by page, then each change and each end", async () => {
    await Promise.all(Array.from({ length: 600 }, (_, at) => make(`many-${at}`)));
    const { known, heard } = await followed(open());
    expect([known.size, heard.length]).toEqual([600, 600]);
    expect(known.get("many-7")).toMatchObject({ kind: "Domain", spec: { domain: "many-7.example" } });
    expect(JSON.stringify(known.get("many-7"))).not.toContain("managedFields");
    await describing("many-7", "changed");
    await expect.poll(() => known.get("many-7")!.spec["description"]).toBe("changed");
    await cluster.ask("DELETE", `${domains}/many-7`);
    await expect.poll(() => known.has("many-7")).toBe(false);
    expect(heard.slice(600)).toEqual(["+many-7", "-many-7"]);
  });

  it("goes on where it was after its connections were cut, and tells nothing twice", async () => {
    await Promise.all([make("one"), make("two")]);
    const { known, heard } = await followed(open());
    relay.cut();
    await describing("one", "meanwhile");
    relay.mend();
    await expect.poll(() => known.get("one")!.spec["description"], { timeout: 10_000 }).toBe("meanwhile");
    expect([...heard].sort()).toEqual(["+one", "+one", "+two"]);
  });

  it("learns by a new list what the server remembers no more: changes, deletions, one made anew under its name", async () => {
    await Promise.all([make("kept"), make("changed"), make("ended"), make("again")]);
    const client = open();
    const { known, heard } = await followed(client);
    const first = known.get("again")!.metadata.uid;
    relay.cut();
    await describing("changed", "meanwhile");
    for (const name of ["ended", "again"]) await cluster.ask("DELETE", `${domains}/${name}`);
    await make("again");
    await make("fresh");
    heard.length = 0;
    // What a server was told before it began again it does not watch from.
    await cluster.stop();
    await cluster.start();
    relay.mend();
    await expect
      .poll(() => [...known.keys()].sort(), { timeout: 20_000 })
      .toEqual(["again", "changed", "fresh", "kept"]);
    expect(known.get("changed")!.spec["description"]).toBe("meanwhile");
    expect(known.get("again")!.metadata.uid).not.toBe(first);
    expect([...heard].sort()).toEqual(["+again", "+changed", "+fresh", "-again", "-ended"]);
    expect(troubles.join()).toMatch(/domains: .*mended/s);
  });

  it("takes a watch that says nothing any more for lost", async () => {
    await make("one");
    const { known } = await followed(open({ silence: 2_000 }));
    await describing("one", "heard");
    await expect.poll(() => known.get("one")!.spec["description"]).toBe("heard");
    relay.hush();
    await describing("one", "meanwhile");
    await expect.poll(() => known.get("one")!.spec["description"], { timeout: 20_000 }).toBe("meanwhile");
  });

  it("sees its namespaces alone", async () => {
    await make("one");
    const { known } = await followed(open({ namespaces: ["elsewhere", "default"] }));
    expect(known.size).toBe(0);
    expect((await followed(open({ namespaces: ["default", "site"] }))).known.size).toBe(1);
  });

  it("writes metadata and status of what it has seen alone", async () => {
    await make("one");
    const client = open();
    const seen = await found(client, "one");
    const patched = await client.patchMetadata(seen, {
      annotations: { "plumbline.dev/external-id": "7" },
      finalizers: ["plumbline.dev/finalizer"],
    });
    expect(patched.metadata.annotations).toEqual({ "plumbline.dev/external-id": "7" });
    await expect(client.patchMetadata(seen, { annotations: { a: "b" } })).rejects.toThrow(ConflictError);
    await expect(client.replaceStatus(seen, { id: "8" })).rejects.toThrow(ConflictError);
    const told = await client.replaceStatus(patched, { id: "7", applied: { a: 1, b: 2 } });
    const again = await client.replaceStatus(told, { id: "7", applied: { b: 2 } });
    expect(again.status).toEqual({ id: "7", applied: { b: 2 } });
    expect(again.spec).toEqual(seen.spec);
    expect(
      (
        await client.patchMetadata(again, {
          annotations: { "plumbline.dev/external-id": null },
          finalizers: [],
        })
      ).metadata,
    ).toMatchObject({ generation: 1 });
  });

  it("writes a Secret that is its object's, and never one that is not", async () => {
    await make("one");
    const client = open();
    const owner = await found(client, "one");
    const secrets = "/api/v1/namespaces/site/secrets";
    const names: string[] = [];
    await client.followNames("Secret", (namespace, name) => void names.push(`${namespace}/${name}`));
    await client.writeSecret(owner, "made", { password: "hidden-word" });
    const { body } = await cluster.ask("GET", `${secrets}/made`);
    expect(body["metadata"]).toMatchObject({
      ownerReferences: [{ kind: "Domain", name: "one", uid: owner.metadata.uid }],
    });
    await client.writeSecret(owner, "made", { user: "root" });
    const values = await client.data("Secret", "site", "made");
    expect(
      Object.fromEntries([...values!].map(([key, value]) => [key, Buffer.from(value).toString()])),
    ).toEqual({ password: "hidden-word", user: "root" });
    await expect.poll(() => names).toEqual(["site/made", "site/made"]);
    await cluster.ask("POST", secrets, { metadata: { name: "theirs" }, stringData: { a: "b" } });
    await expect(client.writeSecret(owner, "theirs", { a: "c" })).rejects.toThrow(TakenError);
    expect((await cluster.ask("GET", `${secrets}/theirs`)).body["data"]).toEqual({ a: "Yg==" });
    expect(await client.data("Secret", "site", "absent")).toBeUndefined();
    await cluster.ask("POST", "/api/v1/namespaces/site/configmaps", {
      metadata: { name: "file" },
      data: { a: "é" },
      binaryData: { b: "/w==" },
    });
    const file = await client.data("ConfigMap", "site", "file");
    expect([...file!]).toEqual([
      ["a", new Uint8Array([195, 169])],
      ["b", new Uint8Array([255])],
    ]);
  });

  it("makes a Secret of its own once, whoever is first", async () => {
    const made = await Promise.all(
      ["a", "b", "c"].map((value) => open().ownSecret("plumbline-seal", () => ({ key: value }))),
    );
    const values = made.map((each) => Buffer.from(each.get("key")!).toString());
    expect(new Set(values).size).toBe(1);
    expect(values[0]).toMatch(/^[abc]$/);
  });

  it("keeps Leases: one wins where two want it, and all are told", async () => {
    const [one, two] = [open().leases, open().leases];
    const heard: string[] = [];
    await two.follow(({ name, holder }, isGone) => void heard.push(`${name} ${isGone ? "gone" : holder}`));
    const lease = {
      name: "account-x",
      duration: 15,
      renewTime: "2026-01-01T00:00:00.000000Z",
      transitions: 0,
    };
    const held = await one.put({ ...lease, holder: "one" });
    expect(held).toMatchObject({ ...lease, holder: "one" });
    await expect(two.put({ ...lease, holder: "two" })).rejects.toThrow(ConflictError);
    const taken = await two.put({ ...held, holder: "two", transitions: 1 });
    await expect(one.put({ ...held, holder: "one" })).rejects.toThrow(ConflictError);
    await expect(one.remove(held)).rejects.toThrow(ConflictError);
    await one.remove(taken);
    await expect(two.put(taken)).rejects.toThrow(ConflictError);
    await one.remove(taken);
    await expect.poll(() => heard).toEqual(["account-x one", "account-x two", "account-x gone"]);
  });

  it("tells events once, counts those that come again, and floods nobody", async () => {
    await make("one");
    const client = open();
    const owner = await found(client, "one");
    const events = async () =>
      (await cluster.ask("GET", "/apis/events.k8s.io/v1/namespaces/site/events")).body["items"] as {
        reason: string;
        note: string;
        regarding: object;
      }[];
    for (let at = 0; at < 50; at += 1) client.event(owner, "Normal", "Made", "made it");
    await expect
      .poll(async () => (await events()).map(({ reason, note }) => `${reason} ${note}`))
      .toEqual(["Made made it"]);
    expect((await events())[0]!.regarding).toMatchObject({
      kind: "Domain",
      name: "one",
      uid: owner.metadata.uid,
    });
    for (let at = 0; at < 10_000; at += 1) client.event(owner, "Warning", "Flapping", `for the ${at}th time`);
    await client.close();
    expect((await events()).length).toBeLessThan(600);
    expect((await events()).length).toBeGreaterThan(40);
  });
});
