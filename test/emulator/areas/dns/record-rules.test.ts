/** The rules of records as tables: what is refused names the field and the section that says so. */

import { describe, expect, it } from "vitest";
import type { RecordChanges, RecordFields } from "../../../../emulator/areas/dns/record.ts";
import { judge, srv, stored } from "./record-judge.ts";

const label63 = "a".repeat(63);
type Accepted = [section: string, sent: RecordChanges, stored: Partial<RecordFields>];
const accepted: Accepted[] = [
  [
    "2.4 A at the apex without a name",
    { type: "A", target: "192.0.2.1" },
    { name: "", priority: 0, service: null, tag: null },
  ],
  ["2.4 A by FQDN, any case", { type: "A", name: "www.example.COM", target: "192.0.2.1" }, { name: "www" }],
  ["2.4 A with trailing dot", { type: "A", name: "www.example.com.", target: "192.0.2.1" }, { name: "www" }],
  ["2.4 A named as the domain itself", { type: "A", name: "example.com", target: "192.0.2.1" }, { name: "" }],
  ["2.4 A wildcard", { type: "A", name: "*.dev", target: "192.0.2.1" }, { name: "*.dev" }],
  ["2.4 A from the request's address", { type: "A", target: "[remote_addr]" }, { target: "192.0.2.77" }],
  ["2.4 AAAA as given", { type: "AAAA", target: "2400:3F00::22" }, { target: "2400:3F00::22" }],
  [
    "2.4 AAAA with an IPv4 tail",
    { type: "AAAA", target: "::ffff:192.0.2.1" },
    { target: "::ffff:192.0.2.1" },
  ],
  ["2.4 NS completed", { type: "NS", name: "sub", target: "ns" }, { target: "ns.Example.com" }],
  [
    "2.4 NS trailing dot",
    { type: "NS", name: "sub", target: "ns1.example.net." },
    { target: "ns1.example.net" },
  ],
  ["2.4 NS at the apex", { type: "NS", target: "ns1.example.net" }, { name: "" }],
  ["2.4 MX default priority", { type: "MX", target: "mail" }, { target: "mail.Example.com", priority: 0 }],
  [
    "2.4 MX wildcard name",
    { type: "MX", name: "*.lists", target: "mx.example.net", priority: 255 },
    { name: "*.lists", priority: 255 },
  ],
  ["2.4 MX wildcard target", { type: "MX", target: "*.example.net" }, { target: "*.example.net" }],
  ["2.4 Null MX", { type: "MX", name: "", target: "", priority: 0 }, { name: "", target: "", priority: 0 }],
  [
    "2.4 Null MX named as the domain",
    { type: "MX", name: "example.com", target: "" },
    { name: "", target: "" },
  ],
  [
    "2.4 CNAME with underscores",
    { type: "CNAME", name: "_a.www", target: "_b.acme.example.net." },
    { target: "_b.acme.example.net" },
  ],
  ["2.4 CNAME wildcard", { type: "CNAME", name: "*", target: "www" }, { target: "www.Example.com" }],
  ["2.4 TXT of 65535 characters", { type: "TXT", target: "é".repeat(65535) }, {}],
  [
    "2.4 TXT keeps its trailing dot",
    { type: "TXT", name: "_dmarc", target: "v=DMARC1." },
    { target: "v=DMARC1." },
  ],
  [
    "2.4 SRV name computed",
    srv,
    { name: "_sip._tcp", service: "sip", protocol: "tcp", target: "sip.example.net" },
  ],
  [
    "readings, SRV underscores and dot taken off",
    { ...srv, service: "_sip.", protocol: "_udp" },
    { name: "_sip._udp", service: "sip", protocol: "udp" },
  ],
  [
    "2.4 SRV inner underscores kept",
    { ...srv, service: "_sip_over", protocol: "tls_1" },
    { name: "_sip_over._tls_1", service: "sip_over", protocol: "tls_1" },
  ],
  ["2.4 SRV name sent is unused", { ...srv, name: "anything at all" }, { name: "_sip._tcp" }],
  ["2.4 SRV protocol not required", { ...srv, protocol: null }, { protocol: "tcp" }],
  [
    "2.4 SRV zeros count as given",
    { ...srv, priority: 0, weight: 0, port: 0 },
    { priority: 0, weight: 0, port: 0 },
  ],
  ["2.4 SRV subdomain target", { ...srv, target: "mysubdomain" }, { target: "mysubdomain.Example.com" }],
  [
    "2.4 CAA for the domain",
    { type: "CAA", tag: "issue", target: "ca.example.net" },
    { name: "", tag: "issue" },
  ],
  [
    "2.4 CAA parameters",
    { type: "CAA", tag: "issue", target: "ca.example.net; validationmethods=dns-01; x=1" },
    {},
  ],
  [
    "2.4 CAA issuewild",
    { type: "CAA", name: "www", tag: "issuewild", target: "ca.example.net" },
    { name: "www" },
  ],
  ["2.4 CAA iodef domain", { type: "CAA", tag: "iodef", target: "report.example.net" }, {}],
  ["2.4 CAA iodef http", { type: "CAA", tag: "iodef", target: "http://report.example.net" }, {}],
  ["2.4 CAA iodef https", { type: "CAA", tag: "iodef", target: "https://report.example.net" }, {}],
  ["2.4 CAA iodef mail", { type: "CAA", tag: "iodef", target: "mailto:ca@example.net" }, {}],
  [
    "2.4 PTR",
    { type: "PTR", name: "1", target: "host.example.net." },
    { name: "1", target: "host.example.net" },
  ],
  ["2.4 PTR single label is left", { type: "PTR", name: "1", target: "localhost" }, { target: "localhost" }],
  [
    "readings, empty foreign fields",
    {
      type: "A",
      target: "192.0.2.1",
      priority: 0,
      weight: 0,
      port: 0,
      service: "",
      protocol: null,
      tag: null,
    },
    {},
  ],
  [
    "2.4 name of 100 characters",
    { type: "A", name: `${label63}.${"b".repeat(36)}`, target: "192.0.2.1" },
    {},
  ],
  ["2.4 TTL to the nearest", { type: "A", target: "192.0.2.1", ttl_sec: 299 }, { ttl_sec: 300 }],
];

