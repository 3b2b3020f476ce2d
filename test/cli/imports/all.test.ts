/** `import --all`: an account made by hand becomes a stack whose next preview is empty, at the cost of a few lists. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { catalogue } from "../../../provider/provider.ts";
import { kept } from "../../e2e/account.ts";
import { makeByHand } from "../../e2e/hand-made.ts";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
const opened = async () => {
  desk = await openDesk();
};
const closed = () => desk.close();

const text = (name = "Pulumi.yaml") => readFileSync(join(desk.folder, name), "utf8");
const resources = (name = "Pulumi.yaml") =>
  parse(text(name)).resources as { [key: string]: { type: string; properties: { [name: string]: unknown } } };

/** Runs it and returns what its JSON says. */
async function importAll(...args: string[]) {
  const ran = await desk.run(["import", "--all", "-y", "--json", ...args]);
  expect(ran.code, ran.text).toBe(0);
  return JSON.parse(ran.stdout) as {
    imported: { type: string; name: string; id: string; urn: string }[];
    managed: { name: string }[];
    leftOut: { type: string; id?: string; name?: string; reason: string }[];
    untold: { type: string; properties: string[] }[];
    files: string[];
    requests: { GET: number };
  };
}

async function expectEmptyPreview(...args: string[]): Promise<void> {
  const [ran, requests] = await desk.counted(() => desk.run(["preview", "--expect-no-changes", ...args]));
  expect(ran.code, ran.text).toBe(0);
  expect(requests).toBe(0);
}

