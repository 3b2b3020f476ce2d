/** The engine killed in the middle of an `up`: the next run ends in the declared account, with nothing doubled and nothing missing. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { createProject, type Program, type Project, pulumiBin } from "./pulumi.ts";

const records = 24;

function program(): Program {
  const names = Array.from({ length: records }, (_, n) => `r${n}`);
  const record = (name: string) => ({
    type: "plumbline:dns:Record",
    properties: { domainId: "${zone.id}", type: "TXT", name, target: `text of ${name}` },
  });
  return {
    resources: {
      zone: {
        type: "plumbline:dns:Domain",
        properties: { domain: "killed.example", type: "master", soaEmail: "hostmaster@killed.example" },
      },
      ...Object.fromEntries(names.map((name) => [name, record(name)])),
    },
  };
}

describe.skipIf(!pulumiBin)("an engine that is killed", { timeout: 180_000 }, () => {
  let emulator: Emulator | undefined;
  let project: Project | undefined;
  afterEach(async () => {
    project?.remove();
    await emulator?.close();
  });

  function posts(service: Emulator): number {
    return Object.entries(service.stats().requests)
      .filter(([operation]) => operation.startsWith("POST "))
      .reduce((sum, [, count]) => sum + count, 0);
  }

  // Beginning, middle and end; `npm run torture -- kill --engine pulumi` strikes at every request, but with the plugin as well.
  it.each([1, 9, records])("at create number %i is made good by the next run", async (moment) => {
    emulator = await startEmulator({ speed: "instant" });
    project = await createProject(program(), { baseUrl: emulator.baseUrl, token: emulator.token });
    // Answers take a moment, so that some creates are under way whenever the engine dies.
    emulator.setFaults([{ method: "POST", path: "*", probability: 1, do: "delay", seconds: 0.1 }]);
    const killed = project.start("up", "--yes", "--skip-preview", "--stack", "dev", "--parallel", "6");
    const service = emulator;
    await expect.poll(() => posts(service), { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(moment);
    await project.kill(killed);
    emulator.setFaults([]);

    await project.recover();
    await project.up();
    const data = await all(emulator, "/domains");
    expect(data.map(({ domain }) => domain)).toEqual(["killed.example"]);
    const made = await all(emulator, `/domains/${data[0]?.id}/records?page_size=500`);
    expect(made.map(({ name }) => name).sort()).toEqual(
      Array.from({ length: records }, (_, n) => `r${n}`).sort(),
    );

    expect((await project.up()).changes).toEqual({ same: records + 1 });
    expect(existsSync(join(project.folder, ".plumbline", "creates", "dev"))).toBe(false);
    await project.destroy();
    expect(await all(emulator, "/domains")).toEqual([]);
  });
});

async function all(emulator: Emulator, path: string) {
  const response = await fetch(`${emulator.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${emulator.token}` },
  });
  return ((await response.json()) as { data: { id: number; domain: string; name: string }[] }).data;
}
