import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type HeldNotes, openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { freshFolder } from "../../folders.ts";

const at = "2026-01-02T03:04:05Z";
const freshFile = () => join(freshFolder(), ".plumbline", "creates", "dev");

describe("the create log", () => {
  it("tells another process of a begun create, and of its id once there is one", async () => {
    const file = freshFile();
    const [one, other] = [openCreateLog(file), openCreateLog(file)];
    await one.begin("urn:a", "T", at);
    expect(other.find("urn:a")).toEqual({ urn: "urn:a", type: "T", startedAt: at, pid: process.pid });
    await one.made("urn:a", "7");
    expect(other.find("urn:a")).toEqual({
      urn: "urn:a",
      type: "T",
      startedAt: at,
      id: "7",
      pid: process.pid,
    });
    expect(other.withId("T", "7")).toHaveLength(1);
    expect(other.withId("U", "7")).toEqual([]);
  });

  it("has an entry on disk by the time that a begin resolves", async () => {
    const file = freshFile();
    await openCreateLog(file).begin("urn:a", "T", at);
    expect(readFileSync(file, "utf8")).toBe(
      `${JSON.stringify({ begin: "urn:a", type: "T", at, pid: process.pid })}\n`,
    );
  });

  it("keeps nothing of notes that went, though an append was under way when all was written at once", async () => {
    for (let turns = 0; turns < 60; turns += 1) {
      const file = freshFile();
      const log = openCreateLog(file);
      await log.hold("T 7", { pool: 1 });
      log.leave("T 7", { pool: 1 });
      for (let turn = 0; turn < turns % 6; turn += 1) await setImmediate();
      log.leave("T 7", {});
      log.flushNow();
      await log.flushed();
      expect([turns, existsSync(file) ? readFileSync(file, "utf8") : ""]).toEqual([turns, ""]);
    }
  });

  it("keeps the start of an attempt that is begun again, for what it looks for may be as old", async () => {
    const file = freshFile();
    await openCreateLog(file).begin("urn:a", "T", at);
    const again = openCreateLog(file);
    await again.begin("urn:a", "T", "2026-01-03T00:00:00Z");
    expect(again.find("urn:a")?.startedAt).toBe(at);
  });

  it("has every line of creates that run at the same time, in each one's order", async () => {
    const file = freshFile();
    const log = openCreateLog(file);
    const urns = Array.from({ length: 200 }, (_, n) => `urn:${n}`);
    await Promise.all(
      urns.map(async (urn, n) => {
        // Some begin while the lines of others are on their way to the disk.
        for (let turn = 0; turn < n; turn += 1) await setImmediate();
        await log.begin(urn, "T", at);
        await log.made(urn, `id of ${urn}`);
      }),
    );
    const fresh = openCreateLog(file);
    expect(urns.map((urn) => fresh.find(urn)?.id)).toEqual(urns.map((urn) => `id of ${urn}`));
  });

  it("is gone when nothing is unfinished", async () => {
    const file = freshFile();
    const log = openCreateLog(file);
    await Promise.all([log.begin("urn:a", "T", at), log.begin("urn:b", "T", at)]);
    log.end("urn:a");
    await log.flushed();
    expect(existsSync(file)).toBe(true);
    log.end("urn:b");
    await log.flushed();
    expect(existsSync(file)).toBe(false);
    await log.begin("urn:c", "T", at);
    expect(openCreateLog(file).find("urn:c")).toBeDefined();
  });

  it("survives a line that a crash cut short", async () => {
    const file = freshFile();
    await openCreateLog(file).begin("urn:a", "T", at);
    appendFileSync(file, '{"made":"urn:a","i');
    const log = openCreateLog(file);
    await log.begin("urn:b", "T", at);
    expect([log.find("urn:a"), log.find("urn:b")]).toMatchObject([{ startedAt: at }, { startedAt: at }]);
    const fresh = openCreateLog(file);
    expect(fresh.find("urn:a")).not.toHaveProperty("id");
    expect(fresh.find("urn:b")).toBeDefined();
  });

  it("loses nothing when it is removed under another process", async () => {
    const file = freshFile();
    const [one, other] = [openCreateLog(file), openCreateLog(file)];
    await one.begin("urn:a", "T", at);
    expect(other.find("urn:a")).toBeDefined();
    one.end("urn:a");
    await Promise.all([one.flushed(), other.begin("urn:b", "T", at)]);
    expect(openCreateLog(file).find("urn:b")).toBeDefined();
    expect(openCreateLog(file).find("urn:a")).toBeUndefined();
  });

  it("keeps the last notes of each holder when it is rewritten", async () => {
    const file = freshFile();
    const log = openCreateLog(file);
    const long = "x".repeat(300_000);
    for (let n = 0; n < 16; n += 1) await log.hold("T 7", { n, long });
    log.leave("T 8", { n: 1 });
    await log.flushed();
    expect(readFileSync(file).length).toBeLessThan(3_000_000);
    const fresh = openCreateLog(file);
    expect(fresh.notes("T 7")).toEqual({ notes: { n: 15, long }, pid: process.pid });
    expect(fresh.notes("T 8")).toEqual({ notes: { n: 1 } });
  });

  it("is rewritten when it is mostly waste", async () => {
    const file = freshFile();
    const log = openCreateLog(file);
    await log.begin("urn:kept", "T", at);
    const long = "x".repeat(400_000);
    for (const n of [1, 2, 3, 4]) {
      await log.begin(`urn:${n}${long}`, "T", at);
      log.end(`urn:${n}${long}`);
      await log.flushed();
    }
    expect(readFileSync(file).length).toBeLessThan(1_900_000);
    const fresh = openCreateLog(file);
    expect(fresh.find("urn:kept")).toBeDefined();
    expect(fresh.find(`urn:1${long}`)).toBeUndefined();
  });

  it("writes at once what is pending when the process ends", () => {
    const file = freshFile();
    const log = openCreateLog(file);
    void log.begin("urn:a", "T", at);
    log.flushNow();
    expect(openCreateLog(file).find("urn:a")).toBeDefined();
  });

  it("that cannot be kept says so once, and stops no create", async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, "creates"));
    writeFileSync(join(folder, "creates", "dev"), "");
    const troubles: string[] = [];
    const log = openCreateLog(join(folder, "creates", "dev", "x"), (message) => troubles.push(message));
    await log.begin("urn:a", "T", at);
    await log.made("urn:a", "7");
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toContain("the create log cannot be kept");
    expect(log.find("urn:a")).toMatchObject({ id: "7" });
  });

  it("is read alike by every process, whoever wrote what", async () => {
    const step = fc.record({
      who: fc.integer({ min: 0, max: 2 }),
      urn: fc.constantFrom("urn:a", "urn:b", "urn:c"),
      what: fc.constantFrom("begin", "made", "end", "hold", "leave", "drop"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const file = freshFile();
        const logs = [openCreateLog(file), openCreateLog(file), openCreateLog(file)];
        const expected = new Map<string, string | undefined>();
        const notes = new Map<string, HeldNotes>();
        for (const [n, { who, urn, what }] of steps.entries()) {
          const log = logs[who]!;
          const present = log.find(urn);
          if (what === "begin") {
            await log.begin(urn, "T", at);
            if (!expected.has(urn)) expected.set(urn, undefined);
          } else if (what === "made" && present) {
            await log.made(urn, String(n));
            expected.set(urn, String(n));
          } else if (what === "hold") {
            await log.hold(urn, { n });
            notes.set(urn, { notes: { n }, pid: process.pid });
          } else if (what === "leave" || what === "drop") {
            const left: ValueMap = what === "leave" ? { n } : {};
            log.notes(urn);
            log.leave(urn, left);
            await log.flushed();
            if (what === "leave") notes.set(urn, { notes: left });
            else notes.delete(urn);
          } else if (what === "end") {
            log.end(urn);
            await log.flushed();
            expected.delete(urn);
          }
        }
        for (const log of [...logs, openCreateLog(file)]) {
          for (const urn of ["urn:a", "urn:b", "urn:c"]) {
            expect(log.find(urn)?.id).toBe(expected.get(urn));
            expect(log.find(urn) !== undefined).toBe(expected.has(urn));
            expect(log.notes(urn)).toEqual(notes.get(urn));
          }
        }
        expect(existsSync(file)).toBe(expected.size + notes.size > 0);
      }),
      { numRuns: 60 },
    );
  });
});
