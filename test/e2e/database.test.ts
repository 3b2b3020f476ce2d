/** The example `database` through its life, under each engine on an emulator of its own. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { beginning } from "../beginning.ts";
import { call, type Kept, kept, writes } from "./account.ts";
import { createDriver, type Driver, type EngineName } from "./engines.ts";
import { pluginFolder, pulumiBin } from "./pulumi.ts";

const text = readFileSync(
  resolve(import.meta.dirname, "../../examples/database/Pulumi.yaml"),
  "utf8",
).replace("path: ../../bin", `path: ${pluginFolder}`);

/** The example with each edit made once. */
const edited = (...edits: readonly (readonly [from: string, to: string])[]) =>
  edits.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`the example does not have "${from}" once`);
    return before.replace(from, to);
  }, text);

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(
    `the database example under ${engine}`,
    { timeout: 120_000 },
    () => life(engine),
  );
}

function life(engine: EngineName): void {
  let emulator: Emulator;
  let stack: Driver;
  beforeAll(async () => {
    emulator = await startEmulator({ startTime: beginning, speed: "instant", checkAnswers: true });
    stack = await createDriver(engine, text, { baseUrl: emulator.baseUrl, token: emulator.token });
  });
  afterAll(async () => {
    stack?.remove();
    await emulator?.close();
  });

  const one = (label: string): Kept => {
    const found = kept(emulator, "databases").find((database) => database["label"] === label);
    if (found === undefined) throw new Error(`there is no database ${label}`);
    return found;
  };
  const sent = (before: { [operation: string]: number }) =>
    Object.entries(writes(emulator)).flatMap(([operation, count]) =>
      count === before[operation] ? [] : [`${operation} ${count - (before[operation] ?? 0)}`],
    );
  const grown = [
    ["type: g6-standard-1", "type: g6-standard-2"],
    ["default: [203.0.113.10, 203.0.113.11,", "default: [203.0.113.10,"],
  ] as const;

  it("is planned without a write, and made as declared", async () => {
    const planned = await stack.preview();
    expect([planned.changes, planned.said]).toEqual([{ create: 3 }, []]);
    expect(writes(emulator)).toEqual({});
    expect((await stack.up()).changes).toEqual({ create: 3 });
    expect(one("shop")).toMatchObject({
      status: "active",
      cluster_size: 3,
      replication_type: "semi_synch",
      encrypted: true,
      updates: { frequency: "monthly", week_of_month: 2, day_of_week: 7, hour_of_day: 2, duration: 2 },
    });
    expect(one("reports")).toMatchObject({
      status: "active",
      replication_type: "none",
      allow_list: { length: 3 },
    });
    const snapshots = kept(emulator, "databaseBackups").filter(({ type }) => type === "snapshot");
    expect(snapshots).toMatchObject([{ label: "opening", _database: one("shop").id }]);
    expect(await stack.outputs()).toEqual({
      shopHost: (one("shop")["hosts"] as { primary: string }).primary,
      shopPort: 3306,
      shopUser: "linroot",
      shopPassword: one("shop")["_password"],
      shopCertificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
      reportsHost: (one("reports")["hosts"] as { primary: string }).primary,
    });
  });

  it("shows the root password to nobody who does not ask for it", async () => {
    const password = String(one("shop")["_password"]);
    const shown = [
      await stack.command("stack", "export", "--stack", "dev"),
      await stack.command("stack", "output", "--stack", "dev"),
    ];
    for (const { code, stdout, stderr } of shown) {
      expect(code, stderr).toBe(0);
      expect(`${stdout}${stderr}`).not.toContain(password);
    }
  });

  it("needs nothing the second time, nor after a refresh", async () => {
    const before = writes(emulator);
    expect((await stack.up()).changes).toEqual({ same: 3 });
    expect((await stack.refresh()).changes).toEqual({ same: 3 });
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 3 });
    expect(sent(before)).toEqual([]);
  });

  it("is resized in place, its type and its list in two requests of one update", async () => {
    const [{ id }, before] = [one("shop"), writes(emulator)];
    stack.write(edited(...grown));
    const { plan, changes } = await stack.up();
    expect(changes).toEqual({ same: 1, update: 2 });
    expect(plan["shop"]?.paths).toEqual({ type: "update", allowList: "update" });
    expect(one("shop")).toMatchObject({
      id,
      type: "g6-standard-2",
      status: "active",
      allow_list: { length: 2 },
    });
    expect(sent(before)).toEqual([
      "PUT /databases/mysql/instances/{instanceId} 2",
      "PUT /databases/postgresql/instances/{instanceId} 1",
    ]);
  });

  it("is refused a smaller type in the preview", async () => {
    const before = writes(emulator);
    stack.write(edited(grown[1]));
    const refused = await stack.attempt("preview");
    expect(refused.code).toBe(1);
    expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(/must have more disk than now/);
    expect(sent(before)).toEqual([]);
  });

  it("says that another engine loses the data", async () => {
    stack.write(edited(...grown, ["engine: postgresql/14.6", "engine: postgresql/13.8"]));
    const { plan, said, printed } = await stack.preview();
    expect(plan["reports"]).toMatchObject({ op: "replace", because: ["engine"] });
    expect(`${said.join("\n")}${printed}`).toContain("all its data and its backups are deleted with it");
  });

  it("is put right when it was changed from outside, and taken down without a trace", async () => {
    stack.write(edited(...grown));
    await call(emulator, "PUT", `/databases/mysql/instances/${one("shop").id}`, {
      allow_list: ["0.0.0.0/0"],
    });
    await call(emulator, "GET", `/databases/mysql/instances/${one("shop").id}`);
    expect((await stack.up("--refresh")).plan["shop"]).toMatchObject({ op: "update" });
    expect(one("shop")["allow_list"]).toHaveLength(2);
    expect((await stack.destroy()).changes).toEqual({ delete: 3 });
    expect([kept(emulator, "databases"), kept(emulator, "databaseBackups")]).toEqual([[], []]);
    expect(emulator.mismatches).toEqual([]);
  });
}
