/** Functions of the DNS area: domains, records and rendered zone files (contract section 4.2). */

import { viewList, viewOf } from "../../core/object/view.ts";
import { choice, id, list, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing, getAll, getOne, shown } from "../../core/type/getter.ts";
import { taggedWith } from "../fields.ts";
import { Domain } from "./domain.ts";
import { relativeName } from "./names.ts";
import { Record } from "./record/record.ts";
import { recordTypes } from "./record/types.ts";

const domainId = (description: string) => id({ description, reference: "dns/domain" });
const domain = shown(Domain);

export const getDomain = getOne(domain, {
  description: "One Domain, by its id or its name.",
  by: { domain: text({ description: "Name of the Domain (`example.com`).", normal: "lower-case" }) },
  says: "named",
});

export const getDomains = getAll(domain, {
  filters: {
    group: text({ description: "Only Domains of this group." }),
    tag: taggedWith("Domains"),
    type: choice(["master", "slave"], { description: "Only Domains of this type.", typeName: "DomainType" }),
  },
});

export const getRecords = providerFunction({
  area: "dns",
  name: "getRecords",
  description: "The records of a Domain that the arguments match.",
  args: {
    domainId: domainId("Id of the Domain."),
    name: optional(
      text({
        description: "Only records of this name, relative to the Domain; empty for the Domain itself.",
      }),
    ),
    type: optional(
      choice(recordTypes, { description: "Only records of this type.", typeName: "RecordType" }),
    ),
  },
  result: { records: viewList(Record, "The records, by id.") },
  async call({ args, service }) {
    const path = `/domains/${args.domainId}`;
    const missing = `Domain with id ${args.domainId}`;
    const zone = args.name?.includes(".")
      ? String((await existing(missing, service.get(path)))["domain"])
      : undefined;
    const name = args.name === undefined ? undefined : relativeName(args.name, zone);
    const wanted = (await existing(missing, service.list(`${path}/records`))).filter(
      (record) =>
        (args.type === undefined || record["type"] === args.type) &&
        (name === undefined || String(record["name"]).toLowerCase() === name),
    );
    return { records: wanted.map((record) => viewOf(Record, record, { domainId: args.domainId })) };
  },
});

export const getZoneFile = providerFunction({
  area: "dns",
  name: "getZoneFile",
  description:
    "The zone file of a Domain as it was last rendered; empty until it is rendered, and while it is disabled.",
  args: { domainId: domainId("Id of the Domain.") },
  result: {
    lines: list(text({ description: "A line." }), { description: "Its lines." }),
    text: text({ description: "Its lines joined, each ended by a line feed." }),
  },
  async call({ args, service }) {
    const read = service.getFresh(`/domains/${args.domainId}/zone-file`);
    const lines = (await existing(`Domain with id ${args.domainId}`, read))["zone_file"] as readonly string[];
    return { lines: [...lines], text: lines.map((line) => `${line}\n`).join("") };
  },
});
