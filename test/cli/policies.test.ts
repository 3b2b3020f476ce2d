/** Policies as users meet them: set in the project, written as modules, held to by every command that changes something. */

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Desk, jsonLines, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const domain = (name: string, more = "") =>
  `  ${name}: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: a@a.example${more} } }`;
const bucket = (acl: string) => `  site:
    type: plumbline:objectstorage:Bucket
    properties:
      cluster: us-east-1
      label: site
      acl: ${acl}`;
const database = (more = "") =>
  `  db: { type: "plumbline:databases:MySqlInstance", properties: { label: shop, engine: mysql/8.0.30, type: g6-nanode-1, region: us-east${more} } }`;

const declare = (policies: string, ...resources: string[]) =>
  desk.write(
    "Pulumi.yaml",
    `name: small\nruntime: yaml\npolicies:\n${policies}\nresources:\n${resources.join("\n")}\n`,
  );
const rules = (text: string) => `  rules: { ${text} }`;
const count = async (path: string) => (await desk.api("GET", path))["results"] as unknown as number;

describe("a mandatory policy", () => {
  it("stops preview with exit code 4, and says where and why in text, Markdown, JSON and HTML", async () => {
    declare(rules("public-bucket: mandatory"), bucket("public-read"));
    const told = await desk.run(["preview"]);
    expect(told.code, told.text).toBe(4);
    expect(told.stdout).toContain(
      "error: Pulumi.yaml:11:12: acl: everybody can read what is in it (policy public-bucket) [PLB-POLICY]",
    );
    expect(told.stdout).toContain("stopped: a finding of the mandatory policy public-bucket");

    const json = await desk.run(["preview", "--json"]);
    expect(json.code).toBe(4);
    expect(JSON.parse(json.stdout)).toMatchObject({
      diagnostics: [
        {
          severity: "error",
          policy: "public-bucket",
          property: "acl",
          line: 11,
          column: 12,
          code: "PLB-POLICY",
        },
      ],
      guard: { kind: "policy", code: "PLB-POLICY" },
    });

    const markdown = await desk.run(["preview", "--markdown", "--html", "plan.html"]);
    expect(markdown.code).toBe(4);
    expect(markdown.stdout).toContain("everybody can read what is in it (policy public-bucket)");
    expect(markdown.stdout).toContain("**Stopped:**");
    expect(readFileSync(join(desk.folder, "plan.html"), "utf8")).toContain("(policy public-bucket)");
  });

  it("stops up, up --skip-preview and up --plan before the first write", async () => {
    declare(rules("public-bucket: off"), domain("one"), bucket("public-read"));
    expect((await desk.run(["preview", "--save-plan", "plan.json"])).code).toBe(0);
    declare(rules("public-bucket: mandatory"), domain("one"), bucket("public-read"));
    for (const how of [
      ["up", "-y"],
      ["up", "-y", "--skip-preview"],
      ["up", "-y", "--plan", "plan.json"],
    ]) {
      const ran = await desk.run(how);
      expect(ran.code, ran.text).toBe(4);
      expect(ran.text).toContain("policy public-bucket");
    }
    const skipped = await desk.run(["up", "-y", "--skip-preview", "--continue-on-error", "--json"]);
    expect(skipped.code).toBe(4);
    expect(jsonLines(skipped.stdout).at(-1)).toMatchObject({
      event: "summary",
      result: "failed",
      guard: { kind: "policy" },
      requests: expect.not.objectContaining({ POST: expect.anything() }),
    });
    expect(await count("/domains")).toBe(0);
    expect(await count("/object-storage/buckets")).toBe(0);
  });

  it("stops a plan that it refuses from being saved", async () => {
    declare(rules("public-bucket: mandatory"), bucket("public-read"));
    expect((await desk.run(["preview", "--save-plan", "plan.json"])).code).toBe(4);
    expect(existsSync(join(desk.folder, "plan.json"))).toBe(false);
  });

  it("is about what is declared, also where nothing changes, until the resource is excepted", async () => {
    declare(rules("public-bucket: off"), bucket("public-read"));
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    declare(rules("public-bucket: mandatory"), bucket("public-read"));
    expect((await desk.run(["preview"])).code).toBe(4);
    declare(rules('public-bucket: { except: ["**Bucket::site"] }'), bucket("public-read"));
    expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(0);
  });

  it("judges a value that no preview knows once it is known, before that step writes", async () => {
    declare(
      "  modules: [known.js]",
      domain("one"),
      `  www: { type: "plumbline:dns:Record", properties: { domainId: "\${one.id}", type: TXT, name: www, target: "zone \${one.id}" } }`,
    );
    desk.write(
      "known.js",
      `export default { name: "no-ids", types: ["plumbline:dns:Record"], check: (step, { isUnknown }) =>
        isUnknown(step.inputs.target) ? [] : [{ property: "target", message: "tells an id" }] };`,
    );
    expect((await desk.run(["preview"])).code).toBe(0);
    const ran = await desk.run(["up", "-y", "--skip-preview"]);
    expect(ran.code, ran.text).toBe(4);
    expect(ran.stdout).toContain("target: tells an id (policy no-ids)");
    const [{ id } = { id: 0 }] = (await desk.api("GET", "/domains"))["data"] as unknown as { id: number }[];
    expect(await count(`/domains/${id}/records`)).toBe(0);
  });
});

