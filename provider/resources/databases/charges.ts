/** What a managed database costs, as the service's list of node types tells it (notes, section 5). Pure. */

import type { Price } from "../../core/protocol/cost.ts";
import type { WireObject } from "../../core/service-port.ts";
import { type Charge, type Charged, exactly } from "../../core/type/charge.ts";
import type { Fields } from "../../core/type/field.ts";
import type { Kind } from "./kinds.ts";

interface Offer {
  readonly quantity: number;
  readonly price: { readonly hourly: number; readonly monthly: number };
}

/** One charge for all its nodes together. */
export function databaseCharges(kind: Kind, { values, knows }: Charged<Fields>): Charge[] {
  const { type, region } = values as { type?: string; region?: string };
  const nodes = values.clusterSize ?? 1;
  const isKnown = knows("type") && knows("clusterSize");
  return [
    {
      part: isKnown ? `${type}.${nodes}` : "unknown",
      unit: "database",
      count: isKnown ? exactly(1) : undefined,
      region,
      list: "/databases/types",
      priceIn: (types) => priceOf(types, kind, String(type), Number(nodes)),
    },
  ];
}

function priceOf(types: readonly WireObject[], kind: Kind, type: string, nodes: number): Price | string {
  const found = types.find(({ id }) => id === type);
  const engines = found?.["engines"] as { readonly [kind: string]: readonly Offer[] } | undefined;
  const offer = engines?.[kind.name]?.find(({ quantity }) => quantity === nodes);
  if (offer === undefined) return `the service lists no price of ${nodes} × ${type}`;
  return { ...offer.price, currency: "USD" };
}
