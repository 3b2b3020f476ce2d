/**
 * A controller as a process of its own, with Leases that last two seconds and a client in a hurry. Arguments: a kubeconfig, its namespace, its name. Tells
 * on standard output which Accounts it has.
 */

import { randomBytes } from "node:crypto";
import { createClient } from "../../provider/kubernetes/client.ts";
import { machineClock } from "../../provider/kubernetes/clock.ts";
import { createController } from "../../provider/kubernetes/controller.ts";
import { createReplicas } from "../../provider/kubernetes/replicas.ts";
import { connectBy } from "../../provider/kubernetes/server/kubeconfig.ts";
import { createProvider, kinds } from "../../provider/provider.ts";
import { connectHurried } from "../hurried.ts";
import { kindsOfLife } from "./controller-life.ts";

const [kubeconfig, namespace, name] = process.argv.slice(2) as [string, string, string];
const say = (what: string, more: string): void => void process.stdout.write(`${what} ${more}\n`);
const client = createClient({
  ...{ connection: connectBy(kubeconfig), namespaces: [namespace], instance: name },
  troubled: (what, error) => say("trouble", `${what}: ${error?.message ?? "mended"}`),
});
const controller = createController({
  ...{ client, clock: machineClock, concurrency: 16 },
  kinds: [...kinds].flatMap(([token, kind]) => (kindsOfLife.has(token) ? [kind] : [])),
  report: {
    log: (event, message) => say(event, message),
    looked: () => {},
    drifted: () => {},
    swept: () => {},
    within: (_, work) => work(),
  },
  async open(config, admit) {
    const provider = createProvider({ environment: {}, admit, connect: connectHurried });
    await provider.configure(config);
    return provider;
  },
  replicas: (hooks) =>
    createReplicas({
      ...{ name, scope: namespace, leases: client.leases, clock: machineClock, ...hooks },
      timing: { renewal: 400, stale: 1_200, ends: 2_000 },
      random: () => randomBytes(6).toString("hex"),
      failed: (doing, error) => say("failed", `${doing}: ${(error as Error).message}`),
    }),
});
process.once("SIGTERM", () => void controller.close().then(() => process.exit(0)));
await controller.start();
