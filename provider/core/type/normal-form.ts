/** The forms in which values are compared: what the service rounds, rewrites or reorders, declared on fields by name. Changes nothing that is stored or sent, but line ends, which are sent as the service runs them. */

import ipaddr from "ipaddr.js";
import type { Value } from "../value.ts";

const recordSeconds = [300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600, 2419200];
const domainSeconds = [30, 120, ...recordSeconds];

/** Seconds of a Domain: 0 stays, others go up to the next valid value, above the last to the last (contract section 2.3). */
export function roundUp(seconds: number): number {
  if (seconds === 0) return 0;
  return domainSeconds.find((valid) => valid >= seconds) ?? domainSeconds.at(-1)!;
}

/** TTL of a Record: 0 stays, others go to the nearest valid value, a tie goes up (contract section 2.4). */
export function roundNearest(seconds: number): number {
  if (seconds === 0) return 0;
  let best = recordSeconds[0]!;
  for (const valid of recordSeconds) if (Math.abs(valid - seconds) <= Math.abs(best - seconds)) best = valid;
  return best;
}

/** An address or a range in its one spelling (`2001:DB8::0001` becomes `2001:db8::1`); anything else is returned as it is. */
export function canonicalAddress(address: string): string {
  const [host = "", prefix, more] = address.split("/");
  if (more !== undefined || !ipaddr.isValid(host)) return address;
  const parsed = ipaddr.parse(host);
  if (parsed.kind() === "ipv4" && host.split(".").length !== 4) return address;
  return prefix === undefined ? parsed.toString() : `${parsed.toString()}/${prefix}`;
}

type Form = (value: Value) => Value;

const ofText =
  (form: (text: string) => string): Form =>
  (value) =>
    typeof value === "string" ? form(value) : value;

const ofNumber =
  (form: (number: number) => number): Form =>
  (value) =>
    typeof value === "number" ? form(value) : value;

/** Every form, by the name under which fields declare it. Applying one twice is applying it once. */
export const normalForms = {
  "seconds-up": ofNumber(roundUp),
  "seconds-nearest": ofNumber(roundNearest),
  "lower-case": ofText((text) => text.toLowerCase()),
  "trailing-dot": ofText((text) => (text.length > 1 ? text.replace(/\.+$/, "") : text)),
  "leading-underscore": ofText((text) => text.replace(/^_+/, "")),
  address: ofText(canonicalAddress),
  /** A range of one address as that address. */
  "single-host": ofText((text) => text.replace(text.includes(":") ? /\/128$/ : /\/32$/, "")),
  "without-fragment": ofText((text) => text.replace(/#.*$/s, "")),
  "line-endings": ofText((text) => text.replace(/\r\n?/g, "\n")),
  /** A list whose order and repetitions mean nothing. */
  set: (value) => {
    if (!Array.isArray(value)) return value;
    const unique = new Map(value.map((item) => [JSON.stringify(item), item as Value]));
    return [...unique.keys()].sort().map((key) => unique.get(key)!);
  },
} satisfies Record<string, Form>;

export type NormalFormName = keyof typeof normalForms;

/** Applies the forms in order. */
export function applyForms(
  names: NormalFormName | readonly NormalFormName[] | undefined,
  value: Value,
): Value {
  if (names === undefined) return value;
  let result = value;
  for (const name of typeof names === "string" ? [names] : names) result = normalForms[name](result);
  return result;
}
