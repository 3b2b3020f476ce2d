/** Reads zone files (RFC 1035, section 5, master files) into records as Plumbline declares them. Pure; knows nothing of the service. */

/** One record in the shape of a Record's inputs, without `domainId`. Names are relative to the zone, `""` is the apex; targets are without a trailing dot. */
export interface ZoneRecord {
  readonly type: ZoneRecordType;
  readonly name?: string;
  readonly target: string;
  /** Seconds; absent when neither the record nor `$TTL` says it. */
  readonly ttlSec?: number;
  readonly priority?: number;
  readonly weight?: number;
  readonly port?: number;
  readonly service?: string;
  readonly protocol?: string;
  readonly tag?: string;
}

export type ZoneRecordType = "A" | "AAAA" | "NS" | "MX" | "CNAME" | "TXT" | "SRV" | "PTR" | "CAA";

/** The values of the SOA record that a Domain has a place for; intervals in seconds. */
export interface ZoneAuthority {
  readonly soaEmail: string;
  readonly refreshSec: number;
  readonly retrySec: number;
  readonly expireSec: number;
}

export interface ZoneProblem {
  /** Counts from 1. */
  readonly line: number;
  readonly message: string;
}

export interface ZoneFile {
  /** The zone's name without a trailing dot. */
  readonly origin: string;
  readonly ttlSec?: number;
  readonly authority?: ZoneAuthority;
  /** In the order of the file, the apex NS records included. */
  readonly records: readonly ZoneRecord[];
  /** The line on which each of the records begins; counts from 1. */
  readonly lines: readonly number[];
  /** Everything that could not be read, with its line. */
  readonly problems: readonly ZoneProblem[];
}

interface Token {
  readonly text: string;
  /** As written, escapes kept. */
  readonly raw: string;
  readonly quoted: boolean;
}

/** One entry: the tokens of a logical line (parentheses joined), and whether it began in the first column. */
interface Entry {
  readonly line: number;
  readonly owner: boolean;
  readonly tokens: readonly Token[];
}

const units: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };

/** Seconds of `3600`, `1h` or `1h30m`; undefined for anything else. */
function seconds(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^(\d+[smhdw])+$/i.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smhdw])/gi)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[(unit ?? "").toLowerCase()] ?? 0),
    0,
  );
}

/** Cuts the text into entries: comments dropped, quotes and escapes undone, parentheses joined. */
function* entries(text: string, problems: ZoneProblem[]): Generator<Entry> {
  let tokens: Token[] = [];
  let start = 1;
  let owner = false;
  let depth = 0;
  let line = 0;
  for (const raw of text.split(/\r?\n/)) {
    line += 1;
    if (depth === 0) {
      tokens = [];
      start = line;
      owner = /^[^\s;]/.test(raw);
    }
    for (const match of raw.matchAll(/;.*$|[()]|"((?:[^"\\]|\\.)*)"?|(?:[^\s();"\\]|\\.)+/g)) {
      const [piece, quoted] = match;
      if (piece.startsWith(";")) continue;
      if (piece === "(") depth += 1;
      else if (piece === ")") depth -= 1;
      else if (quoted === undefined) tokens.push({ text: unescapeText(piece), raw: piece, quoted: false });
      else if (piece.length >= 2 && piece.endsWith('"'))
        tokens.push({ text: unescapeText(quoted), raw: quoted, quoted: true });
      else problems.push({ line, message: "a quoted string does not end on its line" });
    }
    if (depth < 0) {
      problems.push({ line, message: "a closing parenthesis has no opening one" });
      depth = 0;
    }
    if (depth === 0 && tokens.length > 0) yield { line: start, owner, tokens };
  }
  if (depth > 0) problems.push({ line: start, message: "an opening parenthesis is never closed" });
}

/** `\DDD` is an octet, and octets that follow one another may be a character in UTF-8; any other `\X` is that character itself. */
function unescapeText(text: string): string {
  return text.replace(/((?:\\\d{3})+)|\\(.)/gs, (_, octets: string | undefined, character: string) =>
    octets === undefined ? character : decoded(octets.slice(1).split("\\").map(Number)),
  );
}

function decoded(octets: readonly number[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(octets));
  } catch {
    return String.fromCharCode(...octets); // no UTF-8: each octet stands for itself
  }
}

/** Mailbox of an SOA's second name: the first dot that is not escaped stands for `@`. */
function mailbox(name: string): string {
  return unescapeText(name.replace(/\.$/, "").replace(/(?<!\\)\./, "@"));
}

/**
 * Reads a zone file. `origin` is the zone's name when the file has no `$ORIGIN` of its own.
 * Never throws: what cannot be read is in `problems`, each with its line; types that the service does not have among them.
 */
