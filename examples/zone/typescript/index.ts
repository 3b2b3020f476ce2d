/** The stack of ../Pulumi.yaml as a Pulumi program; the zone file is the very one that is used there. */

import { readFileSync } from "node:fs";
import * as plumbline from "@plumbline/pulumi";

const domain = new plumbline.dns.Domain("domain", {
  domain: "plumbline-zone.example",
  type: "master",
  soaEmail: "hostmaster@plumbline-zone.example",
});

// Owns every record of the domain: what is not in the file is removed. A preview names the records that differ, and a change that would
// remove more than 30 % of them is stopped unless `allowMassChange: true` stands here.
const zone = new plumbline.dns.Zone(
  "zone",
  {
    domainId: domain.id,
    zoneFile: readFileSync("../company.zone", "utf8"),
    // The certificate robot's own records come and go as it likes.
    ignore: ["_acme-challenge*/TXT"],
  },
  // A deleted domain takes its records with it: one request in place of one for each.
  { deletedWith: domain },
);

export const domainId = domain.id;
export const records = zone.records;
