/** What a cluster's hooks in files of their own see of its declaration. Pure types. */

import type { Fields } from "../../core/type/field.ts";
import type { AspectContext, LookupContext, ObjectContext } from "../../core/type/resource.ts";
import type { Ids, Specs } from "./pools/layout.ts";

/** A cluster's declared values. */
export interface ClusterValues {
  readonly label?: string;
  readonly region?: string;
  readonly k8sVersion?: string;
  readonly controlPlane?: { readonly highAvailability?: boolean };
  readonly nodePools?: Specs;
  readonly tags?: readonly string[];
  readonly recycleOnUpgrade?: boolean;
  readonly recycleTrigger?: unknown;
  readonly kubeconfigTrigger?: unknown;
  readonly serviceTokenTrigger?: unknown;
}

type WithValues<C> = Omit<C, "inputs"> & { readonly inputs: ClusterValues };

export type ClusterContext = WithValues<ObjectContext<Fields>>;

export type ClusterAspectContext = WithValues<AspectContext<Fields>>;

export type ClusterLookupContext = Omit<LookupContext<Fields>, "before" | "after"> & {
  /** With what was saved of its pools. */
  readonly before: ClusterValues & { readonly poolIds?: Ids };
  readonly after: ClusterValues;
};
