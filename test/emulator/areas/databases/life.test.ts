import { X509Certificate } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, eventsOf, openSession, type Session } from "../../session.ts";
import { advanceTo, body, clock, instances, kinds, makeDatabase, openCalendar, set } from "./session.ts";

let on: Session;
beforeEach(async () => {
  on = await openCalendar();
  // Whatever the machine's time is: nothing of the calendar is due while a test moves the clock by hours.
  advanceTo(on, (now) => now.getUTCHours() === 1);
});
afterEach(() => on.close());

const told = async (id: number, action?: string) =>
  (await eventsOf(on, "database", id))
    .filter((event) => action === undefined || event.action === action)
    .map((event) => [event.action, event.status]);

describe.each(kinds)("a %s database", (kind) => {
  const path = (database: Answer, more = "") => `${instances(kind)}/${database.id}${more}`;

  test("is provisioned within 15 to 30 minutes, then has hosts and a maintenance window (sections 3 and 8)", async () => {
    const made = await on.post(instances(kind), body(kind, { cluster_size: 3 }));
    expect(await eventsOf(on, "database", made.id)).toMatchObject([
      { action: "database_create", status: "notification", percent_complete: null, duration: null },
    ]);
    on.wait(895);
    expect(await on.get(path(made))).toEqual(made);
    on.wait(910);
    const ready = await on.get(path(made));
    const name = new RegExp(`^lin-${made.id}-\\d{5}-${kind === "mysql" ? "mysql" : "pgsql"}-primary`);
    expect(ready).toMatchObject({ status: "active", total_disk_size_gb: 25, used_disk_size_gb: 2 });
    expect(ready.hosts.primary).toMatch(new RegExp(`${name.source}\\.servers\\.computedb\\.invalid$`));
    expect(ready.hosts.secondary).toBe(ready.hosts.primary.replace("-primary.", "-primary-private."));
    expect(ready.updates.day_of_week).toBeGreaterThanOrEqual(1);
    expect(ready.updates.day_of_week).toBeLessThanOrEqual(7);
    const [event] = await eventsOf(on, "database", made.id);
    expect(event).toMatchObject({
      action: "database_create",
      status: "finished",
      percent_complete: 100,
      entity: { id: made.id, type: "database", label: made.label, url: `/v4${path(made)}` },
    });
    expect(event.duration).toBeGreaterThanOrEqual(900);
    expect(event.duration).toBeLessThanOrEqual(1800);
    expect(event.created >= made.created).toBe(true);
  });

  test("is updating for a short time after a change, which holds at once (section 2.5)", async () => {
    const made = await makeDatabase(on, kind);
    const sent = { label: `${made.label}-new`, allow_list: ["192.0.2.7", "10.0.0.0/8"] };
    const changed = await on.put(path(made), sent);
    expect(changed).toEqual({ ...made, ...sent, status: "updating", updated: changed.updated });
    expect(await told(made.id, "database_update")).toEqual([["database_update", "notification"]]);
    const again = await on.refused(400, "PUT", path(made), { allow_list: [] });
    expect(again).toEqual([{ reason: expect.stringContaining("is updating") }]);
    on.wait(80);
    expect(await on.get(path(made))).toMatchObject({ ...sent, status: "active" });
    const events = (await eventsOf(on, "database", made.id)).filter(
      (event) => event.action === "database_update",
    );
    expect(events).toMatchObject([
      { status: "finished", percent_complete: 100, duration: 73, entity: { label: sent.label } },
    ]);
  });

  test("grows in place, the new type at the end (section 2.5)", async () => {
    const made = await makeDatabase(on, kind);
    const resizing = await on.put(path(made), { type: "g6-standard-1", label: "grown" });
    expect(resizing).toMatchObject({ status: "resizing", type: "g6-nanode-1", label: "grown" });
    expect(await on.refused(400, "PUT", path(made), { label: "other" })).toEqual([
      { reason: expect.stringContaining("is resizing") },
    ]);
    on.wait(5);
    expect(await told(made.id, "database_resize")).toEqual([["database_resize", "started"]]);
    on.wait(580);
    expect(await on.get(path(made))).toMatchObject({ status: "resizing", type: "g6-nanode-1" });
    on.wait(20);
    expect(await on.get(path(made))).toMatchObject({
      status: "active",
      type: "g6-standard-1",
      total_disk_size_gb: 50,
      hosts: made.hosts,
    });
    expect((await told(made.id)).slice(1)).toEqual([
      ["database_update", "finished"],
      ["database_resize_create", "notification"],
      ["database_resize", "finished"],
    ]);
  });

  test("has a window that replaces the one before (section 2.5)", async () => {
    const made = await makeDatabase(on, kind);
    const monthly = { frequency: "monthly", duration: 1, hour_of_day: 7, day_of_week: 3, week_of_month: 2 };
    expect((await on.put(path(made), { updates: monthly })).updates).toEqual(monthly);
    on.wait(80);
    expect((await on.put(path(made), { updates: { day_of_week: 5 } })).updates).toEqual({
      frequency: "weekly",
      duration: 1,
      hour_of_day: 7,
      day_of_week: 5,
      week_of_month: null,
    });
    on.wait(80);
    const weekly = { frequency: "weekly", duration: 3, hour_of_day: 0, day_of_week: 1, week_of_month: null };
    expect((await on.put(path(made), { updates: weekly })).updates).toEqual(weekly);
  });

  test("has credentials, whose reset changes the password after some seconds (section 4.3)", async () => {
    const made = await makeDatabase(on, kind);
    const before = await on.get(path(made, "/credentials"));
    expect(before.username).toBe(kind === "mysql" ? "linroot" : "linpostgres");
    expect(before.password).toMatch(/^[!-~]{16}$/);
    expect(await on.post(path(made, "/credentials/reset"))).toEqual({});
    expect(await on.get(path(made, "/credentials"))).toEqual(before);
    on.wait(6);
    const after = await on.get(path(made, "/credentials"));
    expect(after).toEqual({ username: before.username, password: expect.stringMatching(/^[!-~]{16}$/) });
    expect(after.password).not.toBe(before.password);
    expect(await told(made.id, "database_credentials_reset")).toEqual([
      ["database_credentials_reset", "notification"],
    ]);
  });

  test("is patched at once when asked (section 4.3)", async () => {
    const made = await makeDatabase(on, kind);
    expect(await on.post(path(made, "/patch"), {})).toEqual({});
    expect((await on.get(path(made))).status).toBe("updating");
    on.wait(125);
    expect(await on.get(path(made))).toMatchObject({ status: "active", version: made.version });
  });

  test("has a certificate that signs for itself, unless it needs no SSL (section 2.5)", async () => {
    const made = await makeDatabase(on, kind);
    const { ca_certificate } = await on.get(path(made, "/ssl"));
    const pem = Buffer.from(ca_certificate, "base64").toString();
    const certificate = new X509Certificate(pem);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(new Date(certificate.validTo).getTime() - clock(on).getTime()).toBeGreaterThan(
      9 * 365 * 86_400_000,
    );
    const plain = await makeDatabase(on, kind, { ssl_connection: false });
    expect(await on.get(path(plain, "/ssl"))).toEqual({ ca_certificate: null });
    const other = await makeDatabase(on, kind);
    expect((await on.get(path(other, "/ssl"))).ca_certificate).not.toBe(ca_certificate);
  });

  test("has snapshots, listed when they are complete, and is restored from one (section 3)", async () => {
    const made = await makeDatabase(on, kind);
    expect(await on.post(path(made, "/backups"), { label: "before" })).toEqual({});
    expect((await on.get(path(made))).status).toBe("backing_up");
    expect(await on.list(path(made, "/backups"))).toEqual([]);
    on.wait(61);
    expect((await on.get(path(made))).status).toBe("active");
    const [backup] = await on.list(path(made, "/backups"));
    expect(backup).toEqual({
      id: expect.any(Number),
      type: "snapshot",
      label: "before",
      created: expect.any(String),
    });
    expect(await on.get(path(made, `/backups/${backup.id}`))).toEqual(backup);
    expect(await on.post(path(made, `/backups/${backup.id}/restore`))).toEqual({});
    expect((await on.get(path(made))).status).toBe("restoring");
    on.wait(185);
    expect((await on.get(path(made))).status).toBe("active");
    expect(await on.remove(path(made, `/backups/${backup.id}`))).toEqual({});
    expect(await on.list(path(made, "/backups"))).toEqual([]);
    await on.refused(404, "GET", path(made, `/backups/${backup.id}`));
    expect((await told(made.id)).slice(1)).toEqual([
      ["database_backup_create", "finished"],
      ["database_backup_restore", "notification"],
      ["database_backup_delete", "notification"],
    ]);
  });

  test("fails when a backup from before a reset is restored, and comes back by a later one (section 4.3)", async () => {
    const made = await makeDatabase(on, kind);
    const take = async (label: string) => {
      await on.post(path(made, "/backups"), { label });
      on.wait(61);
      return (await on.list(path(made, "/backups"))).find((backup) => backup.label === label).id;
    };
    const restored = async (backup: number) => {
      await on.post(path(made, `/backups/${backup}/restore`));
      on.wait(185);
      return (await on.get(path(made))).status;
    };
    const old = await take("old");
    await on.post(path(made, "/credentials/reset"));
    on.wait(6);
    const later = await take("later");
    expect(await restored(later)).toBe("active");
    expect(await restored(old)).toBe("failed");
    await on.refused(400, "GET", path(made, "/credentials"));
    expect(await restored(old)).toBe("failed");
    expect(await restored(later)).toBe("active");
    expect(await told(made.id, "database_failed")).toHaveLength(2);
  });

  test("goes with its backups (section 3)", async () => {
    const made = await makeDatabase(on, kind);
    await on.post(path(made, "/backups"), { label: "gone" });
    on.wait(61);
    expect(await on.remove(path(made))).toEqual({});
    await on.refused(404, "GET", path(made));
    await on.refused(404, "GET", path(made, "/backups"));
    expect(await on.list("/databases/instances")).toEqual([]);
    expect(await told(made.id, "database_delete")).toEqual([["database_delete", "notification"]]);
    const data = on.emulator.data() as { jobs: unknown[]; collections: { databaseBackups: unknown[] } };
    expect([data.jobs, data.collections.databaseBackups]).toEqual([[], []]);
    expect((await on.post(instances(kind), body(kind, { label: made.label }))).label).toBe(made.label);
  });

  test("is not deleted while it moves, however long one asks", async () => {
    const made = await on.post(instances(kind), body(kind));
    expect(await on.refused(400, "DELETE", path(made))).toEqual([
      { reason: expect.stringMatching(/is provisioning: wait until that is complete/) },
    ]);
    on.wait(1805);
    expect(await on.remove(path(made))).toEqual({});
  });
});

