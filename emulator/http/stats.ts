/** What was asked of the service: counts by operation and the last requests, in the contract's word. */

import type { EmulatorStats } from "../face.ts";

export interface LoggedRequest {
  /** Counts from 1. */
  readonly n: number;
  readonly method: string;
  /** As asked, with the version segment and without the query. */
  readonly path: string;
  /** When it came, on the emulator's clock. */
  readonly at: string;
  /** What followed `?`; absent when nothing did. */
  readonly query?: string;
  /** The contract's template; `null` when no path of the contract matches. */
  readonly template: string | null;
  /** `null` while there is no answer, and for good when the connection was cut. */
  status: number | null;
  /** What a fault rule did, or `null`. */
  fault: string | null;
  /** Bytes of the request's body, and of the answer's as far as they were sent. */
  readonly received: number;
  sent: number;
}

/** A request as it comes. */
export interface Came {
  readonly method: string;
  readonly path: string;
  /** Empty when there is none, or none to be shown. */
  readonly query: string;
  /** Absent when no path of the contract matches. */
  readonly template: string | undefined;
  /** Bytes of its body. */
  readonly received: number;
}

export interface Stats {
  /** Counts a request and returns its entry, to be completed. */
  enter(request: Came): LoggedRequest;
  counts(): EmulatorStats;
  /** The last requests, oldest first. */
  last(count: number): LoggedRequest[];
  clear(): void;
}

/** So many requests are remembered one by one. */
const remembered = 10_000;

/** `now` tells the time that stands with each request. */
export function createStats(now: () => Date): Stats {
  let counts = new Map<string, number>();
  let log: LoggedRequest[] = [];
  let total = 0;
  return {
    enter: ({ method, path, query, template, received }) => {
      const key = `${method} ${template ?? "(no such path)"}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const entry: LoggedRequest = {
        n: ++total,
        at: now().toISOString(),
        method,
        path,
        ...(query !== "" && { query }),
        template: template ?? null,
        status: null,
        fault: null,
        received,
        sent: 0,
      };
      log.push(entry);
      if (log.length > 2 * remembered) log = log.slice(-remembered);
      return entry;
    },
    counts: () => ({ requests: Object.fromEntries(counts), total }),
    last: (count) => (count <= 0 ? [] : log.slice(-Math.min(count, remembered))),
    clear: () => {
      counts = new Map();
      log = [];
      total = 0;
    },
  };
}
