/** The control operations under `/_emulator`, for tests and people; never part of the service. */

import { Refusal } from "../area.ts";
import type { Look } from "../page/look.ts";
import type { Faults } from "./faults.ts";
import { refusePages } from "./guard.ts";
import type { Asked } from "./listener.ts";
import type { Stats } from "./stats.ts";

export interface Controlled {
  readonly stats: Stats;
  readonly faults: Faults;
  readonly look: Look;
  /** What the emulator's own page is served with, and shows with each request. */
  readonly pageKey: string;
  reset(): void;
  advance(seconds: number): void;
  data(): unknown;
  setData(data: unknown): void;
  change(changes: unknown): void;
}

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Ten years at once: a decade of rounds and backups is caught up with while the client waits. */
const longestAdvance = 3_653 * 86_400;

type Operation = (controlled: Controlled, query: URLSearchParams, body: unknown) => unknown;

const operations: { readonly [key: string]: Operation } = {
  "GET /_emulator/stats": ({ stats }) => stats.counts(),
  "GET /_emulator/requests": ({ stats }, query) => stats.last(wholeNumber(query, "last") ?? Infinity),
  "GET /_emulator/overview": ({ look }) => look.overview(),
  "GET /_emulator/objects": ({ look }, query) =>
    look.objects(query.get("collection") ?? "", wholeNumber(query, "page") ?? 1, query.get("text") ?? ""),
  "GET /_emulator/object": ({ look }, query) =>
    look.object(query.get("collection") ?? "", wholeNumber(query, "id") ?? 0),
  "POST /_emulator/reset": (controlled) => {
    controlled.reset();
    return {};
  },
  "POST /_emulator/advance": (controlled, _query, body) => {
    const seconds = (body as { seconds?: unknown } | null | undefined)?.seconds;
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= longestAdvance))
      throw wrong(`must be a number of seconds from 0 to ${longestAdvance} (ten years)`, "seconds");
    controlled.advance(seconds);
    return {};
  },
  "GET /_emulator/data": (controlled) => controlled.data(),
  "PUT /_emulator/data": (controlled, _query, body) => {
    controlled.setData(body);
    return {};
  },
  "PATCH /_emulator/data": (controlled, _query, body) => {
    controlled.change(body);
    return {};
  },
  "GET /_emulator/faults": ({ faults }) => faults.rules(),
  "POST /_emulator/faults": ({ faults }, _query, body) => {
    faults.setRules(body);
    return faults.rules();
  },
  "PATCH /_emulator/faults": ({ faults }, _query, body) => {
    faults.change(body);
    return faults.rules();
  },
};

/** The whole number in that parameter, if there is one. */
function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw wrong("must be a whole number", name);
  return Number(text);
}

function wrong(reason: string, field: string): Refusal {
  return new Refusal(400, [{ reason, field }]);
}

/** Answers a control request; errors have the service's form. `startedOn` is the host that the emulator listens on. */
export function control(
  controlled: Controlled,
  asked: Asked,
  startedOn: string,
  log: (line: string) => void,
): ControlAnswer {
  const { method, path } = asked;
  try {
    refusePages(asked, startedOn, controlled.pageKey);
    const operation = Object.hasOwn(operations, `${method} ${path}`)
      ? operations[`${method} ${path}`]
      : undefined;
    if (!operation) {
      const known = Object.keys(operations);
      if (!known.some((key) => key.endsWith(` ${path}`)))
        throw new Refusal(404, [{ reason: `No such control operation; there are ${known.join(", ")}` }]);
      throw new Refusal(405, [{ reason: `${path} does not take ${method}` }]);
    }
    return { status: 200, body: operation(controlled, new URLSearchParams(asked.query), parse(asked.body)) };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { errors: error.reasons } };
    log(`${method} ${path} failed: ${(error as Error).stack ?? String(error)}`);
    const reason = `The emulator failed: ${(error as Error).message ?? String(error)}`;
    return { status: 500, body: { errors: [{ reason }] } };
  }
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Refusal(400, [{ reason: "The request body is not valid JSON" }]);
  }
}