it("a run after one that was killed is held to the policies of its own time", async () => {
  const five = Array.from({ length: 5 }, (_, at) => domain(`d${at}`));
  declare(rules(""), ...five);
  const killed = await desk.run(["up", "-y", "--parallel", "1"], {
    onOutput: (text, kill) => (/created .* d0/.test(text) ? kill("SIGKILL") : undefined),
  });
  expect(killed.code).toBeNull();
  declare(rules("naming: { pattern: 'd[0-3].*' }"), ...five);
  const ran = await desk.run(["up", "-y", "--skip-preview", "--json"]);
  expect(ran.code, ran.text).toBe(4);
  expect(jsonLines(ran.stdout).at(-1)).toMatchObject({
    guard: { kind: "policy" },
    requests: expect.not.objectContaining({ POST: expect.anything() }),
  });
});

describe("an advisory policy", () => {
  it("is told once, also of a step that is judged again because one of its values was not known", async () => {
    declare(
      rules("ttl-bounds: { level: advisory, min: 300 }"),
      domain("one"),
      `  www: { type: "plumbline:dns:Record", properties: { domainId: "\${one.id}", type: A, name: www, target: 192.0.2.1, ttlSec: 30 } }`,
    );
    const ran = await desk.run(["up", "-y"]);
    expect(ran.code, ran.text).toBe(0);
    expect(ran.text.match(/30 seconds are shorter than 300/g)).toHaveLength(1);
    expect((await desk.run(["destroy", "-y"])).code).toBe(0);
    const skipped = await desk.run(["up", "-y", "--skip-preview"]);
    expect(skipped.text.match(/30 seconds are shorter than 300/g)).toHaveLength(1);
  });

  it("warns, once for a preview and its run, and stops nothing", async () => {
    declare(rules("ttl-bounds: { level: advisory, min: 300 }"), domain("one", ", ttlSec: 30"));
    const ran = await desk.run(["up", "-y"]);
    expect(ran.code, ran.text).toBe(0);
    expect(ran.text.match(/30 seconds are shorter than 300/g)).toHaveLength(1);
    const skipped = await desk.run(["up", "-y", "--skip-preview"]);
    expect(skipped.code).toBe(0);
  });

  it("may find a great deal in one step, of which the first are told", async () => {
    desk.write(
      "rule.js",
      `export default { name: "flood", level: "advisory", check: () => Array.from({ length: 200000 }, (_, at) => "n" + at + "\u001b[2J") };`,
    );
    declare("  modules: [rule.js]", domain("one"));
    const ran = await desk.run(["preview"]);
    expect(ran.code, ran.text).toBe(0);
    expect(ran.stdout).toContain("… and 199980 more findings of policy flood");
    expect(ran.stdout).not.toContain("\u001b[2J");
  });

  it("tells the first of many findings and counts the others", async () => {
    const names = Array.from({ length: 25 }, (_, at) => domain(`d${at}`));
    declare(rules("naming: { level: advisory, pattern: shop }"), ...names);
    const ran = await desk.run(["preview"]);
    expect(ran.stdout.match(/does not match shop/g)).toHaveLength(20);
    expect(ran.stdout).toContain("… and 5 more findings of policy naming");
  });
});

