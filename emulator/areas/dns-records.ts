/** The records of a domain (contract sections 2.4 and 4.2): list, create, change, delete. */

import { type Call, type Handler, notFound, refuseAll } from "../area.ts";
import type { Domain } from "../dns/domain.ts";
import { listedNeighbours } from "../dns/neighbours.ts";
import { type DomainRecord, judgeRecord } from "../dns/record.ts";
import { domainRecords, domainsOf, recordsOf, touchZone } from "../dns/zone.ts";
import { domainOf, tell } from "./dns-access.ts";

export const recordHandlers: { readonly [operation: string]: Handler } = {
  "GET /domains/{domainId}/records": (call) => domainRecords(call.world, domainOf(call, "read_only").id),
  "POST /domains/{domainId}/records": create,
  "GET /domains/{domainId}/records/{recordId}": (call) => recordOf(call, domainOf(call, "read_only")),
  "PUT /domains/{domainId}/records/{recordId}": update,
  "DELETE /domains/{domainId}/records/{recordId}": remove,
};

function recordOf(call: Call, domain: Domain): DomainRecord {
  const record = recordsOf(call.world).get(call.id("recordId"));
  return record?._domainId === domain.id ? record : notFound();
}

export const recordJudges = {
  "POST /domains/{domainId}/records": (call: Call) => judgeNew(call, domainOf(call, "read_write")).reasons,
  "PUT /domains/{domainId}/records/{recordId}": (call: Call) => {
    const domain = domainOf(call, "read_write");
    return judgeChange(call, domain, recordOf(call, domain)).reasons;
  },
};

function judgeNew(call: Call, domain: Domain) {
  const neighbours = listedNeighbours(domainRecords(call.world, domain.id));
  const { remoteAddress } = call;
  return judgeRecord(call.body, { zone: domain.domain, neighbours, remoteAddress });
}

function judgeChange(call: Call, domain: Domain, record: DomainRecord) {
  const others = domainRecords(call.world, domain.id).filter((other) => other.id !== record.id);
  const { remoteAddress } = call;
  const place = { zone: domain.domain, neighbours: listedNeighbours(others), remoteAddress };
  return judgeRecord(call.body, place, record);
}

function create(call: Call): DomainRecord {
  const { world } = call;
  const domain = domainOf(call, "read_write");
  const { fields, reasons } = judgeNew(call, domain);
  refuseAll(reasons);
  const now = world.clock.stamp();
  const record = recordsOf(world).insert({ ...fields, created: now, updated: now, _domainId: domain.id });
  changed(call, domain, record, "dns_record_create");
  return record;
}

function update(call: Call): DomainRecord {
  const { world } = call;
  const domain = domainOf(call, "read_write");
  const record = recordOf(call, domain);
  const { fields, reasons } = judgeChange(call, domain, record);
  refuseAll(reasons);
  recordsOf(world).update(record.id, { ...fields, updated: world.clock.stamp() });
  changed(call, domain, record, "dns_record_update");
  return record;
}

function remove(call: Call): object {
  const domain = domainOf(call, "read_write");
  const record = recordOf(call, domain);
  recordsOf(call.world).delete(record.id);
  changed(call, domain, record, "dns_record_delete");
  return {};
}

/** What every change of a record brings with it: the domain's date, a new rendering, an event. */
function changed({ world }: Call, domain: Domain, record: DomainRecord, action: string): void {
  domainsOf(world).update(domain.id, { updated: world.clock.stamp() });
  touchZone(world, domain, [record.id]);
  tell(world, domain, action);
}
