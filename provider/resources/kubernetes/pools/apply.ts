/** Brings a cluster's own pools to what is declared, one by one, and touches no other pool (contract sections 2.7 and 4.5). */

import { isAnswerLost, isGone } from "../../../core/service-port.ts";
import type { ClusterAspectContext } from "../values.ts";
import {
  type Ids,
  idOfPool,
  madeAs,
  noteKey,
  noteOf,
  type PoolNote,
  placed,
  readingOf,
  type Specs,
} from "./layout.ts";
import { nodesReady } from "./nodes.ts";
import { createBody, isAlike, type LivePool, type PoolSpec, scaleBody } from "./pool.ts";

/** How often a pool is asked for whose answer is lost each time and which surely was not made. */
const attempts = 3;

/**
 * Makes what is missing, anew what cannot be changed, gives counts and autoscalers, then removes what is not declared any more. A new
 * pool's nodes are ready before the old pool goes. Each step is noted before and after, so that a run after this one goes on from there.
 */
export async function syncPools(context: ClusterAspectContext): Promise<undefined> {
  const { service, path, notes, id: cluster } = context;
  const layout = readingOf(context.object)?.layout;
  if (!layout) throw new Error(`cluster ${cluster}: its pools were not read`);
  if (layout.doubtful.length > 0) throw doubtful(cluster, layout.doubtful);
  const list = `${path}/pools`;
  const wanted = context.inputs.nodePools ?? {};
  const live = new Map(layout.pools.map((pool) => [idOfPool(pool), pool]));
  let ids = layout.ids;
  const note = (making?: PoolNote["making"]) => notes.set(noteKey, noteOf(layout.base, ids, making));

  const made: string[] = [];
  for (const [name, spec] of Object.entries(wanted)) {
    const old = live.get(ids[name] ?? "");
    if (old && isAlike(spec, old)) continue;
    const spare = spareFor(spec, ids, wanted, live);
    if (spare !== undefined) {
      ids = placed(withoutName(ids, spare), name, ids[spare]!);
      await note();
      continue;
    }
    const pool = await make(context, { list, name, spec, note, present: old?.count });
    live.set(idOfPool(pool), pool);
    ids = placed(ids, name, idOfPool(pool));
    await note();
    made.push(idOfPool(pool));
  }
  await nodesReady(
    context,
    made.map((id) => `${list}/${id}`),
    `waiting for new nodes of cluster ${cluster}`,
  );

  await Promise.all(
    Object.entries(wanted).map(async ([name, spec]) => {
      const pool = live.get(ids[name]!);
      const body = pool && !made.includes(idOfPool(pool)) ? scaleBody(spec, pool) : undefined;
      if (body) await service.put(`${list}/${ids[name]}`, body);
    }),
  );

  for (const [name, id] of Object.entries(ids)) {
    if (name in wanted) continue;
    if (context.isOurs?.("kubernetes/nodePool", `${cluster}/${id}`)) {
      context.log("info", `pool ${id} of cluster ${cluster} is left to the NodePool that it is now`);
      ids = withoutName(ids, name);
      await note();
      continue;
    }
    await service.delete(`${list}/${id}`).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
    ids = withoutName(ids, name);
    await note();
  }
  return undefined;
}

const withoutName = (ids: Ids, name: string): Ids =>
  Object.fromEntries(Object.entries(ids).filter(([other]) => other !== name));

/** A pool that is not declared any more and is what is wanted: it was renamed, or its change was taken back. */
function spareFor(
  spec: PoolSpec,
  ids: Ids,
  wanted: Specs,
  live: ReadonlyMap<string, LivePool>,
): string | undefined {
  return Object.keys(ids).find((name) => {
    const pool = live.get(ids[name]!);
    return !(name in wanted) && pool !== undefined && isAlike(spec, pool);
  });
}

interface Wanted {
  readonly list: string;
  readonly name: string;
  readonly spec: PoolSpec;
  readonly note: (making: PoolNote["making"]) => Promise<void>;
  readonly present: number | undefined;
}

/** Makes a pool. When an answer is lost, the pool is looked for among those that were not there before. */
async function make(
  { service, id: cluster }: ClusterAspectContext,
  { list, name, spec, note, present }: Wanted,
): Promise<LivePool> {
  const look = async () => (await service.list(list, { fresh: true })) as LivePool[];
  const making = { name, among: (await look()).map(idOfPool), like: spec };
  await note(making);
  for (let round = 1; ; round++) {
    try {
      return (await service.post(list, createBody(spec, present))) as LivePool;
    } catch (error) {
      if (!isAnswerLost(error)) throw error;
      const pools = await look();
      const found = madeAs(making, pools);
      if (found.length > 1) throw doubtful(cluster, found);
      if (found.length === 1) return pools.find((pool) => idOfPool(pool) === found[0])!;
      if (round === attempts) throw error;
    }
  }
}

function doubtful(cluster: string, pools: readonly string[]): Error {
  return new Error(
    `the answer to the create of a pool was lost, and ${pools.length} pools of cluster ${cluster} could be what it made (ids ${pools.join(", ")}): delete those that you do not want, and run again`,
  );
}
