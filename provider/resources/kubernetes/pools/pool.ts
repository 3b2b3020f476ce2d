/** What is true of every pool, a cluster's own or a NodePool: how two are compared, what is sent for it (contract section 2.7). Makes no request. */

import { same } from "../../../core/judgement/compare.ts";
import type { WireObject } from "../../../core/service-port.ts";
import { isUnknown, isValueMap, reveal, type Value, type ValueMap } from "../../../core/value.ts";
import { pool as fields } from "../fields.ts";

export interface Autoscaler {
  readonly enabled?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** A pool as declared, plain. */
export interface PoolSpec {
  readonly type?: string;
  readonly count?: number;
  readonly autoscaler?: Autoscaler;
  readonly tags?: readonly string[];
  readonly disks?: readonly { readonly size: number; readonly type: string }[];
}

/** A pool as the service tells it. */
export interface LivePool extends WireObject {
  readonly id: number;
  readonly type: string;
  readonly count: number;
  readonly autoscaler: Required<Autoscaler>;
  readonly nodes: readonly { readonly id: string; readonly instance_id?: unknown; readonly status: string }[];
}

/** The values of a pool in which two are compared: an enabled autoscaler owns the count, and one that is not enabled means nothing. */
export function canonicalPool(values: ValueMap): ValueMap {
  const scaler = reveal(values["autoscaler"] ?? null);
  const enabled = isValueMap(scaler) ? reveal(scaler["enabled"] ?? null) : scaler;
  if (isUnknown(enabled)) return values;
  const { count, autoscaler, ...rest } = values;
  if (enabled === true) return { ...rest, autoscaler: autoscaler! };
  return count === undefined ? rest : { ...rest, count };
}

/** The same for a map of pools. */
export function canonicalPools(given: Value | undefined): Value | undefined {
  const pools = given === undefined ? undefined : reveal(given);
  if (!isValueMap(pools)) return given;
  return Object.fromEntries(
    Object.entries(pools).map(([name, each]) => {
      const one = reveal(each);
      return [name, isValueMap(one) ? canonicalPool(one) : each];
    }),
  );
}

/** True when the pool has everything that no pool can change. */
export function isAlike(spec: PoolSpec, live: WireObject): boolean {
  return (["type", "tags", "disks"] as const).every((name) =>
    same(fields[name], spec[name] as Value | undefined, live[name] as Value | undefined),
  );
}

/** The properties in which it differs from the pool and that no pool can change. */
export function remaking(spec: PoolSpec, earlier: PoolSpec): string[] {
  return (["type", "disks", "tags"] as const).filter(
    (name) => !same(fields[name], spec[name] as Value | undefined, earlier[name] as Value | undefined),
  );
}

const within = ({ min, max }: Autoscaler, count: number) =>
  Math.min(max ?? count, Math.max(min ?? count, count));

/** The request for a new pool; `present` is the count of one that it takes the place of. */
export function createBody(spec: PoolSpec, present?: number): WireObject {
  const { type, autoscaler, tags, disks } = spec;
  const least = spec.count ?? autoscaler?.min ?? 1;
  const isScaled = autoscaler?.enabled === true;
  const count = isScaled ? within(autoscaler, Math.max(least, present ?? 0)) : least;
  return {
    type,
    count,
    ...(autoscaler && { autoscaler }),
    ...(tags && tags.length > 0 && { tags }),
    ...(disks && disks.length > 0 && { disks }),
  };
}

/** The request that gives a pool its count and its autoscaler; undefined when it has them. */
export function scaleBody(spec: PoolSpec, live: LivePool): WireObject | undefined {
  const { count, autoscaler: wanted = {} } = spec;
  const body: { [name: string]: unknown } = {};
  const { enabled = false, min = live.autoscaler.min, max = live.autoscaler.max } = wanted;
  const isOther =
    enabled !== live.autoscaler.enabled ||
    (enabled && (min !== live.autoscaler.min || max !== live.autoscaler.max));
  if (isOther) body["autoscaler"] = { ...wanted, enabled };
  const due = enabled ? within(wanted, live.count) : (count ?? live.count);
  if (due !== live.count) body["count"] = due;
  return Object.keys(body).length > 0 ? body : undefined;
}

/** True when it has all its nodes, and all of them are ready. */
export function isReady(pool: WireObject): boolean {
  const { nodes, count } = pool as LivePool;
  return nodes.length >= count && nodes.every(({ status }) => status === "ready");
}

/** A pool as one would declare it: without what means nothing. */
export function tidied(pool: ValueMap): ValueMap {
  const scaler = pool["autoscaler"];
  const isOff = isValueMap(scaler) && scaler["enabled"] !== true;
  return Object.fromEntries(
    Object.entries(pool).filter(
      ([name, value]) => !(name === "autoscaler" && isOff) && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
