/**
 * Many Records in two Accounts, in a real API server and on emulators, and `plumbline controller` between them as a process of its own: what it costs
 * the service, the API server and the machine. For the benchmark, and in small for a test.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { applyDefinitions } from "./definitions.ts";

export interface EstateOptions {
  /** Of each Account. */
  readonly domains: number;
  /** Of each domain. */
  readonly records: number;
}

export interface EstateFigures {
  /** From the start of the controller until all existing objects are Ready. */
  readonly cold: { readonly requests: number; readonly writes: number; readonly seconds: number };
  /** Of all Accounts, for looking at everything once. */
  readonly sweep: { readonly requests: number; readonly statusWrites: number };
  /** Milliseconds from the change of an object, while a sweep runs, until the service has it. */
  readonly change: number;
  /** Of the controller, at the most. */
  readonly mebibytes: number;
  /** KiB of memory, and milliseconds of a processor for a look, for each object. */
  readonly perObject: { readonly kibibytes: number; readonly milliseconds: number };
}

/** The word of the checkout that has `bin`; this file may be bundled into a folder as deep. */
const program = resolve(import.meta.dirname, "../../bin/plumbline");
const dns = "/apis/dns.plumbline.dev/v1alpha1";

interface Plot {
  readonly namespace: string;
  readonly emulator: Emulator;
}

/** Two Accounts whose service has everything already. */
async function openPlot(namespace: string, { domains, records }: EstateOptions): Promise<Plot> {
  const requests: { method: string; path: string; body: object }[] = [];
  for (let at = 0; at < domains; at += 1)
    requests.push({
      ...{ method: "POST", path: "/domains" },
      body: { domain: `${namespace}-${at}.example`, type: "master", soa_email: "root@one.example" },
    });
  for (let at = 0; at < domains * records; at += 1)
    requests.push({
      ...{ method: "POST", path: `/domains/\${${at % domains}.id}/records` },
      body: { type: "A", name: `r${at}`, target: `192.0.2.${at % 250}` },
    });
  const seed = { requests, account: {}, collections: {} };
  // What was made before the limits count.
  const data = join(mkdtempSync(join(tmpdir(), "plumbline-estate-")), "account.json");
  await (await startEmulator({ speed: "instant", seed, data })).close();
  return { namespace, emulator: await startEmulator({ speed: "instant", rateLimit: "standard", data }) };
}

/** Manifests of everything that the Account has, with their ids. */
async function manifestsOf({ namespace, emulator }: Plot): Promise<{ path: string; object: object }[]> {
  const list = async (path: string): Promise<{ [name: string]: unknown }[]> => {
    const found = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const answer = await fetch(`${emulator.baseUrl}${path}?page=${page}&page_size=500`, {
        headers: { Authorization: "Bearer somebody-elses" },
      });
      const body = (await answer.json()) as { data: { [name: string]: unknown }[]; pages: number };
      found.push(...body.data);
      pages = body.pages;
    }
    return found;
  };
  const objects: { path: string; object: object }[] = [];
  const put = (kind: string, plural: string, name: string, id: string, spec: object) =>
    objects.push({
      path: `${dns}/namespaces/${namespace}/${plural}`,
      object: {
        ...{ apiVersion: "dns.plumbline.dev/v1alpha1", kind, spec },
        metadata: { name, annotations: { "plumbline.dev/external-id": id } },
      },
    });
  for (const { id, domain } of await list("/domains")) {
    const name = `domain-${id}`;
    put("Domain", "domains", name, `${id}`, { domain, type: "master", soaEmail: "root@one.example" });
    for (const record of await list(`/domains/${id}/records`)) {
      const { id: own, type, name: host, target } = record;
      put("Record", "records", `record-${own}`, `${id}/${own}`, {
        domainRef: { name },
        type,
        name: host,
        target,
      });
    }
  }
  return objects;
}

async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

interface Running {
  readonly child: ChildProcess;
  /** Bytes at the most so far, and seconds of a processor. */
  readonly costs: () => { readonly peak: number; readonly resident: number; readonly seconds: number };
  readonly end: () => Promise<void>;
}

/** `plumbline controller` on this cluster. */
function startController(cluster: Cluster): Running {
  const child = spawn(process.execPath, [program, "controller", "--kubeconfig", cluster.kubeconfig()], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], POD_NAME: "bench" },
  });
  const told: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream!.setEncoding("utf8").on("data", (text: string) => {
      told.push(text);
      if (told.length > 50) told.shift();
    });
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  return {
    child,
    costs() {
      if (child.exitCode !== null) throw new Error(`the controller ended:\n${told.join("")}`);
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      const kibibytes = (name: string): number =>
        Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) * 1024;
      const parts = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return {
        ...{ peak: kibibytes("VmHWM"), resident: kibibytes("VmRSS") },
        seconds: (Number(parts[11]) + Number(parts[12])) / 100,
      };
    },
    async end() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  seconds: number,
  every = 100,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(every);
  }
}

interface Item {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
  readonly status?: {
    readonly lastSweep?: string;
    readonly conditions?: readonly { type: string; status: string }[];
  };
}

export async function measureEstate(options: EstateOptions): Promise<EstateFigures> {
  const plots = await Promise.all(["site-a", "site-b"].map((namespace) => openPlot(namespace, options)));
  const cluster = await startCluster();
  const closing: (() => Promise<void>)[] = [
    () => cluster.close(),
    ...plots.map(
      ({ emulator }) =>
        () =>
          emulator.close(),
    ),
  ];
  try {
    return await measured(cluster, plots, options, closing);
  } finally {
    for (const close of closing) await close();
  }
}

