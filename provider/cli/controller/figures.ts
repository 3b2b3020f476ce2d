/** Figures of the controller for Prometheus. Shows no value of any object. */

import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Figures } from "../../kubernetes/controller.ts";
import type { Report } from "../../kubernetes/report.ts";

export interface ControllerFigures {
  readonly report: Omit<Report, "log">;
  /** Asks these whenever somebody wants figures. */
  readonly watch: (current: () => Figures) => void;
  readonly text: () => Promise<{ readonly type: string; readonly body: string }>;
  readonly close: () => void;
}

/** An answer of the service, as its client tells it. */
interface Told {
  readonly method: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
}

export function createFigures(): ControllerFigures {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const current = new AsyncLocalStorage<string>();
  let look: () => Figures = () => ({ depths: [], objects: [] });
  const figures = countersIn(registry);
  gaugesIn(registry, () => look());
  const hear = (message: unknown): void => {
    const account = current.getStore();
    if (account === undefined) return;
    const { method, status, headers } = message as Told;
    figures.requests.inc({ account, method, status });
    const left = Number.parseInt(headers["x-ratelimit-remaining"] ?? "", 10);
    if (left >= 0) figures.left.set({ account }, left);
  };
  subscribe("plumbline:answer", hear);
  return {
    report: {
      looked({ kind, result, seconds }) {
        figures.reconciles.inc({ kind, result });
        figures.seconds.observe(seconds);
      },
      drifted: (kind) => figures.drift.inc({ kind }),
      swept(account, { seconds, requests }) {
        figures.sweeps.observe({ account }, seconds);
        figures.sweepRequests.observe({ account }, requests);
      },
      within: (account, work) => current.run(account, work),
    },
    watch(asked) {
      look = asked;
    },
    text: async () => ({ type: registry.contentType, body: await registry.metrics() }),
    close: () => void unsubscribe("plumbline:answer", hear),
  };
}

function countersIn(registry: Registry) {
  const registers = [registry];
  return {
    reconciles: new Counter({
      ...{ name: "plumbline_controller_reconciles_total", help: "Looks at objects, by what came of them" },
      ...{ labelNames: ["kind", "result"], registers },
    }),
    seconds: new Histogram({
      ...{ name: "plumbline_controller_reconcile_seconds", help: "How long looks took", registers },
      buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120, 600],
    }),
    requests: new Counter({
      ...{
        name: "plumbline_controller_requests_total",
        help: "Requests to the service, by method and status",
      },
      ...{ labelNames: ["account", "method", "status"], registers },
    }),
    left: new Gauge({
      ...{
        name: "plumbline_controller_limit_left",
        help: "Requests that the service still allows, as it said last",
      },
      ...{ labelNames: ["account"], registers },
    }),
    drift: new Counter({
      ...{
        name: "plumbline_controller_drift_total",
        help: "Objects found otherwise than applied, or not at all",
      },
      ...{ labelNames: ["kind"], registers },
    }),
    sweeps: new Histogram({
      ...{
        name: "plumbline_controller_sweep_seconds",
        help: "How long it took to look at everything of an Account",
      },
      ...{ labelNames: ["account"], registers, buckets: [1, 5, 15, 60, 300, 900, 3600] },
    }),
    sweepRequests: new Histogram({
      ...{
        name: "plumbline_controller_sweep_requests",
        help: "Requests to the service of the Account meanwhile, those of changes among them",
      },
      ...{ labelNames: ["account"], registers, buckets: [1, 10, 50, 100, 400, 1600, 6400] },
    }),
  };
}

/** Those that are what they are when somebody asks. */
function gaugesIn(registry: Registry, look: () => Figures): void {
  const registers = [registry];
  new Gauge({
    ...{ name: "plumbline_controller_queue_depth", help: "Objects that wait to be looked at", registers },
    labelNames: ["account", "urgency"],
    collect() {
      this.reset();
      for (const { account, urgency, count } of look().depths) this.set({ account, urgency }, count);
    },
  });
  new Gauge({
    ...{ name: "plumbline_controller_objects", help: "Objects whose status says so", registers },
    labelNames: ["kind", "condition"],
    collect() {
      this.reset();
      for (const { kind, condition, count } of look().objects) this.set({ kind, condition }, count);
    },
  });
}
