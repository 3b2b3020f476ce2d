/** The renderings of domains: what the nameservers were last given, and when they are given more. Knows no text and no wire format. */

import type { Item, World } from "../../area.ts";
import type { Domain } from "./domain.ts";
import type { DomainRecord } from "./record.ts";
import { defaultSeconds } from "./seconds.ts";

/** A record as rendered: only what ends up in a zone; `ttl_sec` 0 means the zone's own. */
export interface ZoneRecord {
  type: string;
  name: string;
  target: string;
  priority: number;
  weight: number;
  port: number;
  tag: string | null;
  ttl_sec: number;
}

/** The head of a zone, with defaults in place of zeros. */
export interface ZoneHead {
  domain: string;
  soa_email: string;
  serial: number;
  ttl: number;
  refresh: number;
  retry: number;
  expire: number;
}

/** The rendering of the domain with the same id; `head` is null until there is one. */
export interface Rendering extends Item {
  head: ZoneHead | null;
  /** By record id. */
  records: { [id: string]: ZoneRecord };
  /** The records that changed since, by id: an object, so that a change of one costs the same in any zone. */
  changed: { [id: string]: true };
  /** True while a rendering is awaited. */
  due: boolean;
  /** Moves with every change of the domain or its records. */
  revision: number;
}

/** Seconds from a change until it is rendered. */
const renderSeconds = 60;
export const renderJob = "dns.render";

/** The stored domains. */
export function domainsOf(world: World) {
  return world.collection<Domain>("domains");
}

/** The stored records of all domains; `_domainId` tells whose. */
export function recordsOf(world: World) {
  return world.collection<DomainRecord>("domain_records");
}

/** The records of one domain, in order of id. */
export function domainRecords(world: World, domainId: number): DomainRecord[] {
  return recordsOf(world).by("_domainId", domainId);
}

function renderings(world: World) {
  return world.collection<Rendering>("domain_renderings");
}

/** True when the nameservers carry the domain: an active master. A slave's content is its master's, not ours. */
export function isServed(domain: Domain): boolean {
  return domain.status === "active" && domain.type === "master";
}

/**
 * The domain's rendering. One that never had any (fresh, or put in by a seed file) gets an empty one that awaits all of
 * its records.
 */
export function renderingOf(world: World, domain: Domain): Rendering {
  const known = renderings(world).get(domain.id);
  if (known) return known;
  const changed: Rendering["changed"] = {};
  for (const { id } of domainRecords(world, domain.id)) changed[id] = true;
  renderings(world).insert({ id: domain.id, head: null, records: {}, changed, due: false, revision: 0 });
  const rendering = renderings(world).get(domain.id) as Rendering;
  schedule(world, domain, rendering);
  return rendering;
}

/** Notes that the domain or the given records of it changed, so that the zone is rendered again. */
export function touchZone(world: World, domain: Domain, recordIds: readonly number[] = []): void {
  const rendering = renderingOf(world, domain);
  for (const id of recordIds) renderings(world).setEntry(domain.id, "changed", String(id), true);
  renderings(world).update(domain.id, { revision: rendering.revision + 1 });
  schedule(world, domain, rendering);
}

/** Forgets the rendering of a deleted domain. */
export function dropZone(world: World, domainId: number): void {
  renderings(world).delete(domainId);
  world.jobs.cancel(renderJob, { domainId });
}

/** Renders a domain now; nothing happens when it is gone, disabled or a slave. */
export function renderZone(world: World, domainId: number): void {
  const domain = domainsOf(world).get(domainId);
  if (!domain) return;
  const rendering = renderingOf(world, domain);
  if (!isServed(domain)) {
    renderings(world).update(domainId, { due: false });
    return;
  }
  for (const id of Object.keys(rendering.changed)) {
    const record = recordsOf(world).get(Number(id));
    const rendered = record?._domainId === domainId ? zoneRecord(record) : undefined;
    renderings(world).setEntry(domainId, "records", id, rendered && { ...rendered });
  }
  renderings(world).update(domainId, {
    head: { ...zoneHead(domain), serial: nextSerial(world, rendering) },
    changed: {},
    due: false,
  });
}

/** The serial of the zone as it is served now: of the last rendering, or of the one that is awaited. */
export function liveSerial(world: World, domain: Domain): number {
  const rendering = renderingOf(world, domain);
  return rendering.due || !rendering.head ? nextSerial(world, rendering) : rendering.head.serial;
}

/** The domain as it is served now; its next rendering will write it down under the same serial. */
export function liveZone(world: World, domain: Domain): { head: ZoneHead; records: ZoneRecord[] } {
  return {
    head: { ...zoneHead(domain), serial: liveSerial(world, domain) },
    records: domainRecords(world, domain.id).map(zoneRecord),
  };
}

function schedule(world: World, domain: Domain, rendering: Rendering): void {
  if (rendering.due || !isServed(domain)) return;
  renderings(world).update(domain.id, { due: true });
  world.jobs.schedule(renderJob, renderSeconds, { domainId: domain.id });
}

/** The year and six digits, always greater than before (notes, section 3). */
function nextSerial(world: World, rendering: Rendering): number {
  const first = world.clock.now().getUTCFullYear() * 1_000_000 + 1;
  return Math.max(first, (rendering.head?.serial ?? 0) + 1);
}

function zoneHead(domain: Domain): Omit<ZoneHead, "serial"> {
  return {
    domain: domain.domain,
    soa_email: domain.soa_email,
    ttl: domain.ttl_sec || defaultSeconds.ttl_sec,
    refresh: domain.refresh_sec || defaultSeconds.refresh_sec,
    retry: domain.retry_sec || defaultSeconds.retry_sec,
    expire: domain.expire_sec || defaultSeconds.expire_sec,
  };
}

function zoneRecord(record: DomainRecord): ZoneRecord {
  const { type, name, target, priority, weight, port, tag, ttl_sec } = record;
  return { type, name, target, priority, weight, port, tag, ttl_sec };
}
