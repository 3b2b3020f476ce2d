/** The stacks of a project: begun, selected, renamed and ended by commands. */

import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

  it("leaves in plain text only when asked, and comes back so", async () => {
    expect(await said("stack", "export")).not.toContain("open sesame");
    const plain = await said("stack", "export", "--show-secrets");
    expect(plain).toContain("open sesame");
    const under = { env: { PLUMBLINE_PASSPHRASE: "another", PLUMBLINE_STATE: "elsewhere" } };
    const taken = await desk.run(["stack", "import"], { ...under, input: plain });
    expect(taken.text).toBe("imported\n");
    expect((await desk.run(["preview", "--expect-no-changes"], under)).code).toBe(0);
    expect((await desk.run(["stack", "export"], under)).stdout).not.toContain("open sesame");
    rmSync(join(desk.folder, "elsewhere"), { recursive: true });
  });

  it("shows no secret as unknown that only does not open", async () => {
    const under = { env: { PLUMBLINE_PASSPHRASE: "another" } };
    for (const args of [
      ["stack", "output"],
      ["state", "show", "login"],
      ["stack", "export"],
      ["stack", "export", "--kubernetes"],
    ]) {
      const shown = await desk.run([...args, "--show-secrets"], under);
      expect([shown.code, shown.stdout], args.join(" ")).toEqual([1, ""]);
      expect(shown.stderr).toContain("PLB-KEY");
      if (!args.includes("--kubernetes")) expect((await desk.run(args, under)).code).toBe(0);
    }
  });

  it("is renamed by nobody while a run changes it, and then is as it was", async () => {
    const lock = join(desk.folder, ".plumbline/stacks/shop/live.lock");
    const other = { user: "berta", host: "elsewhere", pid: 1, operation: "up", nonce: "n" };
    writeFileSync(lock, JSON.stringify({ ...other, since: new Date().toISOString() }));
    const files = () => readdirSync(desk.folder, { recursive: true }).sort();
    const before = files();
    const refused = await desk.run(["stack", "rename", "production"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("PLB-LOCK")]);
    expect(files()).toEqual(before);
    rmSync(lock);
    expect(await said("stack", "rename", "live")).toContain("called live already");
    expect(await said("stack", "rename", "production", "-s", "none")).toContain("there is no stack none");
    expect(await unchanged()).toBe(true);
  });

  it("whose renaming was cut off between its state and its settings is renamed by the same again", async () => {
    const [from, to] = ["live", "moved"].map((name) => join(desk.folder, `Pulumi.${name}.yaml`));
    copyFileSync(from!, to!);
    expect(await said("stack", "rename", "moved", "-s", "live")).toBe("renamed live to moved");
    copyFileSync(to!, from!);
    expect(await said("stack", "rename", "moved", "-s", "live")).toBe("renamed live to moved");
    expect(existsSync(from!)).toBe(false);
    expect(await said("stack", "rename", "live", "-s", "moved")).toBe("renamed moved to live");
    expect((await desk.run(["stack", "history", "-s", "live"])).stdout).toContain("rename");
    await desk.run(["stack", "select", "live"]);
    expect(await unchanged()).toBe(true);
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
