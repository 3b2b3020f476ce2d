/** What is known of types, functions and verbs without asking the service: for validation, editors and help. Exported by `protocol.ts`. Pure types. */

import type { ValueMap } from "../value.ts";

/** Where an input holds another object's id, or one of its other properties. */
export interface ObjectReference {
  /** The way to the value from the inputs: names and positions. */
  readonly path: readonly (string | number)[];
  /** Canonical token of the other object's type. */
  readonly type: string;
  /** Its canonical id. */
  readonly id: string;
  /** `id`, or the output that stands there. */
  readonly property: string;
}

/** How an existing object stands to others, as far as its type knows. */
export interface Relations {
  /** The object that it is listed under. */
  readonly parent?: { readonly type: string; readonly id: string };
  readonly references: readonly ObjectReference[];
  /** Objects that are declared within this one, so that they are no resources of their own beside it. */
  readonly parts: readonly { readonly type: string; readonly id: string }[];
}

/** A name that only one object of its kind and place can have. */
export interface UniqueName {
  /** The input that holds it. */
  readonly property: string;
  /** The same for the same name of the same kind in the same place, and for no other. */
  readonly group: string;
}

/** What is known of a type or function without asking the service; for validation, editors and help. */
export interface Catalogue {
  /** By canonical token. */
  readonly resources: ReadonlyMap<string, ResourceInfo>;
  readonly functions: ReadonlyMap<string, FunctionInfo>;
  /** Provider config keys (`baseUrl`, `token`, `brand`…). */
  readonly config: { readonly [name: string]: PropertyInfo };
  /** Canonical token of any accepted spelling (`plumbline:dns:Domain`, `plumbline:dns/domain:Domain`), or undefined. */
  readonly resolveResource: (token: string) => string | undefined;
  readonly resolveFunction: (token: string) => string | undefined;
  /** Verbs that belong to no resource type, by canonical token; absent: none. */
  readonly verbs?: ReadonlyMap<string, AreaVerbInfo>;
  /** Canonical token of any accepted spelling of such a verb (`plumbline:objectstorage:cancel`), or undefined. */
  readonly resolveVerb?: (token: string) => string | undefined;
  /** How an object stands to others; `inputs` and `state` as a read for an import gave them. Absent where nothing is known of relations. */
  readonly relations?: (
    token: string,
    object: { readonly id: string; readonly inputs: ValueMap; readonly state: ValueMap },
  ) => Relations;
  /** What tells an object with these inputs from others; undefined where that is not known yet. Absent where nothing is known of it. */
  readonly naturalKey?: (
    token: string,
    inputs: ValueMap,
  ) => { readonly id?: string; readonly parentId: string; readonly name?: string } | undefined;
  /** What is lost with an object that has these inputs (`all its data`); undefined: nothing that its declaration could not bring back. Absent where nothing is known of it. */
  readonly lossOf?: (token: string, inputs: ValueMap) => string | undefined;
  /** The unique names of an object with these inputs, as far as they are known. Absent where nothing is known of them. */
  readonly uniqueNames?: (token: string, inputs: ValueMap) => readonly UniqueName[];
}

export interface PropertyInfo {
  readonly description: string;
  /** JSON Schema of the value, in camelCase. */
  readonly schema: { readonly [keyword: string]: unknown };
  readonly required: boolean;
  readonly secret: boolean;
  /** True for an input that the service keeps and never answers: an import leaves it unset, and it stays as it is. */
  readonly untold?: true;
  /**
   * True for an input by which the object of a create that was cut off is looked for, or that cannot be changed once it is there: what it was
   * then is kept with the create. Never of types whose objects exist from the beginning.
   */
  readonly lasting?: true;
}

export interface VerbInfo {
  readonly description: string;
  /** What it destroys, in words; absent: nothing. */
  readonly destroys?: string;
  readonly args: { readonly [name: string]: PropertyInfo };
}

/** A verb that belongs to no resource type: it is done by hand to a whole area of the account, and takes no id. */
export interface AreaVerbInfo extends VerbInfo {
  readonly token: string;
}

export interface ResourceInfo {
  readonly token: string;
  /** What tells one of its objects from another at a glance: pieces with `{input}` for values; a piece with one that is not known is left out. */
  readonly phrase?: readonly string[];
  /** Verbs that can be run by hand, by name; absent: none. */
  readonly verbs?: { readonly [name: string]: VerbInfo };
  readonly description: string;
  readonly inputs: { readonly [name: string]: PropertyInfo };
  readonly outputs: { readonly [name: string]: PropertyInfo };
  /** Canonical tokens of the types that its objects are listed under (one, or one by kind); absent: none. */
  readonly parents?: readonly string[];
  /** True when the service deletes its objects together with the object that they are listed under. */
  readonly goesWithParent?: true;
  /** True when a replacement can exist beside an old object that is to be kept, whatever a diff says of the order. */
  readonly standsBeside?: true;
  /** Why an import of a whole account has no objects of the type; absent: it has them. */
  readonly leftOut?: string;
}

export interface FunctionInfo {
  readonly token: string;
  readonly description: string;
  readonly inputs: { readonly [name: string]: PropertyInfo };
  readonly outputs: { readonly [name: string]: PropertyInfo };
}
