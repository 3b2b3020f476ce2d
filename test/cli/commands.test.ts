/** Each command on a small stack: what it prints, what it ends with, what it leaves. */

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, jsonLines, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const stack = (target: string, extra = "") => `name: small
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: small.example, type: master, soaEmail: a@small.example } }
  www: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: www, target: ${target} }${extra} }
outputs:
  zone: \${zone.id}
  hush: { "fn::secret": "tell nobody" }
`;
const wwwRecord = async () => {
  const zones = (await desk.api("GET", "/domains")) as unknown as { data: { id: number; domain: string }[] };
  const zone = zones.data.find(({ domain }) => domain === "small.example");
  const records = (await desk.api("GET", `/domains/${zone?.id}/records`)) as unknown as {
    data: { id: number; name: string; target: string }[];
  };
  const record = records.data.find(({ name }) => name === "www");
  return { zone: zone!.id, record: record!.id, target: record!.target };
};

describe("the life of a stack", () => {
  it("is previewed as one JSON object", async () => {
    desk.write("Pulumi.yaml", stack("192.0.2.1"));
    const ran = await desk.run(["preview", "--json"]);
    expect(ran.code, ran.text).toBe(0);
    const plan = JSON.parse(ran.stdout);
    expect(plan.summary).toEqual({ create: 2, update: 0, replace: 0, delete: 0, same: 0 });
    expect(plan.steps.map((step: { op: string; name: string }) => [step.op, step.name])).toEqual([
      ["create", "zone"],
      ["create", "www"],
    ]);
    expect(plan.steps[1]).toMatchObject({
      type: "plumbline:dns/record:Record",
      id: null,
      detailedDiff: {},
      replaceReasons: [],
    });
    expect(plan.diagnostics).toEqual([]);
    expect(existsSync(join(desk.folder, ".plumbline"))).toBe(false);
  });

  it("asks before it applies, and without a terminal names the flag", async () => {
    const ran = await desk.run(["up"]);
    expect(ran.code).toBe(1);
    expect(ran.text).toContain("--yes");
    expect((await desk.run(["preview", "--detailed-exitcode"])).code).toBe(2);
  });

  it("is applied with JSON lines that end in a summary", async () => {
    const ran = await desk.run(["up", "-y", "--json"]);
    expect(ran.code, ran.text).toBe(0);
    const lines = jsonLines(ran.stdout);
    expect(lines.at(-1)).toMatchObject({
      event: "summary",
      result: "succeeded",
      summary: { create: 2 },
      requests: { POST: 2 },
    });
    expect(lines.filter(({ event }) => event === "finished")).toHaveLength(2);
    expect(ran.stdout).not.toContain("tell nobody");
  });

  it("is unchanged by a second run", async () => {
    const [ran, requests] = await desk.counted(() => desk.run(["preview", "--expect-no-changes"]));
    expect(ran.code, ran.text).toBe(0);
    expect(requests).toBe(0);
    expect((await desk.run(["up", "-y"])).text).toContain("2 unchanged");
  });

  it("shows outputs, secrets only when asked", async () => {
    const plain = await desk.run(["stack", "output"]);
    expect(plain.stdout).toContain("[secret]");
    expect(plain.stdout).not.toContain("tell nobody");
    expect((await desk.run(["stack", "output", "hush", "--show-secrets"])).stdout).toBe("tell nobody\n");
    expect(Number((await desk.run(["stack", "output", "zone", "--json"])).stdout.replaceAll('"', ""))).toBe(
      (await wwwRecord()).zone,
    );
    // Whoever asks for secrets reads them back somewhere, keys among them.
    const key = "-----BEGIN PRIVATE KEY-----\\nMIIBVQIBADANBg\\n-----END PRIVATE KEY-----\\n";
    const own = await openDesk();
    own.write("Pulumi.yaml", `name: keys\nruntime: yaml\noutputs: { key: { "fn::secret": "${key}" } }\n`);
    expect((await own.run(["up", "-y", "--skip-preview"])).text).not.toContain("MIIBVQ");
    expect((await own.run(["stack", "output", "key", "--show-secrets"])).stdout).toBe(
      `${key.replaceAll("\\n", "\n")}\n`,
    );
    const exported = (await own.run(["stack", "export", "--pulumi", "--show-secrets"])).stdout;
    expect(exported).toContain("MIIBVQIBADANBg");
    expect(
      (await own.run(["stack", "output", "key"])).text + (await own.run(["stack", "export"])).text,
    ).not.toContain("MIIBVQ");
    await own.close();
    expect((await desk.run(["stack", "output", "none"])).text).toMatch(/no output none.*zone/);
  });

  it("keeps no secret in the clear", () => {
    const folder = join(desk.folder, ".plumbline");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const text = readFileSync(join(file.parentPath, file.name), "utf8");
      expect(text).not.toContain("tell nobody");
      expect(text).not.toContain(desk.emulator.token);
    }
  });

  it("shows what an edit changes, as text, as Markdown and by its exit code", async () => {
    desk.write("Pulumi.yaml", stack("192.0.2.2"));
    const diff = await desk.run(["preview", "--diff", "--expect-no-changes"]);
    expect(diff.code).toBe(2);
    expect(diff.stdout).toContain('target: "192.0.2.1" → "192.0.2.2"');
    const markdown = await desk.run(["preview", "--markdown"]);
    expect(markdown.stdout).toContain("| update | **www** | plumbline:dns:Record |");
    const { steps } = JSON.parse((await desk.run(["preview", "--json"])).stdout);
    expect(steps.find((step: { name: string }) => step.name === "www")).toMatchObject({
      op: "update",
      detailedDiff: { target: { kind: "update", inputDiff: true } },
    });
  });

  it("applies a saved plan, and refuses it once it is stale", async () => {
    expect((await desk.run(["preview", "--save-plan", "plan.json"])).code).toBe(0);
    const applied = await desk.run(["up", "-y", "--plan", "plan.json"]);
    expect(applied.code, applied.text).toBe(0);
    expect((await wwwRecord()).target).toBe("192.0.2.2");
    const stale = await desk.run(["up", "-y", "--plan", "plan.json"]);
    expect(stale.code, stale.text).toBe(4);
  });

  it("finds drift, says which side moved, and puts it right", async () => {
    expect((await desk.run(["drift"])).code).toBe(0);
    const { zone, record } = await wwwRecord();
    await desk.api("PUT", `/domains/${zone}/records/${record}`, { target: "198.51.100.7" });
    const drift = await desk.run(["drift", "--json"]);
    expect(drift.code).toBe(3);
    expect(JSON.parse(drift.stdout)).toMatchObject({
      drifted: [
        {
          kind: "changed",
          paths: { target: { declared: "192.0.2.2", last: "192.0.2.2", live: "198.51.100.7" } },
        },
      ],
    });
    const only = await desk.run(["refresh", "--preview-only"]);
    expect(only.code, only.text).toBe(0);
    expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(0);
    expect((await desk.run(["refresh", "--json"])).code).toBe(0);
    expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(2);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    expect((await wwwRecord()).target).toBe("192.0.2.2");
  });

  it("finds what was deleted behind its back and makes it again", async () => {
    const { zone, record } = await wwwRecord();
    await desk.api("DELETE", `/domains/${zone}/records/${record}`);
    const drift = await desk.run(["drift", "--json"]);
    expect(JSON.parse(drift.stdout).drifted).toMatchObject([{ kind: "missing" }]);
    expect((await desk.run(["up", "-y", "--refresh"])).code).toBe(0);
    expect((await wwwRecord()).target).toBe("192.0.2.2");
  });

  it("draws its graph and leaves by export, for this engine and for Pulumi's", async () => {
    expect((await desk.run(["stack", "graph"])).stdout).toMatch(/^(graph|flowchart)/);
    expect((await desk.run(["stack", "graph", "--format", "dot"])).stdout).toMatch(/^digraph/);
    const exported = await desk.run(["stack", "export"]);
    expect(exported.stdout).not.toContain("tell nobody");
    const forPulumi = JSON.parse((await desk.run(["stack", "export", "--pulumi"])).stdout);
    expect(forPulumi.version).toBe(3);
    expect(forPulumi.deployment.resources[0].type).toBe("pulumi:pulumi:Stack");
    expect((await desk.run(["stack", "import"], { input: exported.stdout })).code).toBe(0);
    expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(0);
    expect((await desk.run(["stack", "list"])).stdout).toContain("dev");
    expect((await desk.run(["stack", "unlock"])).stdout).toContain("not locked");
  });

  it("says how Pulumi opens what a key file sealed", async () => {
    const env = { PLUMBLINE_PASSPHRASE: undefined };
    const args = ["stack", "export", "--pulumi", "-f", "keyed.yaml"];
    desk.write("keyed.yaml", stack("192.0.2.2").replaceAll("small", "keyed"));
    expect((await desk.run(["up", "-y", "--skip-preview", "-f", "keyed.yaml"], { env })).code).toBe(0);
    const sealed = await desk.run(args, { env });
    expect(sealed.stderr).toContain(
      `PULUMI_CONFIG_PASSPHRASE_FILE=${join(desk.folder, ".plumbline", "key")}`,
    );
    expect(JSON.parse(sealed.stdout).version).toBe(3);
    expect((await desk.run([...args, "--show-secrets"], { env })).stderr).toBe("");
    expect((await desk.run(["stack", "export", "--pulumi"])).stderr).toBe("");
    expect((await desk.run(["destroy", "-y", "-f", "keyed.yaml"], { env })).code).toBe(0);
  });

  it("is guarded by protect, also when the block is gone", async () => {
    desk.write("Pulumi.yaml", stack("192.0.2.2", ", options: { protect: true }"));
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    expect((await desk.run(["destroy", "-y"])).code).toBe(4);
    desk.write("Pulumi.yaml", stack("192.0.2.2").replace(/ {2}www:.*\n/, ""));
    const guarded = await desk.run(["up", "-y"]);
    expect(guarded.code, guarded.text).toBe(4);
    expect((await wwwRecord()).target).toBe("192.0.2.2");
    desk.write("Pulumi.yaml", stack("192.0.2.2"));
    expect((await desk.run(["up", "-y"])).code).toBe(0);
  });

  it("imports an object by its natural name, with the block to declare it", async () => {
    const { zone } = await wwwRecord();
    await desk.api("POST", `/domains/${zone}/records`, { type: "TXT", name: "note", target: "by hand" });
    const ran = await desk.run(["import", "plumbline:dns:Record", "note", "small.example/note/TXT"]);
    expect(ran.code, ran.text).toBe(0);
    const block = ran.stdout.slice(ran.stdout.indexOf("note:\n"));
    const indented = block
      .split("\n")
      .map((line) => (line === "" ? "" : `  ${line}`))
      .join("\n");
    desk.write("Pulumi.yaml", stack("192.0.2.2").replace("outputs:", `${indented}outputs:`));
    const after = await desk.run(["preview", "--expect-no-changes"]);
    expect(after.code, after.text).toBe(0);
    expect((await desk.run(["import", "plumbline:dns:Record", "other", "small.example/none/TXT"])).code).toBe(
      1,
    );
  });

  it("calls functions, also without a stack file", async () => {
    const ran = await desk.run([
      "invoke",
      "plumbline:dns:getRecords",
      `domainId=${(await wwwRecord()).zone}`,
      "--json",
      "-f",
      "none.yaml",
    ]);
    expect(ran.code, ran.text).toBe(0);
    expect(JSON.parse(ran.stdout).records).toHaveLength(2);
    const zone = await desk.run([
      "invoke",
      "plumbline:dns:getZoneFile",
      `domainId=${(await wwwRecord()).zone}`,
      "--return",
      "text",
    ]);
    expect(zone.stdout).toMatch(/www\s+A\s+192\.0\.2\.2/);
  });

  it("is destroyed, and the account is empty", async () => {
    const ran = await desk.run(["destroy", "-y", "--json"]);
    expect(ran.code, ran.text).toBe(0);
    expect(jsonLines(ran.stdout).at(-1)).toMatchObject({ result: "succeeded", summary: { delete: 3 } });
    expect(await desk.api("GET", "/domains")).toMatchObject({ results: 0 });
  });
});

