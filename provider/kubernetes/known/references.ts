/** Who names what: other objects, Secrets, ConfigMaps; and what is there of what a spec names. */

import { createHash } from "node:crypto";
import type { Kind } from "../../core/schema/manifest/form.ts";
import type { ManifestKind } from "../../core/schema/manifest/kinds.ts";
import type { ContentPlace, KeyRef, Surroundings, Target } from "../../core/schema/manifest/spec.ts";
import { type Asset, asset, type ValueMap } from "../../core/value.ts";
import { idOf } from "../annotations.ts";
import type { Api, KubeObject } from "../api.ts";
import { keyOf } from "./objects.ts";

/** A Secret or a ConfigMap as something that is named. */
export const nameOf = (kind: "Secret" | "ConfigMap", namespace: string, name: string): string =>
  `${kind}/${namespace}/${name}`;

export interface References {
  /** The object names these, and nothing else any more. */
  readonly note: (key: string, names: ReadonlySet<string>) => void;
  readonly forget: (key: string) => void;
  /** Keys of the objects that name it. */
  readonly naming: (name: string) => Iterable<string>;
  /** What the object names. */
  readonly namedBy: (key: string) => Iterable<string>;
}

export function createReferences(): References {
  const names = new Map<string, ReadonlySet<string>>();
  const naming = new Map<string, Set<string>>();
  const none: readonly string[] = [];

  function forget(key: string): void {
    for (const name of names.get(key) ?? none) {
      const keys = naming.get(name);
      keys?.delete(key);
      if (keys?.size === 0) naming.delete(name);
    }
    names.delete(key);
  }

  return {
    forget,
    note(key, named) {
      forget(key);
      if (named.size === 0) return;
      names.set(key, named);
      for (const name of named) {
        const keys = naming.get(name);
        if (keys) keys.add(key);
        else naming.set(name, new Set([key]));
      }
    },
    naming: (name) => [...(naming.get(name) ?? none)],
    namedBy: (key) => names.get(key) ?? none,
  };
}

/** What a spec names, whether it is there or not. */
export function namesOf(kind: ManifestKind, { metadata: { namespace }, spec }: KubeObject): Set<string> {
  const names = new Set<string>();
  const add = (name: string): undefined => void names.add(name);
  const secret = (ref: KeyRef | undefined) => ref && add(nameOf("Secret", namespace, ref.name));
  kind.inputsOf(spec, {
    target: (of, name) => add(keyOf(of, namespace, name)),
    secret,
    content({ configMapKeyRef, secretKeyRef }) {
      secret(secretKeyRef);
      return configMapKeyRef && add(nameOf("ConfigMap", namespace, configMapKeyRef.name));
    },
  });
  // Where it is another's it may go, and where it is ours somebody may take it away.
  const { name: written } = (spec["writeSecretsTo"] ?? {}) as { readonly name?: string };
  if (written !== undefined) add(nameOf("Secret", namespace, written));
  return names;
}

/** What an object is to those that name it; undefined: they have to wait. */
export function targetOf({ metadata, status }: KubeObject): Target | undefined {
  const id = idOf({ metadata } as KubeObject);
  if (id === undefined || status?.applied === undefined || metadata.deletionTimestamp !== undefined)
    return undefined;
  const isBeingMade = status.conditions?.some(
    ({ type, reason }) => type === "Reconciling" && reason === "NotFinished",
  );
  return isBeingMade ? undefined : { id, inputs: status.applied as ValueMap };
}

/** True where those that name it see another object than before. */
export function isOther(before: KubeObject | undefined, now: KubeObject | undefined): boolean {
  const [one, two] = [before, now].map((each) => each && targetOf(each));
  return one?.id !== two?.id || JSON.stringify(one?.inputs) !== JSON.stringify(two?.inputs);
}

/** Asks for the values that the spec names, and for no others. */
export async function surroundingsOf(
  api: Pick<Api, "data">,
  names: Iterable<string>,
  object: KubeObject,
  find: (key: string) => KubeObject | undefined,
): Promise<Surroundings> {
  const { namespace } = object.metadata;
  const values = new Map<string, ReadonlyMap<string, Uint8Array> | undefined>();
  await Promise.all(
    [...names].map(async (named) => {
      const [kind, , name = ""] = named.split("/");
      if (kind === "Secret" || kind === "ConfigMap") values.set(named, await api.data(kind, namespace, name));
    }),
  );
  const bytesOf = (kind: "Secret" | "ConfigMap", { name, key }: KeyRef): Uint8Array | undefined =>
    values.get(nameOf(kind, namespace, name))?.get(key);
  return {
    target(kind: Kind, name) {
      const found = find(keyOf(kind, namespace, name));
      return found && targetOf(found);
    },
    secret(ref) {
      const bytes = bytesOf("Secret", ref);
      return bytes && new TextDecoder().decode(bytes);
    },
    content({ text, configMapKeyRef, secretKeyRef }: ContentPlace) {
      if (text !== undefined) return contentOf(new TextEncoder().encode(text));
      const bytes = configMapKeyRef
        ? bytesOf("ConfigMap", configMapKeyRef)
        : secretKeyRef && bytesOf("Secret", secretKeyRef);
      return bytes && contentOf(bytes);
    },
  };
}

function contentOf(bytes: Uint8Array): Asset {
  const hash = createHash("sha256").update(bytes).digest("hex");
  try {
    // A mark of the order of bytes is a part of the content.
    return asset({ text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), hash });
  } catch {
    return asset({ uri: `data:;base64,${Buffer.from(bytes).toString("base64")}`, hash });
  }
}
