import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseZoneFile } from "../../provider/core/zone-file.ts";

const examples = join(import.meta.dirname, "../../examples/zone-import");
const read = (name: string) => parseZoneFile(readFileSync(join(examples, name), "utf8"));

describe("parseZoneFile", () => {
  it("reads a real zone without a problem", () => {
    const zone = read("measurementlab.net.zone");
    expect(zone.problems).toEqual([]);
    expect(zone.origin).toBe("measurementlab.net");
    expect(zone.ttlSec).toBe(120);
    expect(zone.records.length).toBeGreaterThanOrEqual(60);
    expect(zone.authority).toEqual({
      soaEmail: "support@measurementlab.net",
      refreshSec: 3600,
      retrySec: 900,
      expireSec: 604800,
    });
    expect(zone.records).toContainEqual({
      type: "MX",
      name: "",
      priority: 5,
      target: "alt2.aspmx.l.google.com",
      ttlSec: 120,
    });
    expect(zone.records.filter((r) => r.name === "mlab-oti")).toHaveLength(4);
    expect(zone.records.find((r) => r.name === "ks._domainkey.ks")?.target).toMatch(/^v=DKIM1; k=rsa; p=/);
  });

  it("reads every type of the service, with escapes, joined strings, relative names and units of time", () => {
    const zone = read("nine-types.zone");
    expect(zone.problems).toEqual([]);
    expect(new Set(zone.records.map((r) => r.type))).toEqual(
      new Set(["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"]),
    );
    expect(zone.authority?.soaEmail).toBe("host.master@nine-types.example");
    const of = (name: string, type: string) => zone.records.filter((r) => r.name === name && r.type === type);
    expect(of("www", "CNAME")[0]?.target).toBe("nine-types.example");
    expect(of("notes", "TXT")[0]?.target).toBe('said "hello"; left and came back');
    expect(of("sel._domainkey", "TXT")[0]?.target.length).toBeGreaterThan(255);
    expect(of("", "A")[0]?.ttlSec).toBe(300);
    expect(zone.records).toContainEqual({
      type: "SRV",
      service: "xmpp-client",
      protocol: "tcp",
      priority: 5,
      weight: 0,
      port: 5222,
      target: "mail.nine-types.example",
      ttlSec: 7200,
    });
    expect(of("", "CAA").map((r) => r.tag)).toEqual(["issue", "issuewild", "iodef"]);
    expect(of("", "CAA")[0]?.target).toBe("ca.example; validationmethods=dns-01");
  });

  it("names the line of everything that it cannot read, and reads the rest", () => {
    const zone = parseZoneFile(
      [
        "$ORIGIN x.example.",
        "a IN A 192.0.2.1",
        "b IN SSHFP 1 1 aa",
        "c.other.example. IN A 192.0.2.2",
        "$INCLUDE more",
        "d IN MX 10",
        "_only 300 IN SRV 1 1 1 a",
      ].join("\n"),
    );
    expect(zone.records).toEqual([{ type: "A", name: "a", target: "192.0.2.1" }]);
    expect(zone.problems.map((p) => p.line)).toEqual([3, 4, 5, 6, 7]);
    expect(zone.problems[0]?.message).toContain("SSHFP");
  });

  it("takes the null MX, and an origin from outside the file", () => {
    const zone = parseZoneFile("@ 0 MX 0 .\n", { origin: "x.example." });
    expect(zone.records).toEqual([{ type: "MX", name: "", priority: 0, target: "", ttlSec: 0 }]);
  });

  it("reads octets in escapes as UTF-8, or each as itself where they are none, and knows the line of each record", () => {
    const text =
      '; a comment\n\na TXT "caf\\195\\169 \\034x\\034"\nb TXT "\\233t\\233"\nc TXT ( one\n  two )\nd A 192.0.2.1';
    const zone = parseZoneFile(text, { origin: "x.example" });
    expect(zone.records.map(({ target }) => target)).toEqual(['café "x"', "été", "onetwo", "192.0.2.1"]);
    expect(zone.lines).toEqual([3, 4, 5, 7]);
  });

  it("says when a parenthesis or a string is left open", () => {
    expect(parseZoneFile('a IN TXT ( "x"\n', { origin: "x.example" }).problems).toHaveLength(1);
    expect(parseZoneFile('a IN TXT "x\n', { origin: "x.example" }).problems[0]?.line).toBe(1);
  });
});
