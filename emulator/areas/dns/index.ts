/** The domains of the account (contract sections 2.3, 3 and 4.2): create, import, clone, change, delete, zone file. */

import { type Area, type Call, type Reason, refuse, refuseAll, type World } from "../../area.ts";
import { mustBeAbleToAdd } from "../access.ts";
import { domainOf, tell } from "./access.ts";
import { type Domain, type DomainFields, judgeDomain, judgeName } from "./domain.ts";
import { readZone } from "./import.ts";
import { folded, fullName, longestName } from "./names.ts";
import type { RecordFields } from "./record.ts";
import { recordHandlers, recordJudges } from "./records.ts";
import { nameserverAddress, transferZone } from "./transfer.ts";
import {
  domainRecords,
  domainsOf,
  dropZone,
  recordsOf,
  renderingOf,
  renderJob,
  renderZone,
  touchZone,
} from "./zone.ts";
import { zoneFileLines } from "./zone-file.ts";

/** Domains that other accounts of the platform hold, which only a seed file can name: `{ "domain": "example.com" }`. */
const foreignDomains = "foreign_domains";
const nameserverField = "remote_nameserver";

export const dnsArea: Area = {
  name: "dns",
  handlers: {
    "GET /domains": ({ world, caller }) =>
      domainsOf(world).filter((domain) => caller.may("domain", domain.id, "read_only")),
    "POST /domains": create,
    "POST /domains/import": importZone,
    "GET /domains/{domainId}": (call) => domainOf(call, "read_only"),
    "PUT /domains/{domainId}": update,
    "DELETE /domains/{domainId}": remove,
    "POST /domains/{domainId}/clone": clone,
    "GET /domains/{domainId}/zone-file": zoneFile,
    ...recordHandlers,
  },
  judges: {
    "POST /domains": (call) => judgeNew(call).reasons,
    "POST /domains/import": (call) => judgeImport(call).reasons,
    "PUT /domains/{domainId}": (call) => judgeChange(call, domainOf(call, "read_write")).reasons,
    "POST /domains/{domainId}/clone": (call) => judgeClone(call, domainOf(call, "read_only")).reasons,
    ...recordJudges,
  },
  jobs: {
    [renderJob]: (world, { domainId }) => renderZone(world, domainId as number),
  },
};

function judgeNew(call: Call) {
  mustBeAbleToAdd(call, "add_domains");
  const { fields, reasons } = judgeDomain(call.body);
  judgeUnique(call.world, fields.domain, reasons);
  return { fields, reasons };
}

function create(call: Call): Domain {
  const { fields, reasons } = judgeNew(call);
  refuseAll(reasons);
  return store(call, fields, [], "dns_zone_create");
}

function judgeImport(call: Call) {
  mustBeAbleToAdd(call, "add_domains");
  const reasons: Reason[] = [];
  const name: string = call.body["domain"] ?? "";
  judgeName(name, reasons, call.body["domain"] === undefined);
  judgeUnique(call.world, name, reasons);
  const server = nameserverAddress(call.body[nameserverField] ?? "");
  if (!server) {
    const reason = "Must be a host name or an address, with or without a port";
    reasons.push({ reason, field: nameserverField });
  }
  return { name, server, reasons };
}

async function importZone(call: Call): Promise<Domain> {
  const { world } = call;
  const { name, server, reasons } = judgeImport(call);
  refuseAll(reasons);
  const answers = await transferZone(name, server!).catch((error: Error) =>
    refuse(error.message, nameserverField),
  );
  const zone = readZone(name, answers, world.brand ?? "compute");
  // The name was free before the transfer; another request may have taken it since.
  judgeUnique(world, name, zone.reasons);
  refuseAll(zone.reasons);
  const leftOut = Object.entries(zone.leftOut).map(([type, count]) => `${count} ${type}`);
  const message =
    leftOut.length > 0 ? `Left out, since the service does not hold them: ${leftOut.join(", ")}` : "";
  return store(call, zone.domain, zone.records, "dns_zone_import", message);
}