describe("beside stacks", () => {
  it("prints both schemas", async () => {
    expect(JSON.parse((await desk.run(["schema"])).stdout)).toHaveProperty("properties.resources");
    expect(JSON.parse((await desk.run(["schema", "--pulumi"])).stdout).name).toBe("plumbline");
  });

  it("runs on an emulator of its own, whose account is kept in a file", async () => {
    desk.write("Pulumi.yaml", stack("192.0.2.9"));
    const own = { PLUMBLINE_BASE_URL: undefined, PLUMBLINE_TOKEN: undefined };
    const up = await desk.run(["up", "--emulator=account.json", "--state", "kept", "-y", "--json"], {
      env: own,
    });
    expect(up.code, up.text).toBe(0);
    expect(jsonLines(up.stdout).at(-1)).toMatchObject({ event: "summary", result: "succeeded" });
    const [again, requests] = await desk.counted(() =>
      desk.run(["preview", "--expect-no-changes", "--emulator=account.json", "--state", "kept"]),
    );
    expect(again.code, again.text).toBe(0);
    expect(requests).toBe(0);
    const refreshed = await desk.run(["refresh", "--emulator=account.json", "--state", "kept"], { env: own });
    expect(refreshed.stdout).toContain("2 unchanged");
  });

  it.each([
    { flags: ["--cors"], allowed: "*" },
    { flags: [], allowed: null },
  ])("lets web pages read the emulator's answers with --cors alone: $flags", async ({ flags, allowed }) => {
    let seen: string | null | undefined;
    const ran = await desk.run(["emulator", "--port", "0", "--json", ...flags], {
      onOutput: (text, kill) => {
        const { baseUrl } = JSON.parse(text) as { baseUrl: string };
        const told = fetch(`${baseUrl}/regions`, { headers: { origin: "https://page.example" } });
        void told.then(({ headers }) => {
          seen = headers.get("access-control-allow-origin");
          kill("SIGTERM");
        });
      },
    });
    expect(ran.code).toBe(0);
    expect(seen).toBe(allowed);
  });

  it("keeps in the file all that the emulator answered, though it is killed amid other requests", async () => {
    const args = ["emulator", "--port", "0", "--json", "--data", join(desk.folder, "killed.json")];
    const headers = { authorization: "Bearer any", "content-type": "application/json" };
    const baseUrlOf = (text: string) => (JSON.parse(text) as { baseUrl: string }).baseUrl;
    const answered: string[] = [];
    const makeMany = async (baseUrl: string, kill: (signal: NodeJS.Signals) => void) => {
      for (let i = 0; ; i++) {
        const body = JSON.stringify({ label: `vpc-${i}`, region: "us-east" });
        void fetch(`${baseUrl}/vpcs`, {
          method: "POST",
          headers,
          body: body.replace("vpc-", "beside-"),
        }).catch(() => {});
        const answer = await fetch(`${baseUrl}/vpcs`, { method: "POST", headers, body }).catch(
          () => undefined,
        );
        if (!answer?.ok) return;
        answered.push(((await answer.json()) as { label: string }).label);
        if (i === 3) kill("SIGKILL");
      }
    };
    let making: Promise<void> | undefined;
    const killed = await desk.run(args, {
      onOutput: (text, kill) => {
        making ??= makeMany(baseUrlOf(text), kill);
      },
    });
    await making;
    expect(killed.code).toBeNull();
    expect(answered.length).toBeGreaterThanOrEqual(4);
    let kept: readonly { readonly label: string }[] = [];
    await desk.run(args, {
      onOutput: async (text, kill) => {
        const answer = await fetch(`${baseUrlOf(text)}/vpcs?page_size=500`, { headers });
        kept = ((await answer.json()) as { data: typeof kept }).data;
        kill("SIGTERM");
      },
    });
    const labels = kept.map(({ label }) => label);
    expect(labels.filter((label) => label.startsWith("vpc-")).sort()).toEqual(
      expect.arrayContaining([...answered].sort()),
    );
    expect(new Set(labels).size).toBe(labels.length);
  });

  it("ends the emulator with the reason when a change cannot be written", async () => {
    const data = join(desk.folder, "lost.json");
    const ran = await desk.run(["emulator", "--port", "0", "--json", "--data", data], {
      onOutput: (text) => {
        const { baseUrl } = JSON.parse(text) as { baseUrl: string };
        rmSync(data);
        const headers = { authorization: "Bearer any", "content-type": "application/json" };
        void fetch(`${baseUrl}/profile/tokens`, { method: "POST", headers, body: '{"label":"a"}' });
      },
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`the emulator stopped: cannot write the data file ${data}`);
  });

  it("serves the emulator until it is interrupted", async () => {
    const ran = await desk.run(["emulator", "--port", "0", "--json"], {
      onOutput: (_text, kill) => kill("SIGTERM"),
    });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v4$/);
  });
});
