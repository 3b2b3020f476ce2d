import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../../emulator/index.ts";
import { createEngine, type Engine } from "../../../provider/engine/engine.ts";
import { loadProgram } from "../../../provider/engine/language/program.ts";
import { catalogue, createProvider } from "../../../provider/provider.ts";
import { createProject, type Project, pulumiBin } from "../../e2e/pulumi.ts";
import { environmentOf } from "../../hurried.ts";

const passphrase = "correct horse battery staple";
let emulator: Emulator;

const stack = {
  name: "handover",
  resources: {
    elsewhere: { type: "pulumi:providers:plumbline", properties: { token: { "fn::secret": "owner" } } },
    zone: {
      type: "plumbline:dns:Domain",
      properties: {
        domain: "handover.example",
        type: "master",
        soaEmail: { "fn::secret": "hidden@handover.example" },
      },
      options: { protect: true },
    },
    www: {
      type: "plumbline:dns:Record",
      properties: { domainId: "${zone.id}", type: "A", name: "www", target: "192.0.2.7" },
    },
    disk: {
      type: "plumbline:blockstorage:Volume",
      properties: { label: "disk", region: "us-east", size: 20 },
      options: { provider: "${elsewhere}", dependsOn: ["${www}"], retainOnDelete: true },
    },
  },
  outputs: { email: "${zone.soaEmail}", path: "${disk.filesystemPath}" },
};

async function engineIn(project: Project): Promise<Engine> {
  const environment = { ...environmentOf(emulator), PLUMBLINE_PASSPHRASE: passphrase };
  const program = await loadProgram({
    file: join(project.folder, "Pulumi.yaml"),
    stack: "dev",
    catalogue,
    environment,
  });
  return createEngine({
    project: "handover",
    stack: "dev",
    stateFolder: join(project.folder, "state"),
    program,
    environment,
    createProvider: () => createProvider({ environment }),
  });
}

describe.skipIf(!pulumiBin)("a state that changes engines", { timeout: 120_000 }, () => {
  let project: Project;
  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant", seed: starterAccount });
    const { baseUrl, token } = emulator;
    project = await createProject(stack, { baseUrl, token, plugin: "shared" });
    expect((await (await engineIn(project)).up()).result).toBe("succeeded");
  }, 120_000);
  afterAll(async () => {
    project?.remove();
    await emulator?.close();
  });

  test.each([false, true])(
    "is what Pulumi imports and finds nothing to change in (secrets in plain text: %s)",
    async (showSecrets) => {
      const file = join(project.folder, "state.json");
      await writeFile(file, JSON.stringify(await (await engineIn(project)).exportPulumi({ showSecrets })));
      const imported = await project.command("stack", "import", "--file", file, "--stack", "dev");
      expect(imported, imported.stderr).toMatchObject({ code: 0 });
      const preview = await project.preview("--expect-no-changes");
      expect(preview.changes).toEqual({ same: 3 });
      expect(project.stateText()).not.toContain("hidden@");
      expect(await project.outputs()).toMatchObject({ email: "hidden@handover.example" });
    },
  );

  test("comes back from Pulumi with protection, retention and secrets", async () => {
    await project.refresh();
    const { stdout } = await project.command("stack", "export", "--stack", "dev");
    const engine = await engineIn(project);
    await engine.importState(stdout);
    const preview = await engine.preview();
    expect(preview, JSON.stringify(preview.diagnostics)).toMatchObject({
      result: "succeeded",
      changes: false,
    });
    await expect(engine.destroy()).rejects.toMatchObject({ code: "protect" });
    const disk = (await engine.resources()).find((state) => state.urn.endsWith("::disk"));
    expect(disk).toMatchObject({ retainOnDelete: true });
  });
});
