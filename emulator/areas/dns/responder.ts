/** Turns one DNS message into its response; knows the protocol, no sockets. */

import dnsPacket, { type Answer, type DecodedPacket, type OptAnswer, type Packet } from "dns-packet";
import { resolve, type ServedZone, within, type ZoneSource } from "./answers.ts";
import { folded, withoutDot } from "./names.ts";
import { fitsMessage } from "./wire.ts";

const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
type Rcode = keyof typeof rcodes;

/** Octets over UDP without EDNS (RFC 1035, 4.2.1), and the most that we send with it. */
const plainLimit = 512;
const ednsLimit = 4096;
/** Our own buffer, told to who asks with EDNS; avoids fragments. */
const ownBuffer = 1232;
/** Records of a zone transfer are gathered into messages of about this size. */
const transferMessage = 16_000;

export interface Query {
  message: Buffer;
  over: "udp" | "tcp";
  /** Address of the client. */
  from: string;
}

/** The messages that answer one message: none for what is no query, many for a large zone transfer. */
export function respond(query: Query, zones: ZoneSource): Buffer[] {
  if (query.message.length < 12) return [];
  let asked: DecodedPacket;
  try {
    asked = dnsPacket.decode(query.message);
  } catch {
    // Unreadable by our decoder: say so when its header marks it as a query at all.
    if ((query.message.readUInt16BE(2) & 0x8000) !== 0) return [];
    return [dnsPacket.encode({ type: "response", id: query.message.readUInt16BE(0), flags: rcodes.FORMERR })];
  }
  if (asked.type !== "query") return [];
  const edns = (asked.additionals ?? []).find((answer): answer is OptAnswer => answer.type === "OPT");
  if (opcode(asked) !== 0) return [plain(asked, edns, "NOTIMP")];
  const question = asked.questions?.[0];
  if (!question || asked.questions?.length !== 1) return [plain(asked, edns, "FORMERR")];
  if (edns && edns.ednsVersion > 0) return [badVersion(asked)];
  if (question.class !== "IN" && question.class !== "ANY") return [plain(asked, edns, "REFUSED")];

  const name = withoutDot(question.name);
  const zone = zones.enclosing(name);
  if (question.type === "AXFR" || question.type === "IXFR") return transfer(query, asked, edns, zone);
  if (!zone || !within(folded(name), zone.origin)) return [plain(asked, edns, "REFUSED")];

  const found = resolve(zone, { ...question, name });
  if (!found.answers.every(fitsMessage)) return [plain(asked, edns, "SERVFAIL")];
  const response: Packet = {
    ...head(asked, found.rcode, found.authoritative),
    answers: found.answers,
    authorities: found.authorities,
    additionals: [...found.additionals, ...own(edns)],
  };
  const limit =
    query.over === "tcp"
      ? 65_535
      : edns
        ? Math.min(Math.max(edns.udpPayloadSize, plainLimit), ednsLimit)
        : plainLimit;
  return [fitted(response, own(edns), limit)];
}

/** Encodes within the limit: first without additional addresses, then without anything but the mark to ask over TCP. */
function fitted(response: Packet, edns: Answer[], limit: number): Buffer {
  if (dnsPacket.encodingLength(response) <= limit) return dnsPacket.encode(response);
  const bare = { ...response, additionals: edns };
  if (dnsPacket.encodingLength(bare) <= limit) return dnsPacket.encode(bare);
  return dnsPacket.encode({
    ...bare,
    flags: (response.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE,
    answers: [],
    authorities: [],
  });
}

/** A whole zone over TCP to an address of the domain's `axfr_ips` (contract section 2.3; RFC 5936). */
function transfer(
  query: Query,
  asked: DecodedPacket,
  edns: OptAnswer | undefined,
  zone: ServedZone | undefined,
): Buffer[] {
  if (query.over === "udp") return [plain(asked, edns, "FORMERR")];
  const name = folded(withoutDot(asked.questions?.[0]?.name ?? ""));
  if (!zone || zone.origin !== name || !zone.mayTransfer(query.from)) return [plain(asked, edns, "REFUSED")];
  // A text that the contract allows and no message can carry (65535 characters) is left out: it must not keep all others from their copy.
  const carried = zone.answers.filter(fitsMessage);
  const messages: Buffer[] = [];
  let batch: Answer[] = [];
  let size = 0;
  const flush = () => {
    messages.push(
      dnsPacket.encode({ ...head(asked, "NOERROR", true), answers: batch, additionals: own(edns) }),
    );
    batch = [];
    size = 0;
  };
  for (const answer of [zone.soa, ...carried, zone.soa]) {
    const length = dnsPacket.encodingLength({ answers: [answer] });
    if (batch.length > 0 && size + length > transferMessage) flush();
    batch.push(answer);
    size += length;
  }
  flush();
  return messages;
}

function opcode(packet: Packet): number {
  return ((packet.flags ?? 0) >> 11) & 0xf;
}

function head(asked: DecodedPacket, rcode: Rcode, authoritative: boolean): Packet {
  return {
    type: "response",
    id: asked.id ?? 0,
    flags:
      (opcode(asked) << 11) |
      (authoritative ? dnsPacket.AUTHORITATIVE_ANSWER : 0) |
      ((asked.flags ?? 0) & dnsPacket.RECURSION_DESIRED) |
      rcodes[rcode],
    questions: asked.questions ?? [],
  };
}

function plain(asked: DecodedPacket, edns: OptAnswer | undefined, rcode: Rcode): Buffer {
  return dnsPacket.encode({ ...head(asked, rcode, false), additionals: own(edns) });
}

/** Our OPT record for who sent one. */
function own(edns: OptAnswer | undefined): Answer[] {
  if (!edns) return [];
  return [{ ...bareOpt, options: [] }];
}

/** The response to a version of EDNS that we do not speak (RFC 6891, 6.1.3: BADVERS, 16, whose upper part is 1). */
function badVersion(asked: DecodedPacket): Buffer {
  return dnsPacket.encode({
    ...head(asked, "NOERROR", false),
    additionals: [{ ...bareOpt, extendedRcode: 1, options: [] }],
  });
}

const bareOpt = {
  type: "OPT",
  name: ".",
  udpPayloadSize: ownBuffer,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
} as const;
