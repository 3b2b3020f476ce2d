/** IPv4 ranges in CIDR form: read, compared, and judged by what a subnet may have (contract section 2.9). Pure. */

export interface Range {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** The range, or undefined when the text is not `a.b.c.d/n`. Host bits are kept in `first`'s place by `hasHostBits`. */
export function parseRange(text: string): (Range & { readonly hasHostBits: boolean }) | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (!match) return undefined;
  const numbers = match.slice(1).map(Number);
  const prefix = numbers[4]!;
  if (numbers.slice(0, 4).some((part) => part > 255) || prefix > 32) return undefined;
  if (match.slice(1).some((part) => part.length > 1 && part.startsWith("0"))) return undefined;
  const address = numbers.slice(0, 4).reduce((sum, part) => sum * 256 + part, 0);
  const size = 2 ** (32 - prefix);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1, prefix, hasHostBits: first !== address };
}

export function overlaps(one: Range, other: Range): boolean {
  return one.first <= other.last && other.first <= one.last;
}

const known = (text: string) => parseRange(text)!;
const privateSpaces = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map(known);
const reserved = known("192.168.128.0/17");

/** Why a subnet may not have this range, or undefined. */
export function rangeFault(text: string): string | undefined {
  const range = parseRange(text);
  if (!range) return `must be an IPv4 range in CIDR form (10.0.0.0/24), not ${JSON.stringify(text)}`;
  if (range.hasHostBits)
    return `must not have host bits set: the range that holds ${text} is ${format(range)}`;
  if (range.prefix < 1 || range.prefix > 29)
    return `must have a prefix length of 1 to 29, not ${range.prefix}`;
  if (!privateSpaces.some((space) => range.first >= space.first && range.last <= space.last)) {
    return `must be within a private space (10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16), and ${text} is not`;
  }
  if (overlaps(range, reserved))
    return `must not overlap 192.168.128.0/17, which the service keeps for itself, and ${text} does`;
  return undefined;
}

function format({ first, prefix }: Range): string {
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256);
  return `${parts.join(".")}/${prefix}`;
}
