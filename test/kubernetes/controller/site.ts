/** A cluster with an account behind it, and a controller between the two, as tests of it want them. */

import { randomBytes } from "node:crypto";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../emulator/index.ts";
import type { ValueMap } from "../../../provider/core/value.ts";
import type { Condition, KubeObject } from "../../../provider/kubernetes/api.ts";
import { createClient } from "../../../provider/kubernetes/client.ts";
import { machineClock } from "../../../provider/kubernetes/clock.ts";
import { type Controller, createController } from "../../../provider/kubernetes/controller.ts";
import { createReplicas } from "../../../provider/kubernetes/replicas.ts";
import type { Report } from "../../../provider/kubernetes/report.ts";
import { connectBy } from "../../../provider/kubernetes/server/kubeconfig.ts";
import { createProvider, kinds } from "../../../provider/provider.ts";
import { createService } from "../../../provider/service/client.ts";
import { type Clock, systemClock } from "../../../provider/service/clock.ts";
import type { Cluster } from "../cluster.ts";

/** Tells the time as it is, and sleeps a twentieth. */
const hurried: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};

export interface Site {
  readonly namespace: string;
  readonly emulator: Emulator;
  readonly log: { readonly event: string; readonly message: string }[];
  /** Applies an object of the kind, as `kubectl apply --server-side`; answers with the status. */
  readonly apply: (
    token: string,
    name: string,
    spec: object,
    annotations?: { readonly [name: string]: string },
  ) => Promise<void>;
  /** By a merge patch, as a person would by hand. */
  readonly patch: (token: string, name: string, patch: object, part?: "status") => Promise<void>;
  readonly remove: (token: string, name: string) => Promise<void>;
  readonly get: (token: string, name: string) => Promise<KubeObject | undefined>;
  /** Resolves to the object once this condition is so. */
  readonly until: (
    token: string,
    name: string,
    type: string,
    match: Partial<Condition>,
    seconds?: number,
  ) => Promise<KubeObject>;
  readonly untilGone: (token: string, name: string) => Promise<void>;
  /** Ready, at the generation that is declared. */
  readonly ready: (token: string, name: string, seconds?: number) => Promise<KubeObject>;
  readonly secret: (name: string, values: { readonly [key: string]: string } | null) => Promise<void>;
  readonly account: (name: string, more?: object) => Promise<void>;
  /** Calls the service as somebody else would. */
  readonly call: (
    method: string,
    path: string,
    body?: object,
  ) => Promise<{ readonly [name: string]: unknown }>;
  /** Looks at objects of the kind so far. */
  readonly looks: (token: string) => number;
  /** Requests to the service that were no reads, while the work was done. */
  readonly writes: (work: () => Promise<void>) => Promise<number>;
  readonly startController: (options?: { readonly kubeconfig?: string }) => Promise<Controller>;
  readonly close: () => Promise<void>;
}

const account = { group: "plumbline.dev", kind: "Account", plural: "accounts" };
const kindOf = (token: string) => (token === "Account" ? account : kinds.get(token)!);

