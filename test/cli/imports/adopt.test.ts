/** A lost state: `up --adopt` finds what is declared on the account and takes it over, with not one write. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Desk, jsonLines, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const file = (name: string, resources: string) => `name: ${name}\nruntime: yaml\nresources:\n${resources}`;
const zone = (domain: string, options = "") =>
  `  zone: { type: "plumbline:dns:Domain", properties: { domain: ${domain}, type: master, soaEmail: a@${domain} }${options} }\n`;
const record = (key: string, properties: string) =>
  `  ${key}: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", ${properties} } }\n`;

const loseState = () => rmSync(join(desk.folder, ".plumbline"), { recursive: true, force: true });
const up = async (...flags: string[]) => {
  const ran = await desk.run(["up", "-y", "--json", ...flags]);
  const summary = jsonLines(ran.stdout).at(-1) as { requests: object; summary: object };
  return { ...ran, requests: summary?.requests, counts: summary?.summary };
};
const unchanged = async () => {
  const ran = await desk.run(["preview", "--expect-no-changes", "--refresh"]);
  expect(ran.code, ran.text).toBe(0);
};
const idsOf = async () =>
  (JSON.parse((await desk.run(["state", "list", "--json"])).stdout) as { name: string; id: string }[])
    .map(({ name, id }) => `${name} ${id}`)
    .sort();

beforeEach(loseState);

describe("a lost state", () => {
  it("of resources of many kinds is made again, without a write", async () => {
    desk.write(
      "Pulumi.yaml",
      file(
        "kinds",
        zone("kinds.example") +
          record("www", "type: CNAME, name: www, target: kinds.example") +
          record("first", "type: MX, target: mx1.example, priority: 10") +
          record("second", "type: MX, target: mx2.example, priority: 20") +
          `  net: { type: "plumbline:vpc:Vpc", properties: { label: kinds, region: us-east }, options: { protect: true } }
  sub: { type: "plumbline:vpc:Subnet", properties: { vpcId: "\${net.id}", label: web, ipv4: 10.9.0.0/24 } }
  disk: { type: "plumbline:blockstorage:Volume", properties: { label: kinds-data, size: 20, region: us-east } }
  bucket: { type: "plumbline:objectstorage:Bucket", properties: { cluster: us-east-1, label: kinds-files } }
  script: { type: "plumbline:compute:StackScript", properties: { label: kinds, images: [any/all], script: "#!/bin/sh\\n" } }
  login: { type: "plumbline:managed:Credential", properties: { label: kinds, password: { "fn::secret": open sesame } } }
  lead: { type: "plumbline:managed:Contact", properties: { name: Ada, email: ada@kinds.example } }
  cluster: { type: "plumbline:kubernetes:Cluster", properties: { label: kinds, region: us-east, k8sVersion: "1.28", nodePools: { web: { type: g6-standard-1, count: 1 } } } }
  database: { type: "plumbline:databases:MySqlInstance", properties: { label: kinds, engine: mysql/8.0.30, region: us-east, type: g6-nanode-1 } }
`,
      ),
    );
    const made = await up("--skip-preview");
    expect(made.code, made.text).toBe(0);
    const before = await idsOf();
    loseState();

    const shown = await desk.run(["preview", "--adopt"]);
    expect(shown.code, shown.text).toBe(0);
    expect(shown.stdout).toMatch(/13 to import/);
    expect((await desk.run(["state", "list"])).stdout).toBe("");
    const asked = await desk.run(["up", "--adopt"]);
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("--yes")]);
    const ran = await up("--adopt");
    expect(ran.code, ran.text).toBe(0);
    expect(Object.keys(ran.requests)).toEqual(["GET"]);
    expect(ran.counts).toMatchObject({ import: 13, create: 0, update: 0 });
    expect(await idsOf()).toEqual(before);
    await unchanged();
    expect((await desk.run(["state", "list"])).stdout).toMatch(/kinds|net +\d+ +protected/);
  });

  it("of a thousand records takes page requests", async () => {
    const many = Array.from({ length: 1000 }, (_, n) =>
      record(`r${n}`, `type: A, name: h${n}, target: 192.0.2.${n % 250}`),
    );
    desk.write("Pulumi.yaml", file("many", zone("many.example") + many.join("")));
    const made = await up("--skip-preview");
    expect(made.code, made.text).toBe(0);
    loseState();
    const [ran, requests] = await desk.counted(() => up("--adopt"));
    expect(ran.code, ran.text).toBe(0);
    expect(ran.counts).toMatchObject({ import: 1001, create: 0 });
    // A preview and the run, each with the page of domains and the two of records.
    expect(requests).toBeLessThanOrEqual(8);
    expect(Object.keys(ran.requests)).toEqual(["GET"]);
  });

  it("is no reason to make nothing: what is not there is made, and what differs is told and put right", async () => {
    desk.write(
      "Pulumi.yaml",
      file("parts", zone("parts.example") + record("www", "type: A, name: www, target: 192.0.2.1")),
    );
    await up("--skip-preview");
    loseState();
    desk.write(
      "Pulumi.yaml",
      file(
        "parts",
        zone("parts.example") +
          record("www", "type: A, name: www, target: 192.0.2.9") +
          record("new", "type: A, name: new, target: 192.0.2.2"),
      ),
    );
    const shown = await desk.run(["preview", "--adopt", "--diff"]);
    expect(shown.stdout).toMatch(/target: "192.0.2.1" → "192.0.2.9"/);
    const ran = await up("--adopt");
    expect(ran.counts).toMatchObject({ import: 2, create: 1 });
    expect(ran.requests).toMatchObject({ POST: 1, PUT: 1 });
    await unchanged();
  });

  it("is not guessed at: what could be several objects is refused, before anything is done", async () => {
    const mail = (third: string) =>
      file(
        "several",
        zone("several.example") +
          record("first", "type: MX, target: mx1.example, priority: 10") +
          record("second", `type: MX, target: ${third}, priority: 20`),
      );
    desk.write("Pulumi.yaml", mail("mx2.example"));
    await up("--skip-preview");
    loseState();
    desk.write("Pulumi.yaml", mail("mx9.example"));
    const [ran, requests] = await desk.counted(() => desk.run(["up", "-y", "--adopt"]));
    expect(ran.code).toBe(1);
    expect(ran.text).toMatch(
      /Pulumi.yaml:6:.*(is|are) called @\/mx.*plumbline import plumbline:dns:Record second ID/s,
    );
    expect(requests).toBeLessThan(10);
    expect((await desk.run(["state", "list"])).stdout).toBe("");
  });

  it("is made again by import --all --add, which goes on with what nobody declared", async () => {
    desk.write("Pulumi.yaml", file("added", zone("added.example")));
    await up("--skip-preview");
    const { data } = (await desk.api("GET", "/domains")) as unknown as {
      data: { id: number; domain: string }[];
    };
    const { id } = data.find(({ domain }) => domain === "added.example")!;
    await desk.api("POST", `/domains/${id}/records`, { type: "A", name: "byhand", target: "192.0.2.7" });
    loseState();
    const seen = await desk.run(["import", "--all", "--add", "--area", "dns", "--preview-only"]);
    expect([seen.code, seen.stderr]).toEqual([1, expect.stringContaining("with --adopt")]);
    const other = file("added", zone("added.example").replace("a@added", "b@added"));
    desk.write("Pulumi.yaml", other);
    const differs = await desk.run(["import", "--all", "--add", "--area", "dns", "-y"]);
    expect([differs.code, differs.stderr]).toEqual([1, expect.stringContaining("not as declared: zone")]);
    desk.write("Pulumi.yaml", file("added", zone("added.example")));
    const ran = await desk.run(["import", "--all", "--add", "--area", "dns", "-y"]);
    expect(ran.code, ran.text).toBe(0);
    const listed = await idsOf();
    expect(listed).toContain(`zone ${id}`);
    expect(listed.filter((line) => line.startsWith("zone-byhand-a "))).toHaveLength(1);
    await unchanged();
  });

  it("is looked for on the account alone, and only when asked", async () => {
    desk.write("Pulumi.yaml", file("asked", zone("asked.example")));
    await up("--skip-preview");
    loseState();
    const ran = await desk.run(["up", "-y"]);
    expect(ran.code).toBe(1);
    expect(ran.text).toContain("exists already");
    expect((await desk.run(["up", "-y", "--adopt", "--skip-preview"])).code).toBe(1);
  });
});