describe("deletes", () => {
  it("of data are warned of without any setting, and stopped where that is set", async () => {
    declare(rules(""), database());
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    declare(rules("delete-loses-data: mandatory"), domain("one"));
    const stopped = await desk.run(["up", "-y", "--skip-preview"]);
    expect(stopped.code, stopped.text).toBe(4);
    expect(stopped.text).toContain(
      "all its data and its backups are lost with it (policy delete-loses-data; --allow delete-loses-data lets it pass)",
    );
    const destroyed = await desk.run(["destroy", "-y"]);
    expect(destroyed.code).toBe(4);
    expect(await count("/databases/instances")).toBe(1);

    const warned = await desk.run(["destroy", "-y", "--allow", "delete-loses-data"]);
    expect(warned.code, warned.text).toBe(0);
    expect(warned.text).toContain("warning: db: all its data and its backups are lost with it");
    expect(await count("/databases/instances")).toBe(0);
  });

  it("of a kept object lose nothing", async () => {
    const kept = database().replace(" }", " }, options: { retainOnDelete: true }");
    declare(rules("delete-loses-data: mandatory"), kept);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    expect((await desk.run(["destroy", "-y"])).code).toBe(0);
    expect(await count("/databases/instances")).toBe(1);
  });

  it("by replacement are stopped by a policy of their own", async () => {
    declare(rules("replace-loses-data: mandatory"), database());
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    declare(rules("replace-loses-data: mandatory"), database(", encrypted: true"));
    const ran = await desk.run(["up", "-y", "--skip-preview"]);
    expect(ran.code, ran.text).toBe(4);
    expect(ran.text).toContain("encrypted: all its data and its backups are lost with the old object");
    const [{ encrypted } = { encrypted: undefined }] = (await desk.api("GET", "/databases/instances"))[
      "data"
    ] as unknown as { encrypted?: boolean }[];
    expect(encrypted).toBe(false);
  });

  it("of more than so many, or such a part, are stopped, and let pass on demand", async () => {
    const all = Array.from({ length: 12 }, (_, at) => domain(`d${at}`));
    declare(rules(""), ...all);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    declare(rules("delete-limit: { percent: 30 }"), ...all.slice(4));
    const part = await desk.run(["up", "-y"]);
    expect(part.code).toBe(4);
    expect(part.text).toContain("4 of 12 resources would be deleted, and 30 % may be at once");
    const one = await desk.run(["preview", "--target", "d0"]);
    expect(one.code, one.text).toBe(0);
    declare(rules("delete-limit: { count: 3 }"), ...all.slice(4));
    expect((await desk.run(["up", "-y", "--skip-preview"])).code).toBe(4);
    expect(await count("/domains")).toBe(12);
    const passed = await desk.run(["up", "-y", "--allow", "delete-limit"]);
    expect(passed.code, passed.text).toBe(0);
    expect(await count("/domains")).toBe(8);
  });
});

