/** A record beside others, in an update, and at the limits; and the seconds that are stored for the seconds sent. */

import { describe, expect, it } from "vitest";
import { listedNeighbours } from "../../../../emulator/areas/dns/neighbours.ts";
import { judgeRecord, mostRecords } from "../../../../emulator/areas/dns/record.ts";
import { domainSeconds, recordSeconds } from "../../../../emulator/areas/dns/seconds.ts";
import { judge, srv, stored, zone } from "./record-judge.ts";

describe("records", () => {
  it("tells all problems of one record at once", () => {
    const { reasons } = judge({ type: "NS", name: "*", target: "", tag: "issue", port: 7 });
    expect(reasons.map((reason) => reason.field).sort()).toEqual(["name", "port", "tag", "target"]);
  });

  it("keeps a CNAME alone at its name, both ways and whatever the case (2.4)", () => {
    const cname = stored({ type: "CNAME", name: "www", target: "a.example.net" });
    const txt = stored({ type: "TXT", name: "WWW", target: "x" });
    expect(judge({ type: "TXT", name: "WWW", target: "x" }, [cname]).reasons).toMatchObject([
      { field: "name" },
    ]);
    expect(judge({ type: "CNAME", name: "www", target: "b.example.net" }, [txt]).reasons).toMatchObject([
      { field: "name" },
    ]);
    expect(judge({ type: "CNAME", name: "www", target: "b.example.net" }, [cname]).reasons).toMatchObject([
      { field: "name" },
    ]);
    expect(judge({ type: "A", name: "www.www", target: "192.0.2.1" }, [cname]).reasons).toEqual([]);
  });

  it("accepts exact duplicates of other types (notes, section 4)", () => {
    const a = stored({ type: "A", name: "www", target: "192.0.2.1" });
    expect(judge({ type: "A", name: "www", target: "192.0.2.1" }, [a]).reasons).toEqual([]);
  });

  it("takes a Null MX only when no other MX exists, and no MX beside it (2.4)", () => {
    const mx = stored({ type: "MX", name: "lists", target: "mx.example.net" });
    const none = stored({ type: "MX", target: "" });
    expect(judge({ type: "MX", target: "" }, [mx]).reasons).toHaveLength(1);
    expect(judge({ type: "MX", target: "mx.example.net" }, [none]).reasons).toHaveLength(1);
    expect(judge({ type: "MX", target: "" }, [none]).reasons).toHaveLength(1);
    expect(
      judge({ target: "" }, [mx], stored({ type: "MX", target: "mx2.example.net" })).reasons,
    ).toHaveLength(1);
    expect(judge({ target: "mx2.example.net" }, [], none).reasons).toEqual([]);
  });

  it("judges what an update leads to (7)", () => {
    const current = stored(srv);
    expect(judge({ port: 5061 }, [], current).fields).toMatchObject({
      port: 5061,
      weight: 5,
      name: "_sip._tcp",
    });
    expect(judge({ service: "ldap" }, [], current).fields.name).toBe("_ldap._tcp");
    expect(judge({ service: null }, [], current).reasons).toMatchObject([{ field: "service" }]);
    expect(judge({ port: null }, [], current).reasons).toEqual([]);
    const caa = stored({ type: "CAA", tag: "issue", target: "ca.example.net; a=b" });
    expect(judge({ tag: "issuewild" }, [], caa).reasons).toMatchObject([{ field: "target" }]);
    const a = stored({ type: "A", name: "www", target: "192.0.2.1" });
    expect(judge({ name: "" }, [], a).fields.name).toBe("");
    expect(judge({ tag: "issue" }, [], a).reasons).toMatchObject([{ field: "tag" }]);
  });

  it("ignores an equal type in an update and refuses another (2.4)", () => {
    const current = stored({ type: "A", target: "192.0.2.1" });
    expect(judge({ type: "A", target: "192.0.2.2" }, [], current).reasons).toEqual([]);
    expect(judge({ type: "AAAA" }, [], current).reasons).toMatchObject([{ field: "type" }]);
  });

  it("cannot take the request's address from a request over IPv6 (2.4)", () => {
    const sent = { type: "A", target: "[remote_addr]" };
    expect(judge(sent, [], undefined, "::ffff:127.0.0.1").fields.target).toBe("127.0.0.1");
    expect(judge(sent, [], undefined, "2001:db8::1").reasons).toMatchObject([{ field: "target" }]);
  });

  it("refuses the 12,001st record, and still changes the others (8)", () => {
    const full = { ...listedNeighbours([]), size: mostRecords };
    const place = { zone, neighbours: full, remoteAddress: "" };
    const sent = { type: "A", target: "192.0.2.1" };
    expect(judgeRecord(sent, place).reasons).toHaveLength(1);
    expect(judgeRecord(sent, place, stored(sent)).reasons).toEqual([]);
    expect(judgeRecord(sent, { ...place, neighbours: { ...full, size: mostRecords - 1 } }).reasons).toEqual(
      [],
    );
  });
});

describe("seconds", () => {
  it.each([
    [0, 0],
    [1, 30],
    [30, 30],
    [31, 120],
    [299, 300],
    [301, 3600],
    [600, 3600],
    [3601, 7200],
    [86400, 86400],
    [86401, 172800],
    [1209601, 2419200],
    [2419200, 2419200],
    [2419201, 2419200],
    [-1, 0],
  ])("of a domain go up: %i becomes %i (2.3)", (sent, kept) => {
    expect(domainSeconds(sent)).toBe(kept);
  });

  it.each([
    [0, 0],
    [1, 300],
    [30, 300],
    [299, 300],
    [600, 300],
    [1949, 300],
    [1950, 3600],
    [1951, 3600],
    [5400, 7200],
    [5399, 3600],
    [2419201, 2419200],
    [1814400, 2419200],
    [1814399, 1209600],
  ])("of a record go to the nearest, a tie up: %i becomes %i (2.4)", (sent, kept) => {
    expect(recordSeconds(sent)).toBe(kept);
  });
});