describe("an account with something of everything", { timeout: 120_000 }, () => {
  let all: Awaited<ReturnType<typeof importAll>>;
  beforeAll(async () => {
    await opened();
    await makeByHand(desk.emulator);
    all = await importAll();
  });
  afterAll(closed);

  it("becomes a stack that a preview, a refresh and a drift find nothing to do for", async () => {
    const { imported, leftOut } = all;
    const done = new Set([...imported, ...leftOut].map(({ type }) => type));
    // Pools that were there when the cluster was imported are declared within it.
    done.add("plumbline:kubernetes/nodePool:NodePool");
    expect([...catalogue.resources.keys()].filter((type) => !done.has(type))).toEqual([]);
    await expectEmptyPreview();
    const refreshed = await desk.run(["preview", "--refresh", "--expect-no-changes"]);
    expect(refreshed.code, refreshed.text).toBe(0);
    const drift = await desk.run(["drift"]);
    expect(drift.code, drift.text).toBe(0);
    const up = await desk.run(["up", "-y"]);
    expect([up.code, up.text]).toEqual([0, expect.stringContaining(`${imported.length} unchanged`)]);
  });

  it("is declared with references, legal names and nothing that is a default", () => {
    const all = resources();
    expect(all["example-com"]?.properties).toEqual({
      domain: "example.com",
      type: "master",
      soaEmail: "admin@example.com",
      description: "costs $$5, or $$$$5, or $${example.id}, or $$$${x}",
      tags: ["Yes", "$${odd}", "1_000"],
      ttlSec: 3600,
    });
    expect(all["example-com-www-a-2"]).toEqual({
      type: "plumbline:dns:Record",
      properties: { domainId: "${example-com.id}", type: "A", name: "www", target: "192.0.2.2" },
    });
    expect(all["mysql-shop-before"]?.properties).toEqual({
      kind: "mysql",
      instanceId: "${mysql-shop.id}",
      label: "before",
    });
    expect(all["deploy-key"]?.properties["bucketAccess"]).toEqual([
      { cluster: "us-east-1", bucketName: "${photos.label}", permissions: "read_only" },
    ]);
    expect(all["production-service"]?.properties["credentials"]).toEqual(["${root.id}", "${object-0755.id}"]);
    expect(Object.keys(all).filter((key) => !/^[a-z0-9][a-z0-9-]*$/.test(key))).toEqual([]);
    expect(text()).toMatch(/# The service never tells password\..*\n {2}root:\n/);
  });

  it("comes with everything after what it needs, and children after their parent", () => {
    const seen = new Set<string>();
    for (const [key, { properties }] of Object.entries(resources())) {
      const needed = [...JSON.stringify(properties).matchAll(/(?<!\$)\$\{([a-z0-9-]+)\./g)].map(
        ([, name]) => name!,
      );
      expect(needed.filter((name) => !seen.has(name))).toEqual([]);
      seen.add(key);
    }
    const keys = Object.keys(resources());
    expect(keys.indexOf("example-com-apex-a")).toBe(keys.indexOf("example-com") + 1);
  });

  it("is written the same each time", async () => {
    const folders = ["shown", "again"];
    for (const folder of folders) mkdirSync(join(desk.folder, folder, "project"), { recursive: true });
    await importAll("-f", "shown/project/Pulumi.yaml", "--preview-only");
    expect(readdirSync(join(desk.folder, "shown", "project"))).toEqual([]);
    await importAll("-f", "again/project/Pulumi.yaml");
    const [, project, rest] = /^name: (.*)\n([\s\S]*)$/.exec(text("again/project/Pulumi.yaml")) ?? [];
    expect(project).toBe("project");
    expect(rest).toBe(text().replace(/^name: .*\n/, ""));
  });

  it("says what it leaves out and why, and what the service does not tell", () => {
    const { leftOut, untold } = all;
    for (const { reason } of leftOut) expect(reason).toMatch(/\w{3}/);
    expect(untold).toContainEqual({
      type: "plumbline:managed/credential:Credential",
      properties: ["username", "password"],
    });
    const nobody = { type: "plumbline:objectstorage/bucket:Bucket", properties: ["acl", "corsEnabled"] };
    expect(untold).toContainEqual(nobody);
    expect(text()).not.toContain("known to nobody");
  });

  it("is left alone where the token may not look", async () => {
    const refuse = { method: "GET", path: "/managed/contacts", probability: 1, do: "status", status: 403 };
    const { origin } = new URL(desk.emulator.baseUrl);
    const post = { method: "POST", headers: { "content-type": "application/json" } };
    await fetch(`${origin}/_emulator/faults`, { ...post, body: JSON.stringify([refuse]) });
    mkdirSync(join(desk.folder, "refused"));
    const { imported, leftOut } = await importAll("-f", "refused/Pulumi.yaml");
    await fetch(`${origin}/_emulator/faults`, { ...post, body: "[]" });
    expect(imported.some(({ type }) => type.endsWith(":Contact"))).toBe(false);
    expect(leftOut).toContainEqual({
      type: "plumbline:managed/contact:Contact",
      reason: expect.stringContaining("the service does not list them: GET /managed/contacts: 403"),
    });
    await expectEmptyPreview("-f", "refused/Pulumi.yaml");
  });

  it("is imported as far as the token's scopes go, and not at all by one that is good for nothing", async () => {
    const { token } = await desk.api("POST", "/profile/tokens", {
      label: "dns",
      scopes: "domains:read_only",
    });
    mkdirSync(join(desk.folder, "scoped"));
    const args = ["import", "--all", "-y", "--json", "-f", "scoped/Pulumi.yaml"];
    const scoped = await desk.run(args, { env: { PLUMBLINE_TOKEN: token } });
    expect(scoped.code, scoped.text).toBe(0);
    const { imported, leftOut } = JSON.parse(scoped.stdout) as Awaited<ReturnType<typeof importAll>>;
    expect(imported.map(({ name }) => name)).toContain("example-com-www-a");
    expect(imported.filter(({ type }) => /Volume|Cluster|SqlInstance/.test(type))).toEqual([]);
    expect(leftOut).toContainEqual({
      type: "plumbline:blockstorage/volume:Volume",
      reason: expect.stringContaining("the service does not list them: GET /volumes: 401"),
    });
    const bad = await desk.run([...args.slice(0, -1), "bad.yaml"], { env: { PLUMBLINE_TOKEN: "invalid" } });
    expect(bad.code, bad.text).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      result: "failed",
      diagnostics: [{ severity: "error", message: expect.stringContaining("401") }],
    });
  });

  it("can be taken one area at a time, and what is managed already is referred to", async () => {
    mkdirSync(join(desk.folder, "areas"));
    const at = ["-f", "areas/Pulumi.yaml"];
    const dns = await importAll(...at, "--area", "dns");
    expect(new Set(dns.imported.map(({ type }) => type.split(":")[1]?.split("/")[0]))).toEqual(
      new Set(["dns"]),
    );
    await desk.api("POST", `/domains/${dns.imported[0]?.id}/records`, {
      type: "A",
      name: "late",
      target: "192.0.2.7",
    });
    const rest = await importAll(...at, "--add");
    expect(rest.managed).toHaveLength(dns.imported.length);
    expect(rest.imported.map(({ name }) => name)).toContain("example-com-late-a");
    expect(resources("areas/Pulumi.yaml")["example-com-late-a"]?.properties["domainId"]).toBe(
      "${example-com.id}",
    );
    await expectEmptyPreview(...at);
    expect((await importAll(...at, "--add")).imported).toEqual([]);
    const unknown = await desk.run(["import", "--all", "--area", "dnss", "-y"]);
    expect([unknown.code, unknown.text]).toEqual([1, expect.stringContaining("there are: dns, ")]);
  });

  it("is taken down by a destroy, but for what the import left out", async () => {
    const destroyed = await desk.run(["destroy", "-y"]);
    expect(destroyed.code, destroyed.text).toBe(0);
    const made = ["domains", "domain_records", "vpcs", "vpcSubnets", "volumes", "managedContacts"];
    expect(made.filter((name) => kept(desk.emulator, name).length > 0)).toEqual([]);
    const { imported, leftOut } = await importAll("-f", "later.yaml");
    expect(imported).toEqual([]);
    expect(leftOut).toContainEqual({
      type: "plumbline:managed/instanceSettings:InstanceSettings",
      id: "1001",
      name: "web-1",
      reason: "these are the defaults, which every instance has",
    });
  });
});

