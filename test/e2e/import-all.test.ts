/** What `import --all` writes and saves is Pulumi's too: its state and stack file, and the same in TypeScript, leave the real engine nothing to do. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { writes } from "./account.ts";
import { automate, compile, installSdk } from "./automation.ts";
import { createEmbedded, type Embedded } from "./embedded.ts";
import { makeByHand } from "./hand-made.ts";
import { createProject, type Project, pulumiBin, stackText } from "./pulumi.ts";

describe("an account made by hand and imported", { timeout: 120_000 }, () => {
  let emulator: Emulator;
  let stack: Embedded;
  let project: Project | undefined;
  let count = 0;
  let handMade: object;
  beforeAll(async () => {
    emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
    await makeByHand(emulator);
    handMade = writes(emulator);
    stack = createEmbedded(stackText({ name: "account" }), {
      baseUrl: emulator.baseUrl,
      token: emulator.token,
    });
    const { code, stdout, stderr } = await stack.command("import", "--all", "--typescript", "-y", "--json");
    if (code !== 0) throw new Error(`import: ${code}\n${stdout}\n${stderr}`);
    count = (JSON.parse(stdout) as { imported: unknown[] }).imported.length;
  });
  afterAll(async () => {
    project?.remove();
    stack?.remove();
    await emulator?.close();
  });
  const file = (name: string) => join(stack.folder, name);

  it("is nothing to do for the engine that imported it", async () => {
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: count });
  });

  it("is a program whose types hold against the generated SDK", () => {
    installSdk(stack.folder);
    expect(compile(stack.folder)).toBe("");
    expect(existsSync(file("bin/index.js"))).toBe(true);
    expect(readFileSync(file("index.ts"), "utf8")).toContain(`domainId: exampleCom.id`);
  });

  describe.skipIf(!pulumiBin)("under Pulumi", () => {
    it("is a state that it takes over", async () => {
      project = await createProject(readFileSync(file("Pulumi.yaml"), "utf8"), {
        baseUrl: emulator.baseUrl,
        token: emulator.token,
      });
      const exported = await stack.command("stack", "export", "--pulumi");
      const state = join(project.folder, "export.json");
      writeFileSync(state, exported.stdout);
      const { code, stderr } = await project.command("stack", "import", "--file", state, "--stack", "dev");
      expect(`${code} ${stderr}`).toMatch(/^0/);
    });

    const taken = () => {
      if (project === undefined) throw new Error("there is no project: the state was not taken over");
      return project;
    };

    it("is nothing to do in YAML, before a refresh and after it", async () => {
      expect((await taken().preview("--expect-no-changes")).changes).toEqual({ same: count });
      expect((await taken().refresh()).refreshed).toEqual({ same: count });
      expect((await taken().preview("--expect-no-changes")).changes).toEqual({ same: count });
    });

    it("is nothing to do in TypeScript", async () => {
      const head = readFileSync(file("Pulumi.yaml"), "utf8").replace(/\nresources:[\s\S]*/, "\n");
      taken().write(head.replace("runtime: yaml", "runtime: nodejs"));
      const [previewed] = await automate(
        {
          verbs: ["preview"],
          entry: file("bin/index.js"),
          folder: taken().folder,
          project: "account",
          stack: taken().stack,
        },
        { cwd: stack.folder, env: taken().env },
      );
      const plan = Object.entries(previewed?.plan ?? {});
      expect(plan.filter(([, op]) => op !== "same")).toEqual([]);
      expect(plan).toHaveLength(count);
    });

    it("has asked the service for nothing but reads", () => {
      expect(writes(emulator)).toEqual(handMade);
      expect(emulator.mismatches).toEqual([]);
    });
  });
});
