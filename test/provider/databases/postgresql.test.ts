/** What is told of MySQL databases in databases.test.ts holds for PostgreSQL ones: backups, restores, credentials, patches. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSecret, reveal, type ValueMap } from "../../../provider/core/value.ts";
import { beginning } from "../../beginning.ts";
import { type Account, type Applied, apply, openAccount, resourceNamed } from "../deployment.ts";

const type = "plumbline:databases/postgreSqlInstance:PostgreSqlInstance";
const snapshotType = "plumbline:databases/snapshot:Snapshot";
const declared: ValueMap = {
  label: "books",
  engine: "postgresql/14.6",
  region: "us-east",
  type: "g6-nanode-1",
};

describe("a PostgreSQL database", () => {
  const resource = resourceNamed(type, "books");
  const snapshot = resourceNamed(snapshotType, "before");
  let account: Account;
  let database: Applied;
  let backup: Applied;
  const own = () => ({ kind: "postgresql", instanceId: database.id });
  const sent = (method: string, part: string) =>
    account.emulator.stats().requests[`${method} /databases/postgresql/instances/{instanceId}${part}`] ?? 0;
  const ask = async (name: string, args: ValueMap) => {
    const token = `plumbline:databases/${name}:${name}`;
    const request = { token, args, preview: false };
    const { result, failures } = await account.during((provider) => provider.invoke(request));
    expect(failures).toEqual([]);
    return result as { [name: string]: never };
  };
  const run = (verb: string, args: ValueMap = {}) =>
    account.during((provider) => provider.run!({ type, id: "postgresql/books", verb, args }));
  const seen = (part = "") => account.call("GET", `/databases/postgresql/instances/${database.id}${part}`);

  beforeAll(async () => {
    account = await openAccount({ startTime: beginning });
    database = await apply(account, resource, declared, undefined);
    backup = await apply(account, snapshot, { ...own(), label: "before" }, undefined);
  });
  afterAll(() => account.close());

  test("has a snapshot that is shown by its list, by itself and by an import", async () => {
    expect(backup.id).toBe(`postgresql/${database.id}/${backup.state["snapshotId"]}`);
    const { backups } = (await ask("getBackups", { ...own(), type: "snapshot" })) as unknown as {
      backups: ValueMap[];
    };
    expect(backups).toMatchObject([{ label: "before", type: "snapshot" }]);
    expect(await ask("getBackup", { ...own(), id: backups[0]!["id"]! })).toEqual(backups[0]);
    const imported = await account.during((provider) =>
      provider.read({ ...snapshot, id: "postgresql/books/before" }),
    );
    expect(imported).toMatchObject({ id: backup.id, inputs: { ...own(), label: "before" } });
  });

  test("is restored from it, by a trigger and by hand", async () => {
    const restore = { backupId: String(backup.state["snapshotId"]), trigger: 1 };
    const restored = await apply(account, resource, { ...declared, restore }, database);
    expect(restored).toMatchObject({ operation: "update", state: { status: "active" } });
    expect(sent("POST", "/backups/{backupId}/restore")).toBe(1);
    expect(await run("restore", { backupId: restore.backupId })).toEqual({ failures: [] });
    expect(sent("POST", "/backups/{backupId}/restore")).toBe(2);
    expect((await seen())["status"]).toBe("active");
  });

  test("is patched, and has a new root password, when told to", async () => {
    const { username, password } = await ask("getCredentials", own());
    expect([username, isSecret(password)]).toEqual(["linpostgres", true]);
    expect(await run("patch")).toEqual({ failures: [] });
    expect(sent("POST", "/patch")).toBe(1);
    expect((await seen("/credentials"))["password"]).toBe(reveal(password!));
    expect(await run("resetCredentials")).toEqual({ failures: [] });
    expect((await seen("/credentials"))["password"]).not.toBe(reveal(password!));
    const renewed = { ...declared, credentialsResetTrigger: 1 };
    const after = await apply(account, resource, renewed, database);
    expect(reveal(after.state["rootPassword"]!)).toBe((await seen("/credentials"))["password"]);
    expect(sent("POST", "/credentials/reset")).toBe(2);
  });

  test("tells its authority's certificate", async () => {
    expect((await ask("getCaCertificate", own()))["caCertificate"]).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(await ask("getPostgreSqlInstance", { label: "books" })).toMatchObject({ id: database.id });
  });

  test("lets go of its snapshot", async () => {
    const request = { ...snapshot, id: backup.id, oldInputs: backup.inputs, state: backup.state };
    await account.during((provider) => provider.delete(request));
    expect((await ask("getBackups", { ...own(), type: "snapshot" }))["backups"]).toEqual([]);
    expect(sent("DELETE", "/backups/{backupId}")).toBe(1);
  });
});
