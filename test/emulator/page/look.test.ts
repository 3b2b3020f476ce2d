/** What the control operations tell the page: bounded however much there is, without the emulator's own fields, and nothing is changed by a look. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { shelves } from "../../../emulator/page/shelves.ts";
import { type Ask, ask, type Told } from "../client.ts";

type To = (method: string, path: string, options?: Ask) => Promise<Told>;

async function withEmulator(work: (to: To, emulator: Emulator) => Promise<void>): Promise<void> {
  const emulator = await startEmulator({ speed: 0.01 });
  try {
    await work((method, path, options) => ask(emulator.port, method, path, options), emulator);
  } finally {
    await emulator.close();
  }
}

const label = (at: number) => ({ label: `volume-${at}`, size: 20, region: "us-east" });
const countOf = (overview: Told["json"], name: string) =>
  overview.areas
    .flatMap(({ collections }: { collections: { name: string; count: number }[] }) => collections)
    .find((one: { name: string }) => one.name === name)?.count;

describe("an overview", () => {
  it("counts what there is, and shows the newest of it", () =>
    withEmulator(async (to) => {
      for (let at = 0; at < 150; at++) await to("POST", "/v4/volumes", { body: label(at) });
      const { json: overview } = await to("GET", "/_emulator/overview");
      expect(countOf(overview, "volumes")).toBe(150);
      const { requests, events, transitions } = overview;
      expect([requests.total, requests.shown.length, requests.shown[0].n]).toEqual([150, 100, 150]);
      expect([events.total, events.shown.length]).toEqual([150, 100]);
      expect(events.shown[0].entity.label).toBe("volume-149");
      expect([transitions.total, transitions.shown.length]).toEqual([300, 100]);
      expect(transitions.shown[0]).toMatchObject({
        kind: "volume.started",
        due: expect.stringMatching(/Z$/),
      });
    }));

  it("cuts long paths, and shows no field of the emulator's own", () =>
    withEmulator(async (to) => {
      await to("POST", "/v4/profile/tokens", { body: { label: "mine" } });
      await to("GET", `/v4/${"x".repeat(9_000)}?${"y".repeat(5_000)}`);
      const { text, json } = await to("GET", "/_emulator/overview");
      expect(json.requests.shown[0].path).toHaveLength(301);
      expect(text.length).toBeLessThan(10_000);
      expect(text).not.toMatch(/"_\w+":/);
    }));

  it("changes nothing", () =>
    withEmulator(async (to, emulator) => {
      await to("POST", "/v4/volumes", { body: label(1) });
      const before = emulator.data();
      for (const path of [
        "overview",
        "objects?collection=volumes",
        "objects?collection=none",
        "object?collection=x&id=1",
      ])
        await to("GET", `/_emulator/${path}`);
      expect(emulator.data()).toEqual(before);
      expect(emulator.stats().total).toBe(1);
    }));

  it("has a place for every collection that an area makes", () => {
    const folder = new URL("../../../emulator", import.meta.url).pathname;
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const named = files.flatMap((name) =>
      [...readFileSync(join(folder, name), "utf8").matchAll(/\bcollection(?:<\w+>)?\(\s*"(\w+)"/g)].map(
        ([, collection]) => collection!,
      ),
    );
    const placed = new Set(shelves.flatMap(({ collections }) => Object.keys(collections)));
    expect(new Set(named).size).toBeGreaterThan(20);
    expect(named.filter((collection) => !placed.has(collection))).toEqual([]);
  });

  it("shows a collection that it does not know under its own name", () =>
    withEmulator(async (to, emulator) => {
      const data = emulator.data() as { collections: object; counters: object };
      emulator.setData({ ...data, collections: { ...data.collections, comets: [{ id: 7, label: "tail" }] } });
      const { json: overview } = await to("GET", "/_emulator/overview");
      expect(overview.areas.at(-1)).toEqual({
        title: "Other",
        collections: [{ name: "comets", title: "comets", count: 1 }],
      });
    }));
});

describe("objects", () => {
  it("come in pages, and by the text that they hold", () =>
    withEmulator(async (to) => {
      for (let at = 0; at < 60; at++) await to("POST", "/v4/volumes", { body: label(at) });
      const page = async (query: string) =>
        (await to("GET", `/_emulator/objects?collection=volumes${query}`)).json;
      expect(await page("")).toMatchObject({ total: 60, pages: 3, shown: { length: 25 } });
      expect((await page("&page=3")).shown).toHaveLength(10);
      expect((await page("&page=9")).shown).toEqual((await page("&page=3")).shown);
      expect((await page("&text=VOLUME-41")).shown).toEqual([
        { id: expect.any(Number), name: "volume-41", type: "", state: "creating" },
      ]);
      expect(await page("&text=nothing")).toMatchObject({ total: 0, pages: 1, shown: [] });
    }));

  it("are told one by one, without secrets", () =>
    withEmulator(async (to) => {
      const { id, token } = (await to("POST", "/v4/profile/tokens", { body: { label: "mine" } })).json;
      const told = await to("GET", `/_emulator/object?collection=tokens&id=${id}`);
      expect(told.json).toMatchObject({ id, label: "mine" });
      expect(told.text).not.toContain(token);
    }));

  it.each([
    ["objects?collection=none", 404],
    ["objects", 404],
    ["objects?collection=volumes&page=x", 400],
    ["object?collection=volumes&id=999", 404],
    ["object?collection=none&id=1", 404],
    ["object?collection=volumes&id=-1", 400],
  ])("%s is refused with %i", (path, status) =>
    withEmulator(async (to) => {
      await to("POST", "/v4/volumes", { body: label(1) });
      expect((await to("GET", `/_emulator/${path}`)).status).toBe(status);
    }),
  );
});

describe("a change of the faults", () => {
  const rule = { method: "GET", path: "/volumes", do: "status", status: 418 };
  const all = { method: "*", path: "*", do: "status", status: 503, probability: 1 };

  it("adds and removes rules, and the others go on counting", () =>
    withEmulator(async (to) => {
      await to("POST", "/_emulator/faults", { body: [rule] });
      await to("GET", "/v4/volumes");
      const turned = await to("PATCH", "/_emulator/faults", { body: { add: [all, all] } });
      expect(turned.json).toEqual([
        { ...rule, fired: 1 },
        { ...all, fired: 0 },
      ]);
      expect((await to("GET", "/v4/volumes")).status).toBe(503);
      const { json: again } = await to("PATCH", "/_emulator/faults", {
        body: { add: [{ ...all, fired: 9 }] },
      });
      expect(again.map(({ fired }: { fired: number }) => fired)).toEqual([1, 1]);
      const off = await to("PATCH", "/_emulator/faults", { body: { remove: [all] } });
      expect(off.json).toEqual([{ ...rule, fired: 1 }]);
      expect((await to("GET", "/v4/volumes")).status).toBe(200);
    }));

  it.each([
    [{ add: rule }, "add"],
    [{ add: [{ ...rule, do: "dance" }] }, "add[0].do"],
    [{ add: [{ ...rule, path: "/none" }] }, "add[0].path"],
    [{ add: [{ ...rule, status: undefined }] }, "add[0].status"],
    [{ more: [] }, undefined],
    [[rule], undefined],
  ])("of the form %j is refused, and nothing is changed", (body, field) =>
    withEmulator(async (to) => {
      await to("POST", "/_emulator/faults", { body: [rule] });
      const told = await to("PATCH", "/_emulator/faults", { body });
      expect([told.status, told.json.errors[0].field]).toEqual([400, field]);
      expect((await to("GET", "/_emulator/faults")).json).toEqual([{ ...rule, fired: 0 }]);
    }),
  );
});
