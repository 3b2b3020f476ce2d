/** Builders of field schemas: TypeBox schemas whose extra keywords say what a field means to a resource. Knows no type and no value. */

import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from "typebox";
import type { Asset } from "../value.ts";
import type { Demand } from "./demand.ts";
import type { NormalFormName } from "./normal-form.ts";

/** A rule on text: `pattern` must match, `says` completes "must …" or stands alone. */
export interface Rule {
  readonly pattern: string;
  readonly says: string;
}

/** How a name that is left out is made: `<logical name>-<7 hex>`, with the logical name fitted to these bounds. */
export interface NamingRule {
  readonly maxLength: number;
  /** Characters kept of the logical name, as a character class without brackets; others become `-`. */
  readonly allowed: string;
  /** True when the first character must be a letter. */
  readonly startsWithLetter?: boolean;
}

/** What a field means. Every flag defaults to false. */
export interface Annotations {
  /** User documentation, Markdown; becomes SDK comments, editor hover text and the reference. */
  readonly description: string;
  /** Name on the wire where it is not the snake_case of the field's own. */
  readonly wireName?: string;
  /** A change replaces the resource. Sent on create only. */
  readonly immutable?: boolean;
  /** Not accepted on create: sent by an update right after it. */
  readonly updateOnly?: boolean;
  /** Never sent as a field: it steers the provider, or an aspect carries it. */
  readonly local?: boolean;
  /** Never shown: marked secret in inputs and state. */
  readonly secret?: boolean;
  /** Never answered by the service, so it has no drift and stays unset after an import. */
  readonly writeOnly?: boolean;
  /** On write-only inputs that may be large: only the checked inputs keep the value, the state does not repeat it. */
  readonly large?: boolean;
  /** On write-only inputs: the output that moves when the value is changed from outside. A refresh that finds it moved takes the input out, so that the next run sends it again. */
  readonly witness?: string;
  /** On outputs: answered only by the create, and kept from the state afterwards; an object whose create lost its answer is removed and made anew. Functions' views leave it out. */
  readonly shownOnce?: boolean;
  /** On outputs: answered by another view of the object, and not in every state. `observe` adds it; kept from the state when it is absent; functions' views leave it out. */
  readonly elsewhere?: boolean;
  /** On inputs that are `local`: the input that it writes in another way, as the type's `canonical` reads it. It is kept, hidden and taken out with that one. */
  readonly insteadOf?: string;
  /** Left out, the service chooses; taking it out of the declaration changes nothing. Members of a group may be so too. */
  readonly computed?: boolean;
  /** On lists and texts: an empty one means something else than none at all. */
  readonly emptyCounts?: boolean;
  /** Any change of its value runs a verb, once; it has no value of its own on the service. */
  readonly trigger?: boolean;
  /** The forms in which two values are compared, applied in order. */
  readonly normal?: NormalFormName | readonly NormalFormName[];
  /** Token part (`dns/domain`) of the type whose id this is. */
  readonly reference?: string;
  /** Part of what identifies a created object whose answer was lost. */
  readonly adoptKey?: boolean;
  /** Unique among its siblings: a replacement that keeps it must delete first. */
  readonly unique?: boolean;
  /** Named automatically when left out. */
  readonly naming?: NamingRule;
  /** On what the service makes up, an output or an input that was left out: the inputs whose change in place moves it (`true`: any); absent means that no update does. */
  readonly movedBy?: true | readonly string[];
  /** What the service takes when the field is absent, and what a removed value is reset to (`null` where the wire has null). */
  readonly default?: string | number | boolean | null | readonly never[];
  /** False where some objects of the type are answered without it, although it has a default. */
  readonly answered?: false;
  readonly rules?: readonly Rule[];
  /** On groups: what its fields ask of each other. */
  readonly demands?: readonly Demand[];
  /** On a count: how many members like each other the object has. A cluster that scales objects sets it. */
  readonly replicas?: boolean;
  /** Name of a group's or a choice's type in SDKs (`DomainInfo`); default: the owner's name and the field's. What has the same name in an area is one type. */
  readonly typeName?: string;
}

