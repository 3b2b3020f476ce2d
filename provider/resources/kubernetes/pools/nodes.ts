/** Waiting for nodes, and having them replaced (contract sections 2.7 and 3). */

import type { WireObject } from "../../../core/service-port.ts";
import type { Fields } from "../../../core/type/field.ts";
import type { ObjectContext } from "../../../core/type/resource.ts";
import { idOfPool } from "./layout.ts";
import { isReady, type LivePool } from "./pool.ts";

type Context = Pick<ObjectContext<Fields>, "service" | "notes" | "wait">;

const nodeIds = (pools: readonly WireObject[]) =>
  pools.flatMap((pool) => (pool as LivePool).nodes.map(({ id }) => id));

/** Waits until every node of these pools is ready and none of the old ones is left. A pool that is removed meanwhile is waited for no more. */
export async function nodesReady(
  { wait }: Pick<Context, "wait">,
  poolPaths: readonly string[],
  what: string,
  old: ReadonlySet<string> = new Set(),
): Promise<void> {
  const isDone = (pool: WireObject | undefined) =>
    pool === undefined || (isReady(pool) && !nodeIds([pool]).some((id) => old.has(id)));
  await Promise.all(poolPaths.map((path) => wait(path, what, isDone)));
}

/** Notes which nodes are to go, so that a run after this one only waits where the request was sent. */
interface Recycling {
  readonly kind: string;
  readonly nodes: readonly string[];
  readonly isSent: boolean;
}

const noteKey = "recycling";

/** Has nodes replaced by what `send` does, and waits until they are. A run that was cut off meanwhile is gone on with. */
export async function recycle(
  context: Context,
  options: {
    /** What has them replaced; what another kind noted is of no use. */
    readonly kind: string;
    /** Path of the cluster's list of pools. */
    readonly list: string;
    /** The pools whose nodes are replaced. */
    readonly includes: (pool: WireObject) => boolean;
    readonly send: () => Promise<unknown>;
    readonly what: string;
  },
): Promise<void> {
  const { service, notes } = context;
  const { kind } = options;
  const found = notes.get(noteKey) as unknown as Recycling | undefined;
  const noted = found?.kind === kind ? found : undefined;
  const pools = (await service.list(options.list, { fresh: true })).filter(options.includes);
  const present = nodeIds(pools);
  const old = new Set(noted?.nodes ?? present);
  // Nodes that are gone show that it began, though nobody could say so.
  const began = noted !== undefined && (noted.isSent || [...old].some((id) => !present.includes(id)));
  const note = (isSent: boolean) => notes.set(noteKey, { kind, nodes: [...old], isSent });
  if (!began) {
    await note(false);
    await options.send();
    await note(true);
  }
  const paths = pools.map((pool) => `${options.list}/${idOfPool(pool)}`);
  await nodesReady(context, paths, options.what, old);
}

/** Forgets what was recycled, once everything is done: the engine saves it now. */
export async function forgetRecycling({ notes }: Pick<Context, "notes">): Promise<void> {
  if (notes.get(noteKey) !== undefined) await notes.set(noteKey, undefined);
}

/** The pool that has the node. Throws when there is no such node in the cluster. */
export async function poolOfNode(context: Context, list: string, node: string): Promise<WireObject> {
  const pools = await context.service.list(list, { fresh: true });
  const found = pools.find((pool) => nodeIds([pool]).includes(node));
  if (found) return found;
  throw new Error(`there is no node ${node} in this cluster; it has: ${nodeIds(pools).join(", ") || "none"}`);
}
