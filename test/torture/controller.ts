/**
 * The controller on a real API server, through a life of 40 objects: killed at every request that it makes of the service, before it is handled and before
 * its answer is sent; its Lease taken at every request; the API server stopped at every tenth; and all the while somebody else writes to the objects. At the
 * end the account has what the manifests declare, no more and no less, and nothing once they are deleted.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { kinds } from "../../provider/provider.ts";
import { type Cluster, hasKubernetes, startCluster } from "../kubernetes/cluster.ts";
import { applyDefinitions } from "../kubernetes/definitions.ts";
import { differences } from "./account.ts";
import { born, changed, gone, kindsOfLife, type Member } from "./controller-life.ts";
import { root } from "./place.ts";
import { type Choice, count, type Fault, isChosen, newTally, type Tally } from "./verdict.ts";

const strikes = ["killed before", "killed after", "Lease taken at", "API server stopped at"] as const;

interface Strike {
  readonly what: (typeof strikes)[number];
  /** Which request of the life, from 1. */
  readonly request: number;
}

interface Life {
  /** The account when everything is as declared, and at the end. */
  readonly whole: unknown;
  readonly end: unknown;
  readonly requests: number;
}

/** Seconds until what is declared has to be so, however busy the machine is. */
const patience = 120;

class StuckError extends Error {
  override readonly name = "StuckError";
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/plumbline/leases";

/** The replicas of one life; those that are killed come again. */
function openReplicas(cluster: Cluster, namespace: string, replicas: number) {
  const running = new Set<ChildProcess>();
  let [born, isOver] = [0, false];
  /** Who said last that it has the Account. */
  let holder: ChildProcess | undefined;

  function start(): void {
    const args = [join(root, "test-results", "torture", "controller-process.mjs"), cluster.kubeconfig()];
    const child = spawn(process.execPath, [...args, namespace, `replica-${born++}`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env["PATH"] },
    });
    running.add(child);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("gained ")) holder = child;
    });
    child.once("exit", () => {
      running.delete(child);
      if (!isOver) start();
    });
  }
  for (let at = 0; at < replicas; at += 1) start();

  return {
    /** Whoever asks the service ends at once. */
    kill: () => void (holder ?? [...running][0])?.kill("SIGKILL"),
    async close() {
      isOver = true;
      for (const child of running) child.kill("SIGKILL");
      while (running.size > 0) await sleep(20);
    },
  };
}

function pathOf(namespace: string, { token, name }: Pick<Member, "token" | "name">): string {
  const { group, plural } = kinds.get(token)!;
  return `/apis/${group}/v1alpha1/namespaces/${namespace}/${plural}/${name}`;
}

async function apply(cluster: Cluster, namespace: string, members: readonly Member[]): Promise<void> {
  for (const member of members) {
    const { group, kind } = kinds.get(member.token)!;
    const metadata = { name: member.name };
    const object = { apiVersion: `${group}/v1alpha1`, kind, metadata, spec: member.spec };
    const { status, body } = await patiently(() => cluster.apply(pathOf(namespace, member), object));
    if (status >= 300) throw new Error(`${member.name}: ${status} ${body.message}`);
  }
}

/** Asks an API server that may be stopped at the moment. */
async function patiently<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + patience * 1000;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    if (performance.now() > end) throw new StuckError("the API server does not come back");
    await sleep(100);
  }
}

interface Seen {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly {
      type: string;
      status: string;
      observedGeneration: number;
      message: string;
    }[];
  };
}

async function all(cluster: Cluster, namespace: string): Promise<Seen[]> {
  const lists = [...kindsOfLife].map(async (token) => {
    const path = pathOf(namespace, { token, name: "" }).slice(0, -1);
    return (await patiently(() => cluster.ask("GET", path))).body["items"] as Seen[];
  });
  return (await Promise.all(lists)).flat();
}

/** Resolves once these objects are there, no others, and each is Ready as it is declared. */
async function settled(cluster: Cluster, namespace: string, names: ReadonlySet<string>): Promise<void> {
  const end = performance.now() + patience * 1000;
  for (;;) {
    const objects = await all(cluster, namespace);
    const open = objects.filter(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      const isReady = ready?.status === "True" && ready.observedGeneration === metadata.generation;
      return !names.has(metadata.name) || !isReady;
    });
    if (open.length === 0 && objects.length === names.size) return;
    if (performance.now() > end) {
      const told = open.map(
        ({ metadata, status }) =>
          `${metadata.name} (${status?.conditions?.[0]?.message ?? "never looked at"})`,
      );
      throw new StuckError(`after ${patience} s: ${told.join(", ") || `${objects.length} objects`}`);
    }
    await sleep(100);
  }
}

/** Takes the Lease of whoever lives in this namespace, as a successor would that takes it for dead. */
async function takeLease(cluster: Cluster): Promise<void> {
  const items = (await patiently(() => cluster.ask("GET", leases))).body["items"] as {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly holderIdentity?: string };
  }[];
  for (const { metadata, spec } of items)
    if (metadata.name.startsWith("plumbline-replica.") && metadata.name.endsWith(`.${spec.holderIdentity}`))
      await cluster.ask(
        "PATCH",
        `${leases}/${metadata.name}`,
        { spec: { holderIdentity: "somebody" } },
        "application/merge-patch+json",
      );
}

