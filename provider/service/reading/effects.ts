/** Which other paths a write may change, as far as paths alone tell. Makes no request and keeps nothing. */

import { segments } from "../path.ts";

/** Areas whose objects show each other (a volume's instance, a subnet's interfaces, a cluster's nodes). */
const LINKED: { readonly [area: string]: readonly string[] } = {
  compute: ["volumes", "vpcs", "lke", "networking"],
  volumes: ["compute"],
  vpcs: ["compute"],
  lke: ["compute", "volumes"],
};

/** Areas that any write may change. */
const EVERYWHERE = ["account", "profile", "tags"];

/** The areas (first segments) that a write to `path` may change, its own first. */
export function touchedAreas(path: string): string[] {
  const area = segments(path)[0] ?? "";
  return [area, ...(LINKED[area] ?? []), ...EVERYWHERE];
}

/** Proper prefixes of a path, shortest first: `/a`, `/a/1`… */
export function prefixes(path: string): string[] {
  const found: string[] = [];
  for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) found.push(path.slice(0, at));
  return found;
}

/**
 * True when two paths of one area part where one names a list and the other does not: `/databases/instances` and `/databases/mysql/…`,
 * `/vpcs/ips` and `/vpcs/7/…`. Two ids, two lists or two kinds are apart; of paths that lie one below the other it says nothing.
 */
export function showsOtherSide(written: readonly string[], other: readonly string[]): boolean {
  const at = written.findIndex((part, index) => part !== other[index]);
  const [one, two] = [written[at], other[at]];
  if (one === undefined || two === undefined) return false;
  return /s$/.test(one) !== /s$/.test(two);
}
