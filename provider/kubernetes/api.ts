/** What the controller asks of an API server. Types only: `client.ts` keeps them over Kubernetes' own client, tests over a real server. */

import type { Kind } from "../core/schema/manifest/form.ts";

/** An object of a kind of ours, as the API server has it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    /** Counts changes of the spec. */
    readonly generation: number;
    readonly creationTimestamp: string;
    /** Present: it is to go, once its finalizers are gone. */
    readonly deletionTimestamp?: string;
    readonly annotations?: { readonly [name: string]: string };
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly [property: string]: unknown };
  readonly status?: Status;
}

export type Truth = "True" | "False" | "Unknown";

export interface Condition {
  readonly type: string;
  readonly status: Truth;
  readonly observedGeneration: number;
  /** RFC 3339: when `status` became what it is. */
  readonly lastTransitionTime: string;
  /** PascalCase. */
  readonly reason: string;
  readonly message: string;
}

export interface Status {
  readonly id?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly atProvider?: { readonly [name: string]: unknown };
  readonly applied?: { readonly [name: string]: unknown };
}

/** What becomes of the metadata of an object; null takes an annotation away. */
export interface MetadataPatch {
  readonly annotations?: { readonly [name: string]: string | null };
  readonly finalizers?: readonly string[];
}

/** What was written meanwhile by somebody else; the object is to be seen anew. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** A Secret that is to be written is somebody else's. */
export class TakenError extends Error {
  override readonly name = "TakenError";
}

/** A Lease (coordination.k8s.io/v1) of the controller's own namespace. */
export interface Lease {
  readonly name: string;
  /** Absent: it is to be made, and must not be there yet. */
  readonly resourceVersion?: string;
  /** The replica that holds it; empty: given up. */
  readonly holder: string;
  /** Seconds after `renewTime`, by the holder's clock. */
  readonly duration: number;
  /** RFC 3339 with microseconds. */
  readonly renewTime: string;
  /** How often it changed hands. */
  readonly transitions: number;
}

export interface Leases {
  /** Calls back with every Lease of ours, then with each change; resolves when all that are there were told. One that is gone has the version at which it went, where that was told. */
  readonly follow: (heard: (lease: Lease, isGone: boolean) => void) => Promise<void>;
  /** Resolves to it as it is then. Rejects with ConflictError where it is not any more as it was seen. */
  readonly put: (lease: Lease, signal?: AbortSignal) => Promise<Lease>;
  /** Rejects with ConflictError where it is not any more as it was seen; resolves where it is gone already. */
  readonly remove: (lease: Lease, signal?: AbortSignal) => Promise<void>;
}

export interface Api {
  /** Rejects when the object is not any more as it was seen. Resolves to it as it is then. */
  readonly patchMetadata: (object: KubeObject, patch: MetadataPatch) => Promise<KubeObject>;
  readonly replaceStatus: (object: KubeObject, status: Status) => Promise<KubeObject>;
  /** The values of a Secret or a ConfigMap, as bytes; undefined: it is not there. */
  readonly data: (
    kind: "Secret" | "ConfigMap",
    namespace: string,
    name: string,
  ) => Promise<ReadonlyMap<string, Uint8Array> | undefined>;
  /** Writes keys of a Secret that the object owns; makes it where it is not there. Rejects with TakenError where it is not the object's. */
  readonly writeSecret: (
    owner: KubeObject,
    name: string,
    values: { readonly [key: string]: string },
  ) => Promise<void>;
  /** Tells what happened to an object; never fails what it is told of. */
  readonly event: (object: KubeObject, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** Calls back with every object of the kind, then with each change; resolves when all that are there were told. */
  readonly follow: (kind: Kind, heard: (object: KubeObject, isGone: boolean) => void) => Promise<void>;
}
