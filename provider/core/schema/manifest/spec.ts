/** The spec of an object of Kubernetes as the inputs that every other face declares, and inputs as a spec. Pure. */

import { isAssetField } from "../../type/field.ts";
import type { ResourceType } from "../../type/resource.ts";
import {
  type Asset,
  isAsset,
  isSecret,
  isValueMap,
  reveal,
  secret,
  type Value,
  type ValueMap,
} from "../../value.ts";
import type { Kind, ManifestForm, Twin, TwinInput } from "./form.ts";
import { kindOf } from "./form.ts";

/** A key of a Secret or a ConfigMap of the object's namespace. */
export interface KeyRef {
  readonly name: string;
  readonly key: string;
}

/** An object that a spec names. */
export interface Target {
  /** Its id on the service. */
  readonly id: string;
  readonly inputs: ValueMap;
}

/** What a spec names, as far as it is there; undefined: not yet. */
export interface Surroundings {
  readonly target: (kind: Kind, name: string) => Target | undefined;
  readonly secret: (ref: KeyRef) => string | undefined;
  readonly content: (place: ContentPlace) => Asset | undefined;
}

/** Where a file's content is; one of them. */
export interface ContentPlace {
  readonly text?: string;
  readonly configMapKeyRef?: KeyRef;
  readonly secretKeyRef?: KeyRef;
}

/** Something that a spec names and that is not there. */
export interface Missing {
  /** `domainRef`, `credentialRefs[1]`. */
  readonly property: string;
  /** `Domain zone`, `key password of Secret login`. */
  readonly what: string;
}

/** What of a spec is no input of a type: how the controller is to deal with the object. */
export const ownProperties: ReadonlySet<string> = new Set(["accountRef", "deletionPolicy", "writeSecretsTo"]);

/** The inputs that a spec declares. What is missing is left out of them. `types` by key. */
export function inputsOf(
  type: ResourceType,
  form: ManifestForm,
  types: ReadonlyMap<string, ResourceType>,
  spec: { readonly [property: string]: unknown },
  around: Surroundings,
): { readonly inputs: ValueMap; readonly missing: readonly Missing[] } {
  const inputs: { [name: string]: Value } = {};
  const missing: Missing[] = [];
  const special = new Set([...ownProperties, ...form.twins.map(({ property }) => property)]);
  for (const [name, value] of Object.entries(spec)) {
    if (special.has(name)) continue;
    const hidden = form.secrets.find(({ property }) => property === name);
    const field = type.inputs[name];
    if (hidden) {
      const ref = value as KeyRef;
      const found = around.secret(ref);
      if (found === undefined) missing.push({ property: name, what: `key ${ref.key} of Secret ${ref.name}` });
      else inputs[hidden.input] = secret(found);
    } else if (field && isAssetField(field)) {
      const place = value as ContentPlace;
      const found = around.content(place);
      if (found === undefined) missing.push({ property: name, what: placeName(place) });
      else inputs[name] = found;
    } else inputs[name] = value as Value;
  }
  for (const twin of form.twins) {
    const named = spec[twin.property];
    if (named === undefined) continue;
    const refs = (twin.isList ? named : [named]) as readonly {
      readonly kind?: string;
      readonly name: string;
    }[];
    const found = refs.map(({ kind, name }, at) => {
      const target = typeNamed(twin, kind, types);
      const there = target && around.target(kindOf(target), name);
      const property = twin.isList ? `${twin.property}[${at}]` : twin.property;
      if (!there) missing.push({ property, what: `${target?.name ?? kind} ${name}` });
      return there && { ...there, type: target! };
    });
    if (found.some((each) => each === undefined)) continue;
    for (const input of twin.inputs) {
      const values = found.map((each) => valueFor(input, each!));
      inputs[input.name] = twin.isList ? values : values[0]!;
    }
  }
  return { inputs, missing };
}

const placeName = ({ configMapKeyRef: map, secretKeyRef: hidden }: ContentPlace): string =>
  map ? `key ${map.key} of ConfigMap ${map.name}` : `key ${hidden?.key} of Secret ${hidden?.name}`;

/** The type that a reference names. */
function typeNamed(
  { types: keys }: Twin,
  kind: string | undefined,
  types: ReadonlyMap<string, ResourceType>,
): ResourceType | undefined {
  const known = keys.flatMap((key) => types.get(key) ?? []);
  return kind === undefined ? known[0] : known.find(({ name }) => name === kind);
}

function valueFor({ is, words = {} }: TwinInput, target: Target & { readonly type: ResourceType }): Value {
  if (is === "id") return target.id;
  if (is !== "word") return target.inputs[is.input]!;
  return Object.entries(words).find(([, key]) => key === target.type.key)![0];
}

/** A property of a spec that cannot hold what the input holds as it is. */
export interface Elsewhere {
  /** Where a secret is to be. */
  readonly secretRef: (input: string, value: string) => KeyRef;
  /** Where the content of a file is to be; undefined: nowhere. */
  readonly content: (input: string, given: Asset) => ContentPlace | undefined;
  /** The object that an input names: the kind's name where the twin may name several. Undefined: it is none of the manifests. */
  readonly named: (twin: Twin) => unknown;
}

/** The spec that declares the inputs. */
export function specOf(
  type: ResourceType,
  form: ManifestForm,
  inputs: ValueMap,
  elsewhere: Elsewhere,
): object {
  const spec: { [property: string]: unknown } = {};
  const told = new Set<string>();
  for (const twin of form.twins) {
    const named = twin.inputs.every(({ name }) => inputs[name] !== undefined)
      ? elsewhere.named(twin)
      : undefined;
    if (named === undefined) continue;
    spec[twin.property] = named;
    for (const { name } of twin.inputs) told.add(name);
  }
  for (const [name, value] of Object.entries(inputs)) {
    if (told.has(name) || value === null) continue;
    const hidden = form.secrets.find(({ input }) => input === name);
    const isText = (type.inputs[name] as { type?: string } | undefined)?.type === "string";
    const shown = reveal(value);
    if (hidden) spec[hidden.property] = elsewhere.secretRef(name, String(shown));
    else if (isAsset(shown)) spec[name] = elsewhere.content(name, shown);
    // An id may be a number elsewhere.
    else spec[name] = isText ? String(shown) : plain(value);
  }
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function plain(value: Value): unknown {
  if (isSecret(value)) return plain(value.value);
  if (Array.isArray(value)) return value.map((each) => plain(each as Value));
  if (!isValueMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, plain(each)]])),
  );
}
