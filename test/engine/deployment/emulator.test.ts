import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../../emulator/index.ts";
import { createEngine, type Engine } from "../../../provider/engine/engine.ts";
import { loadProgram } from "../../../provider/engine/language/program.ts";
import { catalogue } from "../../../provider/provider.ts";
import { environmentOf, hurriedProvider } from "../../hurried.ts";

let emulator: Emulator;
let folder: string;

beforeAll(async () => {
  emulator = await startEmulator({ speed: "instant", seed: starterAccount, checkAnswers: true });
});
beforeEach(async () => {
  emulator.reset();
  folder = await mkdtemp(join(tmpdir(), "plumbline-deployment-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(async () => {
  await emulator.close();
});

const web = resolve(import.meta.dirname, "../../../examples/web/Pulumi.yaml");

const environment = () => ({ ...environmentOf(emulator), PLUMBLINE_PASSPHRASE: "correct horse" });

async function engineOf(file: string): Promise<Engine> {
  const program = await loadProgram({ file, stack: "dev", catalogue, environment: {} });
  return createEngine({
    project: program.projectName,
    stack: "dev",
    stateFolder: join(folder, "state"),
    program,
    environment: environment(),
    createProvider: () => hurriedProvider(emulator),
  });
}

async function stackFile(resources: object): Promise<string> {
  const file = join(folder, "Pulumi.yaml");
  await writeFile(file, JSON.stringify({ name: "trial", runtime: "yaml", resources }));
  return file;
}

interface Listed {
  readonly results: number;
  readonly data: readonly { readonly [name: string]: unknown }[];
}

async function list(path: string): Promise<Listed> {
  const answer = await fetch(`${emulator.baseUrl}${path}`, {
    headers: { Authorization: `Bearer ${emulator.token}` },
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Listed;
}

/** What the account holds, without what differs from one making to the next. */
async function account(): Promise<unknown> {
  const bare = (objects: Listed["data"], ...names: string[]) =>
    objects.map((object) => JSON.stringify(names.map((name) => object[name]))).sort();
  const domains = (await list("/domains?page_size=500")).data;
  const vpcs = (await list("/vpcs?page_size=500")).data;
  const records = await Promise.all(domains.map(({ id }) => list(`/domains/${id}/records?page_size=500`)));
  return {
    domains: bare(domains, "domain", "soa_email", "ttl_sec", "tags"),
    records: records
      .flatMap(({ data }) => bare(data, "type", "name", "target", "ttl_sec", "priority", "port", "weight"))
      .sort(),
    vpcs: vpcs.map((vpc) => [vpc.label, bare(vpc.subnets as Listed["data"], "label", "ipv4")]),
    volumes: bare((await list("/volumes?page_size=500")).data, "label", "size", "region", "tags"),
  };
}

test("a thousand records are made in few requests more than there are, and refreshed in six", async () => {
  const records = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [
      `r${i}`,
      {
        type: "plumbline:dns:Record",
        properties: { domainId: "${zone.id}", type: "A", name: `h${i}`, target: `192.0.2.${i % 250}` },
      },
    ]),
  );
  const zone = {
    type: "plumbline:dns:Domain",
    properties: { domain: "big.example", type: "master", soaEmail: "a@big.example" },
  };
  const file = await stackFile({ zone, ...records });
  const sum = (requests: { readonly [method: string]: number }) =>
    Object.values(requests).reduce((a, b) => a + b, 0);
  const up = await (await engineOf(file)).up();
  expect(up).toMatchObject({ result: "succeeded", counts: { create: 1001 } });
  expect(sum(up.requests)).toBeLessThanOrEqual(1005);
  const refresh = await (await engineOf(file)).refresh();
  expect(refresh).toMatchObject({ result: "succeeded", counts: { same: 1001 }, changes: false });
  expect(sum(refresh.requests)).toBeLessThanOrEqual(6);
  const again = await (await engineOf(file)).up();
  expect(again).toMatchObject({ changes: false });
  expect(sum(again.requests)).toBe(0);
  const drift = await (await engineOf(file)).drift();
  expect(drift.drifted).toEqual([]);
  expect((await (await engineOf(file)).destroy()).counts.delete).toBe(1001);
}, 120_000);

test.each(["/domains", "/domains/{domainId}/records", "/vpcs", "/vpcs/{vpcId}/subnets", "/volumes"])(
  "an answer to a POST %s that is lost after the service acted ends with one object",
  async (path) => {
    const file = await stackFile({
      zone: {
        type: "plumbline:dns:Domain",
        properties: { domain: "lost.example", type: "master", soaEmail: "a@lost.example" },
      },
      www: {
        type: "plumbline:dns:Record",
        properties: { domainId: "${zone.id}", type: "A", name: "www", target: "192.0.2.1" },
      },
      net: { type: "plumbline:vpc:Vpc", properties: { label: "net", region: "us-east" } },
      sub: {
        type: "plumbline:vpc:Subnet",
        properties: { vpcId: "${net.id}", label: "sub", ipv4: "10.0.0.0/24" },
      },
      disk: {
        type: "plumbline:blockstorage:Volume",
        properties: { label: "disk", region: "us-east", size: 20 },
      },
    });
    const fault = { method: "POST", path, do: "reset-after" as const, times: 1 };
    emulator.setFaults([fault]);
    let result = await (await engineOf(file)).up();
    emulator.setFaults([]);
    if (result.result !== "succeeded") result = await (await engineOf(file)).up();
    expect(result.result).toBe("succeeded");
    const domains = (await list("/domains")).data;
    expect(domains).toHaveLength(1);
    expect((await list(`/domains/${domains[0]?.id}/records`)).results).toBe(1);
    const vpcs = (await list("/vpcs")).data;
    expect(vpcs.map((vpc) => (vpc.subnets as unknown[]).length)).toEqual([1]);
    expect((await list("/volumes")).results).toBe(1);
    expect((await (await engineOf(file)).preview()).changes).toBe(false);
  },
);

/** Runs `up` of the web example as its own process; resolves when it has ended, however. */
function up(state: string): { child: ChildProcess; ended: Promise<number | null>; told: () => string } {
  const args = [
    resolve(import.meta.dirname, "../../../bin/plumbline"),
    "up",
    "-f",
    web,
    "--state",
    state,
    "--yes",
    "--json",
  ];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, ...environment() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  return { child, ended: new Promise((done) => child.on("close", done)), told: () => told };
}

test("an up that is killed at any of four moments is finished by the next one, with nothing doubled and nothing missing", async () => {
  expect(await up(join(folder, "whole")).ended).toBe(0);
  const wanted = await account();
  const requests = emulator.stats().total;
  for (let trial = 1; trial <= 4; trial += 1) {
    emulator.reset();
    const state = join(folder, `state-${trial}`);
    // The moment is a number of requests: the same wherever the machine is fast or slow.
    const last = Math.ceil((requests * trial) / 5);
    const { child, ended } = up(state);
    while (child.exitCode === null && emulator.stats().total < last)
      await new Promise((next) => setTimeout(next, 1));
    child.kill("SIGKILL");
    await ended;
    const next = up(state);
    const code = await next.ended;
    expect(code, `after a kill at request ${last}:\n${next.told()}`).toBe(0);
    expect(await account(), `after a kill at request ${last}`).toEqual(wanted);
    expect(await readFile(join(state, "stacks/web/dev.json"), "utf8")).not.toContain("pending_operations");
  }
}, 240_000);
