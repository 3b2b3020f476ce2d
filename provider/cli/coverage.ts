/** Which operations of the contract the product reaches, and by what: the record of what the tests really called, held against the contract and the code. Prints nothing. */

import record from "../../schemas/coverage.json" with { type: "json" };
import contract from "../../schemas/service.openapi.json" with { type: "json" };
import type { Catalogue } from "../core/protocol.ts";
import { catalogue } from "../provider.ts";

/** One operation of the contract. */
export interface CoveredOperation {
  readonly method: string;
  /** The contract's template (`/domains/{domainId}`). */
  readonly path: string;
  /** The contract's area (`dns`). */
  readonly area: string;
  readonly summary: string;
  /**
   * What called it and was answered with success: `plumbline:dns:getDomain` for a function, `plumbline:dns:Domain create` for a verb of
   * a type, `plumbline:databases:MySqlInstance run patch` for one that is run by hand, `plumbline:objectstorage:cancel run` for a verb
   * of an area. Empty: nothing reaches it.
   */
  readonly reachedBy: readonly string[];
}

export interface Coverage {
  /** In the contract's order. */
  readonly operations: readonly CoveredOperation[];
  readonly areas: readonly { readonly area: string; readonly operations: number; readonly reached: number }[];
  readonly reached: number;
  /** What the record says and does not count, because the code or the contract no longer has it. */
  readonly ignored: readonly { readonly operation: string; readonly by: string; readonly reason: string }[];
}

/** What the tests called: reachers by operation (`GET /domains`). */
export type CallRecord = { readonly [operation: string]: readonly string[] };

/** As much of an OpenAPI document as tells its operations. */
export interface Contract {
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } };
}

type Known = Pick<Catalogue, "resources" | "resolveResource" | "resolveFunction" | "resolveVerb">;

interface Described {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly "x-supporting"?: boolean;
}

const methods = ["get", "post", "put", "delete", "patch"];

/** The coverage of this build. */
export function coverage(): Coverage {
  return coverageOf(contract as unknown as Contract, record, catalogue);
}

/** The contract's own operations (not those that only support others) with what reaches each. A reacher counts only while the catalogue has it. */
export function coverageOf({ paths }: Contract, calls: CallRecord, known: Known): Coverage {
  const ignored: Coverage["ignored"][number][] = [];
  const operations: CoveredOperation[] = [];
  const keys = new Set<string>();
  for (const [path, item] of Object.entries(paths)) {
    for (const method of methods) {
      const described = item[method] as Described | undefined;
      if (described === undefined || described["x-supporting"]) continue;
      const operation = `${method.toUpperCase()} ${path}`;
      keys.add(operation);
      const reachedBy = [...new Set(calls[operation])].sort().filter((by) => {
        const reason = fault(by, known);
        if (reason !== undefined) ignored.push({ operation, by, reason });
        return reason === undefined;
      });
      const { tags = [], summary = "" } = described;
      operations.push({ method: method.toUpperCase(), path, area: tags[0] ?? "", summary, reachedBy });
    }
  }
  for (const operation of Object.keys(calls)) {
    if (keys.has(operation)) continue;
    ignored.push({ operation, by: "", reason: "the contract has no such operation of its own" });
  }
  const areas = [...new Set(operations.map(({ area }) => area))].map((area) => {
    const own = operations.filter((operation) => operation.area === area);
    return { area, operations: own.length, reached: own.filter(isReached).length };
  });
  return { operations, areas, reached: operations.filter(isReached).length, ignored };
}

export const isReached = ({ reachedBy }: CoveredOperation): boolean => reachedBy.length > 0;

/** Reachers by token, in order; `verbs` is empty for a function. */
export function callersOf({
  reachedBy,
}: CoveredOperation): { readonly token: string; readonly verbs: readonly string[] }[] {
  const byToken = new Map<string, string[]>();
  for (const by of reachedBy) {
    const [token = "", ...verb] = by.split(" ");
    byToken.set(token, [...(byToken.get(token) ?? []), ...(verb.length > 0 ? [verb.join(" ")] : [])]);
  }
  return [...byToken].map(([token, verbs]) => ({ token, verbs }));
}

const verbs = new Set(["create", "find", "read", "update", "delete", "list"]);

/** Why a reacher does not count; `undefined` when the code has it. */
function fault(by: string, known: Known): string | undefined {
  const [token = "", verb, name, more] = by.split(" ");
  if (verb === undefined) return known.resolveFunction(token) ? undefined : `there is no function ${token}`;
  if (verb === "run" && name === undefined)
    return known.resolveVerb?.(token) ? undefined : `there is no verb ${token}`;
  const canonical = known.resolveResource(token);
  const info = canonical === undefined ? undefined : known.resources.get(canonical);
  if (info === undefined) return `there is no type ${token}`;
  if (verb === "run" && name !== undefined && more === undefined)
    return Object.hasOwn(info.verbs ?? {}, name) ? undefined : `${token} has no verb ${name}`;
  return verbs.has(verb) && name === undefined
    ? undefined
    : `a type has no verb ${by.slice(token.length + 1)}`;
}
