/** Which addresses of a subnet are taken, and which an interface may have (notes, section 9). It knows nothing of requests. */

import type { World } from "../../area.ts";
import { holdersOf, type Subnet, single } from "./network.ts";
import {
  contains,
  formatAddress,
  overlaps,
  parseAddress,
  parseRange,
  type Range,
  storedRange,
  usable,
} from "./range.ts";

/** What is taken in one subnet while interfaces are being drafted. */
export interface Occupancy {
  readonly range: Range;
  /** Taken by anyone. */
  readonly taken: Range[];
  /** Taken by other instances: profiles of one instance may share an address, as only one of them runs. */
  readonly foreign: Range[];
}

/** What is taken in a subnet. Interfaces of `exceptConfig` are left out: their profile is being written anew. */
export function occupancy(
  world: World,
  subnet: Subnet,
  computeId: number | null,
  exceptConfig: number | null,
): Occupancy {
  const taken: Range[] = [];
  const foreign: Range[] = [];
  for (const one of holdersOf(world, subnet)) {
    if (one.ipv4 === null || one.config_id === exceptConfig) continue;
    const address = parseAddress(one.ipv4.vpc);
    if (address === undefined) throw new Error(`interface ${one.id} has no IPv4 address where one must be`);
    const held = [single(address), ...one.ip_ranges.map(storedRange)];
    taken.push(...held);
    if (one.compute_id !== computeId) foreign.push(...held);
  }
  return { range: storedRange(subnet.ipv4), taken, foreign };
}

/** The lowest address that nobody has; `undefined` when the subnet is full. */
export function freeAddress({ range, taken }: Occupancy): string | undefined {
  const { first, last } = usable(range);
  const ordered = [...taken].sort((a, b) => a.first - b.first);
  let candidate = first;
  for (const held of ordered) {
    if (held.first > candidate) break;
    if (held.last >= candidate) candidate = held.last + 1;
  }
  return candidate <= last ? formatAddress(candidate) : undefined;
}

/** Why an address that was asked for cannot be had; `undefined` when it can. */
export function addressProblem(text: string, { range, foreign }: Occupancy): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return "Must be an IPv4 address";
  const { first, last } = usable(range);
  if (address < first || address > last)
    return `Must be within ${formatAddress(first)} to ${formatAddress(last)} of subnet ${range.text}`;
  return foreign.some((held) => overlaps(held, single(address)))
    ? "Address is already in use in this subnet"
    : undefined;
}

/** The canonical form of an additional range of an interface (a bare address is a /32), or why it cannot be had. */
export function extraRange(
  text: string,
  { range, foreign }: Occupancy,
): { range: Range } | { problem: string } {
  const extra = parseRange(text.includes("/") ? text : `${text}/32`);
  if (extra === undefined) return { problem: "Must be an IPv4 range in CIDR form" };
  if (text.includes("/") && extra.text !== text) return { problem: `Host bits must be zero: ${extra.text}` };
  const { first, last } = usable(range);
  if (!contains({ first, last, prefix: range.prefix, text: range.text }, extra))
    return {
      problem: `Must be within ${formatAddress(first)} to ${formatAddress(last)} of subnet ${range.text}`,
    };
  if (foreign.some((held) => overlaps(held, extra)))
    return { problem: "Range is already in use in this subnet" };
  return { range: extra };
}