describe("an account that is not as the checks want it", { timeout: 120_000 }, () => {
  beforeEach(opened);
  afterEach(closed);

  it("is imported without what they refuse, which is listed with the reason", async () => {
    const zone = { domain: "old.example", type: "master", soa_email: "a@old.example" };
    const { id } = (await desk.api("POST", "/domains", zone)) as unknown as { id: number };
    await desk.api("POST", `/domains/${id}/records`, { type: "A", name: "www", target: "192.0.2.1" });
    const data = desk.emulator.data() as { collections: { domains: { soa_email: string }[] } };
    for (const one of data.collections.domains) one.soa_email = "";
    desk.emulator.setData(data);
    const { imported, leftOut } = await importAll("--area", "dns");
    expect(imported.map(({ name }) => name)).toEqual(["old-example-www-a"]);
    expect(leftOut).toContainEqual({
      type: "plumbline:dns/domain:Domain",
      id: String(id),
      name: "old-example",
      reason:
        "it does not pass the checks of plumbline:dns:Domain: soaEmail: is required for a domain of type master",
    });
    expect(resources()["old-example-www-a"]?.properties["domainId"]).toBe(String(id));
    await expectEmptyPreview();
  });

  it("is imported beside what is managed as far as the two can stand together", async () => {
    const zone = `name: mine
runtime: yaml
resources:
  old: { type: "plumbline:dns:Domain", properties: { domain: old.example, type: master, soaEmail: a@old.example } }
  all: { type: "plumbline:dns:Zone", properties: { domainId: "\${old.id}", records: [{ type: A, name: www, target: 192.0.2.1 }] } }
`;
    desk.write("Pulumi.yaml", zone);
    const up = await desk.run(["up", "-y"]);
    expect(up.code, up.text).toBe(0);
    const { managed, leftOut: before } = await importAll("--add", "--area", "dns");
    expect(managed.map(({ name }) => name)).toEqual(["old", "all"]);
    expect(before.filter(({ id }) => id !== undefined)).toEqual([]);
    const [domain] = (await desk.api("GET", "/domains")).data as unknown as { id: number }[];
    await desk.api("POST", `/domains/${domain?.id}/records`, {
      type: "A",
      name: "late",
      target: "192.0.2.7",
    });
    const { imported, leftOut } = await importAll("--add", "--area", "dns");
    expect(imported).toEqual([]);
    expect(leftOut.map(({ name }) => name)).toContain("late-a");
    expect(text()).toBe(zone);
    await expectEmptyPreview();
  });
});