describe("--allow", () => {
  it("is refused for a policy that does not say so, and for one that does not hold", async () => {
    declare(rules("public-bucket: mandatory"), bucket("public-read"));
    const firm = await desk.run(["up", "-y", "--allow", "public-bucket"]);
    expect(firm.code).toBe(1);
    expect(firm.text).toContain("--allow public-bucket: it is not yours to let pass (set by the project)");
    const none = await desk.run(["up", "-y", "--allow", "naming"]);
    expect(none.text).toContain("--allow naming: no such policy holds for this stack");
    declare(rules("public-bucket: { allow: true }"), bucket("public-read"));
    expect((await desk.run(["up", "-y", "--allow", "public-bucket"])).code).toBe(0);
  });
});

describe("policies from outside the project", () => {
  it("hold beside the project's own, which cannot weaken them", async () => {
    desk.write(
      "org.yaml",
      "rules: { public-bucket: mandatory, delete-loses-data: { level: mandatory, allow: false } }\n",
    );
    declare(rules("public-bucket: off"), bucket("public-read"));
    const flag = await desk.run(["preview", "--policies", "org.yaml"]);
    expect(flag.code, flag.text).toBe(4);
    const env = { PLUMBLINE_POLICIES: "org.yaml" };
    expect((await desk.run(["up", "-y"], { env })).code).toBe(4);
    const let_ = await desk.run(["up", "-y", "--allow", "delete-loses-data"], { env });
    expect(let_.code).toBe(1);
    expect(let_.text).toContain("not yours to let pass (set by org.yaml)");
  });

  it("may be a folder of modules and settings, and one that is not there is an error", async () => {
    mkdirSync(join(desk.folder, "org"));
    desk.write("org/policies.yaml", "rules: { owner-tag: { prefix: 'team:' } }\n");
    desk.write(
      "org/owner.ts",
      `interface Step { inputs?: { tags?: string[] } }
export default [{ name: "owner-tag", description: "names its owner", types: ["plumbline:dns:Domain"], settings: { prefix: "owner:" },
  check(step: Step, { settings }: { settings: { prefix: string } }): string[] {
    return (step.inputs?.tags ?? []).some((tag) => tag.startsWith(settings.prefix)) ? [] : ["needs a tag " + settings.prefix];
  } }];`,
    );
    declare(rules(""), domain("one", ", tags: ['owner:me']"));
    const ran = await desk.run(["preview", "--policies", "org"]);
    expect(ran.code, ran.text).toBe(4);
    expect(ran.stdout).toContain("needs a tag team: (policy owner-tag)");
    const none = await desk.run(["preview", "--policies", "nowhere"]);
    expect(none.code).toBe(1);
    expect(none.text).toContain("PLUMBLINE_POLICIES: there is no nowhere");
  });
});

