/** An API server's memory for tests of what is done about one object: no watch, no admission, no conflict. The real one judges elsewhere. */

import type { Api, KubeObject, Status } from "../../provider/kubernetes/api.ts";

export interface Shelf extends Api {
  /** As `kubectl apply`; undefined for what is not there. */
  readonly get: (name: string) => KubeObject | undefined;
  readonly apply: (
    name: string,
    spec: object,
    annotations?: { readonly [name: string]: string | null },
  ) => void;
  /** As `kubectl delete`, whose object stays until its finalizers are gone. */
  readonly remove: (name: string) => void;
  readonly secrets: Map<string, { readonly [key: string]: string }>;
  readonly events: { readonly reason: string; readonly message: string }[];
  /** Writes of statuses so far. */
  readonly statusWrites: () => number;
}

export function openShelf(apiVersion: string, kind: string): Shelf {
  const objects = new Map<string, KubeObject>();
  const secrets: Shelf["secrets"] = new Map();
  const events: { reason: string; message: string }[] = [];
  let [version, writes] = [0, 0];

  function put(object: KubeObject): KubeObject {
    version += 1;
    const next = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    const { name, deletionTimestamp, finalizers = [] } = next.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) objects.delete(name);
    else objects.set(name, next);
    return next;
  }
  const present = ({ metadata: { name } }: KubeObject): KubeObject => {
    const found = objects.get(name);
    if (found === undefined) throw new Error(`${name} is not there`);
    return found;
  };
  const merged = (
    before: { readonly [name: string]: string } = {},
    change: { readonly [name: string]: string | null } = {},
  ) =>
    Object.fromEntries(
      Object.entries({ ...before, ...change }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      ),
    );

  return {
    secrets,
    events,
    get: (name) => objects.get(name),
    statusWrites: () => writes,
    apply(name, spec, annotations) {
      const before = objects.get(name);
      const isOther = JSON.stringify(before?.spec) !== JSON.stringify(spec);
      put({
        ...{ apiVersion, kind, spec: structuredClone(spec) as KubeObject["spec"] },
        ...(before?.status && { status: before.status }),
        metadata: {
          ...{ name, namespace: "site", uid: "6f5b9c1e-0000-4000-8000-000000000001", resourceVersion: "" },
          ...{ creationTimestamp: "2026-01-01T00:00:00Z", ...before?.metadata },
          generation: (before?.metadata.generation ?? 0) + (isOther ? 1 : 0),
          annotations: merged(before?.metadata.annotations, annotations),
        },
      });
    },
    remove(name) {
      const object = objects.get(name)!;
      put({ ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-02T00:00:00Z" } });
    },
    async patchMetadata(object, { annotations, finalizers }) {
      const { metadata, ...rest } = present(object);
      return put({
        ...rest,
        metadata: {
          ...metadata,
          ...(finalizers && { finalizers }),
          annotations: merged(metadata.annotations, annotations),
        },
      });
    },
    async replaceStatus(object, status: Status) {
      writes += 1;
      return put({ ...present(object), status: JSON.parse(JSON.stringify(status)) as Status });
    },
    data: async () => undefined,
    async writeSecret(_, name, values) {
      secrets.set(name, values);
    },
    event: (_object, _type, reason, message) => void events.push({ reason, message }),
    follow: async () => {},
  };
}