type Refused = [section: string, sent: RecordChanges, fields: string[]];
const refused: Refused[] = [
  ["2.4 type required", { target: "192.0.2.1" }, ["type"]],
  ["2.4 type of the list", { type: "SPF", target: "x" }, ["type"]],
  ["2.4 A target required", { type: "A" }, ["target"]],
  ["2.4 A needs IPv4", { type: "A", target: "2001:db8::1" }, ["target"]],
  ["2.4 A short form", { type: "A", target: "192.0.2" }, ["target"]],
  ["2.4 A octal form", { type: "A", target: "0300.0.2.1" }, ["target"]],
  ["2.4 A trailing dot", { type: "A", target: "192.0.2.1." }, ["target"]],
  ["2.4 AAAA needs IPv6", { type: "AAAA", target: "192.0.2.1" }, ["target"]],
  ["2.4 AAAA zone index", { type: "AAAA", target: "fe80::1%eth0" }, ["target"]],
  ["readings, [remote_addr] for A only", { type: "AAAA", target: "[remote_addr]" }, ["target"]],
  ["2.4 NS wildcard", { type: "NS", name: "*.sub", target: "ns1.example.net" }, ["name"]],
  ["2.4 NS target an address", { type: "NS", name: "sub", target: "192.0.2.1" }, ["target"]],
  ["2.4 NS target required", { type: "NS", name: "sub", target: "" }, ["target"]],
  ["2.4 MX name starts with a digit", { type: "MX", name: "1mail", target: "mx.example.net" }, ["name"]],
  ["2.4 MX name underscore", { type: "MX", name: "a_b", target: "mx.example.net" }, ["name"]],
  ["2.4 MX wildcard not left-most", { type: "MX", name: "a.*", target: "mx.example.net" }, ["name"]],
  ["2.4 MX target ends with hyphen", { type: "MX", target: "mx-.example.net" }, ["target"]],
  ["2.4 MX target starts with a digit", { type: "MX", target: "1mx.example.net" }, ["target"]],
  ["2.4 MX target too long", { type: "MX", target: `${`${label63}.`.repeat(4)}com` }, ["target"]],
  ["2.4 MX target of 64 characters a component", { type: "MX", target: `${label63}a.net` }, ["target"]],
  ["2.4 MX target not sent", { type: "MX" }, ["target"]],
  ["2.4 Null MX below the domain", { type: "MX", name: "mail", target: "" }, ["target"]],
  ["2.4 Null MX with priority", { type: "MX", target: "", priority: 10 }, ["priority"]],
  ["2.4 MX priority above 255", { type: "MX", target: "mx.example.net", priority: 256 }, ["priority"]],
  ["2.4 CNAME name required", { type: "CNAME", target: "a.example.net" }, ["name"]],
  [
    "2.4 CNAME of the domain itself",
    { type: "CNAME", name: "example.com", target: "a.example.net" },
    ["name"],
  ],
  ["2.4 CNAME target no domain", { type: "CNAME", name: "a", target: "not a name" }, ["target"]],
  ["2.4 TXT target required", { type: "TXT", name: "a", target: "" }, ["target"]],
  ["2.4 TXT above 65535 characters", { type: "TXT", target: "a".repeat(65536) }, ["target"]],
  ["2.4 SRV all required", { type: "SRV" }, ["priority", "weight", "port", "service", "target"]],
  ["2.4 SRV port above 65535", { ...srv, port: 65536 }, ["port"]],
  ["2.4 SRV weight negative", { ...srv, weight: -1 }, ["weight"]],
  ["2.4 SRV service that ends with an underscore", { ...srv, service: "sip_" }, ["service"]],
  ["2.4 SRV service of two labels", { ...srv, service: "a.b" }, ["service"]],
  ["2.4 CAA tag required", { type: "CAA", target: "ca.example.net" }, ["tag"]],
  ["2.4 CAA tag of the list", { type: "CAA", tag: "contactemail", target: "ca.example.net" }, ["tag"]],
  ["2.4 CAA target required", { type: "CAA", tag: "issue" }, ["target"]],
  ["2.4 CAA issue no domain", { type: "CAA", tag: "issue", target: "https://ca.example.net" }, ["target"]],
  ["2.4 CAA issue without issuer", { type: "CAA", tag: "issue", target: ";" }, ["target"]],
  ["2.4 CAA issue trailing dot", { type: "CAA", tag: "issue", target: "ca.example.net." }, ["target"]],
  ["2.4 CAA issue with a space before", { type: "CAA", tag: "issue", target: " ca.example.net" }, ["target"]],
  [
    "2.4 CAA issue with a space after",
    { type: "CAA", tag: "issue", target: "ca.example.net ;a=b" },
    ["target"],
  ],
  ["2.4 CAA issue with a line end", { type: "CAA", tag: "issue", target: "ca.example.net\n" }, ["target"]],
  [
    "2.4 CAA parameter with a line end",
    { type: "CAA", tag: "issue", target: "ca.example.net; a=b\n" },
    ["target"],
  ],
  [
    "2.4 CAA issuewild with a line end",
    { type: "CAA", tag: "issuewild", target: "ca.example.net\r\n" },
    ["target"],
  ],
  [
    "2.4 CAA iodef with a line end",
    { type: "CAA", tag: "iodef", target: "mailto:a@example.net\n" },
    ["target"],
  ],
  [
    "2.4 CAA name with a space",
    { type: "CAA", name: "a b", tag: "issue", target: "ca.example.net" },
    ["name"],
  ],
  [
    "2.4 CAA name with a line end",
    { type: "CAA", name: "a\n", tag: "issue", target: "ca.example.net" },
    ["name"],
  ],
  ["2.4 CAA issuewild star", { type: "CAA", tag: "issuewild", target: "*.example.net" }, ["target"]],
  [
    "2.4 CAA issuewild parameters",
    { type: "CAA", tag: "issuewild", target: "ca.example.net; a=b" },
    ["target"],
  ],
  [
    "2.4 CAA iodef other scheme",
    { type: "CAA", tag: "iodef", target: "ftp://report.example.net" },
    ["target"],
  ],
  ["2.4 CAA iodef bare mail", { type: "CAA", tag: "iodef", target: "ca@example.net" }, ["target"]],
  ["2.4 PTR target required", { type: "PTR", name: "1" }, ["target"]],
  ["2.4 name too long", { type: "A", name: `${label63}.${"b".repeat(37)}`, target: "192.0.2.1" }, ["name"]],
  ["2.4 name label too long", { type: "A", name: `${label63}a`, target: "192.0.2.1" }, ["name"]],
  ["2.4 name with a space", { type: "TXT", name: "a b", target: "x" }, ["name"]],
  ["2.4 name with an empty label", { type: "A", name: "a..b", target: "192.0.2.1" }, ["name"]],
  ["2.4 apex sign is for user interfaces", { type: "A", name: "@", target: "192.0.2.1" }, ["name"]],
  [
    "7 foreign fields of A",
    {
      type: "A",
      target: "192.0.2.1",
      priority: 1,
      weight: 1,
      port: 1,
      service: "s",
      protocol: "tcp",
      tag: "issue",
    },
    ["priority", "weight", "port", "service", "protocol", "tag"],
  ],
  [
    "7 foreign fields of MX",
    { type: "MX", target: "mx.example.net", weight: 1, tag: "issue" },
    ["weight", "tag"],
  ],
  [
    "7 foreign fields of CAA",
    { type: "CAA", tag: "issue", target: "ca.example.net", priority: 5 },
    ["priority"],
  ],
  ["7 foreign fields of SRV", { ...srv, tag: "iodef" }, ["tag"]],
];

describe("records", () => {
  it.each(accepted)("accepts %s", (_section, sent, expected) => {
    expect(stored(sent)).toMatchObject(expected);
  });

  it.each(refused)("refuses %s", (_section, sent, fields) => {
    const { reasons } = judge(sent);
    expect(reasons.map((reason) => reason.field).sort()).toEqual([...fields].sort());
  });
});
