/** IPv4 ranges and the rules of a subnet's range (contract sections 2.9 and 7). Pure: it knows no account. */

import ipaddr from "ipaddr.js";

/** A range with its bounds as unsigned 32-bit numbers, both inclusive. */
export interface Range {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
  /** Canonical CIDR form. */
  readonly text: string;
}

/** Dotted form of an unsigned 32-bit number. */
export function formatAddress(value: number): string {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join(".");
}

/** The number of a four-part decimal IPv4 address; `undefined` for anything else. */
export function parseAddress(text: string): number | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) return undefined;
  return ipaddr.IPv4.parse(text)
    .toByteArray()
    .reduce((value, octet) => value * 256 + octet, 0);
}

/** Dotted mask of a prefix length: 25 is `255.255.255.128`. */
export function subnetMask(prefix: number): string {
  return formatAddress((2 ** 32 - 2 ** (32 - prefix)) >>> 0);
}

function makeRange(address: number, prefix: number): Range {
  const size = 2 ** (32 - prefix);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1, prefix, text: `${formatAddress(first)}/${prefix}` };
}

/** The range that a text names, host bits cut off (compare `text` to see whether there were any); `undefined` when it is no IPv4 CIDR. */
export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf("/");
  const address = parseAddress(text.slice(0, Math.max(slash, 0)));
  const length = text.slice(slash + 1);
  if (slash < 0 || address === undefined || !/^(0|[1-9]\d?)$/.test(length) || Number(length) > 32)
    return undefined;
  return makeRange(address, Number(length));
}

/** A range that is already known to be good, as stored ones are. Throws on anything else: that is a broken account. */
export function storedRange(text: string): Range {
  const range = parseRange(text);
  if (range === undefined)
    throw new Error(`the account holds ${JSON.stringify(text)} where an IPv4 range must be`);
  return range;
}

export function overlaps(a: Range, b: Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}

export function contains(outer: Range, inner: Range): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

const privateSpaces = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map(storedRange);
/** The platform's own private network, which no subnet may touch. */
const platformSpace = storedRange("192.168.128.0/17");
const shortestPrefix = 1;
const longestPrefix = 29;

/** Every reason why a text cannot be the range of a subnet beside the given siblings; empty when it can. */
export function subnetRangeProblems(
  text: string,
  siblings: readonly { label: string; range: Range }[],
): string[] {
  const range = parseRange(text);
  if (range === undefined) return ["Must be an IPv4 range in CIDR form, such as 10.0.0.0/24"];
  const problems: string[] = [];
  if (range.text !== text) problems.push(`Must be in canonical form with its host bits zero: ${range.text}`);
  if (range.prefix < shortestPrefix || range.prefix > longestPrefix)
    problems.push(`Prefix length must be ${shortestPrefix}-${longestPrefix}`);
  if (!privateSpaces.some((space) => contains(space, range)))
    problems.push("Must be within a private address space of RFC 1918");
  if (overlaps(range, platformSpace)) problems.push(`Must not overlap ${platformSpace.text}`);
  for (const sibling of siblings) {
    if (overlaps(range, sibling.range))
      problems.push(`Must not overlap subnet ${sibling.label} (${sibling.range.text}) of this VPC`);
  }
  return problems;
}

/** First and last address for interfaces: network, gateway, the one before broadcast, and broadcast are kept (notes, section 9). */
export function usable(range: Range): { first: number; last: number } {
  return { first: range.first + 2, last: range.last - 2 };
}

/** The gateway of a subnet: the address after the network's. */
export function gatewayOf(range: Range): string {
  return formatAddress(range.first + 1);
}