export function parseZoneFile(text: string, options: { origin?: string } = {}): ZoneFile {
  const problems: ZoneProblem[] = [];
  const records: ZoneRecord[] = [];
  const lines: number[] = [];
  let zone = options.origin?.replace(/\.$/, "");
  let origin = zone;
  let defaultTtl: number | undefined;
  let authority: ZoneAuthority | undefined;
  let ownerName: string | undefined;

  const absolute = (name: string): string => {
    if (name === "@") return origin ?? "";
    if (name.endsWith(".")) return name.slice(0, -1);
    return origin ? `${name}.${origin}` : name;
  };
  const relative = (name: string): string | undefined => {
    const lower = name.toLowerCase();
    const apex = (zone ?? "").toLowerCase();
    if (lower === apex) return "";
    return lower.endsWith(`.${apex}`) ? name.slice(0, -apex.length - 1) : undefined;
  };

  for (const { line, owner, tokens } of entries(text, problems)) {
    const words = tokens.map((token) => token.text);
    const problem = (message: string) => problems.push({ line, message });
    const first = (words[0] ?? "").toUpperCase();
    if (first.startsWith("$") && !tokens[0]?.quoted) {
      const value = words[1] ?? "";
      if (first === "$ORIGIN") {
        origin = absolute(value);
        zone ??= origin;
      } else if (first === "$TTL") {
        defaultTtl = seconds(value);
        if (defaultTtl === undefined) problem(`$TTL needs a time, not "${value}"`);
      } else problem(`${first} is not supported: put everything into one file`);
      continue;
    }
    let at = 0;
    if (owner) ownerName = absolute(words[at++] ?? "");
    if (ownerName === undefined) {
      problem("the first record needs a name");
      continue;
    }
    let ttl = defaultTtl;
    for (; at < words.length; at += 1) {
      const word = words[at] ?? "";
      const time = seconds(word);
      if (time !== undefined) ttl = time;
      else if (!/^(IN|CH|HS)$/i.test(word)) break;
    }
    const type = (words[at] ?? "").toUpperCase();
    const data = words.slice(at + 1);
    if (type === "SOA") {
      zone ??= ownerName;
      const email = tokens[at + 2]?.raw;
      const [, , , refresh, retry, expire] = data;
      authority = {
        soaEmail: mailbox(email ?? ""),
        refreshSec: seconds(refresh ?? "") ?? 0,
        retrySec: seconds(retry ?? "") ?? 0,
        expireSec: seconds(expire ?? "") ?? 0,
      };
      continue;
    }
    const name = relative(ownerName);
    if (name === undefined) {
      problem(`${ownerName} is outside the zone ${zone}`);
      continue;
    }
    const record = readData(type, data, name, (target) => absolute(target));
    if (typeof record === "string") problem(record);
    else {
      records.push(ttl === undefined ? record : { ...record, ttlSec: ttl });
      lines.push(line);
    }
  }
  return {
    origin: zone ?? "",
    records,
    lines,
    problems,
    ...(defaultTtl === undefined ? {} : { ttlSec: defaultTtl }),
    ...(authority === undefined ? {} : { authority }),
  };
}

/** The record of one entry's data, or what is wrong with it. */
function readData(
  type: string,
  data: readonly string[],
  name: string,
  absolute: (name: string) => string,
): ZoneRecord | string {
  const [a = "", b = "", c = "", d = ""] = data;
  const need = (count: number) =>
    data.length < count ? `a ${type} record needs ${count} values` : undefined;
  switch (type) {
    case "A":
    case "AAAA":
      return need(1) ?? { type, name, target: a };
    case "NS":
    case "CNAME":
    case "PTR":
      return need(1) ?? { type, name, target: absolute(a) };
    case "TXT":
      return need(1) ?? { type, name, target: data.join("") };
    case "MX":
      return need(2) ?? { type, name, priority: Number(a), target: b === "." ? "" : absolute(b) };
    case "CAA":
      return need(3) ?? { type, name, tag: b.toLowerCase(), target: c };
    case "SRV": {
      const [service = "", protocol = "", ...rest] = name.split(".");
      if (!service.startsWith("_") || !protocol.startsWith("_"))
        return "an SRV record is named _service._protocol";
      if (rest.length > 0)
        return `the service keeps SRV records at the apex only, not under ${rest.join(".")}`;
      return (
        need(4) ?? {
          type,
          service: service.slice(1),
          protocol: protocol.slice(1),
          priority: Number(a),
          weight: Number(b),
          port: Number(c),
          target: absolute(d),
        }
      );
    }
    default:
      return `${type || "an empty type"} is not a record type of the service`;
  }
}
