import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, openSession, type Reason, type Session } from "../../session.ts";
import { ask, body, fresh, instances, kinds, makeDatabase, set } from "./session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

const fields = (reasons: readonly Reason[]) => reasons.map(({ field }) => field).sort();

describe.each(kinds)("a new %s database", (kind) => {
  const refusedNew = (sent: object) => on.refused(400, "POST", instances(kind), body(kind, sent));
  const engine = kind === "mysql" ? "mysql/8.0.30" : "postgresql/14.6";
  const foreign = kind === "mysql" ? "postgresql/14.6" : "mysql/8.0.30";

  test("needs label, engine, region and type (contract section 2.5)", async () => {
    expect(await on.refused(400, "POST", instances(kind), {})).toEqual(
      expect.arrayContaining(
        ["label", "engine", "region", "type"].map((field) => ({ reason: `${field} is required`, field })),
      ),
    );
  });

  test.each([
    ["a label of 2 characters (section 8)", { label: "ab" }, "label", "Length must be 3-32 characters"],
    [
      "a label of 33 characters (section 8)",
      { label: "a".repeat(33) },
      "label",
      "Length must be 3-32 characters",
    ],
    ["an engine without a version (section 2.5)", { engine: kind }, "engine", "engine is not valid"],
    ["a version that there is not", { engine: `${kind}/1.0` }, "engine", "engine is not valid"],
    ["an engine of the other kind", { engine: foreign }, "engine", "engine is not valid"],
    ["an unknown region", { region: "atlantis" }, "region", "region is not valid"],
    [
      "a region without managed databases",
      { region: "ap-northeast" },
      "region",
      "Managed databases are not available in this region",
    ],
    ["an unknown type", { type: "g9-huge-1" }, "type", "type is not valid"],
    ["two nodes (section 2.5)", { cluster_size: 2 }, "cluster_size", "Must be one of 1, 3"],
    [
      "an unknown replication",
      { replication_type: "async" },
      "replication_type",
      /^Must be one of none, asynch/,
    ],
    ["a number for encrypted", { encrypted: 1 }, "encrypted", "Must be of type Boolean"],
    ["a text for allow_list", { allow_list: "10.0.0.1" }, "allow_list", "Must be of type Array"],
  ])("cannot have %s", async (_, sent, field, reason) => {
    const reasons = await refusedNew(sent);
    expect(reasons).toEqual([
      { field, reason: typeof reason === "string" ? reason : expect.stringMatching(reason) },
    ]);
  });

  test.each([
    "example.org",
    "10.0.0.256",
    "010.0.0.1",
    "10.0.0",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "2001:db8::/129",
    "fe80::1%eth0",
    "",
  ])("does not let %j connect (section 2.5)", async (entry) => {
    expect(await refusedNew({ allow_list: ["192.0.2.1", entry] })).toEqual([
      { reason: "Must be an IP address or a range in CIDR form", field: "allow_list[1]" },
    ]);
  });

  test("keeps the allow list as it was given", async () => {
    const list = ["203.0.113.1", "192.0.2.0/24", "10.0.0.5/8", "0.0.0.0/0", "2001:db8::/32", "::1"];
    const made = await on.post(instances(kind), body(kind, { allow_list: list }));
    expect(made.allow_list).toEqual(list);
  });

  test("has a label that no database of either kind has (section 2.5)", async () => {
    const label = fresh();
    const other = kind === "mysql" ? "postgresql" : "mysql";
    await on.post(instances(other), body(other, { label }));
    expect(await refusedNew({ label })).toEqual([
      { reason: "Label must be unique among your databases", field: "label" },
    ]);
  });

  test("that is wrong in many ways is told all of them", async () => {
    const sent = {
      label: "x",
      engine: "mysql",
      region: "moon",
      type: "tiny",
      allow_list: ["?"],
      cluster_size: 5,
    };
    expect(fields(await on.refused(400, "POST", instances(kind), sent))).toEqual(
      ["allow_list[0]", "cluster_size", "engine", "label", "region", "type"].sort(),
    );
  });

  test("takes the defaults of the contract (section 2.5)", async () => {
    const made = await on.post(instances(kind), body(kind, { label: fresh(), allow_list: null }));
    expect(made).toMatchObject({
      status: "provisioning",
      engine: kind,
      version: engine.split("/")[1],
      allow_list: [],
      cluster_size: 1,
      encrypted: false,
      ssl_connection: true,
      replication_type: "none",
      port: kind === "mysql" ? 3306 : 5432,
      hosts: { primary: null, secondary: null },
      updates: { frequency: "weekly", duration: 3, hour_of_day: 0, day_of_week: null, week_of_month: null },
    });
    expect(made.replication_commit_type).toBe(kind === "mysql" ? undefined : "local");
    expect(made.total_disk_size_gb).toBeUndefined();
  });

  test("does not take a maintenance window (section 2.5)", async () => {
    const updates = { frequency: "monthly", duration: 1, hour_of_day: 7, day_of_week: 3, week_of_month: 2 };
    expect((await on.post(instances(kind), body(kind, { updates }))).updates.frequency).toBe("weekly");
  });
});

