/** What scripts rely on in the command line: the shape of its JSON and its exit codes, on the example `web`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { call, kept, writes } from "./account.ts";
import { createEmbedded, type Embedded } from "./embedded.ts";
import { changed, edited, exampleFile, text } from "./web.ts";

describe("what scripts rely on in the command line", { timeout: 60_000 }, () => {
  let emulator: Emulator;
  let stack: Embedded;
  beforeAll(async () => {
    emulator = await startEmulator({ seed: starterAccount, speed: "instant" });
    stack = createEmbedded(text, { baseUrl: emulator.baseUrl, token: emulator.token });
  });
  afterAll(async () => {
    stack?.remove();
    await emulator?.close();
  });
  const requests = () => emulator.stats().total;

  it("is a preview of one object, and lines of which the last is the summary", async () => {
    const preview = JSON.parse((await stack.preview()).stdout);
    expect(Object.keys(preview).sort()).toEqual(["diagnostics", "requests", "steps", "summary"]);
    expect(preview.summary).toEqual({ create: 21, update: 0, replace: 0, delete: 0, same: 0 });
    expect(preview.steps.find((step: { name: string }) => step.name === "network")).toEqual({
      op: "create",
      urn: "urn:pulumi:dev::web::plumbline:vpc/vpc:Vpc::network",
      type: "plumbline:vpc/vpc:Vpc",
      name: "network",
      id: null,
      detailedDiff: {},
      replaceReasons: [],
    });
    const before = requests();
    const lines = (await stack.attempt("up", "-y")).stdout.trim().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "");
    expect(last).toMatchObject({
      event: "summary",
      result: "succeeded",
      summary: { create: 21, update: 0, replace: 0, delete: 0, same: 0 },
      requests: { POST: 21 },
      seconds: expect.any(Number),
    });
    const told = Object.values(last.requests as { [method: string]: number }).reduce((a, b) => a + b, 0);
    const previewed = Object.values(preview.requests as { [method: string]: number }).reduce(
      (a, b) => a + b,
      0,
    );
    expect(requests() - before).toBe(told + previewed);
  });

  it("is exit code 2 for changes, 3 for drift, 4 for a guard, 1 for a refusal", async () => {
    const code = async (...args: string[]) => (await stack.attempt(...args)).code;
    expect(await code("preview", "--detailed-exitcode")).toBe(0);
    expect((await stack.command("drift")).code).toBe(0);
    stack.write(edited(...changed));
    const plan = join(stack.folder, "plan.json");
    expect(await code("preview")).toBe(0);
    expect(await code("preview", "--detailed-exitcode")).toBe(2);
    expect(await code("preview", "--expect-no-changes", "--save-plan", plan)).toBe(2);

    const volume = kept(emulator, "volumes").find(({ label }) => label === "production-backup");
    await call(emulator, "PUT", `/volumes/${volume?.id}`, { tags: ["production"] });
    const both = ["production", "web"];
    const drift = await stack.command("drift", "--json");
    expect(drift.code).toBe(3);
    expect(JSON.parse(drift.stdout)).toEqual({
      drifted: [
        {
          urn: "urn:pulumi:dev::web::plumbline:blockstorage/volume:Volume::backupDisk",
          id: String(volume?.id),
          kind: "changed",
          paths: { tags: { declared: both, last: both, live: ["production"] } },
        },
      ],
    });

    stack.write(text);
    const before = writes(emulator);
    const stale = await stack.attempt("up", "-y", "--plan", plan);
    expect([stale.code, stale.result]).toEqual([4, "failed"]);
    stack.write(edited(["size: 80", "size: -80"]));
    const refused = await stack.attempt("up", "-y");
    expect([refused.code, refused.result]).toEqual([1, "failed"]);
    const line = text.split("\n").indexOf("      size: 80") + 1;
    expect(refused.diagnostics).toMatchObject([
      { severity: "error", file: "Pulumi.yaml", line, column: 13, property: "size" },
    ]);
    expect(writes(emulator)).toEqual(before);
  });

  it("is an account kept in a file between runs, and a state folder of one's own", async () => {
    const files = ["--emulator=account.json", "--state", "own-state", "-f", exampleFile];
    const upped = await stack.attempt("up", "-y", ...files);
    expect([upped.code, upped.result, upped.changes]).toEqual([0, "succeeded", { create: 21 }]);
    expect((await stack.attempt("preview", "--expect-no-changes", ...files)).code).toBe(0);
    const destroyed = await stack.attempt("destroy", "-y", ...files);
    expect([destroyed.code, destroyed.changes]).toEqual([0, { delete: 21 }]);
    const { collections } = JSON.parse(readFileSync(join(stack.folder, "account.json"), "utf8"));
    expect([collections.domains, collections.vpcs, collections.volumes]).toEqual([[], [], []]);
  });
});
