/** A program of Node through its life on the embedded engine, as a user leads it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { kept, leftovers, writes } from "../e2e/account.ts";
import { openNodeProjects, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

const names = (emulator: Parameters<typeof kept>[0]) =>
  kept(emulator, "domain_records")
    .map(({ name }) => name)
    .filter((name) => name !== "")
    .sort();

describe("a program", { timeout: 60_000 }, () => {
  it("comes up, needs nothing the second time, follows its text, and goes without a trace", async () => {
    const p = await projects.project(
      `${zoneOf("www", "mail")}\nexports.zoneId = zone.id;\nexports.kind = "zone";\n`,
    );
    const before = leftovers(p.emulator);
    expect(await p.succeed("validate")).toContain("valid");
    expect(await p.succeed("preview")).toMatch(/zoneId +\[unknown\][\s\S]*3 to create/);
    expect(writes(p.emulator)).toEqual({});
    expect(await p.succeed("up", "-y")).toContain("3 created");
    const id = String(kept(p.emulator, "domains")[0]?.id);
    expect(await p.succeed("stack", "output", "zoneId")).toBe(`${id}\n`);
    const sent = writes(p.emulator);
    expect(await p.succeed("up", "-y")).toContain("3 unchanged");
    expect(await p.succeed("refresh", "-y")).toContain("3 unchanged");
    expect(await p.succeed("drift")).toContain("no drift");
    expect(writes(p.emulator)).toEqual(sent);
    p.write(zoneOf("www", "shop"));
    expect(await p.succeed("up", "-y")).toMatch(/1 created.*1 deleted/);
    expect(names(p.emulator)).toEqual(["shop", "www"]);
    expect(await p.succeed("stack", "graph")).toContain("Record shop");
    expect(await p.succeed("destroy", "-y")).toContain("3 deleted");
    expect(leftovers(p.emulator)).toEqual(before);
    expect(p.emulator.mismatches).toEqual([]);
  });

  it("adopts what is there already, by import and by its own option", async () => {
    const p = await projects.project(zoneOf());
    await p.succeed("up", "-y", "--skip-preview");
    const id = String(kept(p.emulator, "domains")[0]?.id);
    await p.succeed("state", "rm", "zone", "-y");
    await p.succeed("import", "plumbline:dns:Domain", "zone", id);
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("1 unchanged");
    await p.succeed("state", "rm", "zone", "-y");
    p.write(zoneOf().replace(" });", ` }, { import: "${id}" });`));
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("1 imported");
    expect(kept(p.emulator, "domains").map((one) => String(one.id))).toEqual([id]);
  });

  it("is told its config, and no secret of it stands anywhere in plain text", async () => {
    const p = await projects.project(
      `const config = new pulumi.Config();
const key = config.requireSecret("key");
const domain = config.require("domain");
const list = config.requireObject("list");
console.log("stack", pulumi.getStack(), "of", pulumi.getProject(), "by", pulumi.getOrganization(), typeof list[1]);
key.apply((plain) => console.log("the key is " + plain));
const zone = new plumbline.dns.Domain("zone", { domain, type: "master", soaEmail: "admin@shop.example", description: key });
exports.key = key;
exports.size = config.requireNumber("size");
exports.other = new pulumi.Config("elsewhere").get("color");
`,
      {
        config: {
          size: { type: "integer", default: 3 },
          list: { type: "array", items: { type: "integer" }, default: [1, 2] },
        },
      },
    );
    await p.succeed("config", "set", "domain", "shop.example");
    await p.succeed("config", "set", "key", "hidden-word", "--secret");
    await p.succeed("config", "set", "elsewhere:color", "red");
    const said = await p.succeed("up", "-y");
    expect(said).toContain("stack dev of shop by organization number");
    expect(said).toContain("the key is [secret]");
    expect(said).not.toContain("hidden-word");
    expect(kept(p.emulator, "domains")[0]?.["description"]).toBe("hidden-word");
    for (const file of readdirSync(p.folder, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), "utf8"), file.name).not.toContain(
          "hidden-word",
        );
    expect(JSON.parse(await p.succeed("stack", "output", "--json", "--show-secrets"))).toEqual({
      key: "hidden-word",
      size: 3,
      other: "red",
    });
    expect(await p.succeed("up", "-y", "--skip-preview", "--json")).not.toContain("hidden-word");
  });
});
