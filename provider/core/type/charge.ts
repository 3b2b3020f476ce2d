/** What a type says of the charges of its objects, and where the service tells their prices. */

import type { Price, Span } from "../protocol/cost.ts";
import type { WireObject } from "../service-port.ts";
import type { Fields, ValuesOf } from "./field.ts";

/** An object as far as it is known. */
export interface Charged<I extends Fields> {
  readonly values: ValuesOf<I>;
  /** False for an input whose value is not known yet. */
  readonly knows: (name: keyof I & string) => boolean;
  /** Known inputs of the object that it is under; absent: nothing is known of it. */
  readonly above?: { readonly [name: string]: unknown };
}

/** One thing that is charged for. */
export interface Charge {
  /** Behind the type's name, after a dot; absent: the object itself. */
  readonly part?: string;
  /** In place of the type's name and `part`: what objects of several types are charged for alike. */
  readonly item?: string;
  readonly unit: string;
  /** Undefined: not known yet. */
  readonly count: Span | undefined;
  readonly region?: string | undefined;
  /** A list of the service that has its price; absent: there is none. */
  readonly list?: string;
  /** The price among the items of the list; a text says why it is not known. */
  readonly priceIn?: (items: readonly WireObject[]) => Price | string;
}

/** Exactly so many. */
export const exactly = (count: number): Span => ({ min: count, max: count });