describe("a transition that is told to end badly, by `_outcome` in the account's data", () => {
  const path = (database: Answer, more = "") => `${instances("mysql")}/${database.id}${more}`;

  test("fails a creation: no hosts, and the event failed", async () => {
    const made = await on.post(instances("mysql"), body("mysql"));
    set(on, made.id, { _outcome: "failed" });
    on.wait(1805);
    expect(await on.get(path(made))).toMatchObject({ status: "failed", hosts: { primary: null } });
    expect(await told(made.id)).toEqual([
      ["database_create", "failed"],
      ["database_create_failed", "notification"],
    ]);
    expect(await on.list(path(made, "/backups"))).toEqual([]);
    await on.remove(path(made));
  });

  test("leaves a new database degraded, from which a backup brings it back", async () => {
    const made = await makeDatabase(on, "mysql", { cluster_size: 3 });
    await on.post(path(made, "/backups"), { label: "good" });
    on.wait(61);
    const [{ id }] = await on.list(path(made, "/backups"));
    set(on, made.id, { _outcome: "degraded" });
    await on.put(path(made), { allow_list: ["10.0.0.1"] });
    on.wait(80);
    expect(await on.get(path(made))).toMatchObject({ status: "degraded", allow_list: ["10.0.0.1"] });
    expect((await told(made.id)).slice(-2)).toEqual([
      ["database_update", "finished"],
      ["database_degraded", "notification"],
    ]);
    await on.refused(400, "PUT", path(made), { allow_list: [] });
    await on.post(path(made, `/backups/${id}/restore`));
    on.wait(185);
    expect((await on.get(path(made))).status).toBe("active");
  });

  test("fails a resize: the type stays", async () => {
    const made = await makeDatabase(on, "mysql");
    await on.put(path(made), { type: "g6-standard-1" });
    set(on, made.id, { _outcome: "failed" });
    on.wait(605);
    expect(await on.get(path(made))).toMatchObject({ status: "failed", type: "g6-nanode-1" });
    expect((await told(made.id)).slice(1)).toEqual([
      ["database_update", "failed"],
      ["database_resize_create", "notification"],
      ["database_resize", "failed"],
      ["database_update_failed", "notification"],
    ]);
  });

  test("fails a backup: nothing is stored", async () => {
    const made = await makeDatabase(on, "mysql");
    await on.post(path(made, "/backups"), { label: "lost" });
    set(on, made.id, { _outcome: "failed" });
    on.wait(61);
    expect((await on.get(path(made))).status).toBe("failed");
    expect(await on.list(path(made, "/backups"))).toEqual([]);
  });

  test("is overtaken by a state set from outside, which stays", async () => {
    const made = await makeDatabase(on, "mysql");
    await on.put(path(made), { allow_list: [] });
    set(on, made.id, { status: "degraded" });
    on.wait(3600);
    expect((await on.get(path(made))).status).toBe("degraded");
    expect(await told(made.id, "database_update")).toEqual([["database_update", "failed"]]);
  });
});

