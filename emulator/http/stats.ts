/** What was asked of the service: counts by operation and the last requests, in the contract's word. */

import type { EmulatorStats } from "../face.ts";

export interface LoggedRequest {
  /** Counts from 1. */
  readonly n: number;
  readonly method: string;
  /** As asked, with the version segment and without the query. */
  readonly path: string;
  /** What followed `?`; absent when nothing did. */
  readonly query?: string;
  /** The contract's template; `null` when no path of the contract matches. */
  readonly template: string | null;
  /** `null` while there is no answer, and for good when the connection was cut. */
  status: number | null;
  /** What a fault rule did, or `null`. */
  fault: string | null;
}

export interface Stats {
  /** Counts a request and returns its entry, to be completed. */
  enter(method: string, path: string, query: string, template: string | undefined): LoggedRequest;
  counts(): EmulatorStats;
  /** The last requests, oldest first. */
  last(count: number): LoggedRequest[];
  clear(): void;
}

/** So many requests are remembered one by one. */
const remembered = 10_000;

export function createStats(): Stats {
  let counts = new Map<string, number>();
  let log: LoggedRequest[] = [];
  let total = 0;
  return {
    enter: (method, path, query, template) => {
      const key = `${method} ${template ?? "(no such path)"}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const entry: LoggedRequest = {
        n: ++total,
        method,
        path,
        ...(query !== "" && { query }),
        template: template ?? null,
        status: null,
        fault: null,
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
