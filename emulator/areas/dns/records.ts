/** The records of a domain (contract sections 2.4 and 4.2): list, create, change, delete. */

import { type Call, type Handler, notFound, refuseAll, type World } from "../../area.ts";
import { domainOf, tell } from "./access.ts";
import type { Domain } from "./domain.ts";
import { folded } from "./names.ts";
import { listedNeighbours } from "./neighbours.ts";
import { type DomainRecord, judgeRecord, type Neighbours } from "./record.ts";
import { domainRecords, domainsOf, recordsOf, touchZone } from "./zone.ts";

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

/** A domain's name of a record, as DNS compares it. */
const placeOf = (record: DomainRecord) => `${record._domainId} ${folded(record.name)}`;

/** The neighbours of a new record, or of the one with that id, by the account's indexes: right for a zone of any size. */
function storedNeighbours(world: World, domainId: number, except?: number): Neighbours {
  const others = (records: DomainRecord[]) => records.filter(({ id }) => id !== except);
  return {
    get size() {
      return recordsOf(world).count("_domainId", domainId) - (except === undefined ? 0 : 1);
    },
    typesAt: (name) =>
      others(recordsOf(world).by(placeOf, `${domainId} ${folded(name)}`)).map(({ type }) => type),
    mail: () => listedNeighbours(others(domainRecords(world, domainId))).mail(),
  };
}

function judgeNew(call: Call, domain: Domain) {
  const neighbours = storedNeighbours(call.world, domain.id);
  const { remoteAddress } = call;
  return judgeRecord(call.body, { zone: domain.domain, neighbours, remoteAddress });
}

function judgeChange(call: Call, domain: Domain, record: DomainRecord) {
  const { remoteAddress } = call;
  const neighbours = storedNeighbours(call.world, domain.id, record.id);
  const place = { zone: domain.domain, neighbours, remoteAddress };
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
