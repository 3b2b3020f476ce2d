import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSession, type Session } from "../../session.ts";
import { ask, body, instances, kinds, makeDatabase } from "./session.ts";

const users = {
  users: [
    { username: "boss" },
    { username: "maker", restricted: true, grants: { global: { add_databases: true } } },
    { username: "none", restricted: true, grants: { global: {} } },
  ],
  tokens: [
    { token: "boss-token", username: "boss", scopes: "*" },
    { token: "maker-token", username: "maker", scopes: "*" },
    { token: "none-token", username: "none", scopes: "*" },
    { token: "reader-token", username: "boss", scopes: "databases:read_only" },
    { token: "writer-token", username: "boss", scopes: "databases:read_write" },
    { token: "other-token", username: "boss", scopes: "volumes:read_write" },
  ],
};

let on: Session;
beforeEach(async () => {
  on = await openSession({ users });
});
afterEach(() => on.close());

const give = (permissions: "read_only" | "read_write" | null, id: number) =>
  on.as("boss-token").put("/account/users/none/grants", { database: [{ id, permissions }] });

/** Operations on one database; the last word says what of it a restricted user needs. */
const operations: readonly [string, string, unknown, "read_only" | "read_write" | "unrestricted"][] = [
  ["GET", "", undefined, "read_only"],
  ["GET", "/backups", undefined, "read_only"],
  ["GET", "/backups/{backup}", undefined, "read_only"],
  ["GET", "/credentials", undefined, "read_only"],
  ["GET", "/ssl", undefined, "read_only"],
  ["PUT", "", { allow_list: [] }, "read_write"],
  ["POST", "/backups", { label: "s" }, "read_write"],
  ["DELETE", "/backups/{backup}", undefined, "read_write"],
  ["POST", "/backups/{backup}/restore", undefined, "read_write"],
  ["POST", "/patch", undefined, "read_write"],
  ["POST", "/credentials/reset", undefined, "unrestricted"],
  ["DELETE", "", undefined, "unrestricted"],
];

describe("a restricted user (contract section 5.3)", () => {
  test("needs add_databases to create, and has read_write on what it made", async () => {
    const [maker, none] = [on.as("maker-token"), on.as("none-token")];
    for (const kind of kinds) {
      expect(await none.refused(403, "POST", instances(kind), body(kind))).toEqual([
        { reason: "Unauthorized" },
      ]);
      const made = await maker.post(instances(kind), body(kind));
      // Not for want of a grant, which would be told before the state.
      const path = `${instances(kind)}/${made.id}`;
      expect(await maker.refused(400, "PUT", path, { allow_list: [] })).toEqual([
        { reason: expect.stringContaining("is provisioning") },
      ]);
    }
    expect(await none.list("/databases/instances")).toEqual([]);
    expect(await maker.list("/databases/instances")).toHaveLength(2);
    await none.refused(403, "POST", instances("mysql"), {});
  });

  test.each(operations)("%s of %s", async (method, more, sent, needed) => {
    const [boss, none] = [on.as("boss-token"), on.as("none-token")];
    const made = await makeDatabase(boss, "mysql");
    const own = `${instances("mysql")}/${made.id}`;
    await boss.post(`${own}/backups`, { label: "kept" });
    on.wait(61);
    const [backup] = await boss.list(`${own}/backups`);
    const path = own + more.replace("{backup}", backup.id);
    const permissions = [null, "read_only", "read_write"] as const;
    for (const permission of permissions) {
      await give(permission, made.id);
      const enough =
        needed !== "unrestricted" && permissions.indexOf(permission) >= permissions.indexOf(needed);
      if (enough) {
        await ask(none, method, path, sent);
      } else {
        expect(await none.refused(403, method, path, sent)).toEqual([{ reason: "Unauthorized" }]);
      }
    }
  });

  test("sees in lists what it may see", async () => {
    const [boss, none] = [on.as("boss-token"), on.as("none-token")];
    const [one] = [await makeDatabase(boss, "mysql"), await makeDatabase(boss, "mysql")];
    await give("read_only", one.id);
    expect((await none.list(instances("mysql"))).map(({ id }) => id)).toEqual([one.id]);
    expect((await none.list("/databases/instances")).map(({ id }) => id)).toEqual([one.id]);
    expect(await none.list(instances("postgresql"))).toEqual([]);
  });
});

describe("scopes (contract sections 4.3 and 5)", () => {
  const writing = operations.filter(
    ([method, more, , needed]) =>
      needed !== "unrestricted" && (method !== "GET" || more.startsWith("/backups")),
  );
  test.each(writing)("%s of %s needs databases:read_write", async (method, more, sent) => {
    const made = await makeDatabase(on.as("boss-token"), "postgresql");
    const path = `${instances("postgresql")}/${made.id}${more.replace("{backup}", "1")}`;
    for (const token of ["reader-token", "other-token"]) await on.as(token).refused(401, method, path, sent);
    if (!more.includes("{backup}")) await ask(on, method, path, sent);
  });

  test("reads need databases:read_only", async () => {
    const made = await makeDatabase(on.as("boss-token"), "mysql");
    const own = `${instances("mysql")}/${made.id}`;
    for (const path of [
      own,
      instances("mysql"),
      "/databases/instances",
      `${own}/credentials`,
      `${own}/ssl`,
    ]) {
      await on.as("reader-token").get(path);
      await on.as("writer-token").get(path);
      await on.as("other-token").refused(401, "GET", path);
    }
  });

  test("are not asked for by what is for unrestricted users alone (section 5.4)", async () => {
    const made = await makeDatabase(on.as("boss-token"), "mysql");
    const own = `${instances("mysql")}/${made.id}`;
    expect(await on.as("reader-token").post(`${own}/credentials/reset`)).toEqual({});
    expect(await on.as("other-token").remove(own)).toEqual({});
  });
});
