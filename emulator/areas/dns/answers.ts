/** What an authoritative server says to a question (RFC 1034, 4.3.2 and RFC 4592); knows zones as records, no sockets. */

import type { Answer, Question } from "dns-packet";
import { folded } from "./names.ts";

/** One zone as served. */
export interface ServedZone {
  /** Its name, folded, without trailing dot. */
  readonly origin: string;
  readonly soa: Answer;
  /** All records but the SOA. */
  readonly answers: readonly Answer[];
  /** True when that address may have the whole zone. */
  mayTransfer(address: string): boolean;
}

/** The zones of a server. */
export interface ZoneSource {
  /** The zone that the name lies in, the one with the longest name; `undefined`: none of ours. */
  enclosing(name: string): ServedZone | undefined;
}

export interface Resolution {
  rcode: "NOERROR" | "NXDOMAIN";
  authoritative: boolean;
  answers: Answer[];
  authorities: Answer[];
  additionals: Answer[];
}

interface Index {
  /** By folded name; a name without own records that others lie under has an empty list. */
  readonly nodes: Map<string, Answer[]>;
}

const longestChase = 16;
const indexes = new WeakMap<ServedZone, Index>();

/** Answers a question that lies in the zone. */
export function resolve(zone: ServedZone, question: Question): Resolution {
  const { nodes } = indexOf(zone);
  const resolution: Resolution = {
    rcode: "NOERROR",
    authoritative: true,
    answers: [],
    authorities: [],
    additionals: [],
  };
  const seen = new Set<string>();
  let name = question.name;
  for (let step = 0; step < longestChase; step++) {
    const wanted = folded(name);
    if (!within(wanted, zone.origin) || seen.has(wanted)) break;
    seen.add(wanted);
    const cut = delegation(nodes, wanted, zone.origin);
    if (cut) {
      refer(resolution, nodes, cut, wanted, question);
      return resolution;
    }
    const found = nodes.get(wanted) ?? synthesised(nodes, name, zone.origin);
    if (!found) {
      resolution.rcode = "NXDOMAIN";
      resolution.authorities.push(negative(zone.soa));
      return resolution;
    }
    const alias = found.find((answer) => answer.type === "CNAME");
    if (alias?.type === "CNAME" && question.type !== "CNAME" && !isAny(question.type)) {
      resolution.answers.push(alias);
      name = alias.data as string;
      continue;
    }
    const matching = found.filter((answer) => isAny(question.type) || answer.type === question.type);
    resolution.answers.push(...matching);
    if (matching.length === 0) resolution.authorities.push(negative(zone.soa));
    else addAddresses(resolution, nodes, matching);
    return resolution;
  }
  return resolution;
}

/** True when the name is the zone's or lies under it; both folded. */
export function within(name: string, origin: string): boolean {
  return name === origin || name.endsWith(`.${origin}`);
}

function indexOf(zone: ServedZone): Index {
  const known = indexes.get(zone);
  if (known) return known;
  const nodes = new Map<string, Answer[]>([[zone.origin, [zone.soa]]]);
  for (const answer of zone.answers) {
    const name = folded(answer.name);
    const node = nodes.get(name);
    if (node) node.push(answer);
    else nodes.set(name, [answer]);
    for (let above = parent(name); within(above, zone.origin) && !nodes.has(above); above = parent(above)) {
      nodes.set(above, []);
    }
  }
  const index = { nodes };
  indexes.set(zone, index);
  return index;
}

function parent(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}

/** dns-packet writes the type of RFC 1035's `*` as ANY, which its own list of types does not name. */
function isAny(type: string): boolean {
  return type === "ANY";
}

/** The nameservers of the highest cut between the zone's top and the name, when there is one. */
function delegation(nodes: Map<string, Answer[]>, name: string, origin: string): Answer[] | undefined {
  let found: Answer[] | undefined;
  for (let at = name; at !== origin; at = parent(at)) {
    const servers = (nodes.get(at) ?? []).filter((answer) => answer.type === "NS");
    if (servers.length > 0) found = servers;
  }
  return found;
}

/**
 * Points to the servers of the zone below. Asked for just these servers, they are the answer, so that a plain query shows
 * what the zone holds.
 */
function refer(
  resolution: Resolution,
  nodes: Map<string, Answer[]>,
  cut: Answer[],
  wanted: string,
  question: Question,
): void {
  const asked = question.type === "NS" && folded(cut[0]?.name ?? "") === wanted;
  resolution.authoritative = resolution.answers.length > 0;
  (asked ? resolution.answers : resolution.authorities).push(...cut);
  addAddresses(resolution, nodes, cut);
}

/** The records of the wildcard that stands for a name that does not exist, under the name asked for. */
function synthesised(nodes: Map<string, Answer[]>, name: string, origin: string): Answer[] | undefined {
  let encloser = parent(folded(name));
  while (encloser !== origin && !nodes.has(encloser)) encloser = parent(encloser);
  return nodes.get(`*.${encloser}`)?.map((answer) => ({ ...answer, name }));
}

/** The SOA as it stands for "there is none": for no longer than its minimum (RFC 2308, 3). */
function negative(soa: Answer): Answer {
  if (soa.type !== "SOA") return soa;
  return { ...soa, ttl: Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0) };
}

/** Addresses within the zone of the hosts that the records name. */
function addAddresses(
  resolution: Resolution,
  nodes: Map<string, Answer[]>,
  answers: readonly Answer[],
): void {
  const hosts = new Set<string>();
  for (const answer of answers) {
    if (answer.type === "NS") hosts.add(folded(answer.data));
    else if (answer.type === "MX") hosts.add(folded(answer.data.exchange));
    else if (answer.type === "SRV") hosts.add(folded(answer.data.target));
  }
  for (const host of hosts) {
    for (const answer of nodes.get(host) ?? []) {
      if (answer.type === "A" || answer.type === "AAAA") resolution.additionals.push(answer);
    }
  }
}
