/** Bad input: one clear message, exit 1, and not one request. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const head = `name: bad
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: bad.example, type: master, soaEmail: a@bad.example } }
`;
const record = (name: string, properties: string) =>
  `  ${name}: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", ${properties} } }\n`;
const network = `  net: { type: "plumbline:vpc:Vpc", properties: { label: net, region: us-east } }\n`;
const subnet = (name: string, ipv4: string) =>
  `  ${name}: { type: "plumbline:vpc:Subnet", properties: { vpcId: "\${net.id}", label: ${name}, ipv4: ${ipv4} } }\n`;

const cases: readonly (readonly [what: string, file: string, message: RegExp, line: number])[] = [
  [
    "an unknown property",
    head + record("r", "type: A, target: 192.0.2.1, tll: 300"),
    /has no property "tll"/,
    5,
  ],
  [
    "a wrong type",
    head + record("r", "type: A, target: 192.0.2.1, ttlSec: soon"),
    /"ttlSec" must be a number/,
    5,
  ],
  [
    "an SRV record without a port",
    head + record("r", "type: SRV, service: sip, protocol: tcp, target: a.example, priority: 1, weight: 1"),
    /port: is required for SRV/,
    5,
  ],
  [
    "two CNAMEs of one name",
    head +
      record("a", "type: CNAME, name: www, target: a.example") +
      record("b", "type: CNAME, name: www, target: b.example"),
    /only one CNAME may have a name/,
    6,
  ],
  [
    "overlapping subnets",
    head + network + subnet("a", "10.0.0.0/16") + subnet("b", "10.0.1.0/24"),
    /10\.0\.1\.0\/24 overlaps 10\.0\.0\.0\/16/,
    7,
  ],
  ["host bits in a range", head + network + subnet("a", "10.0.0.5/16"), /host bits.*10\.0\.0\.0\/16/, 6],
  [
    "configId without computeId",
    `${head}  v: { type: "plumbline:blockstorage:Volume", properties: { label: vol-1, region: us-east, configId: 4 } }\n`,
    /configId: needs computeId/,
    5,
  ],
  ["a YAML syntax error", `${head}  v: { type: "x\n`, /YAML: /, 6],
  ["an unknown reference", `${head}outputs: { x: "\${zonne.id}" }\n`, /named "zonne".*zone/, 5],
  [
    "a dependency cycle",
    head + record("a", 'type: TXT, target: "${b.target}"') + record("b", 'type: TXT, target: "${a.target}"'),
    /circle: a -> b -> a/,
    5,
  ],
  ["an unknown type", `${head}  v: { type: "plumbline:dns:Recrod" }\n`, /plumbline:dns:Recrod.*Record/, 5],
  ["a type of another package", `${head}  v: { type: "aws:s3:Bucket" }\n`, /Pulumi/, 5],
  ["a duplicate key", `${head}  zone: { type: "plumbline:dns:Domain" }\n`, /zone/, 5],
];

describe("a stack file with a fault", () => {
  it.each(cases)("with %s is refused before any request", async (_what, file, message, line) => {
    desk.write("bad.yaml", file);
    for (const command of [["validate"], ["preview"], ["up", "-y"]]) {
      const [ran, requests] = await desk.counted(() => desk.run([...command, "-f", "bad.yaml"]));
      expect(ran.code, ran.text).toBe(1);
      const errors = ran.text.split("\n").filter((text) => text.startsWith("error:"));
      expect(errors, ran.text).toHaveLength(1);
      expect(errors[0]).toMatch(message);
      expect(errors[0]).toMatch(new RegExp(`bad\\.yaml:${line}:\\d+: `));
      expect(requests).toBe(0);
    }
  });

  it("tells independent faults all at once, in JSON with their places", async () => {
    desk.write(
      "bad.yaml",
      head + record("a", "type: A, target: nowhere") + record("b", "type: AAAA, target: 192.0.2.1"),
    );
    const ran = await desk.run(["validate", "-f", "bad.yaml", "--json"]);
    expect(ran.code).toBe(1);
    const { diagnostics } = JSON.parse(ran.stdout) as { diagnostics: { [name: string]: unknown }[] };
    expect(diagnostics.map(({ severity, property, file, line }) => [severity, property, file, line])).toEqual(
      [
        ["error", "target", "bad.yaml", 5],
        ["error", "target", "bad.yaml", 6],
      ],
    );
  });
});

describe("a hostile stack file", () => {
  it.each([["preview"], ["validate", "--json"], ["import", "--all", "--yes"]])(
    "that is a pipe is refused at once, and nothing waits for a writer: %j",
    async (...args) => {
      const pipe = join(desk.folder, "pipe.yaml");
      if (!existsSync(pipe)) execFileSync("mkfifo", [pipe]);
      const [ran, requests] = await desk.counted(() => desk.run([...args, "-f", "pipe.yaml"]));
      expect(ran.code).toBe(1);
      expect(requests).toBe(0);
      expect(ran.text).toContain("pipe.yaml: it is a named pipe (FIFO)");
    },
  );

  it.each([[[]], [["--json"]]])(
    "with a thousand errors tells a hundred of them: preview %j",
    async (flags) => {
      const outputs = Array.from({ length: 1000 }, (_, at) => `  o${at}: \${nobody.at}\n`);
      desk.write("many.yaml", `${head}outputs:\n${outputs.join("")}`);
      const ran = await desk.run(["preview", "-f", "many.yaml", ...flags]);
      expect(ran.code).toBe(1);
      expect(ran.text.match(/nobody/g)?.length).toBeLessThanOrEqual(300);
      expect(ran.text).toContain("… and 900 more");
    },
  );
});

describe("declarations that the provider's check refuses by the hundred", () => {
  it.each([["validate"], ["preview"], ["preview", "--json"]])(
    "are told a hundred of: %j",
    async (...args) => {
      const records = Array.from(
        { length: 300 },
        (_, at) =>
          `  r${at}: {type: "plumbline:dns:Record", properties: {domainId: 1, type: A, target: nonsense}}\n`,
      );
      desk.write("refused.yaml", `name: shop\nruntime: yaml\nresources:\n${records.join("")}`);
      const [ran, requests] = await desk.counted(() => desk.run([...args, "-f", "refused.yaml"]));
      expect(ran.code).toBe(1);
      expect(requests).toBe(0);
      // Without the lines of the file that the first of them show.
      const told = ran.text.replace(/^ +\d+ \| .*$/gm, "").match(/nonsense/g)?.length ?? 0;
      expect(told).toBeGreaterThanOrEqual(100);
      expect(told).toBeLessThanOrEqual(200);
      expect(ran.text.match(/… and 200 more/g)?.length).toBeGreaterThan(0);
      if (!args.includes("--json")) expect(told).toBe(100);
      if (!args.includes("--json")) expect(ran.text.match(/… and/g)).toHaveLength(1);
    },
  );
});

describe("a target that cannot be", () => {
  beforeAll(() => desk.write("ok.yaml", head));
  const up = ["up", "-y", "-f", "ok.yaml"];

  it("is named when the address is missing, with every way to give it", async () => {
    const ran = await desk.run(up, { env: { PLUMBLINE_BASE_URL: undefined, PLUMBLINE_TOKEN: undefined } });
    expect(ran.code).toBe(1);
    for (const way of ["PLUMBLINE_BASE_URL", "plumbline:baseUrl", "--emulator"])
      expect(ran.text).toContain(way);
  });

  it("is named when the token is missing", async () => {
    const [ran, requests] = await desk.counted(() => desk.run(up, { env: { PLUMBLINE_TOKEN: undefined } }));
    expect(ran.code).toBe(1);
    expect(requests).toBe(0);
    for (const way of ["PLUMBLINE_TOKEN", "plumbline:token"]) expect(ran.text).toContain(way);
  });

  it("is told once when the token is wrong, and the token is not shown", async () => {
    const ran = await desk.run(up, { env: { PLUMBLINE_TOKEN: "invalid-hush" } });
    expect(ran.code).toBe(1);
    expect(ran.text).toContain("PLUMBLINE_TOKEN");
    expect(ran.text).not.toContain("hush");
    expect(ran.text.split("\n").filter((text) => text.startsWith("error:"))).toHaveLength(1);
  });

  it("is named when nothing answers there", async () => {
    const ran = await desk.run(up, { env: { PLUMBLINE_BASE_URL: "http://127.0.0.1:9/v4" } });
    expect(ran.code).toBe(1);
    expect(ran.text).toMatch(/http:\/\/127\.0\.0\.1:9\/v4.*connection refused/);
  });
});

describe("an update that the service can never do", () => {
  it("is refused in the preview: a volume that shrinks", async () => {
    const volume = (size: number) => `name: disk
runtime: yaml
resources:
  v: { type: "plumbline:blockstorage:Volume", properties: { label: vol-shrink, region: us-east, size: ${size} } }
`;
    desk.write("disk.yaml", volume(40));
    expect((await desk.run(["up", "-y", "-f", "disk.yaml"])).code).toBe(0);
    desk.write("disk.yaml", volume(20));
    const [ran, requests] = await desk.counted(() => desk.run(["preview", "-f", "disk.yaml"]));
    expect(ran.code).toBe(1);
    expect(ran.text).toMatch(/disk\.yaml:4:\d+: size: .*40/);
    expect(requests).toBe(0);
    expect((await desk.run(["destroy", "-y", "-f", "disk.yaml"])).code).toBe(0);
  });
});

describe("a change beside much that stays", () => {
  it.each(["before", "after"])(
    "is judged with it, without a request, when it stands %s it",
    async (where) => {
      const stays = record("host", "type: A, name: host, target: 192.0.2.1");
      const added = record("alias", "type: CNAME, name: host, target: other.example");
      const unchanged = head.replaceAll("bad", `${where}-bad`);
      desk.write("stays.yaml", unchanged + stays);
      expect((await desk.run(["up", "-y", "--skip-preview", "-f", "stays.yaml"])).code).toBe(0);
      desk.write("stays.yaml", unchanged + (where === "before" ? added + stays : stays + added));
      const [ran, requests] = await desk.counted(() => desk.run(["up", "-y", "-f", "stays.yaml"]));
      expect(ran.code, ran.text).toBe(1);
      expect(ran.text).toMatch(/host/);
      expect(ran.text).toMatch(/CNAME/);
      expect(requests).toBe(0);
    },
  );

  it("is checked by itself where no run follows", async () => {
    desk.write("valid.yaml", head.replaceAll("bad", "valid"));
    expect((await desk.run(["up", "-y", "--skip-preview", "-f", "valid.yaml"])).code).toBe(0);
    const state = join(desk.folder, ".plumbline", "stacks", "valid", "dev.json");
    writeFileSync(state, readFileSync(state, "utf8").replaceAll('"master"', '"mister"'));
    desk.write("valid.yaml", head.replaceAll("bad", "valid").replace("master", "mister"));
    for (const command of ["validate", "preview", "up"]) {
      const ran = await desk.run([command, "-y", "-f", "valid.yaml"]);
      expect([ran.code, ran.text]).toEqual([1, expect.stringContaining("must be one of master")]);
    }
  });
});

describe("a command line with a fault", () => {
  it.each([
    [["preview", "--parallel", "0"], "--parallel"],
    [["preview", "--color", "sometimes"], "--color"],
    [["preview", "-s", "a/b"], "--stack"],
    [["preview", "--nonsense"], "--nonsense"],
    [["prewiev"], "prewiev"],
    [["emulator", "--speed", "fast"], "--speed"],
    [["emulator", "--start-time", "2026-03-04"], "--start-time"],
    [["invoke", "plumbline:dns:getRecord"], "getRecords"],
    [["invoke", "plumbline:dns:getRecords", "domain=1"], "domainId"],
    [["stack", "graph", "--format", "png", "-f", "ok.yaml"], "--format"],
  ])("is refused by name: %j", async (args, named) => {
    const [ran, requests] = await desk.counted(() => desk.run(args));
    expect(ran.code).toBe(1);
    expect(ran.text).toContain(named);
    expect(requests).toBe(0);
  });
});

describe("a file that a user names and that cannot be used", () => {
  const ok = head.replaceAll("bad", "ok");

  it.each([
    [["up", "-y", "--plan", "none.json"], "--plan: cannot read none.json: there is no such file"],
    [["up", "-y", "--plan", "."], "--plan: cannot read .: it is a folder"],
    [["stack", "import", "none.json"], "cannot read none.json: there is no such file"],
    [["policy", "test"], "cannot read policies.test.yaml: there is no such file"],
    [["policy", "test", "--plan", "none.json"], "--plan: cannot read none.json: there is no such file"],
    [["preview", "--cost", "--prices", "."], "cannot read the prices in .: it is a folder"],
    [["preview", "--save-plan", "."], "--save-plan: cannot write .: it is a folder"],
    [["preview", "--save-plan", "none/p.json"], "--save-plan: cannot write none/p.json: there is no folder "],
    [["preview", "--html", "."], "--html: cannot write .: it is a folder"],
    [["stack", "graph", "--html", "none/p.html"], "cannot write none/p.html: there is no folder "],
    [["emulator", "--seed", "none.pem"], "--seed: cannot read none.pem: there is no such file"],
  ])("is named, with what is wrong with it: %j", async (args, said) => {
    desk.write("Pulumi.yaml", ok);
    const ran = await desk.run(args);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(ran.text).not.toMatch(/ENOENT|EISDIR|\.tmp/);
  });

  it.skipIf(!existsSync("/dev/full"))("says that the disk is full", async () => {
    desk.write("Pulumi.yaml", ok);
    for (const option of ["--save-plan", "--html"]) {
      const ran = await desk.run(["preview", option, "/dev/full"]);
      const said = `${option}: cannot write /dev/full: no space is left on the disk`;
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(said)]);
    }
  });
});
