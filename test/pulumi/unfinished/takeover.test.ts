import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CreateRequest, EarlierAttempt, Provider } from "../../../provider/core/protocol.ts";
import { CheckFailedError } from "../../../provider/core/protocol.ts";
import { AnswerLostError } from "../../../provider/core/service-port.ts";
import { openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { freshFolder } from "../../folders.ts";
import { refusal, startEngine, startPlugin, thing, urnOf } from "../engine.ts";
import { fakeProvider } from "../fake-provider.ts";

const urn = urnOf("a");
const startedAt = "2026-01-02T03:04:05Z";

/** A run of the engine: a plugin of its own in the project's folder. Tells what its creates were given. */
async function run(folder: string, replace: Partial<Provider> = {}) {
  const given: { earlier: EarlierAttempt | undefined; isKnownId: (id: string) => boolean }[] = [];
  let lastId = 100;
  const fake = fakeProvider({
    create: async (request: CreateRequest) => {
      given.push({ earlier: request.earlierAttempt, isKnownId: request.isKnownId ?? (() => false) });
      lastId += 1;
      const id = String(lastId);
      await request.onCreated?.(id, request.inputs, request.inputs);
      return { id, state: request.inputs };
    },
    ...replace,
  });
  const started = await startPlugin(fake.parts, { folder });
  onTestFinished(started.close);
  const file = join(started.createsFolder, "dev");
  return { ...started, given, file, log: () => openCreateLog(file) };
}

/** A create that is killed before its answer reaches the engine; `id` when the service's answer still reached the log. */
async function killed(folder: string, id?: string): Promise<void> {
  const { createsFolder, close } = await run(folder);
  await close();
  const log = openCreateLog(join(createsFolder, "dev"));
  await log.begin(urn, thing, startedAt);
  if (id !== undefined) await log.made(urn, id);
}

describe("a create after a killed run", () => {
  it("is told when the earlier one began, and its id", async () => {
    for (const id of [undefined, "7"]) {
      const folder = freshFolder();
      await killed(folder, id);
      const { check, create, given } = await run(folder);
      await check(urn, {});
      await create(urn, {});
      expect(given[0]?.earlier).toEqual(id === undefined ? { startedAt } : { startedAt, id });
    }
  });

  it("waits for the plugin of the killed engine to end, and sees what it made at last", async () => {
    const folder = freshFolder();
    const lingering = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => void lingering.kill("SIGKILL"));
    const { create, given, file } = await run(folder);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `${JSON.stringify({ begin: urn, type: thing, at: startedAt, pid: lingering.pid })}\n`,
    );
    const creating = create(urn, {});
    // The calls that come after are answered while it waits.
    await create(urnOf("b"), {});
    expect(given.map(({ earlier }) => earlier)).toEqual([undefined]);
    appendFileSync(file, `${JSON.stringify({ made: urn, id: "7" })}\n`);
    lingering.kill("SIGKILL");
    await creating;
    expect(given[1]?.earlier).toEqual({ startedAt, id: "7" });
  });

  it("of a replacement that no later run goes on with is told of, by what it made, in the diff and in the delete", async () => {
    for (const id of [undefined, "8"]) {
      const folder = freshFolder();
      await killed(folder, id);
      const engine = await startEngine();
      onTestFinished(engine.close);
      const kept = await run(folder);
      await kept.handshake(engine.address);
      await kept.check(urn, {}, { name: "x" });
      await kept.diff(urn, "7", {}, {}, {});
      await kept.delete(urn, "7"); // before it is made anew
      const removed = await run(folder);
      await removed.handshake(engine.address);
      await removed.delete(urn, "7");
      const told = { severity: 2, urn, message: expect.stringContaining(id ?? startedAt) };
      expect(engine.heard).toMatchObject([told, told]);
    }
  });

  it("that makes another object says which one an earlier run left", async () => {
    const folder = freshFolder();
    await killed(folder, "7");
    const engine = await startEngine();
    onTestFinished(engine.close);
    const { create, handshake } = await run(folder);
    await handshake(engine.address);
    await create(urn, {});
    expect(engine.heard).toMatchObject([
      { severity: 2, urn, message: expect.stringMatching(/\b7\b.*\b101\b/) },
    ]);
  });

  it("is told nothing in a preview, and a preview writes nothing", async () => {
    const folder = freshFolder();
    const { create, given, file } = await run(folder);
    await create(urn, {}, { preview: true });
    expect(given[0]?.earlier).toBeUndefined();
    expect(existsSync(file)).toBe(false);
  });

  it("is told of no attempt of another resource or stack", async () => {
    const folder = freshFolder();
    await killed(folder, "7");
    const { create, given } = await run(folder);
    await create(urnOf("b"), {});
    await create(urnOf("a", thing, "prod"), {});
    expect(given.map(({ earlier }) => earlier)).toEqual([undefined, undefined]);
  });

  it("that the engine saved after all is fresh: the engine named the id", async () => {
    const mentions = {
      diff: (r: Run) => r.diff(urn, "7", {}, {}, {}),
      read: (r: Run) => r.read(urn, "7", {}, {}),
      update: (r: Run) => r.update(urn, "7", {}, {}, {}),
      delete: (r: Run) => r.delete(urn, "7"),
    };
    for (const mention of Object.values(mentions)) {
      const folder = freshFolder();
      await killed(folder, "7");
      const started = await run(folder);
      await mention(started);
      await started.create(urn, {});
      expect(started.given[0]?.earlier).toBeUndefined();
    }
  });

  it("is found again under another URN of the same id: an alias renamed it", async () => {
    const folder = freshFolder();
    await killed(folder, "7");
    const { diff, log, session } = await run(folder);
    await diff(urnOf("renamed"), "7", {}, {}, {});
    session.flushNow();
    expect(log().find(urn)).toBeUndefined();
  });

  it("goes on with a replacement's new object, not with the old one that the engine names", async () => {
    const folder = freshFolder();
    await killed(folder, "8");
    const { check, diff, create, given } = await run(folder);
    await check(urn, {}, { name: "x" });
    await diff(urn, "7", {}, {}, {});
    await create(urn, {});
    expect(given[0]?.earlier).toEqual({ startedAt, id: "8" });
    expect(given[0]?.isKnownId("7")).toBe(true);
    expect(given[0]?.isKnownId("8")).toBe(false);
  });

  it("takes nothing over in a forced replacement, for which the engine asks no Diff and names no id", async () => {
    const folder = freshFolder();
    await killed(folder, "7");
    const { check, create, given, log } = await run(folder);
    await check(urn, {}, { name: "x" });
    await create(urn, {});
    expect(given[0]?.earlier).toBeUndefined();
    expect(log().find(urn)?.id).toBe("101");
  });

  it("never takes over what is another resource's", async () => {
    const folder = freshFolder();
    const { create, diff, given } = await run(folder);
    await diff(urnOf("b"), "7", {}, {}, {});
    await create(urnOf("c"), {});
    await create(urn, {});
    expect(given[1]?.isKnownId("7")).toBe(true);
    expect(given[1]?.isKnownId("101")).toBe(true);
    expect(given[1]?.isKnownId("9")).toBe(false);
  });
});

