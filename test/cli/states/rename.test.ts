/** A stack gets another name wherever a team keeps it. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StoreName, stores } from "../../stores.ts";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const text = (name: string, ttl: number) => `name: ${name}
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: a@b.example, ttlSec: ${ttl} } }
outputs: { hidden: { "fn::secret": open sesame } }
`;

describe.each(Object.keys(stores) as StoreName[])("a stack in %s", { timeout: 60_000 }, (name) => {
  it("is renamed with its secrets and versions, while another of its project stays", async () => {
    const env = await stores[name]!();
    const project = name.toLowerCase().replaceAll(" ", "-");
    const run = async (...args: string[]) => {
      const ran = await desk.run(args, { env });
      expect(ran.code, ran.text).toBe(0);
      return ran.stdout;
    };
    for (const ttl of [300, 3600]) {
      desk.write("Pulumi.yaml", text(project, ttl));
      await run("up", "-y", "--skip-preview");
    }
    await run("stack", "rename", "live");
    expect(await run("stack", "list")).toBe("live\n");
    expect(await run("preview", "--expect-no-changes", "-s", "live")).toContain("1 unchanged");
    expect(await run("stack", "output", "hidden", "--show-secrets", "-s", "live")).toBe("open sesame\n");
    const versions = JSON.parse(await run("stack", "history", "--json", "-s", "live")) as object[];
    expect(
      versions.map((version) => ("operation" in version ? version.operation : undefined)).sort(),
    ).toEqual(["rename", "up", "up"]);
    expect(await run("stack", "export", "--version", "1", "-s", "live")).toMatch(/"ttlSec": 300\b/);
    await run("stack", "rename", "dev", "-s", "live");
    expect(await run("preview", "--expect-no-changes")).toContain("1 unchanged");
    await run("destroy", "-y");
  });
});