describe("a module", () => {
  const withModule = (text: string, name = "rule.js") => {
    desk.write(name, text);
    declare(`  modules: [${name}]`, domain("one"));
    return desk.run(["up", "-y"]);
  };

  it("whose rule throws, answers with a promise or with nonsense stops the run, named with its place", async () => {
    const thrown = await withModule(
      `export default { name: "broken", allow: true, check: (step) => step.nothing.at };`,
    );
    expect(thrown.code, thrown.text).toBe(4);
    expect(thrown.text).toMatch(/policy broken \(.*rule\.js\) could not judge: TypeError: .*rule\.js:1\)/);
    const promised = await withModule(`export default { name: "late", check: async () => [] };`);
    expect(promised.code).toBe(4);
    expect(promised.text).toContain("a rule must answer at once");
    const odd = await withModule(`export default { name: "odd", level: "advisory", check: () => 7 };`);
    expect(odd.code, odd.text).toBe(4);
    expect(await count("/domains")).toBe(0);
    const allowed = await desk.run(["up", "-y", "--allow", "odd"]);
    expect(allowed.code).not.toBe(0);
  });

  it("that does not end, or ends its thread, stops the run", async () => {
    const endless = await withModule(`export default { name: "endless", check: () => { for (;;); } };`);
    expect(endless.code, endless.text).toBe(4);
    expect(endless.text).toContain("policy endless");
    expect(endless.text).toContain("did not end within 5 seconds");
    const gone = await withModule(`export default { name: "gone", check: () => process.exit(0) };`);
    expect(gone.code, gone.text).toBe(4);
    expect(gone.text).toContain("it ended the thread that it runs in");
    const stuck = await withModule("for (;;);");
    expect(stuck.code).toBe(1);
    expect(stuck.text).toContain("rule.js cannot be loaded: it did not end within 5 seconds");
    const greedy = await withModule(
      `export default { name: "greedy", check: () => { const all = []; for (;;) all.push(new Array(1e6).fill(1)); } };`,
    );
    expect(greedy.code).toBe(4);
    expect(greedy.text).toContain("reaching memory limit");
    expect(await count("/domains")).toBe(0);
  });

  it("that cannot be loaded is told as JSON, too", async () => {
    desk.write("rule.js", "export default {");
    declare("  modules: [rule.js]", domain("one"));
    for (const words of [["preview"], ["validate"]]) {
      const ran = await desk.run([...words, "--json"]);
      expect(ran.code, ran.text).toBe(1);
      expect(JSON.parse(ran.stdout)).toMatchObject({
        diagnostics: [
          { severity: "error", message: expect.stringContaining("rule.js cannot be loaded: SyntaxError") },
        ],
      });
    }
    const up = jsonLines((await desk.run(["up", "-y", "--json"])).stdout);
    expect(up.at(-1)).toMatchObject({ event: "summary", result: "failed" });
  });

  it("sees no secret, no token and no environment, and what it prints is no part of the output", async () => {
    desk.write(
      "spy.js",
      `export default { name: "spy", check(step, context) {
  console.log("LOUD");
  return JSON.stringify([step, context, process.env, process.argv]);
} };`,
    );
    declare(
      "  modules: [spy.js]",
      `  login: { type: "plumbline:managed:Credential", properties: { label: login, username: me, password: a long secret } }`,
      `  other: { type: "pulumi:providers:plumbline", properties: { token: another-long-token } }`,
    );
    const ran = await desk.run(["preview", "--json", "--show-secrets"]);
    expect(ran.text).not.toContain("another-long-token");
    expect(ran.text).toContain("pulumi:providers:plumbline");
    expect(ran.code, ran.text).toBe(4);
    expect(ran.text).not.toContain("a long secret");
    expect(ran.text).not.toContain(desk.emulator.token);
    expect(ran.stdout).not.toContain("LOUD");
    const { diagnostics } = JSON.parse(ran.stdout) as { diagnostics: { message: string }[] };
    const told = diagnostics.map(({ message }) => message).join("\n");
    expect(told).toContain(`"password":{"$secret":true}`);
    expect(told).toContain(`"token":{"$secret":true}`);
    expect(told).toContain(`"resources":0`);
  });

  it.each([
    ["export default { check() {} };", 'needs a "name"'],
    ['export default { name: "x" };', 'needs a function: "check"'],
    ['export default { name: "x", chek() {} };', 'unknown key "chek" - did you mean'],
    ['export default { name: "x", level: "fatal", check() {} };', '"level" that is none of'],
    [
      'export default { name: "x", types: ["plumbline:dns:Zon"], check() {} };',
      "there is no type plumbline:dns:Zon",
    ],
    ['export default { name: "naming", check() {} };', "there is a rule naming already"],
    ["export default {", "SyntaxError"],
    ["export const x = ;", "SyntaxError"],
    ["", "exports no rule"],
  ])("%s is refused with what is wrong", async (text, reason) => {
    const ran = await withModule(text);
    expect(ran.code, ran.text).toBe(1);
    expect(ran.text).toContain(reason);
    expect(await count("/domains")).toBe(0);
  });
});

