/** The programs of a cluster of its own, by their paths. */
export interface ClusterPrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly kubectl: string;
}

/** As far as all of them are there without building. */
export function findKubernetes(): ClusterPrograms | undefined;

/** Builds what is missing, or says why there is none. */
export function ensureKubernetes(options?: {
  log?: (line: string) => void;
}): ClusterPrograms | { readonly reason: string };
