/** Databases and their snapshots: the life of each type, what is peculiar to it, its verbs, and the functions of the area. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notesIn } from "../../../provider/core/engines/notes.ts";
import type { CheckFailure, Provider } from "../../../provider/core/protocol.ts";
import {
  isSecret,
  reveal,
  secret,
  unknown,
  type Value,
  type ValueMap,
} from "../../../provider/core/value.ts";
import { createProvider } from "../../../provider/provider.ts";
import { beginning } from "../../beginning.ts";
import { type Account, apply, checked, openAccount, resourceNamed } from "../deployment.ts";
import { leadsItsLife } from "../lifecycle.ts";
import {
  database,
  lives,
  mysql,
  mysqlType,
  pathOf,
  postgresql,
  postgresqlType,
  snapshotType,
} from "../lives/databases.ts";

for (const life of lives) leadsItsLife(life);

describe("a database", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount({ startTime: beginning });
  });
  afterAll(() => account.close());
  const named = (name: string) => resourceNamed(mysqlType, name);
  const writes = (since = {}) => {
    const now = account.emulator.stats().requests;
    return Object.entries(now).flatMap(([operation, count]) => {
      const before = (since as { [operation: string]: number })[operation] ?? 0;
      return operation.startsWith("GET ") || count === before ? [] : [`${operation} ${count - before}`];
    });
  };

  test("is refused by its declaration alone", async () => {
    const provider = await account.open();
    const reasons = async (type: string, inputs: ValueMap) => {
      const newInputs = { ...(type === mysqlType ? mysql : postgresql), ...inputs };
      const { failures } = await provider.check({
        ...resourceNamed(type, "x"),
        newInputs,
        randomSeed: new Uint8Array(32),
      });
      return failures.map(({ property, reason }: CheckFailure) => `${property}: ${reason}`);
    };
    const mysqlCases: [ValueMap, string[]][] = [
      [{ label: "ab" }, ["label: must have 3 to 32 characters, not 2"]],
      [{ label: "a".repeat(33) }, ["label: must have 3 to 32 characters, not 33"]],
      [{ engine: "postgresql/14.6" }, ['engine: must be written mysql/VERSION, not "postgresql/14.6"']],
      [{ clusterSize: 2 }, ["clusterSize: must be 1 or 3, not 2"]],
      [{ replicationType: "asynch" }, ["replicationType: must be none for a single node, not asynch"]],
      [
        { clusterSize: 3, replicationType: "none" },
        ["replicationType: must be asynch or semi_synch for three nodes, not none"],
      ],
      [{ clusterSize: unknown, replicationType: "asynch" }, []],
      [
        { allowList: ["10.0.0.1", "10.0.0"] },
        ['allowList[1]: must be an IP address or a range in CIDR form (192.0.2.0/24), not "10.0.0"'],
      ],
      [{ updates: { frequency: "monthly" } }, ["updates.weekOfMonth: is required for monthly maintenance"]],
      [
        { updates: { weekOfMonth: 1 } },
        ["updates.weekOfMonth: is for monthly maintenance only; take it out"],
      ],
      [{ updates: { dayOfWeek: 8 } }, ["updates.dayOfWeek: must be 1 to 7, not 8"]],
      [{ restore: { trigger: 1 } }, ["restore.backupId: is required"]],
    ];
    for (const [inputs, refused] of mysqlCases) expect(await reasons(mysqlType, inputs)).toEqual(refused);
    expect(await reasons(postgresqlType, { clusterSize: 3, replicationType: "semi_synch" })).toHaveLength(1);
    expect(await reasons(postgresqlType, { clusterSize: 3, replicationCommitType: "on" })).toEqual([
      "replicationCommitType: must be local or off with asynch replication",
    ]);
    expect(await reasons(postgresqlType, { replicationCommitType: "on" })).toEqual([]);
    expect(await reasons(mysqlType, { replicationCommitType: "on" })).toHaveLength(1);
    expect(provider.requests()).toEqual({});
  });

  test.each([
    [
      mysqlType,
      mysql,
      {
        engine: "mysql/5.7.39",
        region: "us-southeast",
        clusterSize: 3,
        encrypted: true,
        sslConnection: false,
      },
    ],
    [mysqlType, { ...mysql, clusterSize: 3, replicationType: "asynch" }, { replicationType: "semi_synch" }],
    [
      postgresqlType,
      postgresql,
      { engine: "postgresql/13.8", region: "us-southeast", clusterSize: 3, encrypted: true },
    ],
    [
      postgresqlType,
      { ...postgresql, clusterSize: 3, replicationCommitType: "local" },
      { replicationCommitType: "off" },
    ],
    [
      snapshotType,
      { kind: "mysql", instanceId: "7", label: "a" },
      { kind: "postgresql", instanceId: "8", label: "b", target: "secondary" },
    ],
  ])("of type %s is replaced for each immutable property by itself", async (type, before, changes) => {
    const provider = await account.open();
    for (const [name, value] of Object.entries(changes)) {
      const after = { ...before, [name]: value };
      const own = { ...resourceNamed(type, "x"), id: type === snapshotType ? "mysql/7/9" : "9" };
      const diff = await provider.diff({ ...own, oldInputs: before, state: before, newInputs: after });
      expect([name, diff.replaces]).toEqual([name, [name]]);
    }
    expect(provider.requests()).toEqual({});
  });

  test.each([
    [mysqlType, mysql],
    [postgresqlType, postgresql],
  ])("of type %s stays for each other property", async (type, declared) => {
    const provider = await account.open();
    const before = { ...declared, label: "stays" };
    const changes: ValueMap = {
      label: "moved",
      type: "g6-standard-1",
      allowList: ["192.0.2.1"],
      updates: { dayOfWeek: 2 },
      credentialsResetTrigger: 1,
      patchTrigger: { because: "of a hole" },
      restore: { backupId: "5", trigger: 1 },
    };
    for (const [name, value] of Object.entries(changes)) {
      const request = { ...resourceNamed(type, "x"), id: "9", oldInputs: before, state: before };
      const diff = await provider.diff({ ...request, newInputs: { ...before, [name]: value } });
      expect([name, diff.changes, diff.replaces]).toEqual([name, true, []]);
    }
  });

  test("is refused in a preview where the service offers no such engine or type", async () => {
    const preview = (inputs: ValueMap) =>
      account.during((provider) =>
        provider.create({ ...named("n"), inputs: { label: "nnn", ...mysql, ...inputs }, preview: true }),
      );
    await expect(preview({ engine: "mysql/8.0.31" })).rejects.toMatchObject({
      failures: [{ property: "engine", reason: expect.stringContaining("did you mean mysql/8.0.30?") }],
    });
    await expect(preview({ type: "g6-nanode-2" })).rejects.toMatchObject({
      failures: [{ property: "type" }],
    });
    // Lists of what it is judged by: regions, databases with its label, engines, types.
    expect(account.requests()).toEqual({ GET: 4 });
    expect(writes()).toEqual([]);
  });

  test("grows in place by its own request after its other changes, and never shrinks", async () => {
    const declared: ValueMap = { ...mysql, type: "g6-standard-1", label: "grow" };
    const made = await apply(account, named("grow"), declared, undefined);
    const before = account.emulator.stats().requests;
    const grown = { ...declared, type: "g6-standard-2", allowList: ["192.0.2.7"] };
    const now = await apply(account, named("grow"), grown, made);
    expect(now).toMatchObject({
      operation: "update",
      id: made.id,
      state: { type: "g6-standard-2", status: "active" },
    });
    expect(writes(before)).toEqual(["PUT /databases/mysql/instances/{instanceId} 2"]);
    const preview = (type: string) =>
      account.during(async (provider) =>
        provider.update({
          ...named("grow"),
          id: now.id,
          oldInputs: now.inputs,
          state: now.state,
          newInputs: { ...now.inputs, type },
          preview: true,
        }),
      );
    for (const smaller of ["g6-standard-1", "g6-dedicated-2"]) {
      await expect(preview(smaller)).rejects.toMatchObject({
        failures: [
          {
            property: "type",
            reason: expect.stringMatching(/must have more disk than now \(g6-standard-2 with 80 GB\)/),
          },
        ],
      });
    }
    await preview("g6-standard-4");
    await account.call("PUT", pathOf("mysql", now.id), { type: "g6-standard-4" });
    await account.call("GET", pathOf("mysql", now.id));
    const drifted = await account.during((provider) => provider.read({ ...named("grow"), ...now }));
    expect(drifted!.inputs).toEqual({ ...now.inputs, type: "g6-standard-4" });
    await expect(apply(account, named("grow"), grown, drifted)).rejects.toMatchObject({
      failures: [{ property: "type" }],
    });
    expect(writes(before)).toEqual(["PUT /databases/mysql/instances/{instanceId} 3"]);
  });

  test("says that a change of its engine loses its data", async () => {
    const provider = await account.open();
    const newInputs = { ...mysql, label: "move", engine: "mysql/5.7.39" };
    const said: string[] = [];
    const diff = await provider.diff({
      ...named("move"),
      id: "9",
      oldInputs: { ...mysql, label: "move" },
      state: { ...mysql, label: "move" },
      newInputs,
      log: (severity, message) => void said.push(`${severity}: ${message}`),
    });
    expect(diff).toMatchObject({ replaces: ["engine"], deleteBeforeReplace: true });
    expect(said).toEqual([
      "warning: a change of engine replaces MySqlInstance 9: all its data and its backups are deleted with it",
    ]);
  });

  test("tells how to connect, the password as a secret, and gets a new one by a trigger or by hand", async () => {
    const declared: ValueMap = { ...mysql, label: "creds" };
    const made = await apply(account, named("creds"), declared, undefined);
    expect(made.state["caCertificate"]).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(isSecret(made.state["rootPassword"])).toBe(true);
    const seen = async () =>
      (await account.call("GET", `${pathOf("mysql", made.id)}/credentials`))["password"];
    const first = await seen();
    expect(reveal(made.state["rootPassword"]!)).toBe(first);
    const second = await apply(account, named("creds"), { ...declared, credentialsResetTrigger: "a" }, made);
    expect(second.operation).toBe("update");
    expect(await seen()).not.toBe(first);
    expect(reveal(second.state["rootPassword"]!)).toBe(await seen());
    const run = (verb: string, args: ValueMap = {}) =>
      account.during((provider) => provider.run!({ type: mysqlType, id: "mysql/creds", verb, args }));
    const before = account.emulator.stats().requests;
    expect(await run("resetCredentials")).toEqual({ failures: [] });
    expect(await run("patch")).toEqual({ failures: [] });
    expect(reveal(second.state["rootPassword"]!)).not.toBe(await seen());
    expect(writes(before)).toEqual([
      "POST /databases/mysql/instances/{instanceId}/credentials/reset 1",
      "POST /databases/mysql/instances/{instanceId}/patch 1",
    ]);
    expect((await run("restore")).failures).toEqual([{ property: "backupId", reason: "is required" }]);
    const own = { kind: "mysql", instanceId: made.id, label: "now" };
    const { state } = await apply(account, resourceNamed(snapshotType, "now"), own, undefined);
    expect(await run("restore", { backupId: state["snapshotId"]! })).toEqual({ failures: [] });
    expect(await account.call("GET", pathOf("mysql", made.id))).toMatchObject({ status: "active" });
    expect(writes(before)).toContain(
      "POST /databases/mysql/instances/{instanceId}/backups/{backupId}/restore 1",
    );
  });

  test("is restored by a trigger, with warnings, and fails when the backup is older than its credentials", async () => {
    const declared: ValueMap = { ...mysql, label: "safe" };
    const made = await apply(account, named("safe"), declared, undefined);
    const take = async (label: string) => {
      const inputs = { kind: "mysql", instanceId: made.id, label };
      const taken = await apply(account, resourceNamed(snapshotType, label), inputs, undefined);
      return String(taken.state["snapshotId"]);
    };
    const old = await take("old");
    const restore = { backupId: old, trigger: 1 };
    const said: string[] = [];
    await account.during((provider) =>
      provider.update({
        ...named("safe"),
        id: made.id,
        oldInputs: made.inputs,
        state: made.state,
        newInputs: { ...made.inputs, restore, credentialsResetTrigger: 1 },
        preview: true,
        log: (severity, message) => void said.push(`${severity}: ${message}`),
      }),
    );
    // Both in one update: the restore comes first.
    expect(said).toEqual([expect.stringMatching(/^warning: restoring backup \d+ destroys all data/)]);
    const restored = await apply(account, named("safe"), { ...declared, restore }, made);
    expect(restored).toMatchObject({ operation: "update", state: { status: "active" } });
    expect((await apply(account, named("safe"), { ...declared, restore }, restored)).operation).toBe("same");

    const reset = await apply(
      account,
      named("safe"),
      { ...declared, restore, credentialsResetTrigger: 1 },
      restored,
    );
    const young = await take("young");
    const again = { ...restore, trigger: 2 };
    const broken = await account.during(async (provider) => {
      const newInputs = await checked(
        provider,
        named("safe"),
        { ...reset.inputs, restore: again },
        reset.inputs,
      );
      return provider
        .update({
          ...named("safe"),
          id: made.id,
          oldInputs: reset.inputs,
          state: reset.state,
          newInputs,
          preview: false,
        })
        .catch((error: unknown) => error);
    });
    expect(broken).toMatchObject({
      name: "ResourceInitFailedError",
      reasons: ["the database has failed: restore a backup, or delete it"],
    });
    const mended = await apply(
      account,
      named("safe"),
      { ...declared, credentialsResetTrigger: 1, restore: { backupId: young, trigger: 3 } },
      { id: made.id, inputs: reset.inputs, state: { ...reset.state, status: "failed" } },
    );
    expect(mended.state["status"]).toBe("active");
  });

  test("is warned of a restore of what is older than its root credentials, whoever reset them", async () => {
    const id = await database(account, "warned");
    const path = pathOf("mysql", id);
    const backup = async (label: string) => {
      await account.call("POST", `${path}/backups`, { label });
      await account.call("GET", path);
      const { data } = await account.call("GET", `${path}/backups`);
      return String((data as { id: number; label: string }[]).find((one) => one.label === label)?.id);
    };
    const old = await backup("old");
    account.emulator.advance(60);
    await account.call("POST", `${path}/credentials/reset`);
    account.emulator.advance(60);
    const young = await backup("young");

    const inputs: ValueMap = { ...mysql, label: "warned" };
    const planned = async (provider: Provider, backupId: string, before: ValueMap = inputs) => {
      const said: string[] = [];
      await provider.update({
        ...{ ...named("warned"), id, oldInputs: before, state: before, preview: true },
        newInputs: { ...before, restore: { backupId, trigger: 1 } },
        log: (severity, message) => void said.push(`${severity}: ${message}`),
      });
      return said;
    };
    const destroys = expect.stringMatching(/^warning: restoring backup \d+ destroys all data/);
    const fails =
      /^warning: backup \d+ was taken .* UTC, before the root credentials were reset .*: the database fails/;
    expect(await account.during((provider) => planned(provider, young))).toEqual([destroys]);
    expect(account.requests()).toEqual({ GET: 2 });
    expect(await account.during((provider) => planned(provider, old))).toEqual([
      destroys,
      expect.stringMatching(fails),
    ]);
    await expect(account.during((provider) => planned(provider, "999"))).rejects.toMatchObject({
      failures: [
        {
          property: "restore.backupId",
          reason: `there is no backup 999 of this database; there are: ${old} (old), ${young} (young)`,
        },
      ],
    });

    // A token that may not read events knows of those resets alone that were declared.
    const { token } = await account.call("POST", "/profile/tokens", { scopes: "databases:read_write" });
    const environment = { PLUMBLINE_BASE_URL: account.emulator.baseUrl, PLUMBLINE_TOKEN: String(token) };
    const provider = createProvider({ environment });
    try {
      await provider.configure({});
      expect(await planned(provider, old)).toEqual([destroys]);
      const declared = { ...inputs, credentialsResetTrigger: "spring" };
      expect(await planned(provider, old, declared)).toEqual([destroys, expect.stringMatching(fails)]);
    } finally {
      await provider.close();
    }
  });

  test("is patched once for a trigger, also when that run was cut off; and once more when it is put back", async () => {
    const declared: ValueMap = { ...mysql, label: "patched" };
    const made = await apply(account, named("patched"), declared, undefined);
    const kept = new Map<string, Value>();
    let onNoted: (() => void) | undefined;
    const notes = notesIn(
      {
        held: () => Object.fromEntries(kept),
        hold: async (all) => {
          kept.clear();
          for (const [key, note] of Object.entries(all)) kept.set(key, note);
          onNoted?.();
        },
      },
      { isReadOnly: false },
    );
    const update = (from: ValueMap, to: ValueMap, isCutOff = false) =>
      account.during((provider) => {
        onNoted = isCutOff ? () => provider.cancel() : undefined;
        return provider.update({
          ...{ ...named("patched"), id: made.id, state: made.state, preview: false, notes },
          ...{ oldInputs: { ...made.inputs, ...from }, newInputs: { ...made.inputs, ...to } },
        });
      });
    const patches = () =>
      account.emulator.stats().requests["POST /databases/mysql/instances/{instanceId}/patch"] ?? 0;
    const before = patches();
    const secretly = secret("p4tch me");
    await expect(update({}, { patchTrigger: secretly }, true)).rejects.toThrow(/cancelled/i);
    expect([patches() - before, kept.size]).toEqual([1, 1]);
    expect(JSON.stringify([...kept])).not.toContain("p4tch");
    await update({}, { patchTrigger: secretly });
    expect([patches() - before, kept.size]).toEqual([1, 0]);
    await update({ patchTrigger: secretly }, {});
    await update({}, { patchTrigger: secretly });
    expect([patches() - before, kept.size]).toEqual([2, 0]);
  });

  test("is kept with its id when it fails while it is made", async () => {
    const outcome = async (status: "failed" | "degraded", label: string) => {
      let id = "";
      const failed = await account.during((provider) =>
        provider
          .create({
            ...named(label),
            inputs: { ...mysql, label },
            preview: false,
            onCreated: (made) => {
              id = made;
              const data = account.emulator.data() as { collections: { databases: { label: string }[] } };
              const one = data.collections.databases.find((database) => database.label === label);
              Object.assign(one!, { _outcome: status });
              account.emulator.setData(data);
            },
          })
          .catch((error: unknown) => error),
      );
      expect(failed).toMatchObject({ name: "ResourceInitFailedError", id, state: { status } });
      return (failed as { reasons: string[] }).reasons;
    };
    expect(await outcome("failed", "fails")).toEqual([
      "the database has failed: restore a backup, or delete it",
    ]);
    expect(await outcome("degraded", "ails")).toEqual([
      "the database is degraded: not all of its nodes work",
    ]);
  });

  test("is deleted when what it is doing is over, with one request", async () => {
    const slow = await openAccount({ startTime: beginning, speed: 200 });
    try {
      const { id } = await slow.call("POST", "/databases/mysql/instances", { ...mysql, label: "busy" });
      slow.emulator.advance(60);
      await slow.call("PUT", pathOf("mysql", String(id)), { allow_list: ["192.0.2.1"] });
      expect(await slow.call("GET", pathOf("mysql", String(id)))).toMatchObject({ status: "updating" });
      const own = { ...named("busy"), id: String(id), oldInputs: mysql, state: mysql };
      await slow.during((provider) => provider.delete(own));
      expect(slow.emulator.stats().requests["DELETE /databases/mysql/instances/{instanceId}"]).toBe(1);
    } finally {
      await slow.close();
    }
  });

  test("is made once, although its create was cut off while it was waited for", async () => {
    const inputs = { ...mysql, label: "cut" };
    const before = account.emulator.stats().requests;
    let earlierAttempt = { startedAt: "" };
    await account.during(async (provider) => {
      const cut = provider.create({
        ...named("cut"),
        inputs,
        preview: false,
        onCreated: () => {
          earlierAttempt = { startedAt: provider.serviceTime() };
          provider.cancel();
        },
      });
      await expect(cut).rejects.toThrow(/cancelled/i);
    });
    const resumed = await account.during((provider) =>
      provider.create({ ...named("cut"), inputs, preview: false, earlierAttempt }),
    );
    expect(resumed.state).toMatchObject({ status: "active", label: "cut", rootUsername: "linroot" });
    expect(writes(before)).toEqual(["POST /databases/mysql/instances 1"]);
  });

  test("is not resized again by what goes on after a killed run, though a trigger is due before it", async () => {
    const seen = await openAccount({ startTime: beginning, speed: 600 });
    try {
      const saved = await apply(seen, named("grown"), { ...mysql, label: "grown" }, undefined);
      const path = pathOf("mysql", saved.id);
      await seen.call("PUT", path, { type: "g6-standard-1" });
      const before = { ...seen.emulator.stats().requests };
      const newInputs = { ...saved.inputs, type: "g6-standard-1", credentialsResetTrigger: 1 };
      const { id, inputs: oldInputs, state } = saved;
      const { state: now } = await seen.during((provider) =>
        provider.update({ ...named("grown"), id, oldInputs, newInputs, state, preview: false }),
      );
      expect(now).toMatchObject({ type: "g6-standard-1" });
      const sent = seen.emulator.stats().requests;
      const puts = "PUT /databases/mysql/instances/{instanceId}";
      expect(sent[puts]).toBe(before[puts]);
    } finally {
      await seen.close();
    }
  });

  test("has snapshots with labels of few characters only", async () => {
    const provider = await account.open();
    const reasons = async (inputs: ValueMap) => {
      const newInputs = { kind: "mysql", instanceId: "7", label: "good", ...inputs };
      const { failures } = await provider.check({ ...resourceNamed(snapshotType, "x"), newInputs });
      return failures.map(({ property, reason }: CheckFailure) => `${property}: ${reason}`);
    };
    expect(await reasons({ label: "" })).toEqual(["label: must have 1 to 30 characters, not 0"]);
    expect(await reasons({ label: "a".repeat(31) })).toEqual(["label: must have 1 to 30 characters, not 31"]);
    expect(await reasons({ label: "not-this" })).toHaveLength(1);
    expect(await reasons({ label: "Good_1" })).toEqual([]);
    expect(await reasons({ kind: "redis" })).toHaveLength(1);
    expect(await reasons({ target: "third" })).toHaveLength(1);
    expect(provider.requests()).toEqual({});
  });

  test("has one snapshot of a create that was cut off, or whose answer was lost", async () => {
    const instanceId = await database(account, "cutsnap");
    const path = "/databases/mysql/instances/{instanceId}/backups";
    const create = (label: string, more: object = {}) =>
      account.during((provider) =>
        provider.create({
          ...resourceNamed(snapshotType, label),
          inputs: { kind: "mysql", instanceId, label },
          preview: false,
          ...more,
        }),
      );
    const before = account.emulator.stats().requests;
    const startedAt = await account.during(async (provider) => {
      await provider.read({ ...named("cutsnap"), id: instanceId });
      return provider.serviceTime();
    });
    await account.call("POST", `${pathOf("mysql", instanceId)}/backups`, { label: "cut" });
    expect((await create("cut", { earlierAttempt: { startedAt } })).state).toMatchObject({ label: "cut" });
    account.emulator.setFaults([{ method: "POST", path, do: "reset-after", times: 1 }]);
    expect((await create("lost")).state).toMatchObject({ label: "lost" });
    expect(writes(before)).toEqual([`POST ${path} 2`]);
  });

  test("keeps three snapshots and no fourth; several of one plan are taken one after the other", async () => {
    const instanceId = await database(account, "full");
    const snapshot = (label: string) => resourceNamed(snapshotType, label);
    const inputs = (label: string): ValueMap => ({ kind: "mysql", instanceId, label });
    const ids = await account.during((provider) =>
      Promise.all(
        ["a", "b", "c"].map(
          async (label) =>
            (await provider.create({ ...snapshot(label), inputs: inputs(label), preview: false })).id,
        ),
      ),
    );
    expect(new Set(ids).size).toBe(3);
    const preview = (more: ValueMap) =>
      account.during((provider) =>
        provider.create({ ...snapshot("d"), inputs: { ...inputs("d"), ...more }, preview: true }),
      );
    await expect(preview({})).rejects.toMatchObject({
      failures: [{ reason: expect.stringMatching(/has 3 snapshots already \(a, b, c\)/) }],
    });
    await expect(preview({ label: "a" })).rejects.toThrow("exists already");
    const other = await database(account, "single");
    await expect(preview({ instanceId: other, target: "secondary" })).rejects.toMatchObject({
      failures: [{ property: "target", reason: "must be primary: the database has a single node" }],
    });
    await account.during(async (provider) => {
      for (const label of ["a", "b", "c"])
        expect((await provider.check({ ...snapshot(label), newInputs: inputs(label) })).failures).toEqual([]);
      const fourth = await provider.check({ ...snapshot("d"), newInputs: inputs("d") });
      expect(fourth.failures).toEqual([
        { property: "", reason: "there may be at most 3 Snapshots here; declare fewer" },
      ]);
    });
  });

  test("has functions for all that there is to see", async () => {
    const id = await database(account, "seen");
    const ask = async (name: string, args: ValueMap = {}) => {
      const token = `plumbline:databases/${name}:${name}`;
      const { result, failures } = await account.during((provider) =>
        provider.invoke({ token, args, preview: false }),
      );
      expect(failures).toEqual([]);
      return result as { [name: string]: never };
    };
    expect((await ask("getEngines", { kind: "mysql" }))["engines"]).toHaveLength(2);
    expect(await ask("getEngine", { id: "mysql/8.0.30" })).toEqual({
      id: "mysql/8.0.30",
      engine: "mysql",
      version: "8.0.30",
    });
    await expect(ask("getEngine", { id: "mysql/1" })).rejects.toThrow("there is no database engine mysql/1");
    expect((await ask("getTypes", { class: "nanode" }))["types"]).toHaveLength(1);
    expect(await ask("getType", { id: "g6-standard-1" })).toMatchObject({
      disk: 51_200,
      engines: { mysql: [{ quantity: 1, price: { monthly: 30 } }, {}, {}] },
    });
    const { databases } = (await ask("getDatabases", { kind: "mysql" })) as unknown as {
      databases: ValueMap[];
    };
    expect(databases.find((one) => one["id"] === id)).toMatchObject({ label: "seen", kind: "mysql" });
    const seen = await ask("getMySqlInstance", { label: "seen" });
    expect(seen).toMatchObject({ id, engine: "mysql/8.0.30", version: "8.0.30", hosts: {} });
    expect(Object.keys(seen)).not.toContain("rootPassword");
    const { mySqlInstances } = (await ask("getMySqlInstances")) as unknown as { mySqlInstances: ValueMap[] };
    expect(mySqlInstances.map((one) => one["id"])).toContain(id);
    expect(await ask("getPostgreSqlInstances")).toEqual({ postgreSqlInstances: [] });
    await expect(ask("getPostgreSqlInstance", { id })).rejects.toThrow("there is no PostgreSqlInstance");
    const books = await account.call("POST", "/databases/postgresql/instances", {
      ...postgresql,
      label: "read",
    });
    const read = { id: String(books["id"]), label: "read", engine: "postgresql/14.6", port: 5432 };
    expect(await ask("getPostgreSqlInstance", { label: "read" })).toMatchObject(read);
    expect(await ask("getPostgreSqlInstances")).toMatchObject({ postgreSqlInstances: [{ id: read.id }] });
    const own = { kind: "mysql", instanceId: id };
    await apply(account, resourceNamed(snapshotType, "seen"), { ...own, label: "seen" }, undefined);
    const { backups } = (await ask("getBackups", { ...own, type: "snapshot" })) as unknown as {
      backups: ValueMap[];
    };
    expect(backups).toMatchObject([{ label: "seen", type: "snapshot" }]);
    expect(await ask("getBackup", { ...own, id: backups[0]!["id"]! })).toEqual(backups[0]);
    const { username, password } = await ask("getCredentials", own);
    expect([username, isSecret(password)]).toEqual(["linroot", true]);
    expect((await ask("getCaCertificate", own))["caCertificate"]).toMatch(/BEGIN CERTIFICATE/);
    await expect(ask("getCaCertificate", { kind: "mysql", instanceId: "999" })).rejects.toThrow(
      "there is no mysql database with id 999",
    );
  });
});