async function measured(
  cluster: Cluster,
  plots: readonly Plot[],
  { domains, records }: EstateOptions,
  closing: (() => Promise<void>)[],
): Promise<EstateFigures> {
  const begin = (): Running => {
    const controller = startController(cluster);
    closing.unshift(() => controller.end());
    return controller;
  };
  const items = async (plural: string): Promise<Item[]> => {
    const found: Item[] = [];
    for (let next = ""; ; ) {
      const path = `${dns}/${plural}?limit=500${next && `&continue=${next}`}`;
      const { body } = await cluster.ask("GET", path);
      const page = body as unknown as { items: Item[]; metadata: { continue?: string } };
      found.push(...page.items);
      next = page.metadata.continue ?? "";
      if (next === "") return found;
    }
  };
  const everything = async (): Promise<Item[]> => [...(await items("domains")), ...(await items("records"))];
  const requests = (): number => plots.reduce((sum, { emulator }) => sum + emulator.stats().total, 0);
  const writes = (): number =>
    plots
      .flatMap(({ emulator }) => Object.entries(emulator.stats().requests))
      .reduce((sum, [operation, count]) => sum + (operation.startsWith("GET ") ? 0 : count), 0);
  const count = plots.length * domains * (records + 1);

  await applyDefinitions(cluster);
  for (const { namespace, emulator } of plots) {
    await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    await cluster.ask("POST", `/api/v1/namespaces/${namespace}/secrets`, {
      ...{ metadata: { name: "token" }, stringData: { token: emulator.token } },
    });
  }
  await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name: "plumbline" } });
  const idle = begin();
  await sleep(5_000);
  const empty = idle.costs().resident;
  await idle.end();
  for (const plot of plots)
    await inTurn(await manifestsOf(plot), async ({ path, object }) => {
      const { status, body } = await cluster.ask("POST", path, object);
      if (status !== 201) throw new Error(`${status} ${body.message}`);
    });
  for (const { namespace, emulator } of plots)
    await cluster.ask("POST", `/apis/plumbline.dev/v1alpha1/namespaces/${namespace}/accounts`, {
      ...{ apiVersion: "plumbline.dev/v1alpha1", kind: "Account", metadata: { name: "default" } },
      spec: { tokenSecretRef: { name: "token", key: "token" }, baseUrl: emulator.baseUrl, interval: "30s" },
    });

  const atStart = { requests: requests(), writes: writes(), at: performance.now() };
  const controller = begin();
  const isReady = ({ status }: Item): boolean =>
    status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
  await until("all are Ready", async () => (await everything()).every(isReady), 300, 500);
  const cold = {
    requests: requests() - atStart.requests,
    writes: writes() - atStart.writes,
    seconds: (performance.now() - atStart.at) / 1000,
  };
  const account = async (): Promise<string[]> => {
    const { body } = await cluster.ask("GET", "/apis/plumbline.dev/v1alpha1/accounts");
    return (body as unknown as { items: Item[] }).items.map(({ status }) => status?.lastSweep ?? "");
  };
  /** Both Accounts have swept once more than before. */
  async function nextSweeps(): Promise<void> {
    const before = await account();
    await until(
      "everything was looked at again",
      async () => (await account()).every((at, n) => at !== before[n]),
      120,
    );
  }
  await until("the first look at everything ends", async () => !(await account()).includes(""), 120);
  const versions = async () =>
    new Map(
      (await everything()).map(({ metadata: { namespace, name, resourceVersion } }) => [
        `${namespace}/${name}`,
        resourceVersion,
      ]),
    );
  const [before, counted, cpu] = [await versions(), requests(), controller.costs().seconds];
  await nextSweeps();
  await sleep(1_000);
  const after = await versions();
  const sweep = {
    requests: requests() - counted,
    statusWrites: [...after].filter(([name, version]) => before.get(name) !== version).length,
  };
  const milliseconds = ((controller.costs().seconds - cpu) * 1000) / count;
  const change = await changeUnderSweep(cluster, plots[0]!, await items("records"));
  const { peak, resident } = controller.costs();
  return {
    ...{ cold, sweep, change, mebibytes: Math.round(peak / 2 ** 20) },
    perObject: { kibibytes: (resident - empty) / 1024 / count, milliseconds },
  };
}

/** Changes a Record once a sweep has begun to ask. */
async function changeUnderSweep(
  cluster: Cluster,
  { namespace, emulator }: Plot,
  records: readonly Item[],
): Promise<number> {
  const written = (): number => emulator.stats().requests["PUT /domains/{domainId}/records/{recordId}"] ?? 0;
  const [asked, before] = [emulator.stats().total, written()];
  await until("a sweep begins", () => emulator.stats().total > asked, 60, 5);
  const { name } = records.find(({ metadata }) => metadata.namespace === namespace)!.metadata;
  const path = `${dns}/namespaces/${namespace}/records/${name}`;
  const { status } = await cluster.ask(
    "PATCH",
    path,
    { spec: { target: "198.51.100.7" } },
    "application/merge-patch+json",
  );
  if (status !== 200) throw new Error(`the change was answered by ${status}`);
  const at = performance.now();
  await until("the service has the change", () => written() > before, 60, 2);
  return Math.round(performance.now() - at);
}
