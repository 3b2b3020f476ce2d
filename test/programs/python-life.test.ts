/** A program in Python through its life on the embedded engine, as a user leads it. */

import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kept } from "../e2e/account.ts";
import { python } from "../e2e/python.ts";
import { judgesLife } from "./life-judge.ts";
import { openPythonProjects, type Projects, pythonZoneOf as zoneOf } from "./project.ts";

let projects: Projects;
beforeAll(() => {
  if (python) projects = openPythonProjects();
}, 60_000);
afterAll(() => projects?.close());

describe.skipIf(!python)("a program in Python", { timeout: 90_000 }, () => {
  judgesLife(() => projects, {
    zoneOf,
    outputs: 'pulumi.export("zoneId", zone.id)\npulumi.export("kind", "zone")\n',
    adopting: (id) =>
      zoneOf().replace(
        'soa_email="admin@shop.example"',
        `soa_email="admin@shop.example", opts=pulumi.ResourceOptions(import_="${id}")`,
      ),
    configured: `import sys
config = pulumi.Config()
key = config.require_secret("key")
print("stack", pulumi.get_stack(), "of", pulumi.get_project(), "by", pulumi.get_organization(), config.require_object("list")[1] + 1)
key.apply(lambda plain: print("the key is " + plain, file=sys.stderr))
pulumi.log.warn("mind the gap")
pulumi.log.debug("too much")
zone = dns.Domain("zone", domain=config.require("domain"), type="master", soa_email="admin@shop.example", description=key)
pulumi.export("key", key)
pulumi.export("size", config.require_int("size"))
pulumi.export("other", pulumi.Config("elsewhere").get("color"))`,
    telling: `key = objectstorage.Key("key", label="key")
key.secret_key.apply(lambda plain: print("it is", plain))
pulumi.export("made", key.secret_key)
`,
    retelling: `theirs = pulumi.StackReference("organization/shop/dev").get_output("made")
theirs.apply(lambda plain: print("theirs is", plain))
`,
    referring: `base = vpc.Vpc("base", label="base", region="us-east")
other = pulumi.StackReference("other", stack_name=base.id.apply(lambda _: "organization/shop/dev"))
pulumi.export("theirs", other.require_output("kind"))
vpc.Vpc("named", label=other.get_output("kind"), region="us-east")
`,
    says: ["stack dev of shop by organization 3", "warning: mind the gap"],
    saysNot: ["too much"],
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

  it("that handles what fails in its tasks, threads and functions is sound", async () => {
    const p = await projects.project(`
import asyncio, threading, time
from concurrent.futures import ThreadPoolExecutor
async def fail():
    raise ValueError("no luck")
async def handle():
    try:
        await asyncio.create_task(fail())
    except ValueError:
        pass
    asyncio.create_task(asyncio.sleep(60)).cancel()
    asyncio.get_event_loop().call_later(60, handle).cancel()
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.01)
    except asyncio.TimeoutError:
        return "handled"
for wrong in ["1", "2"]:
    try:
        dns.get_domain(id=wrong)
    except Exception:
        pass
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
threading.Thread(target=time.sleep, args=(0.5,)).start()
pulumi.export("sum", sum(ThreadPoolExecutor(2).map(lambda each: each * 2, range(3))))
pulumi.export("first", handle())
asyncio.gather(fail(), handle(), return_exceptions=True)
${zoneOf("a")}`);
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("2 created");
    expect(JSON.parse(await p.succeed("stack", "output", "--json"))).toEqual({ first: "handled", sum: 6 });
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
