/** Serves the account's active domains over DNS: the one thing that the emulator's start needs of this room. */

import type { World } from "../../area.ts";
import { type ServedZone, within, type ZoneSource } from "./answers.ts";
import type { Domain } from "./domain.ts";
import { canonicalAddress, folded } from "./names.ts";
import { type DnsServer, startDnsServer } from "./server.ts";
import { soaAnswer, zoneAnswers } from "./wire.ts";
import { domainsOf, isServed, liveSerial, liveZone, renderingOf } from "./zone.ts";

export interface ServeOptions {
  /** 0 picks a free port. */
  port: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /** Called before each answer, so that due work is done first. */
  before?: () => void;
  log?: (line: string) => void;
}

/** Starts the DNS answers for a world (command line reference, `--dns`). Rejects when the port is taken. */
export function serveDns(world: World, options: ServeOptions): Promise<DnsServer> {
  return startDnsServer({
    zones: worldZones(world, options.before),
    port: options.port,
    host: options.host ?? "127.0.0.1",
    ...(options.log && { log: options.log }),
  });
}

/** The active master domains of a world, as they are now. */
function worldZones(world: World, before: () => void = () => {}): ZoneSource {
  const known = new Map<number, { domain: Domain; version: string; zone: ServedZone }>();
  return {
    enclosing(name) {
      before();
      const domain = enclosingDomain(world, folded(name));
      if (!domain) return undefined;
      const version = `${renderingOf(world, domain).revision}/${liveSerial(world, domain)}`;
      const last = known.get(domain.id);
      // An account put in place of another has other objects, whatever their version.
      if (last && last.domain === domain && last.version === version) return last.zone;
      const zone = servedZone(world, domain);
      known.set(domain.id, { domain, version, zone });
      return zone;
    },
  };
}

function enclosingDomain(world: World, name: string): Domain | undefined {
  let best: Domain | undefined;
  for (const domain of domainsOf(world).all()) {
    const longer = domain.domain.length > (best?.domain.length ?? 0);
    if (longer && isServed(domain) && within(name, folded(domain.domain))) best = domain;
  }
  return best;
}

function servedZone(world: World, domain: Domain): ServedZone {
  const { head, records } = liveZone(world, domain);
  const brand = world.brand ?? "compute";
  return {
    origin: folded(domain.domain),
    soa: soaAnswer(head, brand),
    answers: zoneAnswers(head, records, brand),
    mayTransfer: (address) =>
      domain.axfr_ips.some((ip) => canonicalAddress(ip) === canonicalAddress(address)),
  };
}
