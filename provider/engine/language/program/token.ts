/** What the type of a resource names: one of ours, an explicit provider, another stack, or something for Pulumi's engine. Pure. */

import { didYouMean } from "../../../core/nearest.ts";
import type { Catalogue, ResourceInfo } from "../../../core/protocol.ts";

export type ResourceType =
  | { readonly kind: "resource"; readonly token: string; readonly info: ResourceInfo }
  | { readonly kind: "provider"; readonly token: string }
  | { readonly kind: "stack-reference"; readonly token: string }
  | { readonly kind: "wrong"; readonly reason: string };

export const packageName = "plumbline";
const stackReference = "pulumi:pulumi:StackReference";

/** Reads a type in either spelling. */
export function typeOf(written: string, catalogue: Catalogue): ResourceType {
  if (written === stackReference) return { kind: "stack-reference", token: stackReference };
  if (written === `pulumi:providers:${packageName}`) return { kind: "provider", token: written };
  const token = catalogue.resolveResource(written);
  const info = token === undefined ? undefined : catalogue.resources.get(token);
  if (token !== undefined && info !== undefined) return { kind: "resource", token, info };
  return { kind: "wrong", reason: whyWrong(written, catalogue) };
}

function whyWrong(written: string, catalogue: Catalogue): string {
  const [first, second, third] = written.split(":");
  const package_ = first === "pulumi" && second === "providers" ? third : first;
  const isForeign =
    written.includes(":") && package_ !== packageName && didYouMean(package_ ?? "", [packageName]) === "";
  if (isForeign && package_) {
    return `${written} belongs to package ${JSON.stringify(package_)}: this engine runs resources of ${packageName} only; Pulumi's engine (pulumi up) runs this file with all its packages`;
  }
  const close = didYouMean(written, spellings(catalogue.resources.keys()));
  return `there is no resource type ${JSON.stringify(written)}${close || `: write it like ${packageName}:dns:Domain`}`;
}

/** Types and functions as people write them: `plumbline:dns:Domain` for `plumbline:dns/domain:Domain`. */
export function spellings(tokens: Iterable<string>): string[] {
  return [...tokens].map(shortToken);
}

export function shortToken(token: string): string {
  return token.replace(/^([^:/]+:[^:/]+)\/[^:]+:/, "$1:");
}
