/**
 * Which pool of a cluster is which of the declaration: by what was saved, and by what an interrupted run noted beside it. Pools that are
 * nobody's here are the others. Pure.
 */

import { equal } from "../../../core/judgement/compare.ts";
import type { WireObject } from "../../../core/service-port.ts";
import type { Value, ValueMap } from "../../../core/value.ts";
import { createBody, isAlike, type LivePool, type PoolSpec } from "./pool.ts";

/** Pool ids by the user's names. */
export interface Ids {
  readonly [name: string]: string;
}

export interface Specs {
  readonly [name: string]: PoolSpec;
}

/** What a run notes while it makes and removes pools. */
export interface PoolNote {
  /** The ids that the state had; another state has outlived the note. */
  readonly base: Ids | null;
  readonly ids: Ids;
  /** A pool that was asked for: it is none of those that were there, and as it was asked for. */
  readonly making?: { readonly name: string; readonly among: readonly string[]; readonly like: PoolSpec };
}

export const noteKey = "pools";

/** A cluster's pools, each in its place. */
export interface Layout {
  readonly base: Ids | null;
  readonly ids: Ids;
  readonly pools: readonly LivePool[];
  /** Pools that could each be the one that was asked for. */
  readonly doubtful: readonly string[];
}

export const idOfPool = (pool: WireObject): string => String(pool["id"]);

interface Known {
  /** As saved; undefined before the first save. */
  readonly ids: Ids | undefined;
  readonly declared: Specs;
  readonly note: Value | undefined;
}

export function layOut(pools: readonly LivePool[], known: Known): Layout {
  const base = known.ids ?? null;
  const found = known.note as unknown as PoolNote | undefined;
  const note = found && equal(found.base as Value, base as Value) ? found : undefined;
  let ids = note?.ids ?? known.ids ?? matched(known.declared, pools);
  const made = note?.making ? madeAs(note.making, pools) : [];
  if (note?.making && made.length === 1) ids = placed(ids, note.making.name, made[0]!);
  const live = new Set(pools.map(idOfPool));
  const present = Object.fromEntries(Object.entries(ids).filter(([, id]) => live.has(id)));
  return { base, ids: present, pools, doubtful: made.length > 1 ? made : [] };
}

/** Ids of pools that the request could have made. */
export function madeAs(
  { among, like }: NonNullable<PoolNote["making"]>,
  pools: readonly LivePool[],
): string[] {
  return pools.filter((pool) => !among.includes(idOfPool(pool)) && isAlike(like, pool)).map(idOfPool);
}

/** The ids with that pool under the name; one that had it goes on under another, until it is removed. */
export function placed(ids: Ids, name: string, id: string): Ids {
  const old = ids[name];
  return {
    ...ids,
    ...(old !== undefined && old !== id && { [`${name} (replaced ${old})`]: old }),
    [name]: id,
  };
}

/** All pools of a cluster that was just made, or imported, are its own: the likest ones under the declared names, the rest under names of their ids. */
function matched(declared: Specs, pools: readonly LivePool[]): Ids {
  const left = new Map(pools.map((pool) => [idOfPool(pool), pool]));
  const ids: { [name: string]: string } = {};
  const isSame = (spec: PoolSpec, pool: LivePool) =>
    isAlike(spec, pool) && pool.count === createBody(spec)["count"];
  for (const fits of [isSame, isAlike]) {
    for (const name of Object.keys(declared).sort()) {
      const fit = name in ids ? undefined : [...left].find(([, pool]) => fits(declared[name]!, pool));
      if (!fit) continue;
      ids[name] = fit[0];
      left.delete(fit[0]);
    }
  }
  for (const id of left.keys()) ids[`pool-${id}`] = id;
  return ids;
}

/** What the layout adds to a cluster's own answer, in wire names. */
export function shown(layout: Layout): WireObject {
  const live = new Map(layout.pools.map((pool) => [idOfPool(pool), pool]));
  const own = Object.entries(layout.ids).map(([name, id]) => [name, live.get(id)!] as const);
  const others = new Set(live.keys());
  for (const id of Object.values(layout.ids)) others.delete(id);
  const partOf = (part: (pool: LivePool) => unknown) =>
    Object.fromEntries(own.map(([name, pool]) => [name, part(pool)]));
  return {
    node_pools: partOf(({ type, count, autoscaler, tags, disks }) => ({
      type,
      count,
      autoscaler,
      tags,
      disks,
    })),
    pool_ids: layout.ids,
    other_pool_ids: [...others],
    nodes: partOf(({ nodes }) => nodes),
  };
}

/** What a read of a cluster found out beside what it shows, for those who work with the object. */
export interface Reading {
  readonly layout: Layout;
  /** True when the state already says how the cluster is reached. */
  readonly isReached: boolean;
}

const reading = Symbol("reading");

/** A cluster that was read, with what the read found out. */
export interface ReadCluster extends WireObject {
  readonly [reading]?: Reading;
}

export const asRead = (cluster: WireObject, found: Reading): ReadCluster => ({
  ...cluster,
  [reading]: found,
});

/** What the read of an object found out; undefined for the answer to a create. */
export const readingOf = (object: ReadCluster): Reading | undefined => object[reading];

/** The note of a layout, as it is kept. */
export function noteOf(base: Ids | null, ids: Ids, making?: PoolNote["making"]): ValueMap {
  return { base, ids, ...(making && { making }) } as unknown as ValueMap;
}
