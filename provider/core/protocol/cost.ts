/** What objects are charged for and what that costs. Exported by `protocol.ts`. Pure types. */

import type { ValueMap } from "../value.ts";

/** A number that may not be one yet: what an autoscaler moves. */
export interface Span {
  readonly min: number;
  readonly max: number;
}

export interface Price {
  /** For one of what is charged for, at most, in a month. */
  readonly monthly: number;
  /** For an hour, where it is known. */
  readonly hourly?: number;
  /** ISO 4217 (`USD`). */
  readonly currency: string;
}

/** One thing that an object is charged for. */
export interface ChargeInfo {
  /** How a table of prices calls it: the type, with what is charged for apart behind a dot (`kubernetes:Cluster.highAvailability`), or a node's (`kubernetes:node.g6-standard-2`). */
  readonly item: string;
  /** What one of it is (`node`, `GB`). */
  readonly unit: string;
  /** How many of it; absent: not known yet. */
  readonly count?: Span;
  readonly region?: string;
  /** As the service tells it; absent: it does not, for this `reason`. */
  readonly price?: Price;
  readonly reason?: string;
}

/** An object whose charges are asked for. */
export interface Appraised {
  /** Canonical token. */
  readonly type: string;
  /** Checked; may hold unknowns. */
  readonly inputs: ValueMap;
  /** Inputs of the object that it is under; absent: not known. */
  readonly above?: ValueMap;
}

export interface AppraiseRequest {
  readonly objects: readonly Appraised[];
  readonly signal?: AbortSignal;
}