/** Writes to the objects all the while, so that what was seen of them is old. */
function openRival(cluster: Cluster, namespace: string) {
  let isOver = false;
  const work = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const member = born[turn % born.length]!;
      const patch = { metadata: { labels: { turn: String(turn) } } };
      // It may be gone, or the API server stopped: nothing is asked of the rival.
      await cluster
        .ask("PATCH", pathOf(namespace, member), patch, "application/merge-patch+json")
        .catch(() => undefined);
      await sleep(20);
    }
  })();
  return async () => {
    isOver = true;
    await work;
  };
}

async function live(cluster: Cluster, namespace: string, replicas: number, strike?: Strike): Promise<Life> {
  let requests = 0;
  let striking: Promise<void> = Promise.resolve();
  const emulator: Emulator = await startEmulator({
    speed: "instant",
    watch(moment) {
      if (moment === "before") requests += 1;
      if (requests !== strike?.request) return undefined;
      const { what } = strike;
      if (what.startsWith("killed")) {
        if (moment !== what.slice(7)) return undefined;
        controllers.kill();
        return "cut";
      }
      if (moment === "before")
        striking = what.startsWith("Lease")
          ? takeLease(cluster)
          : cluster
              .stop()
              .then(() => sleep(500))
              .then(() => cluster.start());
      return undefined;
    },
  });
  for (const [path, object] of [
    ["/api/v1/namespaces", { metadata: { name: namespace } }],
    [
      `/api/v1/namespaces/${namespace}/secrets`,
      { metadata: { name: "token" }, stringData: { token: emulator.token } },
    ],
    [
      `/apis/plumbline.dev/v1alpha1/namespaces/${namespace}/accounts`,
      {
        ...{ apiVersion: "plumbline.dev/v1alpha1", kind: "Account", metadata: { name: "default" } },
        spec: { tokenSecretRef: { name: "token", key: "token" }, baseUrl: emulator.baseUrl },
      },
    ],
  ] as const)
    await cluster.ask("POST", path, object);
  const controllers = openReplicas(cluster, namespace, replicas);
  const close = openRival(cluster, namespace);
  try {
    await apply(cluster, namespace, born);
    await settled(cluster, namespace, new Set(born.map(({ name }) => name)));
    for (const { token, name } of born)
      if (gone.has(name)) await patiently(() => cluster.ask("DELETE", pathOf(namespace, { token, name })));
    await apply(
      cluster,
      namespace,
      changed.filter(({ name }) => !gone.has(name)),
    );
    await settled(
      cluster,
      namespace,
      new Set(born.map(({ name }) => name).filter((name) => !gone.has(name))),
    );
    const whole = structuredClone(emulator.data());
    for (const member of born)
      if (!gone.has(member.name)) await patiently(() => cluster.ask("DELETE", pathOf(namespace, member)));
    await settled(cluster, namespace, new Set());
    await striking;
    return { whole, end: structuredClone(emulator.data()), requests };
  } finally {
    await striking;
    await close();
    await controllers.close();
    await emulator.close();
  }
}

function judge({ whole, end }: Life, wanted: Life): Fault[] {
  const found = differences(whole, wanted.whole);
  const left = differences(end, wanted.end);
  return [
    ...found.extra.map((detail): Fault => ({ kind: "doubled", detail })),
    ...[...found.missing, ...found.other].map((detail): Fault => ({ kind: "lost", detail })),
    ...left.extra.map((detail): Fault => ({ kind: "orphaned", detail })),
  ];
}

export async function strikeController(engine: "one" | "two", choice: Choice): Promise<Tally> {
  const tally = newTally("controller", engine);
  if (!hasKubernetes) return tally;
  const began = performance.now();
  const replicas = engine === "one" ? 1 : 2;
  const cluster = await startCluster();
  try {
    await applyDefinitions(cluster);
    await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name: "plumbline" } });
    const wanted = await live(cluster, "undisturbed", replicas);
    choice.say(`a life makes ${wanted.requests} requests of the service`);
    for (let number = 0; number < wanted.requests * strikes.length; number += 1) {
      const strike: Strike = {
        what: strikes[number % strikes.length]!,
        request: Math.floor(number / strikes.length) + 1,
      };
      if (!isChosen(number, choice)) continue;
      // An API server takes seconds to start.
      if (strike.what.startsWith("API") && choice.point === undefined && strike.request % 10 !== 0) continue;
      const at = `${strike.what} request ${strike.request} of ${wanted.requests}`;
      const faults = await live(cluster, `life-${number}`, replicas, strike).then(
        (life) => judge(life, wanted),
        (error: unknown): Fault[] => {
          if (!(error instanceof StuckError)) throw error;
          return [{ kind: "stuck", detail: error.message }];
        },
      );
      count(tally, choice, { number, at }, faults);
    }
  } finally {
    await cluster.close();
  }
  tally.seconds = (performance.now() - began) / 1000;
  return tally;
}