describe("replication (contract section 2.5)", () => {
  const type = "replication_type";
  const commit = "replication_commit_type";
  test.each([
    ["mysql", {}, "none"],
    ["mysql", { cluster_size: 1, [type]: "none" }, "none"],
    ["mysql", { cluster_size: 3 }, "semi_synch"],
    ["mysql", { cluster_size: 3, [type]: "asynch" }, "asynch"],
    ["mysql", { cluster_size: 3, [type]: "semi_synch" }, "semi_synch"],
    ["postgresql", {}, "none"],
    ["postgresql", { cluster_size: 3 }, "asynch"],
    ["postgresql", { cluster_size: 3, [type]: "asynch", [commit]: "off" }, "asynch"],
    ["postgresql", { cluster_size: 3, [commit]: "local" }, "asynch"],
    ["postgresql", { [commit]: "on" }, "none"],
    ["postgresql", { [commit]: "remote_apply" }, "none"],
    ["postgresql", { [commit]: "remote_write" }, "none"],
  ] as const)("%s with %j is %s", async (kind, sent: { [name: string]: unknown }, expected) => {
    const made = await on.post(instances(kind), body(kind, sent));
    expect(made.replication_type).toBe(expected);
    if (kind === "postgresql") expect(made[commit]).toBe(sent[commit] ?? "local");
  });

  test.each([
    ["mysql", { [type]: "asynch" }, type],
    ["mysql", { cluster_size: 1, [type]: "semi_synch" }, type],
    ["mysql", { cluster_size: 3, [type]: "none" }, type],
    ["postgresql", { [type]: "asynch" }, type],
    ["postgresql", { cluster_size: 3, [type]: "none" }, type],
    ["postgresql", { cluster_size: 3, [type]: "semi_synch" }, type],
    ["postgresql", { cluster_size: 3, [commit]: "on" }, commit],
    ["postgresql", { cluster_size: 3, [commit]: "remote_write" }, commit],
    ["postgresql", { cluster_size: 3, [type]: "asynch", [commit]: "remote_apply" }, commit],
    ["postgresql", { [commit]: "sometimes" }, commit],
  ] as const)("%s with %j is refused", async (kind, sent, field) => {
    expect(fields(await on.refused(400, "POST", instances(kind), body(kind, sent)))).toEqual([field]);
  });
});

