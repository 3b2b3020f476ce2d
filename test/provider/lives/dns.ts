/** What the types of the area `dns` must live through. */

import { life } from "../lifecycle.ts";

const domains = life({
  type: "plumbline:dns/domain:Domain",
  prepare: async () => ({}),
  steps: [
    {
      does: "create",
      declare: () => ({ domain: "one.example", type: "master", soaEmail: "root@one.example" }),
      leaves: { status: "active", ttlSec: 0, tags: [] },
    },
    {
      does: "update",
      declare: () => ({
        domain: "one.example",
        type: "master",
        soaEmail: "root@one.example",
        description: "first",
        group: "g",
        ttlSec: 299,
        refreshSec: 3601,
        retrySec: 1,
        expireSec: 9_999_999,
        tags: ["Web", "dns"],
        axfrIps: ["192.0.2.1", "2001:DB8::1"],
      }),
      changes: ["description", "group", "ttlSec", "refreshSec", "retrySec", "expireSec", "tags", "axfrIps"],
      leaves: { ttlSec: 300, refreshSec: 7200, retrySec: 30, expireSec: 2_419_200 },
    },
    {
      does: "same",
      declare: () => ({
        domain: "One.Example",
        type: "master",
        status: "active",
        soaEmail: "root@one.example",
        description: "first",
        group: "g",
        ttlSec: 300,
        refreshSec: 7200,
        retrySec: 30,
        expireSec: 2_419_200,
        tags: ["DNS", "web"],
        axfrIps: ["2001:db8:0::1", "192.0.2.1"],
      }),
    },
    {
      does: "update",
      declare: () => ({ domain: "one.example", type: "slave", masterIps: ["192.0.2.9"], ttlSec: 300 }),
      changes: [
        "type",
        "soaEmail",
        "masterIps",
        "description",
        "group",
        "refreshSec",
        "retrySec",
        "expireSec",
        "tags",
        "axfrIps",
      ],
      leaves: { soaEmail: "", description: "", group: "", refreshSec: 0, tags: [], axfrIps: [] },
    },
    {
      does: "update",
      declare: () => ({
        domain: "two.example",
        type: "master",
        soaEmail: "root@two.example",
        status: "disabled",
      }),
      changes: ["domain", "type", "soaEmail", "masterIps", "ttlSec", "status"],
    },
    {
      does: "update",
      declare: () => ({
        domain: "two.example",
        type: "master",
        soaEmail: "root@two.example",
        description: "last",
        ttlSec: 400,
        tags: ["a", "b"],
        axfrIps: ["192.0.2.1"],
      }),
    },
  ],
  naturalName: () => "two.example",
  drift: Object.fromEntries(
    Object.entries({
      domain: "moved.example",
      status: "disabled",
      description: "",
      group: "theirs",
      soaEmail: "them@two.example",
      masterIps: ["192.0.2.7"],
      axfrIps: [],
      tags: ["b", "c"],
      ttlSec: 120,
      refreshSec: 300,
      retrySec: 300,
      expireSec: 300,
    }).map(([name, value]) => [
      name,
      ({ id }) => ({
        method: "PUT",
        path: `/domains/${id}`,
        body: { [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]: value },
      }),
    ]),
  ),
});

const record = (domainId: string, more: object) => ({ domainId, ...more });

const records = life({
  type: "plumbline:dns/record:Record",
  prepare: async (account) => {
    const make = async (domain: string) =>
      String(
        (await account.call("POST", "/domains", { domain, type: "master", soa_email: `r@${domain}` }))["id"],
      );
    return { one: await make("three.example"), two: await make("four.example") };
  },
  steps: [
    {
      does: "create",
      declare: ({ one }) =>
        record(one, { type: "A", name: "www.three.example.", target: "192.0.2.1", ttlSec: 299 }),
      leaves: { name: "www", ttlSec: 300 },
    },
    {
      does: "update",
      declare: ({ one }) => record(one, { type: "A", name: "web", target: "192.0.2.2" }),
      changes: ["name", "target", "ttlSec"],
      leaves: { name: "web", ttlSec: 0 },
    },
    {
      does: "replace",
      declare: ({ one }) => record(one, { type: "CNAME", name: "web", target: "www.other.example." }),
      changes: ["type", "target"],
      leaves: { target: "www.other.example" },
    },
    {
      does: "same",
      declare: ({ one }) => record(one, { type: "CNAME", name: "Web.", target: "www.other.example" }),
    },
    {
      does: "replace",
      declare: ({ two }) => record(two, { type: "CNAME", name: "web", target: "www.other.example." }),
      changes: ["domainId"],
    },
    {
      does: "replace",
      declare: ({ two }) => record(two, { type: "MX", target: "mail.other.example", priority: 10 }),
    },
    {
      does: "update",
      declare: ({ two }) => record(two, { type: "MX", target: "" }),
      changes: ["target", "priority"],
      leaves: { priority: 0, target: "" },
    },
    {
      does: "replace",
      declare: ({ two }) => record(two, { type: "CAA", target: "ca.example", tag: "issue" }),
    },
    {
      does: "update",
      declare: ({ two }) => record(two, { type: "CAA", target: "mailto:a@b.example", tag: "iodef" }),
      changes: ["target", "tag"],
    },
    {
      does: "replace",
      declare: ({ two }) =>
        record(two, { type: "SRV", service: "_sip", target: "sip", priority: 0, weight: 0, port: 5060 }),
      leaves: { name: "_sip._tcp", protocol: "tcp", target: "sip.four.example", service: "sip" },
    },
    {
      does: "update",
      declare: ({ two }) =>
        record(two, {
          type: "SRV",
          service: "sip",
          protocol: "udp",
          target: "sip",
          priority: 0,
          weight: 0,
          port: 5060,
        }),
      changes: ["protocol"],
      leaves: { name: "_sip._udp" },
    },
    {
      does: "update",
      declare: ({ two }) =>
        record(two, {
          type: "SRV",
          service: "sip",
          protocol: "_tcp",
          target: "sip.four.example",
          priority: 1,
          weight: 2,
          port: 0,
          ttlSec: 3600,
        }),
      changes: ["protocol", "target", "priority", "weight", "port", "ttlSec"],
    },
  ],
  naturalName: () => "four.example/_sip._tcp/SRV",
  drift: Object.fromEntries(
    Object.entries({
      target: "other.example",
      ttl_sec: 300,
      priority: 9,
      weight: 8,
      port: 7,
      service: "xmpp",
      protocol: "udp",
    }).map(([name, value]) => [
      name.replace("_sec", "Sec"),
      ({ id }) => ({
        method: "PUT",
        path: `/domains/${id.replace("/", "/records/")}`,
        body: { [name]: value },
      }),
    ]),
  ),
});

export const lives = [domains, records];
