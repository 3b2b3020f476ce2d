/** What a function is: arguments and results as fields, and how the result is found. */

import type { ServicePort } from "../service-port.ts";
import { canonicalToken } from "../token.ts";
import type { ValueMap } from "../value.ts";
import type { Fields, ValuesOf } from "./field.ts";
import type { Refuse } from "./resource.ts";

export interface FunctionContext<A extends Fields> {
  /** Checked arguments: secrets revealed, ids as text. */
  readonly args: ValuesOf<A>;
  readonly service: ServicePort;
}

export interface FunctionSpec<A extends Fields, R extends Fields> {
  readonly area: string;
  /** camelCase, beginning with `get`. */
  readonly name: string;
  readonly description: string;
  readonly args: A;
  readonly result: R;
  /** Refuses arguments that contradict each other. */
  readonly check?: (args: ValuesOf<A>, refuse: Refuse) => void;
  /** The result in our names. Throws when there is no such object, naming the key. */
  readonly call: (context: FunctionContext<A>) => Promise<ValueMap>;
}

export interface FunctionType extends FunctionSpec<Fields, Fields> {
  readonly token: string;
}

/** Makes a function of its spec. */
export function providerFunction<const A extends Fields, const R extends Fields>(
  spec: FunctionSpec<A, R>,
): FunctionType {
  return {
    ...(spec as unknown as FunctionSpec<Fields, Fields>),
    token: canonicalToken(spec.area, spec.name),
  };
}
