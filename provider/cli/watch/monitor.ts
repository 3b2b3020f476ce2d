/** What others may ask a watch: whether it lives, whether the stack is in order, and figures for Prometheus. Shows no value of any resource. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type Address, type Answer, type Endpoint, serve } from "../daemon/endpoint.ts";
import type { Ran } from "./run.ts";

/** What a watch is doing. `succeeded` and the like: how its last run ended. */
export type Condition = "starting" | "running" | Ran["result"];

export interface Monitor {
  readonly running: () => void;
  readonly ended: (ran: Ran) => void;
  /** The declaration could be read, or not. */
  readonly looked: (isRead: boolean) => void;
  /** Serves what it knows. Resolves to the address; throws a CommandError where it cannot listen. */
  readonly listen: (address: Address) => Promise<string>;
  readonly close: () => void;
}

export function createMonitor(stack: string, now: () => Date = () => new Date()): Monitor {
  const registry = new Registry();
  registry.setDefaultLabels({ stack });
  const figures = figuresIn(registry);
  let condition: Condition = "starting";
  let last: { result: Ran["result"]; at: string } | undefined;
  let isRead = true;
  let endpoint: Endpoint | undefined;
  const answer = async (path: string): Promise<Answer> => {
    const isInOrder = last?.result === "succeeded" && isRead;
    const body = JSON.stringify({ condition, isRead, ...(last && { last }) });
    if (path === "/healthz") return { status: 200, type: "application/json", body };
    if (path === "/readyz") return { status: isInOrder ? 200 : 503, type: "application/json", body };
    if (path === "/metrics")
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    return { status: 404, type: "text/plain", body: "there is /healthz, /readyz and /metrics" };
  };
  return {
    running() {
      condition = "running";
    },
    ended(ran) {
      condition = ran.result;
      // A run that waited for another one says nothing of the stack.
      if (ran.result !== "locked" && ran.result !== "ended")
        last = { result: ran.result, at: now().toISOString() };
      count(figures, ran, now());
    },
    looked(found) {
      isRead = found;
      figures.readable.set(found ? 1 : 0);
    },
    async listen(address) {
      endpoint = await serve(address, answer);
      return endpoint.url;
    },
    close() {
      endpoint?.close();
    },
  };
}

type Figures = ReturnType<typeof figuresIn>;

function figuresIn(registry: Registry) {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    runs: new Counter({
      name: "plumbline_watch_runs_total",
      help: "Runs, by how they ended",
      labelNames: ["result"],
      registers,
    }),
    seconds: new Histogram({
      name: "plumbline_watch_run_seconds",
      help: "How long runs took",
      buckets: [1, 5, 15, 60, 300, 900, 3600],
      registers,
    }),
    changes: new Counter({
      name: "plumbline_watch_changes_total",
      help: "Resources that runs changed, by operation",
      labelNames: ["op"],
      registers,
    }),
    requests: new Counter({
      name: "plumbline_watch_requests_total",
      help: "Requests to the service, by method",
      labelNames: ["method"],
      registers,
    }),
    succeeded: new Gauge({
      name: "plumbline_watch_last_success_timestamp_seconds",
      help: "When the last run that succeeded ended",
      registers,
    }),
    inOrder: new Gauge({ name: "plumbline_watch_in_order", help: "1: the last run succeeded", registers }),
    guarded: new Gauge({
      name: "plumbline_watch_guarded",
      help: "1: a guard waits for another declaration",
      registers,
    }),
    readable: new Gauge({
      name: "plumbline_watch_declaration_readable",
      help: "1: the last look at the declaration succeeded",
      registers,
    }),
  };
}

function count(figures: Figures, { result, counts, requests, seconds }: Ran, now: Date): void {
  figures.runs.inc({ result });
  figures.seconds.observe(seconds);
  for (const [op, many] of Object.entries(counts)) if (op !== "same") figures.changes.inc({ op }, many);
  for (const [method, many] of Object.entries(requests)) figures.requests.inc({ method }, many);
  if (result === "succeeded") figures.succeeded.set(now.getTime() / 1000);
  if (result === "locked" || result === "ended") return;
  figures.inOrder.set(result === "succeeded" ? 1 : 0);
  figures.guarded.set(result === "guarded" ? 1 : 0);
}
