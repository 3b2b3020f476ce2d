/** `plumbline new`: each template is a stack that a new user can apply at once. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { templates } from "../../provider/cli/templates/index.ts";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

describe.each(templates)("the template $name", ({ name }) => {
  it("is applied as it is, unchanged by a second run", async () => {
    mkdirSync(join(desk.folder, name));
    const made = await desk.run(["new", name, "-C", name]);
    expect(made.code, made.text).toBe(0);
    expect(made.stdout).toContain(`plumbline up --emulator -C ${name}`);
    const valid = await desk.run(["validate", "-C", name]);
    expect(valid.text).toBe("valid: no problem found\n");
    const ran = await desk.run(["up", "-y", "--skip-preview", "-C", name]);
    expect(ran.code, ran.text).toBe(0);
    const again = await desk.run(["preview", "--expect-no-changes", "-C", name]);
    expect(again.code, again.text).toBe(0);
  });
});

describe("the file that is made", () => {
  it("tells editors where its schema is, and is called after its folder", async () => {
    const file = join(desk.folder, "dns/Pulumi.yaml");
    const [first, second] = readFileSync(file, "utf8").split("\n");
    const schema = join(dirname(file), /^# yaml-language-server: \$schema=(.+)$/.exec(first!)![1]!);
    expect(JSON.parse(readFileSync(schema, "utf8"))).toHaveProperty("properties.resources");
    expect(second).toBe('name: "dns"');
  });

  it("is not written over one that is there", async () => {
    const before = readFileSync(join(desk.folder, "dns/Pulumi.yaml"), "utf8");
    const ran = await desk.run(["new", "vpc", "-C", "dns"]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("is there already");
    expect(readFileSync(join(desk.folder, "dns/Pulumi.yaml"), "utf8")).toBe(before);
  });

  it("is one of a name that is given, under another file name too", async () => {
    const ran = await desk.run(["new", "dns", "--name", "second", "-f", "other.yaml", "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ template: "dns", project: "second" });
    expect(readFileSync(join(desk.folder, "other.yaml"), "utf8")).toContain('name: "second"');
    expect((await desk.run(["new", "dns", "--name", "a b", "-f", "third.yaml"])).code).toBe(1);
  });

  it("is none for a template that there is not, or where nobody can be asked", async () => {
    const wrong = await desk.run(["new", "databse"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      "error: there is no template databse; did you mean database?\n",
    ]);
    const asked = await desk.run(["new"]);
    expect(asked.code).toBe(1);
    for (const { name } of templates) expect(asked.stderr).toContain(name);
    expect(existsSync(join(desk.folder, "Pulumi.yaml"))).toBe(false);
  });
});
