/** States in an S3 store: before the judge of all stores, on a real server and on the small one, and what only happens on the way to one. */

import { Agent } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { StackStore } from "../../../../provider/engine/state/backend.ts";
import { parseAddress, type S3Address } from "../../../../provider/engine/state/backends/address.ts";
import { openBucket } from "../../../../provider/engine/state/backends/s3/client.ts";
import { createS3Backend } from "../../../../provider/engine/state/backends/s3/index.ts";
import type { Machine } from "../../../../provider/engine/state/owner.ts";
import { judgesBackend, type Place } from "./judge.ts";
import { judgesLeases, type SharedPlace } from "./lease-judge.ts";
import { hasS3, type S3Server, startS3 } from "./s3-server.ts";
import { openSmallS3, type SmallS3 } from "./small-s3.ts";

function placeAt(text: string): Place {
  const address = parseAddress(text, "/") as S3Address;
  const bucket = openBucket({ ...address, prefix: "" }, () => new Agent());
  return {
    open: (machine) => createS3Backend({ address, machine, now: () => new Date() }),
    textAt: async (place) => (await bucket.get(place.replace(`${bucket.place}/`, "")))?.text,
    keepsKey: false,
  };
}

const sharedAt = (address: string, own: number): Pick<SharedPlace, "port" | "open"> => ({
  port: own,
  open: ({ machine, now, port, parameters }) =>
    createS3Backend({
      ...{ machine, now },
      address: parseAddress(address.replace(`:${own}&`, `:${port}&`) + parameters, "/") as S3Address,
    }),
});

describe.runIf(hasS3)("on a real server", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3();
    Object.assign(process.env, server.environment);
  });
  afterAll(() => server.close());

  judgesBackend("a bucket", () => placeAt(server.address()));

  judgesLeases("a bucket of many machines", () => {
    const address = server.address();
    return {
      ...sharedAt(address, Number(new URL(server.endpoint).port)),
      age: (project, stack, seconds) =>
        server.age(`${address.split(/[/?]/)[3]}/stacks/${project}/${stack}/head.json`, seconds),
    };
  });
});