describe("a change of a database", () => {
  let database: Answer;
  const path = () => `${instances("mysql")}/${database.id}`;
  const refused = (sent: object) => on.refused(400, "PUT", path(), sent);
  beforeAll(async () => {
    database = await makeDatabase(on, "mysql", { type: "g6-standard-2" });
  });

  test.each([
    [
      "with the list of who connects (section 7)",
      { type: "g6-standard-4", allow_list: [] },
      /together with allow_list/,
    ],
    ["to the same node type (section 2.5)", { type: "g6-standard-2" }, /^Must have more disk space/],
    ["to one with as much disk", { type: "g6-dedicated-2" }, /^Must have more disk space/],
    ["to one with less disk", { type: "g6-nanode-1" }, /^Must have more disk space/],
    ["to an unknown node type", { type: "g9-huge-1" }, /^type is not valid/],
  ])("of the type %s is refused", async (_, sent, reason) => {
    expect(await refused(sent)).toEqual([{ field: "type", reason: expect.stringMatching(reason) }]);
  });

  test.each([
    [{ frequency: "daily" }, "updates.frequency", "Must be one of weekly, monthly"],
    [{ day_of_week: 0 }, "updates.day_of_week", "Must be 1-7"],
    [{ day_of_week: 8 }, "updates.day_of_week", "Must be 1-7"],
    [{ hour_of_day: -1 }, "updates.hour_of_day", "Must be 0-23"],
    [{ hour_of_day: 24 }, "updates.hour_of_day", "Must be 0-23"],
    [{ duration: 0 }, "updates.duration", "Must be 1-3"],
    [{ duration: 4 }, "updates.duration", "Must be 1-3"],
    [{ frequency: "monthly", week_of_month: 0 }, "updates.week_of_month", "Must be 1-4"],
    [{ frequency: "monthly", week_of_month: 5 }, "updates.week_of_month", "Must be 1-4"],
    [{ frequency: "monthly" }, "updates.week_of_month", "week_of_month is required for monthly maintenance"],
    [
      { frequency: "monthly", week_of_month: null },
      "updates.week_of_month",
      "week_of_month is required for monthly maintenance",
    ],
    [
      { frequency: "weekly", week_of_month: 1 },
      "updates.week_of_month",
      "Must be null for weekly maintenance",
    ],
    [{ week_of_month: 4 }, "updates.week_of_month", "Must be null for weekly maintenance"],
  ])("to the window %j is refused (sections 2.5 and 8)", async (updates, field, reason) => {
    expect(await refused({ updates })).toEqual([{ reason, field }]);
  });

  test("that is wrong in many ways is told all of them, and changes nothing", async () => {
    const taken = (await on.post(instances("postgresql"), body("postgresql"))).label;
    const sent = { label: taken, allow_list: ["x"], type: "none", updates: { duration: 9 } };
    expect(fields(await refused(sent))).toEqual([
      "allow_list[0]",
      "label",
      "type",
      "type",
      "updates.duration",
    ]);
    expect(await on.get(path())).toEqual(database);
  });

  test("does not reach what is set for good, so clients may send it back (notes, section 1.4)", async () => {
    const other = await makeDatabase(on, "mysql");
    const sent = { ...other, region: "us-iad", engine: "postgresql", cluster_size: 3, encrypted: true };
    const { type: _type, updates: _updates, ...rest } = { ...sent, label: fresh() };
    const changed = await on.put(`${instances("mysql")}/${other.id}`, rest);
    expect(changed).toMatchObject({ region: "us-east", engine: "mysql", cluster_size: 1, encrypted: false });
    expect(changed.label).toBe(rest.label);
  });
});

describe("a snapshot (contract sections 2.5, 3 and 8)", () => {
  let database: Answer;
  const backups = () => `${instances("postgresql")}/${database.id}/backups`;
  const refused = (sent: unknown) => on.refused(400, "POST", backups(), sent);
  beforeAll(async () => {
    database = await makeDatabase(on, "postgresql");
  });

  test.each([
    [{}, "label", "label is required"],
    [{ label: "" }, "label", "Length must be 1-30 characters"],
    [{ label: "a".repeat(31) }, "label", "Length must be 1-30 characters"],
    [{ label: "before sale" }, "label", "Must only use ASCII letters, digits and underscores"],
    [{ label: "before-sale" }, "label", "Must only use ASCII letters, digits and underscores"],
    [{ label: "vör" }, "label", "Must only use ASCII letters, digits and underscores"],
    [{ label: "line\n" }, "label", "Must only use ASCII letters, digits and underscores"],
    [{ label: "a", target: "tertiary" }, "target", "Must be one of primary, secondary"],
    [{ label: "a", target: "secondary" }, "target", "A single node has no secondary"],
  ])("by %j is refused", async (sent, field, reason) => {
    expect(await refused(sent)).toEqual([{ reason, field }]);
  });

  test("of a replica needs high availability", async () => {
    const { id } = await makeDatabase(on, "postgresql", { cluster_size: 3 });
    await on.post(`${instances("postgresql")}/${id}/backups`, { label: "replica", target: "secondary" });
    on.wait(60);
    expect(await on.list(`${instances("postgresql")}/${id}/backups`)).toMatchObject([{ label: "replica" }]);
  });

  test("has a label of its own, and a fourth one is refused", async () => {
    await on.post(backups(), { label: "a".repeat(30) });
    on.wait(60);
    expect(await refused({ label: "a".repeat(30), target: "secondary" })).toEqual([
      { reason: "Label must be unique among the database's backups", field: "label" },
      { reason: "A single node has no secondary", field: "target" },
    ]);
    for (const label of ["Two_2", "3"]) {
      await on.post(backups(), { label });
      on.wait(60);
    }
    const full = [{ reason: "3 snapshots are stored already: delete one first" }];
    expect(await refused({ label: "four" })).toEqual(full);
    const [first] = await on.list(backups());
    await on.remove(`${backups()}/${first.id}`);
    expect(await on.post(backups(), { label: "four" })).toEqual({});
    on.wait(60);
    expect((await on.list(backups())).map(({ label }) => label)).toEqual(["Two_2", "3", "four"]);
  });

  test("waits for a backup that is under way", async () => {
    const { id } = await makeDatabase(on, "mysql");
    const own = `${instances("mysql")}/${id}/backups`;
    await on.post(own, { label: "one" });
    expect(await on.refused(400, "POST", own, { label: "two" })).toEqual([
      { reason: "The database is backing up: wait until that is complete, it must be active" },
    ]);
    expect(await on.list(own)).toEqual([]);
    on.wait(60);
    expect(await on.list(own)).toMatchObject([{ label: "one", type: "snapshot" }]);
  });
});

