/** The addresses that a managed service may have (contract section 2.8), and whether they are private. */

import { isIP, isIPv4 } from "node:net";

export type ServiceType = "url" | "tcp";

const hostName =
  /^(?=.{1,253}$)([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?$/;

/** The address as it is kept: parameters stay, the fragment goes. */
export function withoutFragment(address: string): string {
  return address.replace(/#.*$/s, "");
}

/** The host that the address names, IPv6 without brackets; nothing when the address is none for that type. */
export function hostOf(type: ServiceType, address: string): string | undefined {
  return type === "url" ? hostOfUrl(address) : hostOfPort(address);
}

function hostOfUrl(address: string): string | undefined {
  if (!/^https?:\/\/[^/?#]/i.test(address) || /\s/.test(address)) return undefined;
  try {
    const { hostname } = new URL(address);
    return checked(hostname.replace(/^\[(.*)\]$/, "$1"));
  } catch {
    return undefined;
  }
}

/** `host:port`, or the same after `tcp://`. */
function hostOfPort(address: string): string | undefined {
  const parts = /^(?:tcp:\/\/)?(?:\[([^\]]+)\]|([^:/\s]+)):(\d{1,5})\/?$/i.exec(address);
  if (!parts || Number(parts[3]) < 1 || Number(parts[3]) > 65535) return undefined;
  return parts[1] === undefined ? checked(parts[2]!) : isIP(parts[1]) === 6 ? parts[1] : undefined;
}

/** Digits and dots alone are an IPv4 address or nothing. */
function checked(host: string): string | undefined {
  if (isIP(host) !== 0) return host;
  return /^[\d.]+$/.test(host) || !hostName.test(host) ? undefined : host;
}

/** True for an IPv4 address of the private spaces (RFC 1918). */
export function isPrivate(host: string): boolean {
  if (!isIPv4(host)) return false;
  const [first = 0, second = 0] = host.split(".").map(Number);
  return first === 10 || (first === 172 && second >= 16 && second <= 31) || (first === 192 && second === 168);
}