describe("a stack file that is there already", { timeout: 120_000 }, () => {
  afterEach(closed);
  beforeEach(async () => {
    await opened();
    await desk.api("POST", "/domains", { domain: "example.com", type: "master", soa_email: "a@example.com" });
    await desk.api("POST", "/volumes", { label: "backup", size: 30, region: "us-east" });
  });
  const head = `name: mine
runtime: yaml # ours
config:
  backup: { type: string, default: x }
`;

  it("keeps what it says, to the letter, and gets its resources", async () => {
    for (const empty of ["", "resources:\n", "resources: {}\n", "resources: {} # none yet\noutputs: {}\n"]) {
      rmSync(join(desk.folder, ".plumbline"), { recursive: true, force: true });
      desk.write("Pulumi.yaml", head + empty);
      await importAll();
      expect(text().startsWith(head)).toBe(true);
      expect(Object.keys(resources())).toEqual(["example-com", "backup-volume"]);
      await expectEmptyPreview();
    }
  });

  it("is not written over: it is added to, when one says so", async () => {
    const own = `${head}resources:
    # The network.
    net:
        type: plumbline:vpc:Vpc # own
        properties: { label: net, region: us-east }

outputs:
    net: \${net.id}
`;
    desk.write("Pulumi.yaml", own);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    const refused = await desk.run(["import", "--all", "-y"]);
    expect([refused.code, refused.text]).toEqual([
      1,
      expect.stringMatching(/Pulumi\.yaml has 1 resource already: give --add/),
    ]);
    expect(text()).toBe(own);
    await importAll("--add");
    const [before, after] = own.split("\noutputs:") as [string, string];
    expect(text().startsWith(before)).toBe(true);
    expect(text().endsWith(`outputs:${after}`)).toBe(true);
    expect(Object.keys(resources())).toEqual(["net", "example-com", "backup-volume"]);
    await expectEmptyPreview();
  });

  it("is refused when it is broken, or written in braces, before anything is asked", async () => {
    for (const [broken, reason] of [
      ["name: x\nruntime: yaml\nresources: [\n", /Pulumi\.yaml:\d+:\d+/],
      ['name: x\nruntime: yaml\nresources: { own: { type: "pulumi:providers:plumbline" } }\n', /braces/],
    ] as const) {
      desk.write("Pulumi.yaml", broken);
      const ran = await desk.run(["import", "--all", "--add", "-y"]);
      expect([ran.code, ran.text]).toEqual([1, expect.stringMatching(reason)]);
      expect(text()).toBe(broken);
      expect(existsSync(join(desk.folder, ".plumbline"))).toBe(false);
    }
  });

  it("is written again when it was lost, from the state", async () => {
    await importAll();
    const first = text();
    rmSync(join(desk.folder, "Pulumi.yaml"));
    const again = await importAll();
    expect(again.imported).toEqual([]);
    expect(text()).toBe(first);
    await expectEmptyPreview();
  });

  it("is written again from what it named as it pleased", async () => {
    desk.write(
      "Pulumi.yaml",
      `name: mine
runtime: yaml
resources:
  a: { type: "plumbline:vpc:Vpc", name: same.name, properties: { label: a, region: us-east } }
  b: { type: "plumbline:blockstorage:Volume", name: same.name, properties: { size: 10, region: us-east }, options: { protect: true } }
  c: { type: "plumbline:vpc:Subnet", name: "pulumi", properties: { vpcId: "\${a.id}", ipv4: 10.0.0.0/24 } }
`,
    );
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    desk.write("Pulumi.yaml", "name: mine\nruntime: yaml\n");
    const { imported } = await importAll();
    expect(imported.map(({ name }) => name)).toEqual(["example-com", "backup"]);
    expect(resources()).toMatchObject({
      "same-name": { name: "same.name", type: "plumbline:vpc:Vpc" },
      "same-name-volume": { name: "same.name", options: { protect: true } },
      "pulumi-subnet": { name: "pulumi", properties: { vpcId: "${same-name.id}" } },
    });
    await expectEmptyPreview();
  });

  it("is refused while it does not declare what cannot be written again, and while it is not applied", async () => {
    const declared = `name: mine
runtime: yaml
resources:
  a: { type: "plumbline:vpc:Vpc", properties: { label: a, region: us-east } }
  c: { type: "plumbline:vpc:Subnet", properties: { vpcId: "\${a.id}", ipv4: 10.0.0.0/24 }, options: { parent: "\${a}" } }
`;
    desk.write("Pulumi.yaml", declared);
    const early = await desk.run(["import", "--all", "--add", "-y"]);
    expect([early.code, early.text]).toEqual([
      1,
      expect.stringContaining("not applied yet: a, c. Run plumbline up"),
    ]);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    desk.write("Pulumi.yaml", "name: mine\nruntime: yaml\n");
    const lost = await desk.run(["import", "--all", "-y"]);
    expect([lost.code, lost.text]).toEqual([1, expect.stringMatching(/does not declare: c\. Declare them/)]);
    desk.write("Pulumi.yaml", declared);
    await importAll("--add");
    await expectEmptyPreview();
  });

  it("stays as it is when nobody agrees, and when the state cannot be saved", async () => {
    const asked = await desk.run(["import", "--all"]);
    expect([asked.code, asked.text]).toEqual([1, expect.stringContaining("--yes")]);
    writeFileSync(join(desk.folder, "blocked"), "");
    const failed = await desk.run(["import", "--all", "-y", "--state", "blocked/state"]);
    expect(failed.code, failed.text).toBe(1);
    expect(readdirSync(desk.folder).filter((name) => !name.startsWith("."))).toEqual(["blocked"]);
  });
});

describe("a big zone", { timeout: 120_000 }, () => {
  beforeAll(opened);
  afterAll(closed);

  it("of a thousand records takes five requests at most", async () => {
    const zone = { domain: "big.example", type: "master", soa_email: "a@big.example" };
    const { id } = (await desk.api("POST", "/domains", zone)) as unknown as { id: number };
    await desk.api("POST", `/domains/${id}/records`, { type: "A", name: "h", target: "192.0.2.1" });
    const data = desk.emulator.data() as { collections: { domain_records: { id: number; name: string }[] } };
    const { domain_records: records } = data.collections;
    const [one] = records;
    for (let i = 1; i < 1000; i++) records.push({ ...one!, id: one!.id + i, name: `h${i}` });
    desk.emulator.setData(data);
    const [{ imported, requests }, count] = await desk.counted(() => importAll("--area", "dns"));
    expect(imported).toHaveLength(1001);
    expect(count).toBeLessThanOrEqual(5);
    expect(requests).toEqual({ GET: count });
    await expectEmptyPreview();
  });
});
