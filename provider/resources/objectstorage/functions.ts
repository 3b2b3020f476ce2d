/** Functions of the object storage area that show clusters, buckets and their transfer (contract section 4.4). */

import { viewFields, viewList, viewOf } from "../../core/object/view.ts";
import { objectFromWire } from "../../core/object/wire.ts";
import { group, integer, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing, getAll, getOne } from "../../core/type/getter.ts";
import { Bucket } from "./bucket.ts";
import { bucketPath } from "./paths.ts";

const area = "objectstorage";
const inCluster = text({ description: "Id of the cluster.", minLength: 1 });
const clusterFields = {
  id: text({ description: "Id of the cluster." }),
  region: text({ description: "Region that it is in." }),
  status: text({ description: "`available` when it takes buckets." }),
  domain: text({ description: "Domain under which its buckets are reached." }),
  staticSiteDomain: text({ description: "Domain under which its buckets are served as web sites." }),
};

const storageCluster = {
  area,
  name: "Cluster",
  noun: "cluster",
  item: group(clusterFields, { description: "A cluster.", typeName: "StorageCluster" }),
  collection: "/object-storage/clusters",
};

export const getCluster = getOne(storageCluster, {
  description: "One cluster of Object Storage.",
  id: { id: inCluster },
});

export const getClusters = getAll(storageCluster, {
  description: "Every cluster of Object Storage.",
  says: "The clusters.",
});

export const getBuckets = providerFunction({
  area,
  name: "getBuckets",
  description: "Every Bucket of the account, or of one cluster.",
  args: { cluster: optional(text({ description: "Only Buckets of this cluster.", minLength: 1 })) },
  result: { buckets: viewList(Bucket, "The Buckets.") },
  async call({ args, service }) {
    const { cluster } = args;
    const all = "/object-storage/buckets";
    const read = service.list(cluster === undefined ? all : `${all}/${encodeURIComponent(cluster)}`);
    return { buckets: (await existing(`cluster ${cluster}`, read)).map((bucket) => viewOf(Bucket, bucket)) };
  },
});

export const getBucket = providerFunction({
  area,
  name: "getBucket",
  description: "One Bucket, by its cluster and label.",
  args: { cluster: inCluster, label: text({ description: "Label of the Bucket.", minLength: 1 }) },
  result: viewFields(Bucket),
  async call({ args, service }) {
    const read = service.get(bucketPath(args.cluster, args.label));
    return viewOf(Bucket, await existing(`Bucket ${args.cluster}/${args.label}`, read));
  },
});

const transferFields = { used: integer({ description: "Bytes." }) };

export const getTransfer = providerFunction({
  area,
  name: "getTransfer",
  description: "Outbound transfer that the account's buckets used.",
  args: {},
  result: transferFields,
  call: async ({ service }) =>
    objectFromWire(transferFields, await service.getFresh("/object-storage/transfer")),
});
