/** The resources of a stack as manifests of Kubernetes: with their ids, so that whoever applies them takes the objects over as they are. Pure. */

import { grouped } from "../core/grouped.ts";
import type { Twin } from "../core/schema/manifest/form.ts";
import { domain, type ManifestKind, version } from "../core/schema/manifest/kinds.ts";
import { type Asset, reveal, type ValueMap } from "../core/value.ts";

/** A resource of a stack's state. */
export interface Declared {
  /** Canonical token. */
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: ValueMap;
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
}

export interface ManifestOptions {
  /** Absent: manifests name none, and go where they are applied. */
  readonly namespace?: string;
  /** True: Secrets hold what is secret; else they are named only, for their holder to make. */
  readonly showSecrets?: boolean;
  /** The bytes of a file; undefined: they are nowhere to be had, and the manifest does without. */
  readonly contentOf?: (given: Asset) => Uint8Array | undefined;
}

/** Bytes of a content that an object of a cluster can hold, in base64 beside its name and its place. */
export const largestContent = 750_000;
/** What is longer, or no text, is given by a ConfigMap of its own. */
const longestText = 32_768;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly [part: string]: unknown;
}

/** Manifests in the order of the resources, each Secret before what names it; `named`: Secrets that somebody has to make, with their keys. */
export function manifestsOf(
  resources: readonly Declared[],
  kinds: ReadonlyMap<string, ManifestKind>,
  { namespace, showSecrets = false, contentOf }: ManifestOptions = {},
): {
  readonly manifests: readonly Manifest[];
  readonly named: readonly { name: string; keys: readonly string[] }[];
} {
  const names = objectNames(resources);
  const byKey = grouped(resources, ({ type }) => kinds.get(type)!.key);
  const place = namespace === undefined ? {} : { namespace };
  const named: { name: string; keys: readonly string[] }[] = [];
  const manifests = resources.flatMap((resource) => {
    const kind = kinds.get(resource.type)!;
    const name = names.get(resource)!;
    const secrets: { [key: string]: string } = {};
    const files: { [key: string]: string } = {};
    const spec = kind.specOf(resource.inputs, {
      secretRef(input, value) {
        secrets[input] = value;
        return { name: besideName(kind, name), key: input };
      },
      content(input, given) {
        const bytes = given.text === undefined ? contentOf?.(given) : new TextEncoder().encode(given.text);
        if (bytes === undefined) return undefined;
        const text = textIn(bytes);
        if (text !== undefined && bytes.length <= longestText) return { text };
        files[input] = Buffer.from(bytes).toString("base64");
        return { configMapKeyRef: { name: besideName(kind, name), key: input } };
      },
      named: (twin) => namedBy(twin, resource, { byKey, kinds, names }),
    });
    const manifest: Manifest = {
      apiVersion: `${kind.group}/${version}`,
      kind: kind.kind,
      metadata: {
        name,
        ...place,
        annotations: {
          [`${domain}/external-id`]: resource.id,
          ...(resource.protect && { [`${domain}/protect`]: "true" }),
        },
      },
      spec: { ...spec, ...(resource.retainOnDelete && { deletionPolicy: "Retain" }) },
    };
    const beside = { apiVersion: "v1", metadata: { name: besideName(kind, name), ...place } };
    const keys = Object.keys(secrets);
    if (keys.length > 0 && !showSecrets) named.push({ name: beside.metadata.name, keys });
    return [
      ...(keys.length > 0 && showSecrets ? [{ ...beside, kind: "Secret", stringData: secrets }] : []),
      ...(Object.keys(files).length > 0 ? [{ ...beside, kind: "ConfigMap", binaryData: files }] : []),
      manifest,
    ];
  });
  return { manifests, named };
}

/** Undefined for what is no text of UTF-8. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Of what an object has beside itself. */
const besideName = ({ kind }: ManifestKind, name: string): string =>
  `${kind.toLowerCase()}-${name}`.slice(0, 253);

/** A name that Kubernetes takes for each resource, unique among those of its type. */
function objectNames(resources: readonly Declared[]): ReadonlyMap<Declared, string> {
  const taken = new Set<string>();
  return new Map(
    resources.map((resource) => {
      const base = resource.name
        .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .slice(0, 200)
        .replace(/-+$/, "");
      const stem = base === "" ? "unnamed" : base;
      let name = stem;
      for (let n = 2; taken.has(`${resource.type} ${name}`); n += 1) name = `${stem}-${n}`;
      taken.add(`${resource.type} ${name}`);
      return [resource, name];
    }),
  );
}

interface Among {
  /** Resources by the key of their type. */
  readonly byKey: ReadonlyMap<string, readonly Declared[]>;
  readonly kinds: ReadonlyMap<string, ManifestKind>;
  readonly names: ReadonlyMap<Declared, string>;
}

/** The reference in the place of inputs, where the manifests have everything that they name. */
function namedBy(twin: Twin, { inputs }: Declared, { byKey, kinds, names }: Among): unknown {
  const idInput = twin.inputs.find(({ is }) => is === "id")?.name;
  const ids = idInput === undefined ? [undefined] : [reveal(inputs[idInput]!)].flat().map(String);
  const candidates = twin.types.flatMap((key) => byKey.get(key) ?? []);
  const refs = ids.map((id) => {
    const target = candidates.find(
      (other) =>
        (id === undefined || other.id === id) &&
        twin.inputs.every(
          ({ name, is }) => typeof is === "string" || String(other.inputs[is.input]) === String(inputs[name]),
        ) &&
        isOfWord(twin, kinds.get(other.type)!, inputs),
    );
    if (target === undefined) return undefined;
    const { kind } = kinds.get(target.type)!;
    return { ...(twin.types.length > 1 && { kind }), name: names.get(target)! };
  });
  if (refs.includes(undefined)) return undefined;
  return twin.isList ? refs : refs[0];
}

/** False for an object of another type than the one that a word of the inputs stands for. */
const isOfWord = (twin: Twin, { key }: ManifestKind, inputs: ValueMap): boolean =>
  twin.inputs.every(({ name, words }) => words === undefined || words[String(inputs[name])] === key);
