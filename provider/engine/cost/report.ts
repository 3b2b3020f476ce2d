/** What is told of the cost of a plan. Types only. */

import type { ChargeInfo, Span } from "../../core/protocol.ts";

/** Amounts of a month, at most. */
export interface Amount {
  readonly currency: string;
  readonly before: Span;
  readonly after: Span;
  readonly difference: Span;
}

export interface CostLine {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** What happens to it, as its step says. */
  readonly op: string;
  /** By currency; empty where no price is known. */
  readonly amounts: readonly Amount[];
  readonly charges: readonly CostCharge[];
}

export interface CostCharge extends ChargeInfo {
  readonly when: "before" | "after";
  /** Who told the price; absent: nobody. */
  readonly source?: "service" | "table";
}

export interface CostReport {
  readonly totals: readonly Amount[];
  /** Every resource of the plan that has an object. */
  readonly resources: readonly CostLine[];
  /** What has no price, by item: how many charges of it there are after the plan, or go with it, and why. */
  readonly unknown: readonly {
    readonly item: string;
    readonly unit: string;
    readonly charges: number;
    readonly reason: string;
  }[];
}
