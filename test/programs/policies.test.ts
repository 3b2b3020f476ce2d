/** Programs of Node are held to policies and told of costs as stack files are, also for what no preview of theirs can know. */

import { afterAll, describe, expect, it } from "vitest";
import { kept, writes } from "../e2e/account.ts";
import { openNodeProjects, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

const rules = { "ttl-bounds": { level: "mandatory", min: 300 } };
const late = `${zoneOf("www")}
zone.id.apply((domainId) => new plumbline.dns.Record("late", { domainId, type: "A", name: "late", target: "203.0.113.9", ttlSec: 30 }));
`;

describe("a program", { timeout: 60_000 }, () => {
  it("whose declaration a mandatory policy refuses is stopped before its first write", async () => {
    const p = await projects.project(`${zoneOf("www")}`.replace('"master"', '"master", ttlSec: 30'), {
      policies: { rules },
    });
    for (const how of [["preview"], ["up", "-y"], ["up", "-y", "--skip-preview"]]) {
      const { code, said } = await p.run(...how);
      expect(code, said).toBe(4);
      expect(said).toContain("ttlSec: 30 seconds are shorter than 300 (policy ttl-bounds)");
    }
    expect(writes(p.emulator)).toEqual({});
  });

  it("that declares something only once a value is known has it judged then, before it is made", async () => {
    const p = await projects.project(late, { policies: { rules } });
    expect((await p.run("preview")).code).toBe(0);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(code, said).toBe(4);
    expect(said).toContain("ttlSec: 30 seconds are shorter than 300 (policy ttl-bounds)");
    expect(kept(p.emulator, "domain_records").map(({ name }) => name)).not.toContain("late");
  });

  it("is told what it costs, with components left out", async () => {
    const p = await projects.project(`const group = new pulumi.ComponentResource("shop:index:Group", "group");
new plumbline.databases.MySqlInstance("db", { engine: "mysql/8.0.30", type: "g6-nanode-1", region: "us-east" }, { parent: group });
`);
    const said = await p.succeed("preview", "--cost");
    expect(said).toMatch(/^ {2}databases:MySqlInstance {2}db {2}\+15\.00 USD$/m);
    expect(said).not.toContain("Group (per");
  });
});
