/** The stacks of a project: begun, selected, renamed and ended by commands. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.write(
    "Pulumi.yaml",
    `name: shop
runtime: yaml
config:
  domain: { type: string, default: dev.example }
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: "\${domain}", type: master, soaEmail: a@b.example } }
  login: { type: "plumbline:managed:Credential", properties: { label: "\${domain}", password: { "fn::secret": open sesame } } }
`,
  );
});
afterAll(() => desk.close());
const said = async (...args: string[]) => (await desk.run(args)).text.trim();
const unchanged = async (...args: string[]) =>
  (await desk.run(["preview", "--expect-no-changes", "--refresh", ...args])).code === 0;

describe("a stack", () => {
  it("is begun and selected, and commands are about it from then on", async () => {
    expect(await said("stack", "select")).toBe("dev");
    expect(await said("stack", "list")).toMatch(/^no stack of this project /);
    expect(await said("state", "list")).toBe("the state of dev holds no resource");
    expect((await desk.run(["state", "list", "--json"])).text.trim()).toBe("[]");
    expect(await said("stack", "init", "trial")).toContain("Pulumi.trial.yaml");
    expect(await said("stack", "select")).toBe("trial");
    await desk.run(["config", "set", "domain", "trial.example"]);
    expect(readFileSync(join(desk.folder, "Pulumi.trial.yaml"), "utf8")).toContain("trial.example");
    expect((await desk.run(["up", "-y", "--skip-preview"])).text).toContain("trial");
    expect(await said("stack", "list")).toBe("trial");
    expect((await desk.run(["stack", "init", "trial"])).code).toBe(1);
    const none = await desk.run(["stack", "select", "trail"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("trial")]);
    expect((await desk.run(["stack", "select", "../x"])).code).toBe(1);
  });

  it("is renamed with its state, secrets and settings, and no object is touched", async () => {
    const [text, requests] = await desk.counted(() => said("stack", "rename", "live"));
    expect([text, requests]).toEqual(["renamed trial to live", 0]);
    expect(await said("stack", "list")).toBe("live");
    expect(await said("stack", "select")).toBe("live");
    expect(await unchanged()).toBe(true);
    expect(await said("state", "show", "login", "--show-secrets")).toContain("open sesame");
    expect(await said("stack", "export")).not.toContain("::trial::");
  });

  it("is ended only without resources, and its last state is kept", async () => {
    const refused = await desk.run(["stack", "rm", "live", "-y"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("plumbline destroy")]);
    expect(await unchanged()).toBe(true);
    const asked = await desk.run(["stack", "rm", "live"]);
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("--yes")]);
    expect((await desk.run(["destroy", "-y"])).code).toBe(0);
    const ended = await desk.run(["stack", "rm", "live", "-y"]);
    expect(ended.code, ended.text).toBe(0);
    const kept = readdirSync(join(desk.folder, ".plumbline/stacks/shop"));
    expect(kept.some((name) => name.startsWith("live.json.removed-"))).toBe(true);
    expect(existsSync(join(desk.folder, "Pulumi.live.yaml"))).toBe(false);
    expect(await said("stack", "list")).toMatch(/^no stack of this project /);
    expect(await said("stack", "select")).toBe("dev");
  });
});