type Run = Awaited<ReturnType<typeof run>>;

describe("a create's entry", () => {
  it("is on disk before the provider is asked, has the id before the answer, and goes when the engine names the id", async () => {
    const folder = freshFolder();
    const seen: unknown[] = [];
    const fake = fakeProvider({
      create: async ({ inputs, onCreated }) => {
        seen.push(openCreateLog(file).find(urn));
        await onCreated?.("7", inputs, inputs);
        seen.push(openCreateLog(file).find(urn)?.id);
        return { id: "7", state: inputs };
      },
    });
    const { create, diff, createsFolder, close, session } = await startPlugin(fake.parts, { folder });
    onTestFinished(close);
    const file = join(createsFolder, "dev");
    await create(urn, {});
    expect(seen).toEqual([
      { urn, type: thing, startedAt, met: expect.any(String), pid: process.pid, lasting: {} },
      "7",
    ]);
    expect(existsSync(file)).toBe(true);
    await diff(urn, "7", {}, {}, {});
    session.flushNow();
    // An append that was on its way may end after it, and tidies up behind itself.
    await expect.poll(() => existsSync(file)).toBe(false);
  });

  it("begins early by the machine's clock, as long as the service's is not known", async () => {
    const { create, log } = await run(freshFolder(), { requests: () => ({}) });
    await create(urn, {});
    expect(log().find(urn)?.startedAt).toBe("2026-01-02T02:59:05.000Z");
  });

  it("holds no inputs", async () => {
    const { create, file } = await run(freshFolder());
    await create(urn, { name: "find-me-not" });
    expect(readFileSync(file, "utf8")).not.toContain("find-me-not");
  });

  it("goes when the create was refused, and stays when nobody knows", async () => {
    const refused = Object.assign(new Error("400"), { status: 400 });
    const lost = new AnswerLostError("POST", "/things", "no answer came", undefined);
    const cases: [Error, boolean][] = [
      [new CheckFailedError([{ property: "name", reason: "is taken" }]), false],
      [refused, false],
      [new Error("wrapped", { cause: refused }), false],
      [lost, true],
      [Object.assign(new Error("502"), { status: 502 }), true],
    ];
    for (const [error, stays] of cases) {
      const { create, session, log } = await run(freshFolder(), {
        create: async () => {
          throw error;
        },
      });
      await refusal(create(urn, {}));
      session.flushNow();
      expect(log().find(urn) !== undefined).toBe(stays);
    }
  });

  it("of an earlier, unresolved attempt stays when the next one is refused", async () => {
    const folder = freshFolder();
    await killed(folder);
    const { create, session, log } = await run(folder, {
      create: async () => {
        throw Object.assign(new Error("403"), { status: 403 });
      },
    });
    await refusal(create(urn, {}));
    session.flushNow();
    expect(log().find(urn)).toMatchObject({ startedAt });
  });
});
