/** Writes a zone as the text of RFC 1035; knows neither where zones come from nor who asks. */

import { withoutDot } from "./names.ts";
import type { ZoneHead, ZoneRecord } from "./zone.ts";

/** The platform's nameservers, which every zone names first: `ns1` to `ns5` under the brand. */
export function nameservers(brand: string): string[] {
  return [1, 2, 3, 4, 5].map((number) => `ns${number}.${brand}.com`);
}

/** A mail address as a name: the first dot ends the local part, whose own dots are escaped (RFC 1035, 8). */
export function mailboxName(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, at).replaceAll(".", "\\.")}.${email.slice(at + 1)}`;
}

/** The value of a TXT record in pieces of at most 255 octets; a character may be parted. */
export function textPieces(text: string): Buffer[] {
  const octets = Buffer.from(text, "utf8");
  const pieces: Buffer[] = [];
  for (let at = 0; at < octets.length; at += 255) pieces.push(octets.subarray(at, at + 255));
  return pieces.length > 0 ? pieces : [octets];
}

/**
 * The lines of the zone file (notes, section 3). Names are relative to the zone, `@` is the zone itself, a line without
 * TTL has the zone's. `id` is the domain's.
 */
export function zoneFileLines(
  id: number,
  head: ZoneHead,
  records: readonly ZoneRecord[],
  brand: string,
): string[] {
  const [primary = "", ...others] = nameservers(brand);
  const times = `${head.serial} ${head.refresh} ${head.retry} ${head.expire} ${head.ttl}`;
  return [
    `; ${head.domain} [${id}]`,
    `$TTL ${head.ttl}`,
    `@  IN  SOA  ${primary}. ${mailboxName(head.soa_email)}. ${times}`,
    ...[primary, ...others].map((server) => `@    NS  ${server}.`),
    ...records.map((record) => {
      const ttl = record.ttl_sec === 0 ? "" : String(record.ttl_sec);
      return `${record.name || "@"}  ${ttl}  ${record.type}  ${recordData(record)}`;
    }),
  ];
}

function recordData(record: ZoneRecord): string {
  const host = `${withoutDot(record.target)}.`;
  switch (record.type) {
    case "A":
    case "AAAA":
      return record.target;
    case "TXT":
      return textPieces(record.target).map(quoted).join(" ");
    case "MX":
      return `${record.priority} ${host}`;
    case "SRV":
      return `${record.priority} ${record.weight} ${record.port} ${host}`;
    case "CAA":
      return `0 ${record.tag} ${quoted(Buffer.from(record.target, "utf8"))}`;
    default:
      return host;
  }
}

/** A character string in quotes; what is not printable ASCII is written as `\` and three decimal digits. */
function quoted(octets: Uint8Array): string {
  let text = "";
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    if (character === '"' || character === "\\") text += `\\${character}`;
    else if (octet < 0x20 || octet > 0x7e) text += `\\${String(octet).padStart(3, "0")}`;
    else text += character;
  }
  return `"${text}"`;
}
