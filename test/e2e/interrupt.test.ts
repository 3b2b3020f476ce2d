/** What goes wrong in the middle of an `up` under the real engine: Ctrl-C while something waits, answers that are lost, a service that is busy. */

import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/index.ts";
import { createProject, type Program, type Project, pulumiBin } from "./pulumi.ts";

const everyType: Program = {
  resources: {
    zone: {
      type: "plumbline:dns:Domain",
      properties: {
        domain: "interrupted.example",
        type: "master",
        soaEmail: "hostmaster@interrupted.example",
      },
    },
    www: {
      type: "plumbline:dns:Record",
      properties: { domainId: "${zone.id}", type: "A", name: "www", target: "203.0.113.1" },
    },
    network: { type: "plumbline:vpc:Vpc", properties: { label: "network", region: "us-east" } },
    subnet: {
      type: "plumbline:vpc:Subnet",
      properties: { vpcId: "${network.id}", label: "web", ipv4: "10.0.1.0/24" },
    },
    disk: {
      type: "plumbline:blockstorage:Volume",
      properties: { label: "disk", size: 20, region: "us-east" },
    },
  },
};

describe.skipIf(!pulumiBin)("an `up` that does not go well", { timeout: 120_000 }, () => {
  let emulator: Emulator;
  let project: Project;
  afterEach(async () => {
    project?.remove();
    await emulator?.close();
  });

  async function start(program: Program, options: EmulatorOptions) {
    emulator = await startEmulator(options);
    project = await createProject(program, { baseUrl: emulator.baseUrl, token: emulator.token });
  }

  async function count(path: string): Promise<number> {
    const response = await fetch(`${emulator.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${emulator.token}` },
    });
    return ((await response.json()) as { results: number }).results;
  }

  async function expectOneOfEach(): Promise<void> {
    const resources = await project.resources();
    const idOf = (name: string) => resources.find(({ urn }) => urn.endsWith(`::${name}`))?.id;
    const lists = [
      "/domains",
      `/domains/${idOf("zone")}/records`,
      "/vpcs",
      `/vpcs/${idOf("network")}/subnets`,
      "/volumes",
    ];
    for (const list of lists) expect([list, await count(list)]).toEqual([list, 1]);
  }

  it("keeps what Ctrl-C finds waiting, and the next run finishes it", async () => {
    const { disk } = everyType.resources as { disk: object };
    // The volume would take minutes.
    await start({ resources: { disk } }, { speed: 0.01 });
    const interrupted = project.start("up", "--yes", "--skip-preview", "--stack", "dev", "--non-interactive");
    let said = "";
    interrupted.stdout?.on("data", (data) => {
      said += data;
    });
    await expect.poll(() => emulator.stats().requests["POST /volumes"], { timeout: 30_000 }).toBe(1);
    // Once it has been asked for its state, the create waits.
    await expect.poll(() => emulator.stats().total, { timeout: 30_000 }).toBeGreaterThan(1);
    interrupted.kill("SIGINT");
    const [code] = await once(interrupted, "exit");
    expect(code).not.toBe(0);
    expect(said).toMatch(/disk/);
    const [kept] = await project.resources();
    expect(kept).toMatchObject({ id: expect.stringMatching(/^\d+$/), initErrors: [expect.any(String)] });

    emulator.advance(3_600);
    const finished = await project.up();
    expect(finished.changes).toEqual({ update: 1 });
    expect(await count("/volumes")).toBe(1);
    const [resource] = await project.resources();
    expect(resource).toMatchObject({ id: kept?.id, outputs: { status: "active" } });
    expect(resource).not.toHaveProperty("initErrors");
  });

  it.each(["/domains", "/domains/{domainId}/records", "/vpcs", "/vpcs/{vpcId}/subnets", "/volumes"])(
    "makes one thing only when the answer to POST %s is lost",
    async (path) => {
      await start(everyType, { speed: "instant" });
      emulator.setFaults([{ method: "POST", path, nth: 1, do: "reset-after" }]);
      const first = await project.attempt("up", "--yes", "--skip-preview");
      if (first.code !== 0) await project.up();
      await expectOneOfEach();
      expect((await project.up()).changes).toEqual({ same: 5 });
    },
  );

  it("survives a limit, a bad gateway and a closed door in each kind of request", async () => {
    await start(everyType, { speed: "instant" });
    emulator.setFaults([
      { method: "POST", path: "/vpcs", nth: 1, do: "status", status: 429, headers: { "Retry-After": "1" } },
      {
        method: "POST",
        path: "/volumes",
        nth: 1,
        do: "status",
        status: 503,
        headers: { "Retry-After": "1" },
      },
      { method: "GET", path: "*", nth: 1, do: "status", status: 502 },
    ]);
    await project.up();
    await expectOneOfEach();
    emulator.setFaults([
      { method: "DELETE", path: "*", nth: 1, do: "status", status: 502 },
      { method: "DELETE", path: "*", nth: 3, do: "status", status: 429, headers: { "Retry-After": "1" } },
    ]);
    await project.destroy();
    for (const list of ["/domains", "/vpcs", "/volumes"]) expect(await count(list)).toBe(0);
  });
});
