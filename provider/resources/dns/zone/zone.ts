/** Zone: all records of a Domain as one resource (contract section 2.4), from a list or a zone file. */

import { choice, flag, group, id, list, optional, text } from "../../../core/type/field.ts";
import { resource } from "../../../core/type/resource.ts";
import { Record } from "../record/record.ts";
import { recordTypes } from "../record/types.ts";
import { applyZone, emptyZone } from "./apply.ts";
import { declaredOf } from "./declared.ts";
import { examineZone, recordBeside } from "./guard.ts";
import { judgeZone } from "./judge.ts";
import { recordsOf, type ZoneScope, zoneObject } from "./live.ts";
import { canonicalZone, differencesOf } from "./values.ts";

const { domainId: _, ...ofRecord } = Record.inputs;
const item = group(
  { ...ofRecord, type: choice(recordTypes, { description: "The record's type.", typeName: "RecordType" }) },
  { description: "A record of a Zone.", typeName: "ZoneRecord" },
);

/** The most records that a domain may have, each by a request of its own, take half an hour of what the service allows. */
const patience = 3600;

const recordsPath = (path: string) => `${path}/records`;

export const Zone = resource({
  area: "dns",
  name: "Zone",
  description:
    "All records of a Domain as one resource, from a list or a zone file. It owns them: a record that is not declared is removed, unless an `ignore` pattern means it. Creating it takes over what the Domain has; deleting it removes every record that it owns. Not to be used beside a Record of the same Domain. Import by the Domain's id or its name (`example.com`).",
  path: "/domains/{domainId}",
  collection: "/domains/{domainId}/records",
  parents: ["dns/domain"],
  goesWithParent: true,
  phrase: ["{records} records"],
  nameFormat: "DOMAIN_NAME",
  naturalName: (object) => String(object["domain"]),
  leftOut:
    "its records are imported one by one; import the Zone in their place if one resource is to own them all",
  takesOver: true,
  inputs: {
    domainId: id({ description: "Id of the Domain.", reference: "dns/domain", immutable: true }),
    records: optional(
      list(item, {
        description: "The records, in any order. Either these or `zoneFile`. An empty list removes them all.",
        emptyCounts: true,
      }),
    ),
    zoneFile: optional(
      text({
        description:
          "The records as the text of a zone file (RFC 1035), in place of `records`. Names are relative to its `$ORIGIN`, or else to the Domain. SOA, and NS records of the Domain's own name, are the service's own and left out.",
        insteadOf: "records",
        local: true,
        writeOnly: true,
        large: true,
      }),
    ),
    ignore: optional(
      list(
        text({
          description: "A name or `NAME/TYPE`; `*` stands for any characters, `@` for the Domain itself.",
        }),
        {
          description:
            "Patterns of records that are somebody else's: they are left alone, whatever happens to the rest (`_acme-challenge*/TXT`).",
          local: true,
        },
      ),
    ),
    allowMassChange: optional(
      flag({
        description:
          "True lets a change remove more than 30 % of a zone of over 10 records. Default: false, and such a change is stopped.",
        local: true,
      }),
    ),
  },
  outputs: {
    domain: text({ description: "The Domain's name." }),
    recordIds: list(id({ description: "Id of a record.", reference: "dns/record" }), {
      description: "Numbers of the records, in the order of `records`.",
      movedBy: ["records", "zoneFile", "ignore"],
    }),
  },
  canonical: canonicalZone,
  differences: (name, before, after) => (name === "records" ? differencesOf(before, after) : undefined),
  check: judgeZone,
  beside: { "dns/record": recordBeside },
  async fetch({ path, get, list, inputs, state }) {
    // The name is asked for once: a refresh then needs the list alone.
    const known = state["domain"];
    const [domain, records] = await Promise.all([
      typeof known === "string" ? known : get(path).then((object) => String(object["domain"])),
      list(recordsPath(path)),
    ]);
    return zoneObject(domain, records, inputs as ZoneScope);
  },
  examine: examineZone,
  aspects: [
    {
      name: "records",
      fields: ["records"],
      async sync({ service, path, inputs, object, log }) {
        const zone = String((await service.get(path))["domain"]);
        const declared = declaredOf(inputs, zone) ?? [];
        const work = { context: { service, log }, path: recordsPath(path), zone, scope: inputs, declared };
        return zoneObject(zone, await applyZone(work, recordsOf(object)), inputs);
      },
    },
  ],
  async delete({ service, path, inputs, log, id: domain, isOurs }) {
    const zone = String((await service.get(path))["domain"]);
    const all = await service.list(recordsPath(path), { fresh: true });
    // What became a Record of its own in the same run stays.
    const records = all.filter((record) => !isOurs?.("dns/record", `${domain}/${record["id"]}`));
    await emptyZone({ context: { service, log }, path: recordsPath(path), zone, scope: inputs }, records);
  },
  parts: ({ id: domain, state }) => {
    const ids = state["recordIds"]; // not known in a preview of a change
    return Array.isArray(ids) ? ids.map((id) => ({ type: "dns/record", id: `${domain}/${id}` })) : [];
  },
  lost: "the records of its domain",
  timeouts: { create: patience, update: patience, delete: patience },
});
