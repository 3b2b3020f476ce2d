/** What clusters and pools cost: their nodes, as the service's list of plans tells it (notes, section 12). Pure. */

import type { Price, Span } from "../../core/protocol/cost.ts";
import type { WireObject } from "../../core/service-port.ts";
import { type Charge, type Charged, exactly } from "../../core/type/charge.ts";
import type { Fields } from "../../core/type/field.ts";
import type { PoolSpec } from "./pools/pool.ts";

interface Plan {
  readonly price?: { readonly hourly: number; readonly monthly: number };
  readonly region_prices?: readonly {
    readonly id: string;
    readonly hourly: number;
    readonly monthly: number;
  }[];
}

/** The control plane, which the service lists no price of, and the nodes of each pool. */
export function clusterCharges({ values, knows }: Charged<Fields>): Charge[] {
  const region = values.region as string | undefined;
  const plane = values.controlPlane as { readonly highAvailability?: boolean } | undefined;
  const pools = values.nodePools as { readonly [name: string]: PoolSpec } | undefined;
  const isAvailable = plane?.highAvailability === true;
  return [
    {
      unit: "control plane",
      count: knows("controlPlane") ? exactly(1) : undefined,
      region,
      ...(isAvailable ? { part: "highAvailability" } : {}),
    },
    ...(knows("nodePools")
      ? Object.values(pools ?? {}).map((pool) => nodesOf(pool, region))
      : [{ part: "nodePools", unit: "node", count: undefined }]),
  ];
}

export function poolCharges({ values, knows, above }: Charged<Fields>): Charge[] {
  const isKnown = knows("count") && knows("autoscaler") && knows("type");
  const region = above?.["region"] as string | undefined;
  const charge = nodesOf(values as unknown as PoolSpec, region);
  return [isKnown ? charge : { ...charge, count: undefined }];
}

function nodesOf(pool: PoolSpec, region: string | undefined): Charge {
  return {
    item: `kubernetes:node.${pool.type ?? "unknown"}`,
    unit: "node",
    count: countOf(pool),
    region,
    list: "/compute/types",
    priceIn: (plans) => priceOf(plans, String(pool.type), region),
  };
}

/** An autoscaler moves the count between its bounds. */
function countOf({ count, autoscaler }: PoolSpec): Span | undefined {
  const { enabled, min = count, max = count } = autoscaler ?? {};
  if (enabled === true && min !== undefined && max !== undefined) return { min, max };
  return count === undefined ? undefined : exactly(count);
}

function priceOf(plans: readonly WireObject[], type: string, region: string | undefined): Price | string {
  const plan = plans.find(({ id }) => id === type) as Plan | undefined;
  if (plan?.price === undefined) return `the service lists no price of ${type}`;
  const regional = plan.region_prices ?? [];
  if (region === undefined && regional.length > 0)
    return "its region is not known, and some have prices of their own";
  const { hourly, monthly } = regional.find(({ id }) => id === region) ?? plan.price;
  return { hourly, monthly, currency: "USD" };
}
