/**
 * How a type's inputs are written in the `spec` of a Kubernetes object: as they are, but an id of an object that a type of ours makes may be named by
 * that object's own (`domainRef` beside `domainId`), and a secret only by the Secret that it is in (`passwordSecretRef`). Pure.
 */

import type { TSchema } from "typebox";
import { annotations, itemsOf } from "../../type/field.ts";
import type { ResourceType } from "../../type/resource.ts";

/** Where the objects of a type are, in Kubernetes' words. */
export interface Kind {
  /** `dns.plumbline.dev`. */
  readonly group: string;
  /** `Domain`. */
  readonly kind: string;
  /** `domains`. */
  readonly plural: string;
}

/** A property of the spec that names another object of Kubernetes, in place of inputs. */
export interface Twin {
  /** `domainRef`; a list of references ends in `Refs`. */
  readonly property: string;
  /** Keys of the types that it may name; where there are several, the reference says which by its `kind`. */
  readonly types: readonly string[];
  readonly isList: boolean;
  /** Inputs that follow from it, each with what of the named object they are: its id, its type's word for it (`kind`), or the name of an input. */
  readonly inputs: readonly TwinInput[];
}

export interface TwinInput {
  readonly name: string;
  readonly is: "id" | "word" | { readonly input: string };
  /** Of a word: the key of the type that each stands for. */
  readonly words?: { readonly [word: string]: string };
}

/** A secret input, by the Secret that has it. */
export interface SecretTwin {
  /** `passwordSecretRef`. */
  readonly property: string;
  readonly input: string;
}

/** What stands in the spec of a type beside the inputs that are written as they are. */
export interface ManifestForm {
  readonly twins: readonly Twin[];
  readonly secrets: readonly SecretTwin[];
}

export const version = "v1alpha1";
export const domain = "plumbline.dev";

export function kindOf({ area, name }: Pick<ResourceType, "area" | "name">): Kind {
  const lower = name.toLowerCase();
  return { group: `${area}.${domain}`, kind: name, plural: lower.endsWith("s") ? lower : `${lower}s` };
}

/** `types` by key. */
export function manifestForm(type: ResourceType, types: ReadonlyMap<string, ResourceType>): ManifestForm {
  const whole = parentTwin(type, types);
  const covered = new Set(whole?.inputs.map(({ name }) => name));
  const single = Object.entries(type.inputs).flatMap(([name, field]) => {
    const twin = covered.has(name) ? undefined : fieldTwin(name, field, types);
    return twin ? [twin] : [];
  });
  return {
    twins: whole ? [whole, ...single] : single,
    secrets: Object.entries(type.inputs)
      .filter(([, field]) => annotations(field).secret)
      .map(([input]) => ({ property: `${input}SecretRef`, input })),
  };
}

/** A parent that several inputs name together: all parameters of its path, or its kind and its id. */
function parentTwin(type: ResourceType, types: ReadonlyMap<string, ResourceType>): Twin | undefined {
  if (type.parentsByKind) {
    const [word, id] = type.parameters as [string, string];
    const inputs = [
      { name: word, is: "word", words: type.parentsByKind },
      { name: id, is: "id" },
    ] as const;
    return { property: refName(id), types: Object.values(type.parentsByKind), isList: false, inputs };
  }
  const parent = types.get(type.parents?.at(-1) ?? "");
  if (parent === undefined || parent.parameters.length < 2 || parent.ownParameter !== undefined)
    return undefined;
  const inputs = parent.parameters.map((input, at) => ({ name: type.parameters[at]!, is: { input } }));
  const property = `${parent.name.charAt(0).toLowerCase()}${parent.name.slice(1)}Ref`;
  return { property, types: [parent.key], isList: false, inputs };
}

function fieldTwin(name: string, field: TSchema, types: ReadonlyMap<string, ResourceType>): Twin | undefined {
  const items = itemsOf(field);
  const { reference } = annotations(items ?? field);
  if (reference === undefined || types.get(reference)?.parameters.length !== 1) return undefined;
  const property = items ? `${refName(name)}s` : refName(name);
  return { property, types: [reference], isList: items !== undefined, inputs: [{ name, is: "id" }] };
}

/** `domainRef` for `domainId`, `credentialRef` for `credentials`, `cloneOfRef` for `cloneOf`. */
const refName = (input: string): string => `${input.replace(/Id$|s$/, "")}Ref`;

/** The property that names an object in place of an input. */
export const twinOf = (input: string, { twins }: ManifestForm): string | undefined =>
  twins.find(({ inputs }) => inputs.some(({ name }) => name === input))?.property;

/** The property that an input is told by where it is not told by an object's name: its own, or that of its Secret. */
export const propertyOf = (input: string, { secrets }: ManifestForm): string =>
  secrets.find((secret) => secret.input === input)?.property ?? input;