const states = [
  "provisioning",
  "active",
  "suspending",
  "suspended",
  "resuming",
  "restoring",
  "failed",
  "degraded",
  "updating",
  "resizing",
  "backing_up",
] as const;

const operations: readonly [string, string, string, unknown, readonly string[]][] = [
  ["an update", "PUT", "", { allow_list: [] }, ["active"]],
  ["a snapshot", "POST", "/backups", { label: "s" }, ["active"]],
  ["the credentials", "GET", "/credentials", undefined, ["active"]],
  ["a reset of the credentials", "POST", "/credentials/reset", undefined, ["active"]],
  ["a patch", "POST", "/patch", undefined, ["active"]],
  ["the certificate", "GET", "/ssl", undefined, ["active"]],
  ["a restore", "POST", "/backups/{backup}/restore", undefined, ["active", "degraded", "failed"]],
  ["the list of backups", "GET", "/backups", undefined, states.filter((one) => one !== "provisioning")],
  ["a backup", "GET", "/backups/{backup}", undefined, states.filter((one) => one !== "provisioning")],
  [
    "the deletion of a backup",
    "DELETE",
    "/backups/{backup}",
    undefined,
    states.filter((one) => one !== "provisioning"),
  ],
  ["the deletion", "DELETE", "", undefined, ["active", "failed", "degraded"]],
];

describe.each(states)("while a database is %s (contract section 3)", (status) => {
  test.each(operations)("%s needs its state", async (_, method, path, sent, needed) => {
    const database = await makeDatabase(on, "mysql");
    const own = `${instances("mysql")}/${database.id}`;
    await on.post(`${own}/backups`, { label: "kept" });
    on.wait(60);
    const [backup] = await on.list(`${own}/backups`);
    set(on, database.id, { status });
    const target = own + path.replace("{backup}", backup.id);
    expect((await on.get(own)).status).toBe(status);
    if (needed.includes(status)) {
      await ask(on, method, target, sent);
    } else {
      const reasons = await on.refused(400, method, target, sent);
      expect(reasons).toEqual([{ reason: expect.stringMatching(/^The database is /) }]);
      expect((await on.get(own)).status).toBe(status);
    }
  });
});

describe("what does not exist (notes, section 5)", () => {
  test.each([
    ["GET", ""],
    ["PUT", ""],
    ["DELETE", ""],
    ["GET", "/backups"],
    ["POST", "/backups"],
    ["GET", "/backups/1"],
    ["DELETE", "/backups/1"],
    ["POST", "/backups/1/restore"],
    ["GET", "/credentials"],
    ["POST", "/credentials/reset"],
    ["POST", "/patch"],
    ["GET", "/ssl"],
  ])("is told of %s on a database%s of the other kind", async (method, path) => {
    const database = await makeDatabase(on, "mysql");
    const sent = method === "GET" || method === "DELETE" ? undefined : { label: "abc" };
    expect(await on.refused(404, method, `${instances("postgresql")}/${database.id}${path}`, sent)).toEqual([
      { reason: "Not found" },
    ]);
  });

  test("is told of another database's backup", async () => {
    const [one, two] = [await makeDatabase(on, "mysql"), await makeDatabase(on, "mysql")];
    await on.post(`${instances("mysql")}/${one.id}/backups`, { label: "mine" });
    on.wait(60);
    const [backup] = await on.list(`${instances("mysql")}/${one.id}/backups`);
    const path = `${instances("mysql")}/${two.id}/backups/${backup.id}`;
    for (const [method, more] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/restore"],
    ] as const)
      await on.refused(404, method, path + more);
  });
});
