/** A domain and its records under the real engine, on the emulator: each verb once, and nothing that changes twice. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { createProject, type Program, type Project, pulumiBin } from "./pulumi.ts";

const domainType = "plumbline:dns/domain:Domain";
const recordType = "plumbline:dns/record:Record";

function program(change: { ttl?: number; wwwType?: string; description?: string } = {}): Program {
  const { ttl = 300, wwwType = "A", description = "made by a test" } = change;
  const domainId = "${zone.id}";
  return {
    resources: {
      zone: {
        type: "plumbline:dns:Domain",
        properties: {
          domain: "plumbline.example",
          type: "master",
          soaEmail: "hostmaster@plumbline.example",
          description,
          tags: ["web", "test"],
        },
      },
      www: {
        type: "plumbline:dns:Record",
        properties: {
          domainId,
          type: wwwType,
          name: "www",
          target: wwwType === "A" ? "203.0.113.1" : "2001:db8::1",
          ttlSec: ttl,
        },
      },
      mail: {
        type: "plumbline:dns:Record",
        properties: { domainId, type: "MX", target: "mail.plumbline.example", priority: 10 },
      },
      text: {
        type: "plumbline:dns:Record",
        properties: { domainId, type: "TXT", target: "v=spf1 mx -all" },
      },
    },
    outputs: { id: domainId, target: "${www.target}" },
  };
}

describe.skipIf(!pulumiBin)("a domain and its records under the real engine", { timeout: 120_000 }, () => {
  let emulator: Emulator;
  let project: Project;

  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant" });
    project = await createProject(program(), { baseUrl: emulator.baseUrl, token: emulator.token });
  });
  afterAll(async () => {
    project?.remove();
    await emulator?.close();
  });

  async function service(method: string, path: string, body?: object) {
    const response = await fetch(`${emulator.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as {
      id: number;
      data: { id: number; type: string; name: string; target: string }[];
    };
  }
  const idOf = async (name: string) =>
    (await project.resources()).find(({ urn }) => urn.endsWith(`::${name}`))?.id ?? "";

  it("is planned in full before anything is written", async () => {
    const { changes, diagnostics } = await project.preview();
    expect(changes).toEqual({ create: 4 });
    expect(diagnostics).toEqual([]);
    const writes = Object.keys(emulator.stats().requests).filter(
      (operation) => !operation.startsWith("GET "),
    );
    expect(writes).toEqual([]);
  });

  it("shows, by name, records that cannot stand together in a zone that is not there yet", async () => {
    const plain = program();
    const cname = () => ({
      type: "plumbline:dns:Record",
      properties: { domainId: "${zone.id}", type: "CNAME", name: "alias", target: "plumbline.example" },
    });
    project.write({ ...plain, resources: { ...plain.resources, one: cname(), two: cname() } });
    const { diagnostics } = await project.preview().finally(() => project.write(plain));
    expect(diagnostics).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/"(one|two)" in this plan.*if "zone"/) },
    ]);
  });

  it("is made, with the outputs that other programs read", async () => {
    expect((await project.up()).changes).toEqual({ create: 4 });
    const outputs = await project.outputs();
    expect(outputs).toEqual({ id: await idOf("zone"), target: "203.0.113.1" });
    const { data } = await service("GET", `/domains/${outputs["id"]}/records`);
    expect(data.map(({ type }) => type).sort()).toEqual(["A", "MX", "TXT"]);
  });

  it("is the same the second time, and the create log is gone", async () => {
    expect((await project.up()).changes).toEqual({ same: 4 });
    expect(existsSync(join(project.folder, ".plumbline", "creates", "dev"))).toBe(false);
  });

  it("is the same after a refresh", async () => {
    expect((await project.refresh()).refreshed).toEqual({ same: 4 });
    expect((await project.preview()).changes).toEqual({ same: 4 });
  });

  it("shows a change made behind its back on refresh, and puts it right", async () => {
    const [domainId] = (await idOf("www")).split("/");
    const { data } = await service("GET", `/domains/${domainId}/records`);
    const www = data.find(({ type }) => type === "A");
    await service("PUT", `/domains/${domainId}/records/${www?.id}`, { target: "203.0.113.99" });
    const preview = await project.preview("--refresh");
    expect(preview.changes).toEqual({ same: 3, update: 1 });
    expect(preview.steps.filter(({ op }) => op === "update")).toMatchObject([
      { name: "www", detailedDiff: { target: { diffKind: "update" } } },
    ]);
    expect((await project.refresh()).refreshed).toEqual({ same: 3, update: 1 });
    const repaired = await project.up();
    expect(repaired.changes).toEqual({ same: 3, update: 1 });
    const after = await service("GET", `/domains/${domainId}/records`);
    expect(after.data.find(({ type }) => type === "A")?.target).toBe("203.0.113.1");
  });

  it("is updated in place where it can be", async () => {
    project.write(program({ ttl: 3600, description: "changed" }));
    const { steps, changes } = await project.up();
    expect(changes).toEqual({ same: 2, update: 2 });
    expect(steps.find(({ name }) => name === "www")?.detailedDiff).toEqual({
      ttlSec: { diffKind: "update", inputDiff: true },
    });
  });

  it("is replaced where it cannot: another record type", async () => {
    const before = await idOf("www");
    project.write(program({ ttl: 3600, description: "changed", wwwType: "AAAA" }));
    const { steps } = await project.up();
    expect(
      steps.filter(({ op }) => op === "replace").map(({ name, replaces }) => ({ name, replaces })),
    ).toEqual([{ name: "www", replaces: ["type"] }]);
    expect(await idOf("www")).not.toBe(before);
    const { data } = await service("GET", `/domains/${await idOf("zone")}/records`);
    expect(data.filter(({ name }) => name === "www").map(({ type }) => type)).toEqual(["AAAA"]);
  });

  it("is forgotten when it was deleted behind its back, and made again", async () => {
    const zone = await idOf("zone");
    const { data } = await service("GET", `/domains/${zone}/records`);
    await service("DELETE", `/domains/${zone}/records/${data.find(({ type }) => type === "TXT")?.id}`);
    await project.refresh();
    expect((await project.up()).changes).toEqual({ same: 3, create: 1 });
  });

  it("refuses what the service would, with the property's name and no request", async () => {
    project.write({
      resources: {
        ...program({ ttl: 3600, description: "changed", wwwType: "AAAA" }).resources,
        bad: {
          type: "plumbline:dns:Record",
          properties: {
            domainId: "${zone.id}",
            type: "SRV",
            target: "sip.plumbline.example",
            service: "sip",
          },
        },
      },
    });
    const refused = await project.attempt("preview");
    expect(refused.code).not.toBe(0);
    expect(refused.diagnostics.map(({ message }) => message).join("\n")).toMatch(/port|protocol/);
  });

  it("is imported by id and by name, and then needs no change", async () => {
    const all = program({ ttl: 3600, description: "changed", wwwType: "AAAA" });
    const zone = await idOf("zone");
    await project.command("stack", "init", "other");
    const { command } = project;
    const imported = async (type: string, name: string, id: string) => {
      const flags = ["--yes", "--protect=false", "--generate-code=false", "--stack", "other"];
      const { code, stdout, stderr } = await command("import", type, name, id, ...flags);
      expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    };
    project.write(all);
    await imported(domainType, "zone", "plumbline.example");
    await imported(recordType, "www", "plumbline.example/www/AAAA");
    const { data } = await service("GET", `/domains/${zone}/records`);
    for (const [name, type] of [
      ["mail", "MX"],
      ["text", "TXT"],
    ] as const) {
      await imported(recordType, name, `${zone}/${data.find((record) => record.type === type)?.id}`);
    }
    const { code, stdout } = await command("preview", "--expect-no-changes", "--stack", "other");
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect((await command("stack", "rm", "other", "--yes", "--force")).code).toBe(0);
  });

  it("is destroyed without a trace, though part of it is gone already", async () => {
    const zone = await idOf("zone");
    const { data } = await service("GET", `/domains/${zone}/records`);
    await service("DELETE", `/domains/${zone}/records/${data[0]?.id}`);
    expect((await project.destroy()).changes).toEqual({ delete: 4 });
    expect((await service("GET", "/domains")).data).toEqual([]);
    expect(await project.resources()).toEqual([]);
  });
});
