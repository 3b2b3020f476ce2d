/** A run on a terminal: what scrolls by and what moves under it. */

import pc from "picocolors";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPatience } from "../../../provider/cli/render/lines.ts";
import { createTreeRenderer } from "../../../provider/cli/render/tree.ts";
import type { EngineEvent, Step } from "../../../provider/engine/event.ts";
import { openScreen, type Screen } from "./screen.ts";

const type = "plumbline:dns/record:Record";

const step = (name: string, op: Step["op"] = "create"): Step => ({
  op,
  urn: `urn:pulumi:dev::web::${type}::${name}`,
  type,
  name,
  detailedDiff: {},
  replaceReasons: [],
  newInputs: { name, type: "A", target: "192.0.2.1" },
});

const start: EngineEvent = { event: "start", operation: "up", project: "web", stack: "dev" };
const started = (name: string): EngineEvent => ({ event: "started", step: step(name) });
const finished = (name: string): EngineEvent => ({ event: "finished", step: step(name), seconds: 1 });
const summary: EngineEvent = {
  event: "summary",
  operation: "up",
  result: "succeeded",
  counts: { create: 1000, update: 0, replace: 0, delete: 0, same: 0 },
  requests: { POST: 1000 },
  seconds: 75,
  changes: true,
};

const names = (count: number) => Array.from({ length: count }, (_, n) => `record-${n}`);

function show(screen: Screen) {
  return createTreeRenderer({
    colors: pc.createColors(true),
    showSecrets: false,
    diff: false,
    stream: screen.stream,
  });
}

// Microtasks and the terminal's own work go on.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
afterEach(() => void vi.useRealTimers());

const frame = () => vi.advanceTimersByTime(200);

describe("what moves", () => {
  it("has a bounded number of rows, none wrapped, however many run and however wide they are", async () => {
    for (const [columns, rows] of [
      [80, 24],
      [40, 8],
      [200, 60],
    ] as const) {
      const screen = openScreen(columns, rows);
      const tree = show(screen);
      tree.event(start);
      for (const name of names(1000)) tree.event(started(`${name}-${"long".repeat(20)}`));
      frame();
      const seen = await screen.rows();
      expect(seen.length).toBeLessThanOrEqual(Math.min(rows, 16));
      expect(await screen.wrapped()).toBe(0);
      expect(seen.at(-1)).toContain("0 done, 1,000 running");
      tree.close();
    }
  });

  it("costs what it shows: ten frames of a thousand that run are ten screens, and no more", () => {
    const screen = openScreen(80, 24);
    const tree = show(screen);
    tree.event(start);
    for (const name of names(1000)) tree.event(started(name));
    for (let n = 0; n < 10; n += 1) frame();
    expect(screen.written()).toBeLessThan(10 * 24 * 200);
    tree.close();
  });

  it("says how long and what is waited for", async () => {
    const screen = openScreen(120, 24);
    const tree = show(screen);
    tree.event(start);
    tree.event(started("db"));
    vi.advanceTimersByTime(90_000);
    const message = "waiting for database 5 to be ready: provisioning for 1 min 30 s, usually 15 to 30 min";
    tree.event({ event: "progress", urn: step("db").urn, severity: "info", message });
    frame();
    expect((await screen.rows()).join("\n")).toContain("waiting for database 5 to be ready: provisioning");
    tree.close();
  });
});

describe("what scrolls by", () => {
  it("is each once, then the count, then the result; nothing that moved is left", async () => {
    const screen = openScreen(100, 20);
    const tree = show(screen);
    tree.event(start);
    for (const name of names(1000)) {
      tree.event(started(name));
      if (Number(name.slice(7)) % 40 === 0) frame();
      tree.event(finished(name));
    }
    tree.event(summary);
    tree.close();
    const seen = await screen.rows();
    expect(seen.filter((row) => row.includes(" created "))).toHaveLength(20);
    expect(seen.join("\n")).not.toMatch(/creating|running|█/);
    expect(seen.slice(-2)).toEqual([
      "  … 980 more dns:Record created",
      "done: 1,000 created; 1,000 requests (1,000 POST), 1 min 15 s",
    ]);
    expect(seen[0]).toBe("Updating web (dev)");
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("leaves no ghosts when the window becomes narrower, or wider, while it runs", async () => {
    const screen = openScreen(120, 24);
    const tree = show(screen);
    tree.event(start);
    for (const name of names(6)) tree.event(started(`${name}-${"x".repeat(40)}`));
    frame();
    for (const columns of [60, 45, 110, 50]) {
      await screen.resize(columns, 24);
      frame();
    }
    for (const name of names(6)) tree.event(finished(`${name}-${"x".repeat(40)}`));
    tree.event(summary);
    tree.close();
    const text = (await screen.rows()).join("\n");
    expect(text).not.toMatch(/creating|running|█/);
    expect(text.match(/Updating web/g)).toHaveLength(1);
    expect(text.match(/created/g)).toHaveLength(7);
  });

  it("has what is said on Ctrl-C, with what is still under way, and no ghosts of it", async () => {
    const screen = openScreen(80, 24);
    const tree = show(screen);
    tree.event(start);
    for (const name of names(8)) tree.event(started(name));
    frame();
    screen.stream.write("^C");
    tree.notice?.("interrupted: nothing is lost");
    frame();
    for (const name of names(8)) tree.event(finished(name));
    tree.event({ ...summary, result: "cancelled" } as EngineEvent);
    tree.close();
    const seen = await screen.rows();
    expect(seen.slice(1, 3)).toEqual([
      "interrupted: nothing is lost",
      "  still under way: record-0, record-1, record-2, record-3, record-4, 3 more",
    ]);
    expect(seen.join("\n")).not.toMatch(/creating|running|█|\^C/);
    expect(seen.at(-1)).toBe(
      "What was done is saved, and nothing is lost: `plumbline up` goes on from here.",
    );
  });
});

it("a wait of 24 minutes is told of some six times", () => {
  let now = 0;
  const isDue = createPatience(() => now);
  let told = 0;
  for (; now < 24 * 60_000; now += 12_500)
    if (isDue("urn", `waiting for db: provisioning for ${now}`)) told += 1;
  expect(told).toBe(7);
  expect(isDue("urn", "waiting for its password: begun")).toBe(true);
});
