/**
 * The limits that the service sets to one kind of request beside the general one, and tells of only when they are reached (notes, section 1.7):
 * counted here, so that they need not be run into. Knows no answer but how it ended.
 */

import type { Request } from "./http/transport.ts";
import { bare, segments } from "./path.ts";

/** What the service allows of one kind of request: so many in a window that begins with the first of them. */
interface Rule {
  readonly requests: number;
  readonly seconds: number;
}

/** The general limit of a service that has these others; one that tells another general limit has others that nobody knows. */
export const GENERAL_LIMIT = 800;

const endpoint: Rule = { requests: 400, seconds: 60 };
const list: Rule = { requests: 200, seconds: 60 };
const single: { readonly [endpoint: string]: Rule } = { "POST /volumes": { requests: 25, seconds: 60 } };

/** One limit, and what was asked under it in its window. */
export interface Quota {
  /** When one more may start: now or earlier, at the window's end, or once an answer has told when that is (`Infinity`). Milliseconds. */
  readonly opensAt: (now: number) => number;
  readonly start: () => void;
  /** One that started has ended; a refused one was not counted. */
  readonly end: (now: number, isRefused: boolean) => void;
}

function createQuota({ requests, seconds }: Rule): Quota {
  let used = 0;
  let flying = 0;
  let ends: number | undefined;
  return {
    opensAt(now) {
      if (ends !== undefined && now >= ends) {
        // What is under way may count in either window.
        used = flying;
        ends = undefined;
      }
      return used < requests ? now : (ends ?? Number.POSITIVE_INFINITY);
    },
    start() {
      used += 1;
      flying += 1;
    },
    end(now, isRefused) {
      flying -= 1;
      if (isRefused) used -= 1;
      // The window began when the request arrived, which is no later than its answer.
      else ends ??= now + seconds * 1000;
    },
  };
}

/** The quotas that a request falls under, kept for all requests of a client. */
export function createQuotas(): (request: Request) => readonly Quota[] {
  const known = new Map<string, readonly Quota[]>();
  return (request) => {
    const key = endpointOf(request);
    const found = known.get(key);
    if (found) return found;
    const rules = [endpoint, ...(request.list ? [list] : []), ...(single[key] ? [single[key]] : [])];
    const quotas = rules.map(createQuota);
    known.set(key, quotas);
    return quotas;
  };
}

/** The operation that a request is for, as far as its path tells: ids are numbers. */
function endpointOf({ method, path }: Request): string {
  const parts = segments(bare(path)).map((part) => (/^\d+$/.test(part) ? "{id}" : part));
  return `${method} /${parts.join("/")}`;
}