describe("settings", () => {
  it.each([
    ["publik-bucket: mandatory", "there is no policy publik-bucket - did you mean"],
    ["public-bucket: strict", "must be off, advisory, mandatory or an object of settings"],
    ["public-bucket: { level: 7 }", "level must be off, advisory, mandatory"],
    ["ttl-bounds: { minimum: 7 }", "minimum is not a known setting"],
    ["ttl-bounds: { min: short }", "min must be"],
    ["naming: { pattern: '[' }", "pattern is no regular expression"],
    ["naming: mandatory", "pattern is required"],
    ["public-bucket: { stacks: 7 }", "stacks must be a text or a list of texts"],
    ["public-bucket: { allow: maybe }", "allow must be true or false"],
  ])("%s are refused with their place", async (text, reason) => {
    declare(rules(text), domain("one"));
    for (const how of [["validate"], ["up", "-y"]]) {
      const ran = await desk.run(how);
      expect(ran.code, ran.text).toBe(1);
      expect(ran.text).toMatch(/Pulumi\.yaml:4:\d+: /);
      expect(ran.text).toContain(reason);
    }
    expect(await count("/domains")).toBe(0);
  });

  it("may name the stacks that a policy is for", async () => {
    declare(rules("single-node-database: { stacks: [prod, 'live-*'] }"), database());
    expect((await desk.run(["preview"])).code).toBe(0);
    for (const stack of ["prod", "live-eu"])
      expect((await desk.run(["preview", "--stack", stack])).code).toBe(4);
  });
});

describe("import", () => {
  it("takes nothing in that a mandatory policy refuses, one object or a whole account", async () => {
    declare(rules("open-allow-list: mandatory"), domain("one"));
    const body = { label: "wide", engine: "mysql/8.0.30", type: "g6-nanode-1", region: "us-east" };
    await desk.api("POST", "/databases/mysql/instances", { ...body, allow_list: ["0.0.0.0/0"] });
    const one = await desk.run(["import", "plumbline:databases:MySqlInstance", "wide", "mysql/wide"]);
    expect(one.code, one.text).toBe(4);
    expect(one.text).toContain("0.0.0.0/0 lets everybody connect (policy open-allow-list)");
    expect((await desk.run(["state", "list"])).stdout).not.toContain("wide");

    rmSync(join(desk.folder, "Pulumi.yaml"));
    const before = "name: small\nruntime: yaml\npolicies: { rules: { open-allow-list: mandatory } }\n";
    desk.write("Pulumi.yaml", before);
    const all = await desk.run(["import", "--all", "-y"]);
    expect(all.code, all.text).toBe(4);
    expect(readFileSync(join(desk.folder, "Pulumi.yaml"), "utf8")).toBe(before);
  });
});

