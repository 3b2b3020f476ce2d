/** What a type's rules of declarations work with: the inputs themselves, a change of them, their siblings, the live account. Pure types. */

import type { CertificatePort } from "../certificate-port.ts";
import type { CheckFailure } from "../protocol.ts";
import type { WireObject } from "../service-port.ts";
import type { Fields, ValuesOf } from "./field.ts";

/** Adds a refusal about the user's own property (a path, or `""` for the whole). */
export type Refuse = (property: string, reason: string) => void;

/** What a type's own check sees: values known and valid in themselves. */
export interface CheckedInputs<I extends Fields> {
  /** Known values, secrets revealed, ids as text; a value that is unknown or already refused is left out. */
  readonly values: ValuesOf<I>;
  /** The same with what is known in part: null stands for what is unknown. */
  readonly partly: { readonly [name: string]: unknown };
  /** True when the user gave it, known or not. */
  readonly declares: (name: keyof I & string) => boolean;
  /** True when its value (or its absence) is known. */
  readonly knows: (name: keyof I & string) => boolean;
  /** True when no earlier inputs are known: nothing was made or imported yet. */
  readonly isNew: boolean;
  /** The parent's own declared values, where this plan declares it. */
  readonly parent: { readonly [name: string]: unknown } | undefined;
  readonly refuse: Refuse;
  /** Reads certificates and keys. */
  readonly certificates: CertificatePort;
  /** Now, by the service's clock as far as it is known. */
  readonly now: () => Date;
}

/** A change of a resource that stays: values as last applied or read, and as now declared. */
export interface Change<I extends Fields> {
  readonly before: ValuesOf<I>;
  readonly after: ValuesOf<I>;
  readonly refuse: Refuse;
}

/** Another resource of the same type that this plan declares under the same group. */
export interface Sibling<I extends Fields> {
  readonly name: string;
  readonly values: ValuesOf<I>;
}

/** Rules between resources of the type in one plan. */
export interface SiblingRules<I extends Fields> {
  /**
   * Names of groups under one parent; resources can only conflict when they share one. `parentValues` are the parent's own
   * declared values where this plan declares it.
   */
  readonly groups: (
    values: ValuesOf<I>,
    parentValues: { readonly [name: string]: unknown } | undefined,
  ) => readonly string[];
  /** The refusal of `mine` beside `theirs`, if any; `group` is one that both are in. */
  readonly conflict: (mine: ValuesOf<I>, theirs: Sibling<I>, group: string) => CheckFailure | undefined;
}

/** The rule beside a resource of another type under the same parent: the refusal where it is mine, and where it is theirs. */
export type BesideRule<I extends Fields> = (
  mine: ValuesOf<I>,
  theirs: { readonly name: string; readonly values: { readonly [name: string]: unknown } },
  parentValues: { readonly [name: string]: unknown } | undefined,
) => { readonly mine: CheckFailure; readonly theirs: CheckFailure } | undefined;

/** What a look-up of a preview may use. Lists are shared by the whole preview. */
export interface LookupContext<I extends Fields> extends Change<I> {
  /** True when the object does not exist yet; `before` is then empty. */
  readonly creating: boolean;
  /** Every item of a list, in wire names; with a filter (notes, section 1.6), those that it matches. */
  readonly list: (path: string, filter?: WireObject) => Promise<readonly WireObject[]>;
  /** One object; fails with an ApiError when it is not there. */
  readonly get: (path: string) => Promise<WireObject>;
  /** Tells the user something that is no refusal. */
  readonly warn: (message: string) => void;
  /** True when another resource of this deployment is known to be the object with this id; of the same type, or of the type with that key. */
  readonly isOurs: (id: string, type?: string) => boolean;
  /** Path of the object; undefined while it does not exist. */
  readonly path: string | undefined;
  /** True when all parents exist already, so that their lists can be asked for. */
  readonly collection: string | undefined;
}
