/** URNs, as Pulumi makes them: `urn:pulumi:<stack>::<project>::<parent types$type>::<name>`. Pure. */

import type { Urn } from "../protocol.ts";

export const stackType = "pulumi:pulumi:Stack";
export const providerTypePrefix = "pulumi:providers:";

export interface UrnParts {
  readonly stack: string;
  readonly project: string;
  /** Types of the parents and the type itself, joined by `$`. */
  readonly qualifiedType: string;
  readonly type: string;
  readonly name: string;
}

/** Takes a URN apart. Throws when it is none. */
export function urnParts(urn: Urn): UrnParts {
  const [head, project, qualifiedType, ...name] = urn.split("::");
  if (!head?.startsWith("urn:pulumi:") || project === undefined || !qualifiedType || name.length === 0) {
    throw new Error(`"${urn}" is not a URN: it reads urn:pulumi:STACK::PROJECT::TYPE::NAME`);
  }
  return {
    stack: head.slice("urn:pulumi:".length),
    project,
    qualifiedType,
    type: qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1),
    name: name.join("::"),
  };
}

/** The name that a URN ends with; empty where it has none. */
export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The type that a URN names; empty where it names none. */
export function typeOf(urn: string): string {
  const types = urn.split("::")[2] ?? "";
  return types.slice(types.lastIndexOf("$") + 1);
}

/** The stack that a URN begins with; empty where it is none. */
export function stackOf(urn: string): string {
  return (urn.split("::")[0] ?? "").replace(/^urn:pulumi:/, "");
}

/** Whose a state is. */
export interface Owner {
  readonly stack: string;
  readonly project: string;
}

/** Whose the URN is; undefined: it is none. */
export function owner(urn: Urn): Owner | undefined {
  const [head, project, type, name] = urn.split("::");
  if (!head?.startsWith("urn:pulumi:") || !project || !type || name === undefined) return undefined;
  return { stack: head.slice("urn:pulumi:".length), project };
}

/** The URN of a resource; a parent that is the stack leaves no trace in it. */
export function makeUrn(stack: string, project: string, type: string, name: string, parent?: Urn): Urn {
  const above = parent === undefined ? stackType : urnParts(parent).qualifiedType;
  return `urn:pulumi:${stack}::${project}::${above === stackType ? "" : `${above}$`}${type}::${name}`;
}

/** The URN of the stack's own resource, root of all. */
export function stackUrn(stack: string, project: string): Urn {
  return makeUrn(stack, project, stackType, `${project}-${stack}`);
}

export function isProviderType(type: string): boolean {
  return type.startsWith(providerTypePrefix);
}

/** True for a provider that nobody declared: `default`, or `default_1_2_3` for a version. */
export function isDefaultProvider(urn: Urn): boolean {
  const { type, name } = urnParts(urn);
  return isProviderType(type) && /^default(_\d+_\d+_\d+\w*)?$/.test(name);
}

/** `<urn>::<id>`, as state refers to a provider. */
export function providerReference(urn: Urn, id: string): string {
  return `${urn}::${id}`;
}

/** The provider's URN out of a reference. */
export function referencedProvider(reference: string): { readonly urn: Urn; readonly id: string } {
  const at = reference.lastIndexOf("::");
  return { urn: reference.slice(0, at), id: reference.slice(at + 2) };
}

/** True when `urn` is what a `--target` means: the URN (with `*` for a part of a segment and `**` for anything), or just the name. */
export function matchesTarget(target: string, urn: Urn): boolean {
  if (!target.startsWith("urn:") && !target.includes("*")) return urnParts(urn).name === target;
  const pattern = target
    .split("**")
    .map((part) =>
      part
        .split("*")
        .map((text) => text.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
        .join("[^:]*"),
    )
    .join(".*");
  return new RegExp(`^${pattern}$`).test(urn);
}
