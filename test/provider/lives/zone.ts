/** What a Zone must live through. */

import type { ValueMap } from "../../../provider/core/value.ts";
import { life } from "../lifecycle.ts";

const these = (...records: ValueMap[]) => records;

const zone = life({
  type: "plumbline:dns/zone:Zone",
  prepare: async (account) => {
    const make = async (domain: string) =>
      String(
        (await account.call("POST", "/domains", { domain, type: "master", soa_email: `r@${domain}` }))["id"],
      );
    const [one, two] = [await make("whole-one.example"), await make("whole-two.example")];
    await account.call("POST", `/domains/${one}/records`, { type: "A", name: "old", target: "192.0.2.77" });
    return { one, two };
  },
  steps: [
    {
      does: "create",
      declare: ({ one }) => ({
        domainId: one,
        records: these(
          { type: "A", name: "www.whole-one.example.", target: "192.0.2.1", ttlSec: 299 },
          { type: "A", name: "www", target: "192.0.2.2" },
          { type: "MX", target: "mail", priority: 10 },
        ),
      }),
      leaves: {
        records: these(
          { type: "MX", target: "mail.whole-one.example", priority: 10 },
          { type: "A", name: "www", target: "192.0.2.1", ttlSec: 300 },
          { type: "A", name: "www", target: "192.0.2.2" },
        ),
      },
    },
    {
      does: "same",
      declare: ({ one }) => ({
        domainId: one,
        records: these(
          { type: "MX", name: "whole-one.example", target: "mail.whole-one.example.", priority: 10 },
          { type: "A", name: "WWW", target: "192.0.2.2", ttlSec: 0 },
          { type: "A", name: "www", target: "192.0.2.1", ttlSec: 301 },
        ),
      }),
    },
    {
      does: "update",
      declare: ({ one }) => ({
        domainId: one,
        records: these(
          { type: "CNAME", name: "www", target: "web.other.example." },
          { type: "MX", target: "" },
          { type: "TXT", name: "Note", target: 'a "b" c' },
          { type: "SRV", service: "_sip", target: "sip", priority: 0, weight: 0, port: 5060 },
          { type: "CAA", target: "ca.example", tag: "issue" },
          { type: "AAAA", name: "six", target: "2001:DB8::0001" },
        ),
      }),
      changes: ["records"],
      leaves: {
        records: these(
          { type: "CAA", target: "ca.example", tag: "issue" },
          { type: "MX", target: "" },
          {
            type: "SRV",
            service: "sip",
            target: "sip.whole-one.example",
            priority: 0,
            weight: 0,
            port: 5060,
          },
          { type: "TXT", name: "note", target: 'a "b" c' },
          { type: "AAAA", name: "six", target: "2001:DB8::0001" },
          { type: "CNAME", name: "www", target: "web.other.example" },
        ),
      },
    },
    {
      does: "update",
      declare: ({ one }) => ({
        domainId: one,
        zoneFile: [
          "$TTL 1h",
          "@ IN SOA ns1.old.example. root.whole-one.example. 1 2 3 4 5",
          "@ IN NS ns1.old.example.",
          "@ 300 IN MX 10 mail",
          "www 300 IN A 192.0.2.1",
          '    300 IN TXT ( "one " "two" )',
        ].join("\n"),
      }),
      changes: ["records"],
      leaves: {
        records: these(
          { type: "MX", target: "mail.whole-one.example", priority: 10, ttlSec: 300 },
          { type: "A", name: "www", target: "192.0.2.1", ttlSec: 300 },
          { type: "TXT", name: "www", target: "one two", ttlSec: 300 },
        ),
      },
    },
    {
      does: "same",
      declare: ({ one }) => ({
        domainId: one,
        records: these(
          { type: "TXT", name: "www", target: "one two", ttlSec: 300 },
          { type: "MX", target: "mail.whole-one.example.", priority: 10, ttlSec: 300 },
          { type: "A", name: "www", target: "192.0.2.1", ttlSec: 300 },
        ),
      }),
    },
    {
      does: "replace",
      declare: ({ two }) => ({
        domainId: two,
        records: these({ type: "A", name: "www", target: "192.0.2.1", ttlSec: 300 }),
      }),
      changes: ["domainId", "records"],
    },
    {
      does: "update",
      declare: ({ two }) => ({
        domainId: two,
        records: these(
          { type: "A", name: "www", target: "192.0.2.1", ttlSec: 300 },
          { type: "A", name: "www", target: "192.0.2.2", ttlSec: 300 },
          { type: "MX", target: "mail", priority: 10 },
        ),
        ignore: ["_acme-challenge*/TXT"],
      }),
      changes: ["records", "ignore"],
    },
  ],
  naturalName: () => "whole-two.example",
  remains: { records: [], recordIds: [] },
  unreadable: ["ignore"],
  drift: {
    records: ({ id }) => ({
      method: "POST",
      path: `/domains/${id}/records`,
      body: { type: "A", name: "stray", target: "192.0.2.9" },
    }),
  },
});

export const lives = [zone];
