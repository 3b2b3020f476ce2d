/** Domain names, host names and addresses as the DNS area judges them; knows nothing of domains or records as stored objects. */

import ipaddr from "ipaddr.js";

/** The platform's own pattern (notes, section 3): an optional wildcard label, at least two labels, a top-level domain of letters. */
const domainPattern = /^(\*\.)?([a-zA-Z0-9_-]{1,63}\.)+([a-zA-Z]{2,3}\.)?([a-zA-Z]{2,16}|xn--[a-zA-Z0-9]+)$/;
const hostLabel = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const mailLabel = /^[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const mailbox = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** The longest name that DNS can carry, in characters without the final dot (RFC 1035, 2.3.4). */
export const longestName = 253;

/**
 * True for a name that a zone may have (contract section 2.3): 1 to 253 characters, labels of at most 63, no trailing dot. By RFC 1035, no
 * label begins or ends with a hyphen, which the pattern would let through.
 */
export function isDomainName(name: string): boolean {
  return (
    name.length <= longestName &&
    domainPattern.test(name) &&
    name.split(".").every((label) => label.length <= 63 && !/^-|-$/.test(label))
  );
}

/** True for a host name without trailing dot: letters, digits, inner hyphens and underscores; the last label is no number. */
export function isHostname(name: string): boolean {
  if (name.length === 0 || name.length > longestName) return false;
  const labels = name.split(".");
  return labels.every((label) => hostLabel.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

/** True for a host name of two labels or more: what the contract calls a valid domain. */
export function isValidDomain(name: string): boolean {
  return name.includes(".") && isHostname(name);
}

/** True for a mail name (contract section 2.4, MX): each component starts with a letter; the left-most may be `*`. */
export function isMailName(name: string): boolean {
  const labels = name.split(".");
  return (
    name.length <= longestName &&
    labels.every((label, at) => (at === 0 && label === "*") || mailLabel.test(label))
  );
}

/** True for labels under a zone; the left-most may be `*` when wildcards are allowed. */
export function isRelativeName(name: string, wildcard: boolean): boolean {
  return name
    .split(".")
    .every((label, at) => (wildcard && at === 0 && label === "*") || hostLabel.test(label));
}

/** True for `local@domain`: an unquoted local part of at most 64 characters and a valid domain. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  return (
    at > 0 &&
    local.length <= 64 &&
    text.length <= 254 &&
    mailbox.test(local) &&
    isValidDomain(text.slice(at + 1))
  );
}

/** True for four decimal numbers, `192.0.2.1`; shorter and octal forms are not accepted. */
export function isIPv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** True for an IPv6 address without a zone index. */
export function isIPv6(text: string): boolean {
  return !text.includes("%") && ipaddr.IPv6.isValid(text);
}

/** One spelling for each address, and IPv4 for an IPv4-mapped one; `undefined` when the text is no address. */
export function canonicalAddress(text: string): string | undefined {
  if (!isIPv4(text) && !isIPv6(text)) return undefined;
  return ipaddr.process(text).toString();
}

/** The name as compared: DNS takes no notice of case. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** Drops one trailing dot. */
export function withoutDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}

/** The name relative to its zone, "" for the zone itself; a trailing dot and the zone's suffix are cut (notes, section 4). */
export function relativeName(name: string, zone: string): string {
  const bare = withoutDot(name);
  const low = folded(bare);
  const suffix = folded(zone);
  if (low === suffix) return "";
  return low.endsWith(`.${suffix}`) ? bare.slice(0, -suffix.length - 1) : bare;
}

/** The full name of a relative one, without trailing dot. */
export function fullName(name: string, zone: string): string {
  return name === "" ? zone : `${name}.${zone}`;
}