describe("plumbline policy", () => {
  it("ls tells every rule, its level for the stack, its settings and who set it", async () => {
    desk.write("org.yaml", "rules: { public-object: advisory }\n");
    declare(rules("ttl-bounds: { min: 60, stacks: prod }"), domain("one"));
    const json = await desk.run(["policy", "ls", "--json", "--policies", "org.yaml"]);
    expect(json.code, json.text).toBe(0);
    const listed = JSON.parse(json.stdout) as { name: string; owner: string }[];
    expect(listed).toContainEqual(
      expect.objectContaining({ name: "ttl-bounds", level: "off", owner: "project", stacks: ["prod"] }),
    );
    expect(listed).toContainEqual(
      expect.objectContaining({ name: "public-object", level: "advisory", owner: "org.yaml" }),
    );
    expect(listed).toContainEqual(
      expect.objectContaining({ name: "delete-loses-data", level: "advisory", allow: true }),
    );
    const text = await desk.run(["policy", "ls", "--stack", "prod"]);
    expect(text.stdout).toMatch(/^mandatory +ttl-bounds +project +A TTL/m);
    expect(text.stdout).toContain("min: 60, max: 86400");
  });

  it("new writes a rule in either language that does its work, and none over another", async () => {
    for (const flags of [[], ["--typescript"]]) {
      const made = await desk.run(["policy", "new", flags.length > 0 ? "typed" : "plain", ...flags]);
      expect(made.code, made.text).toBe(0);
    }
    expect((await desk.run(["policy", "new", "plain"])).text).toContain("plain.js is there already");
    expect((await desk.run(["policy", "new", "../out"])).code).toBe(1);
    declare("  modules: [policies]", domain("one"));
    const ran = await desk.run(["preview"]);
    expect(ran.code).toBe(4);
    for (const name of ["plain", "typed"])
      expect(ran.stdout).toContain(`tags: needs a tag that begins with owner: (policy ${name})`);
  });

  it("pack makes a folder that --policies takes of what the project sets, and writes over nothing", async () => {
    desk.write("rule.js", `export default { name: "own", check: () => ["no"] };`);
    declare(
      `  modules: [rule.js]\n${rules("public-bucket: mandatory, own: { level: advisory, stacks: [dev] }")}`,
      domain("one"),
    );
    const packed = await desk.run(["policy", "pack", "pack"]);
    expect(packed.code, packed.text).toBe(0);
    expect(readFileSync(join(desk.folder, "pack/PulumiPolicy.yaml"), "utf8")).toContain("runtime: plumbline");
    desk.write("Pulumi.yaml", `name: small\nruntime: yaml\nresources:\n${bucket("public-read")}\n`);
    const ran = await desk.run(["preview", "--policies", "pack"]);
    expect(ran.code, ran.text).toBe(4);
    expect(ran.stdout).toContain("warning: Pulumi.yaml:4:3: no (policy own)");
    expect((await desk.run(["policy", "pack", "pack"])).text).toContain("is there already");
  });

  it("test asks the rules about cases, and fails for what they should have found and did not", async () => {
    declare(rules("public-bucket: mandatory, delete-loses-data: advisory"), domain("one"));
    const bucketCase = (expectation: string, acl: string) =>
      `  - name: ${acl}\n    steps: [{ type: "plumbline:objectstorage:Bucket", inputs: { acl: ${acl} } }]\n    expect: ${expectation}\n`;
    const lost = `  - name: lost\n    steps: [{ operation: delete, type: "plumbline:blockstorage:Volume", oldInputs: { size: 20 } }]\n    expect: [delete-loses-data]\n`;
    desk.write("policies.test.yaml", `cases:\n${bucketCase("[public-bucket]", "public-read")}${lost}`);
    const passed = await desk.run(["policy", "test"]);
    expect(passed.code, passed.text).toBe(0);
    expect(passed.stdout).toContain("2 of 2 passed");
    desk.write(
      "other.yaml",
      `cases:\n${bucketCase("[public-bucket]", "private")}${bucketCase("[]", "public-read")}`,
    );
    const failed = await desk.run(["policy", "test", "other.yaml"]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("public-bucket finds nothing");
    expect(failed.stdout).toContain("public-bucket finds: acl: everybody can read");
    desk.write("other.yaml", "cases: [{ steps: [{ type: what }], expect: [] }]");
    expect((await desk.run(["policy", "test", "other.yaml"])).text).toContain(
      'case 1: step 1: there is no type "what"',
    );
  });

  it("test judges a saved plan, whose secrets stay shut", async () => {
    const login = `  login: { type: "plumbline:managed:Credential", properties: { label: login, username: me, password: a long secret } }`;
    declare(rules(""), database(), login);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    declare(rules("delete-loses-data: mandatory"), login.replace("login,", "logon,"));
    expect(
      (await desk.run(["preview", "--save-plan", "plan.json", "--allow", "delete-loses-data"])).code,
    ).toBe(0);
    const ran = await desk.run(["policy", "test", "--plan", "plan.json"], {
      env: { PLUMBLINE_PASSPHRASE: undefined },
    });
    expect(ran.code, ran.text).toBe(4);
    expect(ran.stdout).toContain("mandatory  db: all its data and its backups are lost with it");
    expect((await desk.run(["policy", "test", "--plan", "plan.json", "x.yaml"])).code).toBe(1);
  });
});