export interface TextOptions extends Annotations {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

export interface IntegerOptions extends Annotations {
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ListOptions extends Annotations {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Fields by camelCase name. */
export interface Fields {
  readonly [name: string]: TSchema;
}

/** The values of fields, all of them possibly absent. */
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]?: Static<F[K]> };

/** Keywords that are ours: ajv is told of them, and outward schemas leave them out. */
export const annotationKeywords = [
  "wireName",
  "immutable",
  "updateOnly",
  "local",
  "secret",
  "writeOnly",
  "large",
  "witness",
  "shownOnce",
  "elsewhere",
  "insteadOf",
  "computed",
  "emptyCounts",
  "trigger",
  "normal",
  "reference",
  "adoptKey",
  "unique",
  "naming",
  "movedBy",
  "typeName",
  "answered",
  "demands",
  "replicas",
] as const;

export const text = (options: TextOptions) => Type.String({ ...options });
export const integer = (options: IntegerOptions) => Type.Integer({ ...options });
export const number = (options: IntegerOptions) => Type.Number({ ...options });
export const flag = (options: Annotations) => Type.Boolean({ ...options });

/** One of some words. */
export function choice<const W extends readonly string[]>(
  words: W,
  options: Annotations,
): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({ type: "string", enum: [...words], ...options });
}

/** Id of another object: digits, as a string; a number is accepted. */
export const id = (options: Annotations & { readonly reference: string }) =>
  Type.String({
    rules: [{ pattern: "^[1-9][0-9]{0,15}$", says: "must be an id: a positive number" }],
    ...options,
  });

export const list = <T extends TSchema>(items: T, options: ListOptions) => Type.Array(items, { ...options });

/** A nested object with known fields; its names are translated on the wire. */
export const group = <F extends TProperties>(fields: F, options: Annotations) =>
  Type.Object(fields, { additionalProperties: false, ...options });

/** An object whose names are the user's own; they are not translated. */
export const map = <T extends TSchema>(items: T, options: Annotations) =>
  Type.Unsafe<Readonly<Record<string, Static<T>>>>({
    type: "object",
    additionalProperties: items,
    ...options,
  });

/** Any JSON value, for triggers. */
export const anything = (options: Annotations) => Type.Unsafe<unknown>({ ...options });

/** One file's content: never answered by the service, compared by its hash, kept by the inputs alone. A type reads its bytes with `bytesOf`. */
export const asset = (options: Annotations) =>
  Type.Unsafe<Asset>({ asset: true, writeOnly: true, large: true, ...options });

export const optional = <T extends TSchema>(field: T) => Type.Optional(field);

/** The annotations of a field, typed. */
export function annotations(
  field: TSchema,
): Annotations & { readonly type?: string; readonly items?: TSchema } {
  return field as unknown as Annotations;
}

/** False for fields marked `optional`. */
export function isRequired(field: TSchema): boolean {
  return !("~optional" in field);
}

/** The field as one that is always there. */
export function demanded<T extends TSchema>(field: T): T {
  // TypeBox keeps its own marks, the optional one among them, where a copy does not see them.
  return { ...field };
}

/** The fields of a group, or undefined for any other schema. */
export function fieldsOf(field: TSchema): Fields | undefined {
  return (field as { properties?: Fields }).properties;
}

/** True for a group all of whose members have a default: left out, it means them all, and a member that is taken out is reset. */
export function isOfDefaults(field: TSchema): boolean {
  const members = Object.values(fieldsOf(field) ?? {});
  return members.length > 0 && members.every((member) => annotations(member).default !== undefined);
}

/** True for a field whose value is an asset. */
export function isAssetField(field: TSchema): boolean {
  return (field as { asset?: boolean }).asset === true;
}

/** The words of a choice, or undefined. */
export function wordsOf(field: TSchema): readonly string[] | undefined {
  return (field as { enum?: readonly string[] }).enum;
}

/** Item schema of a list, or undefined. */
export function itemsOf(field: TSchema): TSchema | undefined {
  return (field as { items?: TSchema }).items;
}

/** Value schema of a map, or undefined. */
export function mapItemsOf(field: TSchema): TSchema | undefined {
  const items = (field as { additionalProperties?: unknown }).additionalProperties;
  return typeof items === "object" && items !== null ? (items as TSchema) : undefined;
}
