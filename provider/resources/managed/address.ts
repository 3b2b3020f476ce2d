/** Addresses of monitored services (contract section 2.8): their form by kind, and whether they are private. Pure. */

import ipaddr from "ipaddr.js";

export type ServiceType = "url" | "tcp";

/** What an address of each kind must be, for messages. */
export const addressForms: { readonly [type in ServiceType]: string } = {
  url: "must be an address like https://example.org/path",
  tcp: "must be an address like example.org:25",
};

const hostName =
  /^(?=.{1,253}$)([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?$/;

const schemes = {
  url: /^https?:\/\/(?:[^/?#@\s]*@)?(?:\[([^\]\s]+)\]|([^/?#:@\s]+))(?::([0-9]{1,5}))?(?:[/?#]\S*)?$/i,
  tcp: /^(?:tcp:\/\/)?(?:\[([^\]\s]+)\]|([^:/\s]+)):([0-9]{1,5})\/?$/i,
} as const;

/** The host of an address, IPv6 without brackets; undefined when it is no address of that kind. */
export function hostOf(type: ServiceType, address: string): string | undefined {
  const parts = schemes[type].exec(address.replace(/#.*$/s, ""));
  if (!parts) return undefined;
  const [, ipv6, host = "", port] = parts;
  const isPort = port === undefined || (Number(port) >= (type === "tcp" ? 1 : 0) && Number(port) <= 65_535);
  if (!isPort) return undefined;
  if (ipv6 !== undefined) return ipaddr.IPv6.isValid(ipv6) && !ipv6.includes("%") ? ipv6 : undefined;
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(host);
  return isIpv4 || (hostName.test(host) && !/^[\d.]+$/.test(host)) ? host : undefined;
}

/** True for an IPv4 address of the private spaces (RFC 1918). */
export function isPrivate(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) && ipaddr.IPv4.parse(host).range() === "private";
}
