/** What a plan changes in the cost of a month: sums charges before and after, and says of what no price is known. Pure. */

import type { ChargeInfo, Span } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import type { Step } from "../event.ts";
import type { Amount, CostCharge, CostLine, CostReport } from "./report.ts";
import { type PriceTable, priceFrom } from "./table.ts";

/** The charges of a step's objects, before and after it. */
export interface Charges {
  readonly step: Step;
  readonly before: readonly ChargeInfo[];
  readonly after: readonly ChargeInfo[];
}

export function estimate(all: readonly Charges[], table: PriceTable | undefined): CostReport {
  const resources = all.map(({ step, before, after }): CostLine => {
    const charges = [
      ...before.map((charge) => ({ ...withPrice(charge, table), when: "before" as const })),
      ...after.map((charge) => ({ ...withPrice(charge, table), when: "after" as const })),
    ];
    const { urn, type, name, op } = step;
    return { urn, type: shortToken(type), name, op, amounts: amountsOf(charges), charges };
  });
  const charges = resources.flatMap((resource) => resource.charges);
  // What goes is told of by what it was.
  const told = resources.flatMap(({ op, charges }) =>
    charges.filter(({ when }) => when === (op === "delete" ? "before" : "after")),
  );
  return { totals: amountsOf(charges), resources, unknown: unknownIn(told) };
}

/** The service's own price comes first, the table stands in where it has none. */
function withPrice(
  charge: ChargeInfo,
  table: PriceTable | undefined,
): ChargeInfo & Pick<CostCharge, "source"> {
  if (charge.price) return { ...charge, source: "service" };
  const price = table && charge.count ? priceFrom(table, charge) : undefined;
  if (price === undefined) return charge;
  const { reason: _, ...rest } = charge;
  return { ...rest, price, source: "table" };
}

function amountsOf(charges: readonly CostCharge[]): Amount[] {
  const sums = new Map<string, { before: [number, number]; after: [number, number] }>();
  for (const { price, count, when } of charges) {
    if (price === undefined || count === undefined) continue;
    const sum = sums.get(price.currency) ?? { before: [0, 0], after: [0, 0] };
    sums.set(price.currency, sum);
    sum[when][0] += price.monthly * count.min;
    sum[when][1] += price.monthly * count.max;
  }
  return [...sums].map(([currency, { before, after }]) => ({
    currency,
    before: span(...before),
    after: span(...after),
    difference: span(after[0] - before[0], after[1] - before[1]),
  }));
}

/** In order, without the dust of binary fractions. */
function span(one: number, other: number): Span {
  const [min, max] = [one, other].map((each) => Math.round(each * 10_000) / 10_000).sort((a, b) => a - b);
  return { min: min!, max: max! };
}

function unknownIn(charges: readonly CostCharge[]): CostReport["unknown"] {
  const found = new Map<string, { item: string; unit: string; charges: number; reason: string }>();
  for (const { item, unit, price, reason = "" } of charges) {
    if (price !== undefined) continue;
    const key = `${item} ${reason}`;
    const known = found.get(key);
    if (known) known.charges += 1;
    else found.set(key, { item, unit, charges: 1, reason });
  }
  return [...found.values()];
}
