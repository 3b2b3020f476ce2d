/** What a verb of an area is: something done by hand to what no stack declares, on the whole account. It has no state and no trigger. */

import type { AreaVerbInfo, Foresight } from "../protocol.ts";
import { propertyInfos } from "../schema/outward.ts";
import type { ServicePort } from "../service-port.ts";
import { canonicalToken } from "../token.ts";
import type { ActionContext } from "./action.ts";
import { type Fields, isRequired, type ValuesOf } from "./field.ts";

/** What looking ahead works with. */
export interface ForesightContext<A extends Fields> {
  readonly path: string;
  /** Checked arguments: secrets revealed, ids as text. */
  readonly args: ValuesOf<A>;
  readonly service: Pick<ServicePort, "get" | "getFresh" | "list">;
}

/** What running works with. */
export interface AreaVerbContext<A extends Fields>
  extends Omit<ForesightContext<A>, "service">,
    Pick<ActionContext<Fields>, "service" | "log" | "wait"> {}

export interface AreaVerbSpec<A extends Fields> {
  readonly area: string;
  /** camelCase (`cancel`). */
  readonly name: string;
  /** Markdown, one sentence. */
  readonly description: string;
  /** Where it is asked for. */
  readonly path: string;
  readonly args: A;
  /** What it destroys, in words that end "this destroys …"; absent: nothing. */
  readonly destroys?: string;
  /** Looks up what will be lost, and the word that must be typed when a yes is not enough. */
  readonly foresee?: (context: ForesightContext<A>) => Promise<Omit<Foresight, "failures">>;
  /** Runs it. Throws when there is nothing that it could be done to. */
  readonly run: (context: AreaVerbContext<A>) => Promise<void>;
}

export interface AreaVerb extends AreaVerbSpec<Fields> {
  readonly token: string;
}

/** Makes a verb of its spec. */
export function areaVerb<const A extends Fields>(spec: AreaVerbSpec<A>): AreaVerb {
  return {
    ...(spec as unknown as AreaVerbSpec<Fields>),
    token: canonicalToken(spec.area, spec.name),
  };
}

export function areaVerbInfo(verb: AreaVerb): AreaVerbInfo {
  const { token, description, destroys, args } = verb;
  return {
    token,
    description,
    ...(destroys !== undefined && { destroys }),
    args: propertyInfos(args, (name) => isRequired(args[name]!)),
  };
}
