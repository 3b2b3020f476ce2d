/** A program in Python through its life on the embedded engine, as a user leads it. */

import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kept, leftovers, writes } from "../e2e/account.ts";
import { python } from "../e2e/python.ts";
import { openPythonProjects, pythonZoneOf as zoneOf } from "./project.ts";

let projects: ReturnType<typeof openPythonProjects>;
beforeAll(() => {
  if (python) projects = openPythonProjects();
}, 60_000);
afterAll(() => projects?.close());

const names = (emulator: Parameters<typeof kept>[0]) =>
  kept(emulator, "domain_records")
    .map(({ name }) => name)
    .filter((name) => name !== "")
    .sort();

describe.skipIf(!python)("a program in Python", { timeout: 90_000 }, () => {
  it("comes up, needs nothing the second time, follows its text, and goes without a trace", async () => {
    const p = await projects.project(
      `${zoneOf("www", "mail")}\npulumi.export("zoneId", zone.id)\npulumi.export("kind", "zone")\n`,
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
    const option = `soa_email="admin@shop.example", opts=pulumi.ResourceOptions(import_="${id}")`;
    p.write(zoneOf().replace('soa_email="admin@shop.example"', option));
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("1 imported");
    expect(kept(p.emulator, "domains").map((one) => String(one.id))).toEqual([id]);
  });

  it("is told its config, and no secret of it stands anywhere in plain text", async () => {
    const p = await projects.project(
      `import sys
config = pulumi.Config()
key = config.require_secret("key")
print("stack", pulumi.get_stack(), "of", pulumi.get_project(), "by", pulumi.get_organization(), config.require_object("list")[1] + 1)
key.apply(lambda plain: print("the key is " + plain, file=sys.stderr))
pulumi.log.warn("mind the gap")
pulumi.log.debug("too much")
zone = dns.Domain("zone", domain=config.require("domain"), type="master", soa_email="admin@shop.example", description=key)
pulumi.export("key", key)
pulumi.export("size", config.require_int("size"))
pulumi.export("other", pulumi.Config("elsewhere").get("color"))
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
    expect(said).toContain("stack dev of shop by organization 3");
    expect(said).toContain("warning: mind the gap");
    expect(said).not.toContain("too much");
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

  it("asks functions, reads what it does not own and other stacks, and knows a preview", async () => {
    const p = await projects.project(`${zoneOf("www")}pulumi.export("kind", pulumi.Output.secret("zone"))\n`);
    await p.succeed("up", "-y", "--skip-preview");
    const id = String(kept(p.emulator, "domains")[0]?.id);
    p.write(`
print("asked at once:", dns.get_domain(id="${id}").domain)
print("a preview:", pulumi.runtime.is_dry_run())
pulumi.export("asked", dns.get_records_output(domain_id="${id}", type="A").apply(lambda answer: len(answer.records)))
pulumi.export("read", dns.Domain.get("theirs", "${id}").soa_email)
pulumi.export("theirs", pulumi.StackReference("organization/shop/dev").get_output("kind"))
`);
    const said = await p.succeed("preview", "--stack", "reader");
    expect(said).toContain("asked at once: shop.example");
    expect(said).toContain("a preview: True");
    expect(await p.succeed("up", "-y", "--skip-preview", "--stack", "reader")).toContain("a preview: False");
    expect(
      JSON.parse(await p.succeed("stack", "output", "--json", "--show-secrets", "--stack", "reader")),
    ).toEqual({
      asked: 1,
      read: "admin@shop.example",
      theirs: "zone",
    });
  });

  it("hands names down a row of resources longer than Pulumi's runtime has threads for", async () => {
    const row = (first: number) => `
for at in range(80):
    dns.Domain(f"d{at}", domain=f"d{at + ${first}}.example", type="master", soa_email="admin@shop.example")
`;
    const p = await projects.project(row(0));
    await p.succeed("up", "-y", "--skip-preview");
    p.write(row(1));
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("80 updated");
    expect(kept(p.emulator, "domains").some(({ domain }) => domain === "d80.example")).toBe(true);
  });

  it("has its interpreter where the project says, from whatever folder it is run", async () => {
    const virtualenv = relative(join(tmpdir(), "any", "project"), realpathSync(python!));
    const options = { virtualenv };
    const p = await projects.project("", { runtime: { name: "python", options }, main: "source" });
    mkdirSync(join(p.folder, "source"));
    writeFileSync(
      join(p.folder, "source", "__main__.py"),
      "import sys\nfrom beside import told\ntold(sys.prefix)\n",
    );
    writeFileSync(join(p.folder, "source", "beside.py"), "def told(text):\n    print('it is', text)\n");
    Object.assign(p.env, { PATH: "/usr/bin:/bin", PYTHONHOME: "/nowhere" });
    expect(await p.succeed("preview", "--cwd", p.folder)).toContain(`it is ${realpathSync(python!)}`);
  });
});
