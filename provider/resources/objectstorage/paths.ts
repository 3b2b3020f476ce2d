/** Paths of buckets and of what they hold (contract section 4.4). Pure. */

/** `/object-storage/buckets/us-east-1/photos`. */
export const bucketPath = (cluster: string | undefined, label: string | undefined) =>
  `/object-storage/buckets/${encodeURIComponent(cluster ?? "")}/${encodeURIComponent(label ?? "")}`;
