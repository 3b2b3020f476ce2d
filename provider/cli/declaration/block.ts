/** A resource as a stack file or a program has to declare it. Knows neither language, and writes no secret unless it is told to. */

import type { ResourceInfo } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import { isSecret, isTagged, isValueMap, type Value, type ValueMap } from "../../core/value.ts";
import type { Referred, ResourceState } from "../../engine/engine.ts";

/** A property of another block, or anything plain. */
export type BlockValue = null | boolean | number | string | readonly BlockValue[] | BlockValues | Reference;

export interface BlockValues {
  readonly [name: string]: BlockValue;
}

/** `property` of the block with the key. */
export class Reference {
  readonly key: string;
  readonly property: string;
  constructor(key: string, property: string) {
    this.key = key;
    this.property = property;
  }
}

export interface Block {
  /** Its name within the file. */
  readonly key: string;
  /** The resource's name; absent: the key. */
  readonly name?: string;
  /** Short token (`plumbline:dns:Domain`). */
  readonly type: string;
  readonly properties: BlockValues;
  readonly options: { readonly protect?: true; readonly retainOnDelete?: true };
  /** Secret inputs that the service keeps but does not tell. */
  readonly untold: readonly string[];
}

export interface BlockSource {
  readonly key: string;
  readonly name: string;
  readonly inputs: ValueMap;
  readonly references: readonly Referred[];
  readonly options: Pick<ResourceState, "protect" | "retainOnDelete">;
  /** True: a secret is written as it is, marked as one. */
  readonly showsSecrets?: boolean;
}

/** The block of a resource. `keyOf` tells the key of another one's block; one that has none is referred to by its value. */
export function blockOf(
  source: BlockSource,
  info: ResourceInfo,
  keyOf: (urn: string) => string | undefined,
): Block {
  const references = new Map(
    source.references.flatMap(({ path, urn, property }) => {
      const key = keyOf(urn);
      return key === undefined ? [] : [[JSON.stringify(path), new Reference(key, property)] as const];
    }),
  );
  const blockValueOf = (value: Value, path: readonly (string | number)[]): BlockValue | undefined => {
    const reference = references.get(JSON.stringify(path));
    if (reference) return reference;
    if (isSecret(value) && source.showsSecrets)
      return { "fn::secret": blockValueOf(value.value, path) ?? null };
    if (isTagged(value)) return undefined;
    if (Array.isArray(value))
      return value.map((item, i) => blockValueOf(item as Value, [...path, i]) ?? null);
    return isValueMap(value) ? blockValuesOf(value, path) : (value as BlockValue);
  };
  const blockValuesOf = (values: ValueMap, path: readonly (string | number)[]): BlockValues =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => {
        const written = value === null ? undefined : blockValueOf(value, [...path, name]);
        return written === undefined ? [] : [[name, written]];
      }),
    );
  const properties = blockValuesOf(source.inputs, []);
  const { protect, retainOnDelete } = source.options;
  return {
    key: source.key,
    ...(source.name !== source.key && { name: source.name }),
    type: shortToken(info.token),
    properties,
    options: { ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) },
    untold: Object.entries(info.inputs).flatMap(([name, { untold, secret }]) =>
      untold && secret && properties[name] === undefined ? [name] : [],
    ),
  };
}
