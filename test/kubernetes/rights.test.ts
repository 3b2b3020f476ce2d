/** The controller as it is installed: a process that has the rights of its account and no others, and nothing that it leaves shows a secret. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, hasKubernetes, startCluster } from "./cluster.ts";
import { openSite, type Site } from "./controller/site.ts";
import { applyDefinitions } from "./definitions.ts";
import { kubectlOf } from "./kubectl.ts";
import { type ControllerProcess, serviceAccount, startControllerProcess } from "./process.ts";

const type = (key: string, name: string) => `plumbline:${key}:${name}`;
const domain = type("dns/domain", "Domain");
const record = type("dns/record", "Record");
const credential = type("managed/credential", "Credential");
const database = type("databases/mySqlInstance", "MySqlInstance");
const bucketKey = type("objectstorage/key", "Key");
const bucket = type("objectstorage/bucket", "Bucket");
const stored = type("objectstorage/object", "Object");

const token = "the-token-that-nobody-may-see";
const passwords = ["open sesame, said Ali", "another password than before"] as const;
const contents = "a file that is nobody's business";

describe.skipIf(!hasKubernetes)("a controller under its own account", { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let site: Site;
  let controller: ControllerProcess;
  /** What nobody may be shown. */
  const secrets = new Set<string>([token, ...passwords, contents]);

  beforeAll(async () => {
    cluster = await startCluster({ users: [serviceAccount] });
    const kubectl = kubectlOf(cluster);
    const installed = await kubectl("apply", "--server-side", "-k", "deploy/kubernetes");
    expect(installed.stderr).toBe("");
    await applyDefinitions(cluster);
    site = await openSite(cluster, { token });
    controller = await startControllerProcess(cluster);
  }, 180_000);
  afterAll(async () => {
    await controller?.end();
    await site?.close();
    await cluster?.close();
  });

  it("does everything that it is there for", async () => {
    await site.secret("login", { password: passwords[0] });
    await site.secret("files", { page: contents });
    await site.apply(record, "www", {
      domainRef: { name: "zone" },
      type: "A",
      name: "www",
      target: "192.0.2.1",
    });
    await site.apply(domain, "zone", { domain: "site.example", type: "master", soaEmail: "a@b.example" });
    await site.apply(credential, "login", {
      ...{ label: "login", username: "ali", passwordSecretRef: { name: "login", key: "password" } },
    });
    await site.apply(database, "shop", {
      ...{ engine: "mysql/8.0.30", region: "us-east", type: "g6-nanode-1", label: "shop" },
      writeSecretsTo: { name: "shop-root" },
    });
    await site.apply(bucketKey, "app", { label: "app", writeSecretsTo: { name: "app-key" } });
    await site.apply(bucket, "photos", { cluster: "us-east-1", label: "photos" });
    await site.apply(stored, "page", {
      ...{ bucketRef: { name: "photos" }, name: "page.txt" },
      source: { secretKeyRef: { name: "files", key: "page" } },
    });
    for (const [kind, name] of [
      ...[
        [domain, "zone"],
        [record, "www"],
        [credential, "login"],
        [database, "shop"],
        [bucketKey, "app"],
      ],
      ...[
        [bucket, "photos"],
        [stored, "page"],
      ],
    ] as const)
      await site.ready(kind!, name!, 60);
    await site.secret("login", { password: passwords[1] });
    await site.patch(record, "www", { spec: { target: "192.0.2.2" } });
    await site.ready(record, "www");
    await site.apply(record, "odd", {
      domainRef: { name: "zone" },
      type: "CNAME",
      name: "www",
      target: "a.example",
    });
    await site.until(record, "odd", "Stalled", { status: "True" });
    await site.remove(record, "odd");
    await site.untilGone(record, "odd");
    expect((await controller.asked("/readyz")).status).toBe(200);
  });

  it("is refused nothing that it asks for", () => {
    expect(controller.said()).not.toMatch(/forbidden|Forbidden|cannot (get|list|watch|patch|create|update)/);
  });

  it("shows no secret in its log, its events, its figures, or the objects", async () => {
    for (const name of ["shop-root", "app-key"]) {
      const { body } = await cluster.ask("GET", `/api/v1/namespaces/${site.namespace}/secrets/${name}`);
      const values = Object.values(body["data"] as { [key: string]: string });
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) secrets.add(Buffer.from(value, "base64").toString());
    }
    const seal = await cluster.ask("GET", "/api/v1/namespaces/plumbline/secrets/plumbline-seal");
    for (const value of Object.values(seal.body["data"] as { [key: string]: string })) {
      secrets.add(value);
      secrets.add(Buffer.from(value, "base64").toString());
    }
    expect(secrets.size).toBeGreaterThan(8);
    const kubectl = kubectlOf(cluster);
    const left = await Promise.all([
      kubectl("get", "plumbline", "-A", "-o", "json"),
      kubectl("get", "events", "-A", "-o", "json"),
      kubectl("get", "leases", "-n", "plumbline", "-o", "json"),
      kubectl("get", "configmaps", "-n", site.namespace, "-o", "json"),
      kubectl("describe", "credential.managed.plumbline.dev/login", "-n", site.namespace),
    ]);
    for (const { code, stderr } of left) expect([code, stderr]).toEqual([0, ""]);
    const figures = await controller.asked("/metrics");
    expect(figures.text).toContain("plumbline_controller_reconciles_total");
    const [objects, events] = left.map(({ stdout }) => JSON.parse(stdout.startsWith("{") ? stdout : "{}"));
    expect(objects.items.length).toBeGreaterThan(7);
    expect(events.items.map(({ reason }: { reason: string }) => reason)).toContain("Made");
    const shown = [...left.map(({ stdout }) => stdout), controller.said(), figures.text].join("\n");
    expect([...secrets].filter((secret) => secret.length > 2 && shown.includes(secret))).toEqual([]);
    // Nor in another spelling.
    const encoded = [...secrets].map((secret) => Buffer.from(secret).toString("base64"));
    expect(encoded.filter((secret) => secret.length > 8 && shown.includes(secret))).toEqual([]);
  });

  it("takes over an account whose manifests it is given without a write to the service", async () => {
    await site.call("POST", "/domains", { domain: "made.example", type: "master", soa_email: "a@b.example" });
    const { data } = (await site.call("GET", "/domains")) as { data: { id: number; domain: string }[] };
    const { id } = data.find((each) => each.domain === "made.example")!;
    const login = await site.call("POST", "/managed/credentials", {
      label: "old",
      username: "u",
      password: "p1234567",
    });
    const written = await site.writes(async () => {
      const spec = { domain: "made.example", type: "master", soaEmail: "a@b.example" };
      await site.apply(domain, "made", spec, { "plumbline.dev/external-id": String(id) });
      // Its password is nobody's to declare who does not know it.
      await site.apply(
        credential,
        "old",
        { label: "old" },
        { "plumbline.dev/external-id": String(login["id"]) },
      );
      await site.ready(domain, "made");
      await site.ready(credential, "old");
    });
    expect(written).toBe(0);
  });

  it("says so, and shows nothing, where the service refuses its token", async () => {
    await site.secret("token", { token: "invalid-token" });
    const object = await site.until("Account", "default", "Ready", { status: "False" }, 30);
    expect(JSON.stringify(object)).not.toContain("invalid-token");
    expect(controller.said()).not.toContain("invalid-token");
    await site.secret("token", { token });
    await site.ready("Account", "default", 30);
  });

  it("gives up its Leases when it is told to end", async () => {
    expect(await controller.end()).toBe(0);
    const leases = await cluster.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/plumbline/leases");
    const items = leases.body["items"] as { spec?: { holderIdentity?: string } }[];
    expect(items.filter(({ spec }) => spec?.holderIdentity)).toEqual([]);
  });
});
