/** Which Kubernetes version may follow which (contract section 2.7). Pure. */

const numbersOf = (version: string) => version.split(".").map(Number) as [number, number];

/** Why a cluster of one version cannot become one of another; undefined when it can, or is. */
export function upgradeFault(present: string, wanted: string): string | undefined {
  const [major, minor] = numbersOf(present);
  const [wantedMajor, wantedMinor] = numbersOf(wanted);
  if (wantedMajor < major || (wantedMajor === major && wantedMinor < minor))
    return `cannot go back from ${present} to ${wanted}: a cluster is never downgraded`;
  if (wantedMajor !== major || wantedMinor <= minor + 1) return undefined;
  return `cannot go from ${present} to ${wanted} at once: only to the next minor version, ${major}.${minor + 1}`;
}
