/** Objects of Kubernetes as what they declare, with the ids that their annotations tell: the way back to a stack. Pure. */

import type { Kind } from "../core/schema/manifest/form.ts";
import { type ManifestKind, version } from "../core/schema/manifest/kinds.ts";
import type { Target } from "../core/schema/manifest/spec.ts";
import { asset, isAsset, type ValueMap } from "../core/value.ts";
import { annotation, externalId } from "./annotations.ts";
import type { Declared } from "./manifests.ts";

/** An object as a file has it, or as `kubectl get -o yaml` shows it. */
export interface GivenObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly annotations?: { readonly [name: string]: string };
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly [property: string]: unknown };
  readonly status?: { readonly id?: string };
  readonly items?: readonly GivenObject[];
  readonly [part: string]: unknown;
}

export interface Taken {
  readonly declared: readonly Declared[];
  /** Objects that declare nothing that can be taken over, each with the reason. */
  readonly leftOut: readonly { readonly type: string; readonly name: string; readonly reason: string }[];
}

export interface TakeOptions {
  /** True: secrets are among the inputs, by the Secrets that are given. */
  readonly showSecrets: boolean;
  /** True for an input that the service never tells: it is sent together with the type's secrets, and left out with them. */
  readonly isUntold: (type: string, input: string) => boolean;
}

/** What objects of our kinds declare; others are there for what is named in them. */
export function declaredIn(
  given: readonly GivenObject[],
  kinds: ReadonlyMap<string, ManifestKind>,
  { showSecrets, isUntold }: TakeOptions,
): Taken {
  const objects = given.flatMap((each) => each.items ?? [each]);
  const byPlace = new Map(objects.map((each) => [placeOf(each.kind, each.apiVersion, each), each]));
  const byKind = new Map([...kinds.values()].map((kind) => [`${kind.group}/${version} ${kind.kind}`, kind]));
  const dataOf = (kind: string, within: GivenObject, name: string, key: string): string | undefined => {
    const found = byPlace.get(placeOf(kind, "v1", { metadata: { ...within.metadata, name } }));
    const [plain, encoded] = (["stringData", "data"] as const).map(
      (part) => (found?.[part] as { readonly [key: string]: string } | undefined)?.[key],
    );
    if (plain !== undefined || encoded === undefined) return plain;
    return kind === "ConfigMap" ? encoded : new TextDecoder().decode(bytesOf(encoded));
  };
  const around = (within: GivenObject) => ({
    target(kind: Kind, name: string): Target | undefined {
      const place = { metadata: { ...within.metadata, name } };
      const found = byPlace.get(placeOf(kind.kind, `${kind.group}/${version}`, place));
      const id = found && idOf(found);
      return id === undefined ? undefined : { id, inputs: found!.spec as ValueMap };
    },
    secret: ({ name, key }: { name: string; key: string }) =>
      showSecrets ? dataOf("Secret", within, name, key) : undefined,
    content: ({ text }: { readonly text?: string }) => (text === undefined ? asset({}) : asset({ text })),
  });
  const declared: Declared[] = [];
  const leftOut: Taken["leftOut"][number][] = [];
  for (const object of objects) {
    const kind = byKind.get(`${object.apiVersion} ${object.kind}`);
    const { name, annotations = {}, deletionTimestamp } = object.metadata ?? {};
    if (kind === undefined || name === undefined || object.spec === undefined) continue;
    const refuse = (reason: string) => void leftOut.push({ type: kind.token, name, reason });
    const id = idOf(object);
    if (deletionTimestamp !== undefined) refuse("it is being deleted");
    else if (id === undefined)
      refuse(
        `it has no annotation ${externalId}, which the controller writes: give it as the cluster has it`,
      );
    else {
      const { inputs, missing } = kind.inputsOf(object.spec, around(object));
      const absent = missing.filter(
        ({ property }) => showSecrets || !kind.secrets.some((secret) => secret.property === property),
      );
      if (absent.length > 0) {
        refuse(
          absent.map(({ property, what }) => `spec.${property}: ${what} is not given with it`).join("; "),
        );
        continue;
      }
      const isHidden = !showSecrets && kind.secrets.some(({ property }) => property in object.spec!);
      declared.push({
        ...{ type: kind.token, name, id },
        // A file's content stays in the bucket: the declaration cannot name where it is now.
        inputs: Object.fromEntries(
          Object.entries(inputs).filter(
            ([input, value]) => !isAsset(value) && !(isHidden && isUntold(kind.token, input)),
          ),
        ),
        protect: annotations[annotation("protect")] === "true",
        retainOnDelete: object.spec["deletionPolicy"] === "Retain",
      });
    }
  }
  return { declared, leftOut };
}

const idOf = ({ metadata, status }: GivenObject): string | undefined =>
  metadata?.annotations?.[externalId] ?? status?.id;

const placeOf = (
  kind: string | undefined,
  apiVersion: string | undefined,
  { metadata }: GivenObject,
): string => [apiVersion, kind, metadata?.namespace ?? "", metadata?.name].join(" ");

const bytesOf = (encoded: string): Uint8Array =>
  Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
