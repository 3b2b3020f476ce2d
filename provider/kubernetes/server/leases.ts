/** Leases of the controller's own namespace, as replicas share Accounts by them. */

import { ConflictError, type Lease, type Leases } from "../api.ts";
import type { Connection, Json, Question } from "./connection.ts";
import { hasStatus } from "./connection.ts";
import type { FollowOptions, ServerObject } from "./following.ts";

const label = "plumbline.dev/part-of";
const ours = "controller";

export interface LeaseGround {
  readonly connection: Pick<Connection, "namespace">;
  /** Rejects with ConflictError for what was written meanwhile. */
  readonly ask: (question: Question) => Promise<Json>;
  readonly followAll: (
    root: string,
    plural: string,
    heard: Pick<FollowOptions, "changed" | "gone">,
    more: { readonly query: { readonly [name: string]: string } },
    places: readonly string[],
  ) => Promise<void>;
}

export function leasesOf({ connection: { namespace }, ask, followAll }: LeaseGround): Leases {
  const root = "/apis/coordination.k8s.io/v1";
  const path = `${root}/namespaces/${namespace}/leases`;
  return {
    follow: (heard) =>
      followAll(
        root,
        "leases",
        {
          changed: (object) => heard(leaseOf(object), false),
          gone(name, _, version) {
            const nobody = { name, holder: "", duration: 0, renewTime: "", transitions: 0 };
            heard({ ...nobody, ...(version !== undefined && { resourceVersion: version }) }, true);
          },
        },
        { query: { labelSelector: `${label}=${ours}` } },
        [namespace],
      ),
    async put(lease, signal) {
      const { name, resourceVersion, holder, duration, renewTime, transitions } = lease;
      const body = {
        metadata: { name, labels: { [label]: ours }, ...(resourceVersion && { resourceVersion }) },
        spec: {
          holderIdentity: holder,
          leaseDurationSeconds: duration,
          renewTime,
          leaseTransitions: transitions,
        },
      };
      const question: Question =
        resourceVersion === undefined
          ? { method: "POST", path, body }
          : // A PUT would make it again where it is gone.
            { method: "PATCH", path: `${path}/${name}`, body, contentType: "application/merge-patch+json" };
      try {
        return leaseOf((await ask({ ...question, ...(signal && { signal }) })) as ServerObject);
      } catch (error) {
        // It was seen, and is there no more.
        if (hasStatus(error, 404)) throw new ConflictError((error as Error).message, { cause: error });
        throw error;
      }
    },
    async remove({ name, resourceVersion }, signal) {
      const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { resourceVersion } };
      const question: Question = { method: "DELETE", path: `${path}/${name}`, body };
      await ask({ ...question, ...(signal && { signal }) }).catch((error) => {
        if (!hasStatus(error, 404)) throw error;
      });
    },
  };
}

function leaseOf(object: Json): Lease {
  const { metadata, spec } = object as unknown as {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly spec?: {
      readonly holderIdentity?: string;
      readonly leaseDurationSeconds?: number;
      readonly renewTime?: string;
      readonly leaseTransitions?: number;
    };
  };
  return {
    ...{ name: metadata.name, resourceVersion: metadata.resourceVersion },
    holder: spec?.holderIdentity ?? "",
    duration: spec?.leaseDurationSeconds ?? 0,
    renewTime: spec?.renewTime ?? "",
    transitions: spec?.leaseTransitions ?? 0,
  };
}