/** A namespace of its own with the Account `default` and its Secret `token`; no controller yet. */
export async function openSite(
  cluster: Cluster,
  options: EmulatorOptions & { readonly token?: string; readonly emulator?: Emulator } = {},
): Promise<Site> {
  const namespace = `site-${randomBytes(4).toString("hex")}`;
  const { token, emulator: given, ...more } = options;
  const emulator = given ?? (await startEmulator({ speed: "instant", checkAnswers: true, ...more }));
  const log: { event: string; message: string }[] = [];
  const running: Controller[] = [];
  const looks = new Map<string, number>();
  for (const name of [namespace, "plumbline"])
    await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name } });

  const pathOf = (kind: string, name = "") => {
    const { group, plural } = kindOf(kind);
    return `/apis/${group}/v1alpha1/namespaces/${namespace}/${plural}${name && `/${name}`}`;
  };
  const well = async (answer: ReturnType<Cluster["ask"]>) => {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`${status} ${body.message}`);
    return body;
  };
  const site: Site = {
    ...{ namespace, emulator, log },
    async apply(kind, name, spec, annotations) {
      const { group, kind: word } = kindOf(kind);
      const metadata = { name, ...(annotations && { annotations }) };
      await well(
        cluster.apply(pathOf(kind, name), {
          ...{ apiVersion: `${group}/v1alpha1`, kind: word, metadata, spec },
        }),
      );
    },
    async patch(kind, name, patch, part) {
      const path = pathOf(kind, name) + (part ? `/${part}` : "");
      await well(cluster.ask("PATCH", path, patch, "application/merge-patch+json"));
    },
    async remove(kind, name) {
      await well(cluster.ask("DELETE", pathOf(kind, name)));
    },
    async get(kind, name) {
      const { status, body } = await cluster.ask("GET", pathOf(kind, name));
      return status === 404 ? undefined : (body as unknown as KubeObject);
    },
    async until(kind, name, type, match, seconds = 20) {
      const end = performance.now() + seconds * 1000;
      for (;;) {
        const object = await site.get(kind, name);
        const found = object?.status?.conditions?.find((each) => each.type === type);
        const isSo =
          found?.observedGeneration === object?.metadata.generation &&
          Object.entries(match).every(([key, value]) => found?.[key as keyof Condition] === value);
        if (found && isSo) return object!;
        if (performance.now() > end)
          throw new Error(
            `${name} is not ${type} ${JSON.stringify(match)}: ${JSON.stringify(object, null, 1)}`,
          );
        await systemClock.sleep(50);
      }
    },
    ready: (kind, name, seconds) => site.until(kind, name, "Ready", { status: "True" }, seconds),
    async untilGone(kind, name) {
      for (let tries = 0; (await site.get(kind, name)) !== undefined; tries += 1) {
        if (tries > 400)
          throw new Error(`${name} stays: ${JSON.stringify(await site.get(kind, name), null, 1)}`);
        await systemClock.sleep(50);
      }
    },
    async secret(name, values) {
      const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
      if (values === null) await well(cluster.ask("DELETE", path));
      else
        await well(
          cluster.apply(path, { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: values }),
        );
    },
    account: (name, more = {}) =>
      site.apply("Account", name, {
        ...{ tokenSecretRef: { name: "token", key: "token" }, baseUrl: emulator.baseUrl, ...more },
      }),
    async call(method, path, body) {
      const response = await fetch(`${emulator.baseUrl}${path}`, {
        method,
        headers: { Authorization: `Bearer ${emulator.token}`, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { [name: string]: unknown };
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
    looks: (token) => looks.get(kindOf(token).kind) ?? 0,
    async writes(work) {
      const count = () =>
        Object.entries(emulator.stats().requests).reduce(
          (sum, [operation, many]) => sum + (operation.startsWith("GET ") ? 0 : many),
          0,
        );
      const before = count();
      await work();
      return count() - before;
    },
    async startController({ kubeconfig = cluster.kubeconfig() } = {}) {
      const controller = controllerOf(kubeconfig, namespace, {
        log: (event, message) => void log.push({ event, message }),
        looked: ({ kind }) => void looks.set(kind, (looks.get(kind) ?? 0) + 1),
        drifted() {},
        swept() {},
        within: (_, work) => work(),
      });
      running.push(controller);
      await controller.start();
      return controller;
    },
    async close() {
      await Promise.all(running.map((each) => each.close()));
      if (given === undefined) await emulator.close();
    },
  };
  await site.secret("token", { token: `${token ?? emulator.token}\n` });
  await site.account("default");
  return site;
}

function controllerOf(kubeconfig: string, namespace: string, report: Report): Controller {
  const client = createClient({
    ...{ connection: connectBy(kubeconfig), namespaces: [namespace], instance: "test" },
    troubled: (what, error) => report.log("trouble", `${what}: ${error?.message ?? "mended"}`),
  });
  return createController({
    ...{ client, clock: machineClock, concurrency: 16, kinds: [...kinds.values()] },
    report,
    async open(config: ValueMap, admit) {
      // What somebody else changed is seen at the next look.
      const connect: NonNullable<Parameters<typeof createProvider>[0]>["connect"] = (target) =>
        createService({ ...target, clock: hurried, freshnessSeconds: 0.2 });
      const provider = createProvider({ environment: {}, admit, connect });
      await provider.configure(config);
      return provider;
    },
    replicas: (hooks) =>
      createReplicas({
        ...{ name: "test", scope: namespace, leases: client.leases, clock: machineClock },
        ...{ random: () => randomBytes(4).toString("hex"), ...hooks },
        failed: (doing, error) => report.log("failed", `${doing}: ${(error as Error).message}`),
      }),
  });
}
