/** Text formats that fields may name, each with the words for a refusal. Pure. */

import ipaddr from "ipaddr.js";

const isIpv4 = (text: string) => /^\d+\.\d+\.\d+\.\d+$/.test(text) && ipaddr.IPv4.isValid(text);
const isIpv6 = (text: string) => ipaddr.IPv6.isValid(text) && !text.includes("%");

export interface Format {
  readonly test: (text: string) => boolean;
  /** Every such text matches it (RE2), and some others do: for those who can only match. */
  readonly pattern: string;
  readonly says: string;
}

const [v4, v6] = ["[0-9]+(\\.[0-9]+){3}", "[0-9A-Fa-f]*:[0-9A-Fa-f:.]*"];

/** By the name that fields give in `format`. */
export const formats: { readonly [name: string]: Format } = {
  email: { test: isEmail, pattern: "^[^@\\s]+@[A-Za-z0-9_.-]+$", says: "must be an e-mail address" },
  ip: {
    test: (text) => isIpv4(text) || isIpv6(text),
    pattern: `^(${v4}|${v6})$`,
    says: "must be an IPv4 or IPv6 address",
  },
  "ip-or-any": {
    test: (text) => text === "any" || isIpv4(text) || isIpv6(text),
    pattern: `^(any|${v4}|${v6})$`,
    says: "must be an IPv4 or IPv6 address, or any",
  },
  ipv4: { test: isIpv4, pattern: `^${v4}$`, says: "must be an IPv4 address" },
  ipv6: { test: isIpv6, pattern: `^${v6}$`, says: "must be an IPv6 address" },
  "ip-or-range": {
    test: (text) => isIpv4(text) || isIpv6(text) || isRange(text),
    pattern: `^(${v4}|${v6})(/[0-9]{1,3})?$`,
    says: "must be an IP address or a range in CIDR form (192.0.2.0/24)",
  },
};

const mailbox = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const mailHost =
  /^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)+(?!\d+$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  return local.length <= 64 && text.length <= 254 && mailbox.test(local) && mailHost.test(text.slice(at + 1));
}

function isRange(text: string): boolean {
  const [host = "", prefix = "", more] = text.split("/");
  if (more !== undefined || !/^\d{1,3}$/.test(prefix)) return false;
  return (isIpv4(host) && Number(prefix) <= 32) || (isIpv6(host) && Number(prefix) <= 128);
}
