/** The rules of a domain's own fields as tables: what is refused names the field and the section that says so. */

import { describe, expect, it } from "vitest";
import { type DomainFields, judgeDomain } from "../../../../emulator/areas/dns/domain.ts";

const master = { domain: "example.com", type: "master", soa_email: "admin@example.com" };
const slave = { domain: "example.com", type: "slave", master_ips: ["192.0.2.1"] };
const label63 = "a".repeat(63);
const long = `${label63}.${label63}.${label63}.${"b".repeat(57)}.com`;

type Sent = { [name: string]: unknown };
const accepted: [section: string, sent: Sent, stored: Partial<DomainFields>][] = [
  [
    "2.3 defaults",
    master,
    {
      status: "active",
      description: "",
      group: "",
      ttl_sec: 0,
      refresh_sec: 0,
      retry_sec: 0,
      expire_sec: 0,
      tags: [],
      master_ips: [],
      axfr_ips: [],
    },
  ],
  ["2.3 slave with a master", slave, { soa_email: "" }],
  ["2.3 name of 253 characters", { ...master, domain: long }, {}],
  ["2.3 name with wildcard, underscore, digits", { ...master, domain: "*._a.1b.example.com" }, {}],
  ["2.3 name of a reverse zone", { ...master, domain: "2.0.192.in-addr.arpa" }, {}],
  ["2.3 name under an international domain", { ...master, domain: "example.xn--p1ai" }, {}],
  ["2.3 name keeps its case", { ...master, domain: "Example.COM" }, { domain: "Example.COM" }],
  [
    "2.3 seconds rounded up",
    { ...master, ttl_sec: 299, refresh_sec: 3601, retry_sec: 1, expire_sec: 9999999 },
    { ttl_sec: 300, refresh_sec: 7200, retry_sec: 30, expire_sec: 2419200 },
  ],
  ["2.3 disabled", { ...master, status: "disabled" }, { status: "disabled" }],
  ["2.3 description of 253", { ...master, description: "d".repeat(253) }, {}],
  ["2.3 group of 50", { ...master, group: "g".repeat(50) }, {}],
  ["readings, empty means unset", { ...master, description: "", group: "" }, { description: "", group: "" }],
  ["2.3 addresses of both kinds", { ...master, axfr_ips: ["192.0.2.1", "2001:db8::1"] }, {}],
  [
    "2.3 addresses of 1000 characters",
    { ...master, axfr_ips: Array.from({ length: 100 }, () => "192.0.2.10") },
    {},
  ],
  ["notes 3, tags are a set without case", { ...master, tags: ["b", "A", "a", "b"] }, { tags: ["b", "A"] }],
  [
    "notes 1.4, null is not sent",
    { ...master, tags: null, master_ips: null, group: null },
    { tags: [], master_ips: [], group: "" },
  ],
];

const refused: [section: string, sent: Sent, fields: string[]][] = [
  ["2.3 label that begins with a hyphen (RFC 1035)", { ...master, domain: "-a.example.com" }, ["domain"]],
  ["2.3 label that ends with a hyphen (RFC 1035)", { ...master, domain: "www.a-.com" }, ["domain"]],
  ["2.3 nothing", {}, ["domain", "type"]],
  ["2.3 single label", { ...master, domain: "localhost" }, ["domain"]],
  ["2.3 empty name", { ...master, domain: "" }, ["domain"]],
  ["2.3 name of 254", { ...master, domain: `a${long}` }, ["domain"]],
  ["2.3 label of 64", { ...master, domain: `${label63}a.com` }, ["domain"]],
  ["2.3 label of 64 at the end", { ...master, domain: `example.xn--${"a".repeat(60)}` }, ["domain"]],
  ["2.3 trailing dot", { ...master, domain: "example.com." }, ["domain"]],
  ["2.3 numeric top level", { ...master, domain: "192.0.2.1" }, ["domain"]],
  ["2.3 spaces", { ...master, domain: "exa mple.com" }, ["domain"]],
  ["2.3 type of the list", { ...master, type: "forward" }, ["type"]],
  ["2.3 status of the list", { ...master, status: "edit_mode" }, ["status"]],
  ["2.3 master without email", { domain: "example.com", type: "master" }, ["soa_email"]],
  ["2.3 master with an empty email", { ...master, soa_email: "" }, ["soa_email"]],
  ["2.3 email format", { ...master, soa_email: "admin.example.com" }, ["soa_email"]],
  ["2.3 email without domain", { ...master, soa_email: "admin@example" }, ["soa_email"]],
  ["2.3 slave without masters", { domain: "example.com", type: "slave" }, ["master_ips"]],
  ["2.3 slave with an empty list", { ...slave, master_ips: [] }, ["master_ips"]],
  [
    "2.3 master_ips no address",
    { ...slave, master_ips: ["192.0.2.1", "ns1.example.net"] },
    ["master_ips[1]"],
  ],
  ["2.3 axfr_ips no address", { ...master, axfr_ips: ["192.0.2.0/24"] }, ["axfr_ips[0]"]],
  [
    "2.3 addresses over 1000 characters",
    { ...master, axfr_ips: [...Array.from({ length: 100 }, () => "192.0.2.10"), "::"] },
    ["axfr_ips"],
  ],
  ["2.3 description over 253", { ...master, description: "d".repeat(254) }, ["description"]],
  ["2.3 group over 50", { ...master, group: "g".repeat(51) }, ["group"]],
];

describe("domains", () => {
  it.each(accepted)("accepts %s", (_section, sent, expected) => {
    const { fields, reasons } = judgeDomain(sent);
    expect(reasons).toEqual([]);
    expect(fields).toMatchObject(expected);
  });

  it.each(refused)("refuses %s", (_section, sent, fields) => {
    expect(judgeDomain(sent).reasons.map((reason) => reason.field)).toEqual(fields);
  });

  it("tells all problems of one domain at once", () => {
    const sent = { domain: "x", type: "slave", soa_email: "x", group: "g".repeat(51), axfr_ips: ["x"] };
    const fields = judgeDomain(sent).reasons.map((reason) => reason.field);
    expect(fields.sort()).toEqual(["axfr_ips[0]", "domain", "group", "master_ips", "soa_email"]);
  });

  it("judges what an update leads to (2.3)", () => {
    const current = judgeDomain(master).fields;
    expect(judgeDomain({ group: "g" }, current).fields).toEqual({ ...current, group: "g" });
    expect(judgeDomain({ soa_email: "" }, current).reasons).toMatchObject([{ field: "soa_email" }]);
    expect(judgeDomain({ type: "slave" }, current).reasons).toMatchObject([{ field: "master_ips" }]);
    expect(judgeDomain({ type: "slave", master_ips: ["192.0.2.1"] }, current).reasons).toEqual([]);
    expect(judgeDomain({ type: "master" }, judgeDomain(slave).fields).reasons).toMatchObject([
      { field: "soa_email" },
    ]);
  });

  it("keeps a mark of the platform in the status until another is sent", () => {
    const current = { ...judgeDomain(master).fields, status: "has_errors" };
    expect(judgeDomain({ group: "g" }, current).reasons).toEqual([]);
    expect(judgeDomain({ status: "has_errors" }, { ...current, status: "active" }).reasons).toHaveLength(1);
  });
});