function judgeClone(call: Call, source: Domain) {
  mustBeAbleToAdd(call, "add_domains");
  const { world, body } = call;
  const reasons: Reason[] = [];
  const fields = { ...judgeDomain({}, source).fields, domain: (body["domain"] as string | undefined) ?? "" };
  judgeName(fields.domain, reasons, body["domain"] === undefined);
  judgeUnique(world, fields.domain, reasons);
  const records = domainRecords(world, source.id);
  judgeLengths(fields.domain, records, reasons);
  return { fields, records, reasons };
}

function clone(call: Call): Domain {
  const { fields, records, reasons } = judgeClone(call, domainOf(call, "read_only"));
  refuseAll(reasons);
  return store(call, fields, records, "dns_zone_create");
}

function judgeChange(call: Call, domain: Domain) {
  const { world } = call;
  const { fields, reasons } = judgeDomain(call.body, domain);
  if (fields.domain !== domain.domain) {
    judgeUnique(world, fields.domain, reasons, domain.id);
    judgeLengths(fields.domain, domainRecords(world, domain.id), reasons);
  }
  return { fields, reasons };
}

function update(call: Call): Domain {
  const { world } = call;
  const domain = domainOf(call, "read_write");
  const { fields, reasons } = judgeChange(call, domain);
  refuseAll(reasons);
  domainsOf(world).update(domain.id, { ...writable(fields), updated: world.clock.stamp() });
  touchZone(world, domain);
  tell(world, domain, "dns_zone_update");
  return domain;
}

function remove(call: Call): object {
  const { world } = call;
  const domain = domainOf(call, "read_write");
  for (const record of domainRecords(world, domain.id)) recordsOf(world).delete(record.id);
  domainsOf(world).delete(domain.id);
  dropZone(world, domain.id);
  tell(world, domain, "dns_zone_delete");
  return {};
}

function zoneFile(call: Call): { zone_file: string[] } {
  const { world } = call;
  const domain = domainOf(call, "read_only");
  const { head, records } = renderingOf(world, domain);
  if (!head) return { zone_file: [] };
  return { zone_file: zoneFileLines(domain.id, head, Object.values(records), world.brand ?? "compute") };
}

/** Stores a new domain with copies of the given records. */
function store(
  call: Call,
  fields: DomainFields,
  records: readonly RecordFields[],
  action: string,
  message = "",
): Domain {
  const { world, caller } = call;
  const now = world.clock.stamp();
  const domain = domainsOf(world).insert({ ...writable(fields), errors: "", created: now, updated: now });
  caller.grant("domain", domain.id, domain.domain);
  for (const { type, name, target, priority, weight, port, service, protocol, ttl_sec, tag } of records) {
    const copy = { type, name, target, priority, weight, port, service, protocol, ttl_sec, tag };
    recordsOf(world).insert({ ...copy, created: now, updated: now, _domainId: domain.id });
  }
  touchZone(world, domain);
  tell(world, domain, action, message);
  return domain;
}

/** The writable fields alone, lists copied, so that no two domains share one. */
function writable(fields: DomainFields): DomainFields {
  const { domain, type, status, description, group, soa_email } = fields;
  const { ttl_sec, refresh_sec, retry_sec, expire_sec } = fields;
  return {
    ...{ domain, type, status, description, group, soa_email },
    ...{ ttl_sec, refresh_sec, retry_sec, expire_sec },
    master_ips: [...fields.master_ips],
    axfr_ips: [...fields.axfr_ips],
    tags: [...fields.tags],
  };
}

/** Names are unique on the whole platform, other accounts included; DNS takes no notice of case. */
function judgeUnique(world: World, name: string, reasons: Reason[], exceptId?: number): void {
  const taken = (item: { id: number; domain: string }) => folded(item.domain) === folded(name);
  const here = domainsOf(world).find((domain) => domain.id !== exceptId && taken(domain));
  const elsewhere = world.collection<Domain>(foreignDomains).find(taken);
  if (here || elsewhere) reasons.push({ reason: "The DNS zone already exists", field: "domain" });
}

/** Under a longer name, records may have names that DNS cannot carry. */
function judgeLengths(name: string, records: readonly RecordFields[], reasons: Reason[]): void {
  const long = records.find((record) => fullName(record.name, name).length > longestName);
  if (long) {
    const reason = `With this name, the record ${long.name} would have more than ${longestName} characters`;
    reasons.push({ reason, field: "domain" });
  }
}