describe("on a small one", () => {
  let store: SmallS3;
  beforeEach(async () => {
    store = await openSmallS3();
    Object.assign(process.env, store.environment);
  });
  afterEach(() => store.close());

  judgesBackend("a bucket", () => placeAt(store.address()));

  judgesLeases("a bucket of many machines", () => ({
    ...sharedAt(store.address(), Number(/:(\d+)&/.exec(store.address())![1])),
    age: async (_project, _stack, seconds) => {
      store.ahead += seconds * 1000;
    },
  }));

  const machineOf = (user: string): Machine => ({
    user,
    host: `host-of-${user}`,
    pid: 1,
    isAlive: () => true,
  });
  const openAs = (user: string, parameters = "&lease=4"): StackStore =>
    placeAt(store.address("team", parameters)).open(machineOf(user)).stack("shop", "dev");
  const isLost = expect.objectContaining({ code: "locked", errorCode: "PLB-LEASE" });

  test("what another backend keeps below the same keys is left alone by whoever takes a stack over", async () => {
    const within = placeAt(store.address("team/stacks/shop/dev", "&lease=4")).open(machineOf("berta"));
    await within.stack("inner", "prod").snapshot.replace("theirs", undefined);
    const killed = openAs("anna");
    await killed.lock.take("up");
    await killed.journal.add("one\n");
    await killed.snapshot.replace("mine");
    store.ahead += 10_000;
    const next = openAs("carl");
    const lock = await next.lock.take("up");
    await next.tidy();
    await lock.release();
    expect(await next.snapshot.read()).toBe("mine");
    expect(await within.stack("inner", "prod").snapshot.read()).toBe("theirs");
  });

  test("a store that ignores the conditions of writes is refused before anything is kept in it", async () => {
    store.ignoresConditions = true;
    const { lock } = openAs("anna");
    await expect(lock.take("up")).rejects.toMatchObject({
      code: "state",
      message: expect.stringMatching(/ignores the condition of a write \(If-None-Match, If-Match\)/),
    });
    expect(await lock.owner()).toBeUndefined();
  });

  test("answers that are lost on the way leave everything as it was to be, once", async () => {
    let count = 0;
    store.before = ({ method }) => {
      if (method !== "GET") count += 1;
      return method !== "GET" && count % 2 === 1 ? "lost" : undefined;
    };
    const mine = openAs("anna");
    const lock = await mine.lock.take("up");
    for (const line of ["one\n", "two\n", "three\n"]) await mine.journal.add(line);
    expect(await mine.journal.read()).toBe("one\ntwo\nthree\n");
    const change = {
      user: "anna",
      host: "h",
      at: "2026-01-01T00:00:00Z",
      operation: "up",
      result: "succeeded",
    } as const;
    await mine.snapshot.replace("first", change);
    await mine.snapshot.replace("second", change);
    await mine.journal.remove();
    await lock.release();
    store.before = undefined;
    const theirs = openAs("berta");
    expect(await theirs.lock.owner()).toBeUndefined();
    expect([await theirs.snapshot.read(), await theirs.journal.read()]).toEqual(["second", undefined]);
    expect((await theirs.history.list()).map(({ version }) => version)).toEqual([1, 2]);
  });

  test("a store that is busy is asked again, and one that says no is believed", async () => {
    let count = 0;
    store.before = () => {
      count += 1;
      return count % 3 === 0 ? undefined : 503;
    };
    const mine = openAs("anna");
    await mine.snapshot.replace("text");
    expect(await mine.snapshot.read()).toBe("text");
    count = 0;
    store.before = () => {
      count += 1;
      return 403;
    };
    await expect(mine.snapshot.read()).rejects.toMatchObject({
      code: "state",
      message: expect.stringMatching(
        /^The state cannot be kept: s3:\/\/states\/team\/.*: 403 Fault: Fault it is\. /,
      ),
    });
    expect(count).toBe(1);
  });

  test("a store whose rules ask for a way of encryption gets each object with it, and nothing else does", async () => {
    const found = new Set<string>();
    store.before = ({ method, encryption }) => {
      found.add(`${method}: ${encryption}`);
      return method === "PUT" && encryption[0] === undefined ? 403 : undefined;
    };
    const parameters = "&lease=4&ssetype=AWS:KMS&kmskeyid=alias/states";
    const { lock, snapshot, journal } = openAs("anna", parameters);
    const held = await lock.take("up");
    await journal.add("one\n");
    await snapshot.replace("whole");
    await journal.remove();
    await held.release();
    expect([...found].sort()).toEqual(["DELETE: ,", "GET: ,", "PUT: aws:kms,alias/states"]);
    const plain = openAs("berta");
    await expect(plain.lock.take("up")).rejects.toMatchObject({ message: expect.stringMatching(/403/) });
  });

  test("the parts of a journal count up to the first that is missing, in the order of their numbers", async () => {
    const mine = openAs("anna");
    for (let n = 1; n <= 250; n += 1) await mine.journal.add(`${n}\n`);
    const whole = Array.from({ length: 250 }, (_, at) => `${at + 1}\n`);
    expect(await mine.journal.read()).toBe(whole.join(""));
    const third = [...store.objects.keys()].find((key) => key.endsWith("/00000103"))!;
    store.objects.delete(third);
    expect(await mine.journal.read()).toBe(whole.slice(0, 102).join(""));
  });

  test.each(["", ".keep", "00000000", "notes.txt"])(
    "what a tool puts beside the parts of a journal (%j) is none of them, and no seal",
    async (name) => {
      const dead = openAs("anna");
      await dead.lock.take("up");
      await dead.journal.add("begun\n");
      const folder = [...store.objects.keys()].find((key) => key.endsWith("/00000001"))!.slice(0, -8);
      store.objects.set(folder + name, { text: name === "notes.txt" ? "mine" : "", at: Date.now() });
      store.ahead += 10_000;
      const next = openAs("berta");
      const lock = await next.lock.take("up");
      expect(await next.journal.read()).toBe("begun\n");
      await next.journal.remove();
      await next.journal.add("mine\n");
      await lock.release();
      const later = openAs("anna");
      expect(await later.journal.read()).toBe("mine\n");
      await later.journal.add("more\n");
      expect(await later.journal.read()).toBe("mine\nmore\n");
    },
  );

  test("a journal that only a tool's objects are in is none, and begins with the first part", async () => {
    store.objects.set("team/stacks/shop/dev/journal/0/", { text: "", at: Date.now() });
    store.objects.set("team/stacks/shop/dev/journal/0/notes.txt", { text: "mine", at: Date.now() });
    const backend = placeAt(store.address("team", "&lease=4")).open(machineOf("anna"));
    expect(await backend.stacks("shop")).toEqual([]);
    const { lock, journal } = backend.stack("shop", "dev");
    const held = await lock.take("up");
    await journal.add("one\n");
    await held.release();
    expect(await openAs("berta").journal.read()).toBe("one\n");
    await backend.close();
  });

  test("a journal is sealed before its successor reads it, so that nothing under way counts afterwards", async () => {
    const old = openAs("anna");
    await old.lock.take("up");
    await old.journal.add("begun\n");
    let letGo = () => {};
    const held = new Promise<void>((free) => {
      letGo = free;
    });
    store.before = async ({ method, key }) => {
      if (method === "PUT" && key.endsWith("00000002")) {
        store.before = undefined;
        await held;
      }
      return undefined;
    };
    const late = old.journal.add("under way\n");
    const refused = expect(late).rejects.toEqual(isLost);
    store.ahead += 10_000;
    const next = openAs("berta");
    const lock = await next.lock.take("up");
    letGo();
    await refused;
    expect(await next.journal.read()).toBe("begun\n");
    await next.journal.remove();
    await next.journal.add("mine\n");
    expect(await next.journal.read()).toBe("mine\n");
    await next.tidy();
    const left = [...store.objects].filter(([key, { text }]) => /journal/.test(key) && text !== "");
    expect(left).toHaveLength(1);
    await lock.release();
  });
});
