/** The controller from its options to its end: its parts put together, and what it tells. */

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { createClient } from "../../kubernetes/client.ts";
import { machineClock } from "../../kubernetes/clock.ts";
import { createController } from "../../kubernetes/controller.ts";
import { createReplicas } from "../../kubernetes/replicas.ts";
import { connectBy } from "../../kubernetes/server/kubeconfig.ts";
import { createProvider, kinds } from "../../provider.ts";
import { type Answer, addressOf, type Endpoint, serve } from "../daemon/endpoint.ts";
import { createLog } from "../daemon/log.ts";
import { toldToEnd } from "../daemon/signals.ts";
import { CommandError, exitCode } from "../exit.ts";
import { createFigures } from "./figures.ts";

export interface ControllerFlags {
  readonly kubeconfig?: string;
  readonly namespace?: readonly string[];
  readonly metrics?: string;
  readonly concurrency: number;
}

/** Resolves when it was told to end, and nothing is under way any more. Throws CommandError for options that make no sense. */
export async function runController(flags: ControllerFlags): Promise<void> {
  const address = flags.metrics === undefined ? undefined : addressOf("--metrics", flags.metrics);
  const namespaces = [...new Set(flags.namespace ?? [])].sort();
  const connection = connected(flags.kubeconfig);
  const tell = createLog(true);
  const name = process.env["POD_NAME"] || hostname();
  const figures = createFigures();
  // Accounts have tokens of their own; this process's is nobody's.
  const { PLUMBLINE_TOKEN: _, ...environment } = process.env;
  const client = createClient({
    ...{ connection, namespaces, instance: name },
    troubled: (what, error) =>
      error ? tell("unreachable", `${what}: ${error.message}`) : tell("reachable", `${what}: followed again`),
  });
  const failed = (doing: string, error: unknown) =>
    tell("failed", `${doing}: ${error instanceof Error ? error.message : String(error)}`);
  const controller = createController({
    ...{ client, clock: machineClock, concurrency: flags.concurrency },
    kinds: [...kinds.values()],
    report: { ...figures.report, log: tell },
    async open(config, admit) {
      const provider = createProvider({ environment, admit });
      await provider.configure(config);
      return provider;
    },
    replicas: (hooks) =>
      createReplicas({
        ...{ name, scope: namespaces.join(" "), leases: client.leases, clock: machineClock, failed },
        ...{ random: () => randomBytes(4).toString("hex"), ...hooks },
      }),
  });
  figures.watch(controller.figures);
  const told = toldToEnd();
  // Requests under way would hold the process; the next one finds what came of them.
  told.hurry.addEventListener("abort", () => process.exit(exitCode.interrupted));
  let endpoint: Endpoint | undefined;
  try {
    if (address) {
      endpoint = await serve(address, (path) => answer(path, controller.isReady, figures.text));
      tell("listening", `listening on ${endpoint.url}: /healthz, /readyz and /metrics`, {
        url: endpoint.url,
      });
    }
    tell("starting", `follows ${namespaces.length === 0 ? "all namespaces" : namespaces.join(", ")}`);
    const started = controller.start();
    const ended = new Promise<void>((end) => told.signal.addEventListener("abort", () => end()));
    await Promise.race([started.then(() => ended), ended]);
    tell("ending", "ends what is under way");
    await controller.close();
  } finally {
    endpoint?.close();
    figures.close();
    told.release();
  }
  tell("ended", "ended: nothing is under way any more");
}

function connected(kubeconfig: string | undefined) {
  try {
    return connectBy(kubeconfig);
  } catch (cause) {
    throw new CommandError(`--kubeconfig: ${(cause as Error).message}`, 1, { cause });
  }
}

async function answer(
  path: string,
  isReady: () => boolean,
  figures: () => Promise<Pick<Answer, "type" | "body">>,
): Promise<Answer> {
  const said = (status: number, body: string) => ({ status, type: "text/plain", body });
  if (path === "/healthz") return said(200, "ok");
  if (path === "/readyz") return isReady() ? said(200, "ok") : said(503, "not every kind was listed yet");
  if (path === "/metrics") return { status: 200, ...(await figures()) };
  return said(404, "there is /healthz, /readyz and /metrics");
}