describe("the calendar of a database", () => {
  const path = (database: Answer, more = "") => `${instances("mysql")}/${database.id}${more}`;
  const day = 86_400;

  /** An active database whose maintenance starts at noon, when these tests do not look. */
  async function makeWithCalendar(): Promise<Answer> {
    const made = await on.post(instances("mysql"), body("mysql"));
    on.wait(1805);
    await on.put(path(made), { updates: { day_of_week: 1, hour_of_day: 12, duration: 1 } });
    on.wait(80);
    expect((await on.get(path(made))).status).toBe("active");
    return made;
  }

  test("has a backup every day at 0:00 UTC, seven at the most (sections 2.5 and 8)", async () => {
    const made = await makeWithCalendar();
    advanceTo(on, (now) => now.getUTCHours() === 0);
    expect((await on.get(path(made))).status).toBe("backing_up");
    on.wait(61);
    const [first] = await on.list(path(made, "/backups"));
    expect(first.type).toBe("auto");
    expect(first.created).toMatch(/T00:00:00$/);
    expect(first.label).toMatch(/^Scheduled - \d\d\/\d\d\/\d\d 00:00 UTC-[A-Za-z]{6}$/);
    expect(first.label).toContain(first.created.slice(5, 10).replace("-", "/"));
    on.wait(6 * day);
    const week = await on.list(path(made, "/backups"));
    expect(week).toHaveLength(7);
    expect(week[0]).toEqual(first);
    on.wait(day);
    const next = await on.list(path(made, "/backups"));
    expect(next).toHaveLength(7);
    expect(next.slice(0, 6)).toEqual(week.slice(1));
    expect(new Set(next.map(({ created }) => created)).size).toBe(7);
    const events = await eventsOf(on, "database", made.id);
    const own = events.filter(({ action }) => action === "database_backup_create");
    expect(own).toHaveLength(8);
    expect(own.every((event) => event.username === null && event.status === "finished")).toBe(true);
  });

  test("keeps snapshots beyond a week, and drops automatic backups even of a failed database", async () => {
    const made = await makeWithCalendar();
    await on.post(path(made, "/backups"), { label: "kept" });
    on.wait(2 * day);
    expect(await on.list(path(made, "/backups"))).toHaveLength(3);
    set(on, made.id, { status: "failed" });
    on.wait(8 * day);
    expect(await on.list(path(made, "/backups"))).toMatchObject([{ label: "kept" }]);
  });

  test("backs up a busy database somewhat later", async () => {
    const made = await makeWithCalendar();
    advanceTo(on, (now) => now.getUTCHours() === 23);
    on.wait(3300);
    await on.put(path(made), { type: "g6-standard-1" });
    on.wait(320);
    expect((await on.get(path(made))).status).toBe("resizing");
    on.wait(1200);
    const backups = await on.list(path(made, "/backups"));
    expect(backups).toMatchObject([{ type: "auto" }]);
    expect(backups[0].created).toMatch(/T00:10:00$/);
    expect((await on.get(path(made))).status).toBe("active");
    on.wait(day);
    expect((await on.list(path(made, "/backups")))[1].created).toMatch(/T00:00:00$/);
  });

  test("keeps one that was taken late for 7 days too, and not until the next midnight (section 8)", async () => {
    const made = await makeWithCalendar();
    advanceTo(on, (now) => now.getUTCHours() === 23);
    on.wait(3300);
    await on.put(path(made), { type: "g6-standard-1" });
    on.wait(1520);
    const [{ id, created }] = await on.list(path(made, "/backups"));
    set(on, made.id, { status: "failed" });
    const end = Date.parse(`${created}Z`) / 1000 + 7 * 86_400;
    on.wait(end - clock(on).getTime() / 1000 - 10);
    expect(await on.list(path(made, "/backups"))).toHaveLength(1);
    on.wait(11);
    expect(await on.list(path(made, "/backups"))).toEqual([]);
    await on.refused(404, "GET", path(made, `/backups/${id}`));
  });

  test("patches in the weekly window (section 4.3)", async () => {
    const made = await makeWithCalendar();
    await on.put(path(made), {
      updates: { frequency: "weekly", day_of_week: 4, hour_of_day: 9, duration: 2 },
    });
    on.wait(80);
    for (let week = 0; week < 2; week++) {
      advanceTo(on, (now) => now.getUTCDay() === 4 && now.getUTCHours() === 9);
      expect((await on.get(path(made))).status).toBe("updating");
      on.wait(125);
      expect((await on.get(path(made))).status).toBe("active");
    }
    const events = await eventsOf(on, "database", made.id);
    const own = events.filter(({ username }) => username === null);
    expect(own.filter(({ action }) => action === "database_update").map(({ status }) => status)).toEqual([
      "finished",
      "finished",
    ]);
  });

  test("patches once a month in the second week's window", async () => {
    const made = await makeWithCalendar();
    const updates = { frequency: "monthly", day_of_week: 7, hour_of_day: 5, duration: 1, week_of_month: 2 };
    await on.put(path(made), { updates });
    on.wait(80);
    for (let month = 0; month < 3; month++) {
      advanceTo(
        on,
        (now) =>
          now.getUTCDay() === 0 && now.getUTCHours() === 5 && now.getUTCDate() > 7 && now.getUTCDate() <= 14,
      );
      expect((await on.get(path(made))).status).toBe("updating");
    }
    const events = await eventsOf(on, "database", made.id);
    expect(
      events.filter(({ action, username }) => action === "database_update" && username === null),
    ).toHaveLength(3);
  });
});

describe("at the highest speed", () => {
  test("every transition ends by the next read", async () => {
    const fast = await openSession({ speed: "instant" });
    const made = await fast.post(instances("postgresql"), body("postgresql"));
    const path = `${instances("postgresql")}/${made.id}`;
    expect(made.status).toBe("provisioning");
    expect((await fast.get(path)).status).toBe("active");
    expect((await fast.put(path, { type: "g6-standard-1" })).status).toBe("resizing");
    expect(await fast.get(path)).toMatchObject({ status: "active", type: "g6-standard-1" });
    await fast.post(`${path}/backups`, { label: "quick" });
    expect(await fast.list(`${path}/backups`)).toMatchObject([{ label: "quick" }]);
    await fast.close();
  });
});
