import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nextMidnight, nextWindow } from "../../../../emulator/areas/databases/calendar.ts";
import { type Answer, openSession, type Session } from "../../session.ts";
import { body, instances, kinds, makeDatabase } from "./session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

/** A request without a token. */
const open = async (path: string) => {
  const answer = await fetch(`${on.emulator.baseUrl}${path}`);
  return { status: answer.status, body: (await answer.json()) as Answer };
};

describe("engines (contract section 4.3; notes, section 5)", () => {
  test("are listed without a token", async () => {
    const { status, body: listed } = await open("/databases/engines");
    expect(status).toBe(200);
    expect(listed.data).toContainEqual({ id: "mysql/8.0.30", engine: "mysql", version: "8.0.30" });
    expect(listed.results).toBe(7);
  });

  test("are chosen by a filter", async () => {
    const found = await on.list("/databases/engines", { engine: "postgresql", version: { "+gte": "13" } });
    expect(found.map(({ id }) => id)).toEqual(["postgresql/13.8", "postgresql/14.6"]);
  });

  test.each(["mysql%2F8.0.30", "mysql/8.0.30"])("are viewed as %s", async (id) => {
    expect(await open(`/databases/engines/${id}`)).toEqual({
      status: 200,
      body: { id: "mysql/8.0.30", engine: "mysql", version: "8.0.30" },
    });
  });

  test.each(["mysql", "mysql/1", "oracle%2F8.0.30", "mysql%2F8.0.30/x"])(
    "are not found as %s",
    async (id) => {
      expect((await open(`/databases/engines/${id}`)).status).toBe(404);
    },
  );
});

describe("node types", () => {
  test("are listed without a token, with prices for each kind", async () => {
    const { body: listed } = await open("/databases/types");
    const nanode = listed.data.find(({ id }: Answer) => id === "g6-nanode-1");
    expect(nanode).toMatchObject({
      label: "DBaaS - Nanode 1GB",
      class: "nanode",
      memory: 1024,
      disk: 25600,
      vcpus: 1,
    });
    for (const kind of ["mysql", "postgresql", "mongodb"])
      expect(nanode.engines[kind]).toEqual([
        { quantity: 1, price: { hourly: 0.0225, monthly: 15 } },
        { quantity: 2, price: { hourly: 0.0375, monthly: 25 } },
        { quantity: 3, price: { hourly: 0.0525, monthly: 35 } },
      ]);
  });

  test("are viewed by name", async () => {
    expect((await open("/databases/types/g6-dedicated-2")).body).toMatchObject({ class: "dedicated" });
    expect((await open("/databases/types/g6-none")).status).toBe(404);
  });

  test("can be filtered by what is out of date", async () => {
    expect(await on.list("/databases/types", { deprecated: true })).toEqual([]);
    expect((await on.list("/databases/types", { deprecated: false })).length).toBeGreaterThan(5);
  });
});

describe("the list of all kinds", () => {
  test("has both kinds in order of id, each with its own path, without what only its view tells", async () => {
    const [first, second] = [await makeDatabase(on, "postgresql"), await makeDatabase(on, "mysql")];
    const listed = await on.list("/databases/instances");
    expect(listed.map(({ id }) => id)).toEqual([first.id, second.id]);
    for (const item of listed) {
      const full = await on.get(item.instance_uri.replace("/v4", ""));
      const { instance_uri: _uri, ...common } = item;
      expect(full).toMatchObject(common);
      for (const field of ["ssl_connection", "replication_type", "replication_commit_type", "port"])
        expect(item).not.toHaveProperty(field);
    }
    expect(listed[0].instance_uri).toBe(`/v4/databases/postgresql/instances/${first.id}`);
  });

  test.each([
    ["label", "by-label"],
    ["type", "g6-standard-1"],
    ["engine", "postgresql"],
    ["version", "13.8"],
    ["region", "us-iad"],
    ["status", "provisioning"],
  ])("is filtered by %s (notes, section 1.6)", async (field, value) => {
    const fields = { engine: "postgresql/13.8", type: "g6-standard-1", region: "us-iad" };
    const label = field === "label" ? value : `for-${field}`;
    await on.post(instances("postgresql"), { ...body("postgresql", fields), label });
    for (const path of ["/databases/instances", instances("postgresql")]) {
      const found = await on.list(path, { [field]: value });
      expect(found.map((one) => one.label)).toContain(label);
      expect(found.every((one) => one[field] === value)).toBe(true);
    }
  });

  test("is not filtered by what is no attribute for it", async () => {
    await expect(on.get("/databases/instances", { encrypted: true })).rejects.toThrow(
      "Cannot filter on encrypted",
    );
  });
});

describe("backups", () => {
  test.each(kinds)("of %s are filtered by type and time (notes, section 1.6)", async (kind) => {
    const { id } = await makeDatabase(on, kind);
    const path = `${instances(kind)}/${id}/backups`;
    await on.post(path, { label: "one" });
    on.wait(61);
    expect(await on.list(path, { type: "snapshot" })).toHaveLength(1);
    expect(await on.list(path, { type: "auto" })).toEqual([]);
    expect(await on.list(path, { created: { "+gte": "2020-01-01T00:00:00" } })).toHaveLength(1);
  });
});

describe("the calendar", () => {
  const at = (text: string) => new Date(`${text}Z`);
  test.each([
    ["2024-04-01T10:00:00", "2024-04-02T00:00:00"],
    ["2024-04-01T00:00:00", "2024-04-02T00:00:00"],
    ["2024-02-28T23:59:59", "2024-02-29T00:00:00"],
  ])("has its next midnight after %s at %s", (after, expected) => {
    expect(nextMidnight(at(after))).toEqual(at(expected));
  });

  // 1 April 2024 is a Monday.
  test.each([
    [{ day_of_week: 1, hour_of_day: 11 }, "2024-04-01T10:00:00", "2024-04-01T11:00:00"],
    [{ day_of_week: 1, hour_of_day: 10 }, "2024-04-01T10:00:00", "2024-04-08T10:00:00"],
    [{ day_of_week: 7, hour_of_day: 0 }, "2024-04-01T10:00:00", "2024-04-07T00:00:00"],
    [{ day_of_week: 1, hour_of_day: 9, week_of_month: 1 }, "2024-04-01T10:00:00", "2024-05-06T09:00:00"],
    [{ day_of_week: 7, hour_of_day: 9, week_of_month: 4 }, "2024-04-28T09:00:00", "2024-05-26T09:00:00"],
    [{ day_of_week: 4, hour_of_day: 23, week_of_month: 4 }, "2024-02-01T00:00:00", "2024-02-22T23:00:00"],
  ])("has its window %j after %s at %s", (window, after, expected) => {
    const frequency = "week_of_month" in window ? "monthly" : "weekly";
    const found = nextWindow({ duration: 1, week_of_month: null, ...window, frequency }, at(after));
    expect(found).toEqual(at(expected));
  });

  test("has no window before one is assigned", () => {
    const none = {
      frequency: "weekly",
      duration: 3,
      hour_of_day: 0,
      day_of_week: null,
      week_of_month: null,
    } as const;
    expect(nextWindow(none, new Date())).toBeUndefined();
  });
});
