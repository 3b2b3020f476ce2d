/** The Kubernetes versions on offer, and which may follow which (contract section 2.7; notes, section 7.1). */

export interface KubernetesVersion {
  /** `<major>.<minor>`. */
  readonly id: string;
  /** The latest patch, which new and recycled nodes get. */
  readonly patch: string;
}

/** Newest first. */
export const versions: readonly KubernetesVersion[] = [
  { id: "1.29", patch: "1.29.4" },
  { id: "1.28", patch: "1.28.9" },
  { id: "1.27", patch: "1.27.13" },
];

export function findVersion(id: string): KubernetesVersion | undefined {
  return versions.find((version) => version.id === id);
}

const minorOf = (id: string) => Number(id.split(".")[1]);

/** Why a cluster of one version cannot become one of another; the same version is no change. */
export function upgradeProblem(present: string, wanted: string): string | undefined {
  if (wanted === present) return undefined;
  if (!findVersion(wanted)) return "k8s_version is not valid";
  const step = minorOf(wanted) - minorOf(present);
  if (step < 0) return `A cluster cannot be downgraded: it has ${present}`;
  return step > 1
    ? `Only the next minor version after ${present} is possible, one step at a time`
    : undefined;
}
