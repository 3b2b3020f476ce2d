/** Names both ways between the user's camelCase and the wire's snake_case. Irregular names are stated on the field, not here. */

/** `soaEmail` becomes `soa_email`; `ipv4` and `k8sVersion` keep their digits (`k8s_version`). */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `soa_email` becomes `soaEmail`. The inverse of `toWireName` for names whose parts each begin with a letter. */
export function fromWireName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
