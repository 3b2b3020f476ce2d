/** What a verb of an area is: something done by hand to what no stack declares (one node, all of an area). It has no state and no trigger. */

import type { ActionContext } from "./action.ts";
import { type Fields, isRequired, type ValuesOf } from "./field.ts";
import { propertyInfos } from "./outward.ts";
import type { AreaVerbInfo, Foresight } from "./protocol.ts";
import type { ServicePort } from "./service-port.ts";
import { canonicalToken } from "./token.ts";

/** What looking ahead works with. */
export interface ForesightContext<A extends Fields> {
  /** The verb's path, filled in. */
  readonly path: string;
  /** The path's parameters, as the user wrote them. */
  readonly parameters: { readonly [name: string]: string };
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
  /** Path of what it is done to. Its parameters, joined by `/`, are the id that the user gives; without parameters there is none, and it is done to the account. */
  readonly path: string;
  readonly args: A;
  /** What it destroys, in words that end "this destroys …"; absent: nothing. */
  readonly destroys?: string;
  /** Looks up what will be lost, and the word that must be typed when a yes is not enough. */
  readonly foresee?: (context: ForesightContext<A>) => Promise<Omit<Foresight, "failures">>;
  /** Runs it. Throws when there is nothing that it could be done to, naming the id. */
  readonly run: (context: AreaVerbContext<A>) => Promise<void>;
}

export interface AreaVerb extends AreaVerbSpec<Fields> {
  readonly token: string;
  /** Parameters of `path`, in order. */
  readonly parameters: readonly string[];
}

/** Makes a verb of its spec. */
export function areaVerb<const A extends Fields>(spec: AreaVerbSpec<A>): AreaVerb {
  return {
    ...(spec as unknown as AreaVerbSpec<Fields>),
    token: canonicalToken(spec.area, spec.name),
    parameters: [...spec.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!),
  };
}

/** How the verb's id is written (`CLUSTER_ID/NODE_ID`); empty where it takes none. */
export function verbIdFormat({ parameters }: AreaVerb): string {
  return parameters.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()).join("/");
}

/** The path's parameters by name; the last one takes the rest of the id. Undefined when the text is not such an id. */
export function verbParameters(
  { parameters }: AreaVerb,
  id: string,
): { readonly [name: string]: string } | undefined {
  const count = parameters.length;
  if (count === 0) return id === "" ? {} : undefined;
  const all = id.split("/");
  const parts = [...all.slice(0, count - 1), all.slice(count - 1).join("/")];
  if (all.length < count || parts.some((part) => part === "")) return undefined;
  return Object.fromEntries(parameters.map((name, i) => [name, parts[i]!]));
}

export function areaVerbInfo(verb: AreaVerb): AreaVerbInfo {
  const { token, description, destroys, args } = verb;
  return {
    token,
    description,
    ...(destroys !== undefined && { destroys }),
    args: propertyInfos(args, (name) => isRequired(args[name]!)),
    idFormat: verbIdFormat(verb),
  };
}
