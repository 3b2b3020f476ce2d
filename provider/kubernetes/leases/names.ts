/** What Leases of the controller are called, and who is to keep which Account. Pure. */

import { createHash } from "node:crypto";

const accountPrefix = "plumbline-account.";
const replicaPrefix = "plumbline-replica.";
/** Of Kubernetes, for the name of anything. */
const mostCharacters = 253;
/** What Kubernetes takes for one; what an object calls its Account may be anything. */
const isName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The Lease of an Account (`namespace/name`); a namespace has no dot, so that two Accounts never share one. */
export function accountLease(account: string): string {
  const name = accountPrefix + account.replace("/", ".");
  return name.length <= mostCharacters && isName.test(name)
    ? name
    : `plumbline-account-by-hash.${hashOf(account)}`;
}

export const isAccountLease = (name: string): boolean => name.startsWith("plumbline-account");

/** Who one life of a replica is, in words that a Lease's name may have. `random`: hexadecimal digits. */
export function identityOf(name: string, random: string): string {
  const stem = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 150);
  return `${stem}${stem.endsWith("-") || stem === "" ? "" : "-"}${random}`;
}

/** The Lease by which a replica tells that it lives. `scope`: what replicas that share Accounts have in common. */
export const replicaLease = (scope: string, id: string): string =>
  `${replicaPrefix}${hashOf(scope).slice(0, 8)}.${id}`;

/** Undefined for a Lease of something else. */
export function replicaOf(lease: string): { readonly scope: string; readonly id: string } | undefined {
  if (!lease.startsWith(replicaPrefix)) return undefined;
  const [scope = "", ...id] = lease.slice(replicaPrefix.length).split(".");
  return { scope, id: id.join(".") };
}

/** The one that is to keep it: each draws a number for it, and the highest has it, so that who comes or goes moves no more than its own share. */
export function preferred(account: string, replicas: readonly string[]): string | undefined {
  let best: { readonly id: string; readonly drawn: string } | undefined;
  for (const id of replicas) {
    const drawn = hashOf(`${id} ${account}`);
    if (best === undefined || drawn > best.drawn) best = { id, drawn };
  }
  return best?.id;
}
