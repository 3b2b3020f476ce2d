/** What each type of DNS record takes, and what is wrong with one (contract section 2.4). Pure. */

import { formats } from "../../core/formats.ts";
import { isHostName } from "./names.ts";

export const recordTypes = ["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"] as const;
export type RecordType = (typeof recordTypes)[number];

const special = ["priority", "weight", "port", "service", "protocol", "tag"] as const;

/** Special fields that a type takes, and those it demands. */
export const specialFields: {
  readonly [T in RecordType]: { takes: readonly string[]; needs: readonly string[] };
} = {
  A: { takes: [], needs: [] },
  AAAA: { takes: [], needs: [] },
  NS: { takes: [], needs: [] },
  MX: { takes: ["priority"], needs: [] },
  CNAME: { takes: [], needs: [] },
  TXT: { takes: [], needs: [] },
  SRV: {
    takes: ["priority", "weight", "port", "service", "protocol"],
    needs: ["service", "port", "priority", "weight"],
  },
  PTR: { takes: [], needs: [] },
  CAA: { takes: ["tag"], needs: ["tag"] },
};

export interface RecordValues {
  readonly type?: string;
  readonly name?: string;
  readonly target?: string;
  readonly priority?: number;
  readonly weight?: number;
  readonly port?: number;
  readonly service?: string;
  readonly protocol?: string;
  readonly tag?: string;
}

export function isRecordType(type: string | undefined): type is RecordType {
  return (recordTypes as readonly (string | undefined)[]).includes(type);
}

/** A Null MX: says that the domain takes no mail. */
export const isNullMx = ({ type, target }: RecordValues) => type === "MX" && target === "";

/** Everything that the values, as far as they are known, break. `declares`: given, known or not; `knows`: known to be what `values` says. */
export function recordFaults(
  values: RecordValues,
  declares: (name: keyof RecordValues) => boolean,
  knows: (name: keyof RecordValues) => boolean,
  refuse: (property: string, reason: string) => void,
): void {
  const { type } = values;
  if (!isRecordType(type)) return;
  const { takes, needs } = specialFields[type];
  for (const name of special) {
    const value = values[name];
    if (!takes.includes(name) && value !== undefined && value !== 0 && value !== "") {
      refuse(name, `is not for ${type} records; take it out`);
    }
    if (needs.includes(name) && (!declares(name) || value === ""))
      refuse(name, `is required for ${type} records`);
  }
  if (knows("name")) nameFaults(type, values, refuse);
  if (values.target !== undefined) targetFaults(type, values, values.target, refuse);
}

function nameFaults(
  type: RecordType,
  values: RecordValues,
  refuse: (property: string, reason: string) => void,
) {
  const name = values.name ?? "";
  if (name === "@") return refuse("name", 'must not be "@"; leave it out for the domain itself');
  if (type === "CNAME" && name === "") return refuse("name", "is required for CNAME records");
  if (type === "SRV" || type === "PTR" || name === "") return;
  if (type === "NS" && name.split(".")[0] === "*")
    return refuse("name", "must not have a wildcard: NS records take none");
  if (isNullMx(values)) return refuse("name", "must be empty for a Null MX (an MX whose target is empty)");
  const isGood = isHostName(name, { wildcard: type !== "NS", mail: type === "MX" });
  if (!isGood) refuse("name", `must be a host name relative to the domain, not ${JSON.stringify(name)}`);
}

function targetFaults(
  type: RecordType,
  values: RecordValues,
  target: string,
  refuse: (property: string, reason: string) => void,
) {
  const given = `, not ${JSON.stringify(target.length > 80 ? `${target.slice(0, 77)}…` : target)}`;
  if (target === "" && type !== "MX") return refuse("target", `is required for ${type} records`);
  switch (type) {
    case "A":
      if (target !== "[remote_addr]" && !formats["ipv4"]!.test(target)) {
        refuse("target", `must be an IPv4 address (or [remote_addr])${given}`);
      }
      return;
    case "AAAA":
      if (!formats["ipv6"]!.test(target)) refuse("target", `must be an IPv6 address${given}`);
      return;
    case "MX":
      if (target === "") {
        if ((values.priority ?? 0) !== 0)
          refuse("priority", "must be 0 for a Null MX (an MX whose target is empty)");
      } else if (target.length > 253 || !isHostName(target, { wildcard: true, mail: true })) {
        refuse("target", `must be the name of a mail server${given}`);
      }
      return;
    case "NS":
    case "CNAME":
    case "SRV":
      if (!isHostName(target)) refuse("target", `must be a domain name${given}`);
      return;
    case "CAA":
      return authorityFaults(values.tag, target, given, refuse);
    default:
      return;
  }
}

function authorityFaults(
  tag: string | undefined,
  target: string,
  given: string,
  refuse: (property: string, reason: string) => void,
) {
  const issuer = target.split(";")[0]!.trim();
  if (tag === "issue" && issuer !== "" && !isHostName(issuer)) {
    refuse("target", `must be an issuer's domain, with parameters after semicolons if any${given}`);
  }
  if (tag === "issuewild" && issuer !== "" && !isHostName(issuer)) {
    refuse("target", `must be an issuer's domain that does not begin with *${given}`);
  }
  if (
    tag === "iodef" &&
    !/^mailto:[^@\s]+@[^@\s]+$/.test(target) &&
    !isHostName(target.replace(/^https?:\/\/([^/]*).*$/, "$1"))
  ) {
    refuse("target", `must be a domain, an http or https address, or mailto: and an e-mail address${given}`);
  }
}
