/** What the engine relies on in a store of many machines, beyond what it asks of every store: leases, and that nobody who lost one changes anything. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Change, StackStore, StateBackend } from "../../../../provider/engine/state/backend.ts";
import type { Machine } from "../../../../provider/engine/state/owner.ts";
import { openWire } from "./wire.ts";

export interface SharedPlace {
  /** The port of the server. */
  readonly port: number;
  /** A backend over the same place each time. `port`: which door; `parameters`: what its address says. */
  readonly open: (how: {
    readonly machine: Machine;
    readonly now: () => Date;
    readonly port: number;
    readonly parameters: string;
  }) => StateBackend;
  /** Makes what is known of the stack's owner so many seconds older, by the store's clock. */
  readonly age: (project: string, stack: string, seconds: number) => Promise<void>;
}

const isLost = expect.objectContaining({ code: "locked", errorCode: "PLB-LEASE" });
const lease = 4;
const longer = 3 * lease;

const change = (n: number): Change => ({
  ...{ user: "anna", host: "h", at: `2026-01-0${n}T00:00:00Z`, operation: "up", counts: { create: n } },
  result: "succeeded",
});

/** Judges the store whose empty places `make` makes. */
export function judgesLeases(name: string, make: () => SharedPlace | Promise<SharedPlace>): void {
  describe(name, () => {
    /** A place, and the stack in it as each of several machines sees it; the first ones by a wire of their own. */
    async function opened() {
      const place = await make();
      const wire = await openWire(place.port);
      const as = (
        user: string,
        how: { port?: number; skew?: number; parameters?: string } = {},
      ): StackStore => {
        const { port = place.port, skew = 0, parameters = "" } = how;
        const backend = place.open({
          machine: { user, host: `host-of-${user}`, pid: 1, isAlive: () => true },
          now: () => new Date(Date.now() + skew),
          port,
          parameters: `&lease=${lease}${parameters}`,
        });
        onTestFinished(backend.close);
        return backend.stack("shop", "dev");
      };
      onTestFinished(wire.close);
      const byWire = (user: string): StackStore => as(user, { port: wire.port });
      const older = () => place.age("shop", "dev", longer);
      return { as, byWire, wire, older };
    }

    test("whoever was taken for dead writes nothing more, neither journal nor state, and hears of it", async () => {
      const { as, older } = await opened();
      const [old, next] = [as("anna"), as("berta")];
      const lock = await old.lock.take("up");
      await old.snapshot.replace("before");
      await old.journal.add("begun\n");
      await expect(next.lock.take("up")).rejects.toMatchObject({ code: "locked" });
      await older();
      const taken = await next.lock.take("up");
      expect(taken.takenOverFrom).toEqual(lock.owner);
      await expect(old.journal.add("late\n")).rejects.toEqual(isLost);
      await expect(old.snapshot.replace("late")).rejects.toEqual(isLost);
      await expect(old.journal.remove()).rejects.toEqual(isLost);
      expect(lock.lost!.reason).toEqual(isLost);
      expect([await next.snapshot.read(), await next.journal.read()]).toEqual(["before", "begun\n"]);
      await next.journal.remove();
      await next.journal.add("mine\n");
      await lock.release();
      expect(await next.lock.owner()).toEqual(taken.owner);
      expect(await next.journal.read()).toBe("mine\n");
      await taken.release();
    });

    test.each(["add", "replace"] as const)(
      "what is on the way when the stack is taken over does not count, even where nothing came before it: %s",
      async (what) => {
        const { as, byWire, wire, older } = await opened();
        const old = byWire("anna");
        await old.lock.take("up");
        await old.snapshot.replace("before");
        // Opens the connections that are held.
        await old.journal.add("begun\n");
        wire.hold();
        const late = what === "add" ? old.journal.add("on the way\n") : old.snapshot.replace("on the way");
        const refused = expect(late).rejects.toEqual(isLost);
        await older();
        const next = as("berta");
        const lock = await next.lock.take("up");
        wire.restore();
        await refused;
        expect([await next.snapshot.read(), await next.journal.read()]).toEqual(["before", "begun\n"]);
        await next.journal.remove();
        await next.journal.add("mine\n");
        expect(await next.journal.read()).toBe("mine\n");
        await lock.release();
      },
    );

    test.each([
      ["had written nothing", false],
      ["had begun", true],
    ])(
      "whoever %s and wakes up when its successors are long done writes nothing more",
      async (_, hasBegun) => {
        const { as, older } = await opened();
        const old = as("anna");
        const lock = await old.lock.take("up");
        if (hasBegun) await old.journal.add("begun\n");
        else expect(await old.journal.read()).toBeUndefined();
        for (const user of ["berta", "carl"]) {
          await older();
          const next = as(user);
          const taken = await next.lock.take("up");
          await next.journal.remove();
          await next.journal.add(`of ${user}\n`);
          await next.snapshot.replace(`of ${user}`);
          await next.journal.remove();
          await next.tidy();
          // The next one takes over once more.
          if (user === "carl") await taken.release();
        }
        await expect(old.journal.add("late\n")).rejects.toEqual(isLost);
        expect(await as("dora").journal.read()).toBeUndefined();
        await lock.release();
      },
    );

    test("an answer that comes when the stack is another's counts for nothing", async () => {
      const { as, byWire, wire, older } = await opened();
      const old = byWire("anna");
      const lock = await old.lock.take("up");
      await old.journal.add("begun\n");
      const answered = new Promise<void>((held) => {
        wire.watch = (way) => {
          if (way !== "back") return;
          wire.watch = undefined;
          wire.hold();
          held();
        };
      });
      const refused = expect(old.journal.add("kept, and not heard of\n")).rejects.toEqual(isLost);
      await answered;
      await older();
      const next = as("berta");
      const taken = await next.lock.take("up");
      expect(await next.journal.read()).toBe("begun\nkept, and not heard of\n");
      await next.journal.remove();
      await taken.release();
      // As late as a person is at least who unlocks a stack, or a lease that ends.
      await sleep(1100);
      wire.restore();
      await refused;
      await lock.release();
    });

    test("a lease is judged by the store's clock, however wrong those of the machines are", async () => {
      const { as, older } = await opened();
      const day = 86_400_000;
      const lock = await as("anna", { skew: -day }).lock.take("up");
      await expect(as("berta", { skew: day }).lock.take("up")).rejects.toMatchObject({ code: "locked" });
      await older();
      const taken = await as("carl", { skew: -2 * day }).lock.take("up");
      expect(taken.takenOverFrom).toMatchObject({ user: "anna" });
      await lock.release();
      await taken.release();
    });

    test("a lease is renewed while its run lasts", async () => {
      const { as } = await opened();
      const lock = await as("anna").lock.take("up");
      await sleep((lease + 2.5) * 1000);
      await expect(as("berta").lock.take("up")).rejects.toMatchObject({ code: "locked" });
      await lock.release();
      await (await as("berta").lock.take("up")).release();
    });

    test.each(["hold", "cut"] as const)(
      "a run that cannot reach its store begins nothing before its lease can be taken, and then gives up: %s",
      async (how) => {
        const { as, byWire, wire } = await opened();
        const mine = byWire("anna");
        const lock = await mine.lock.take("up");
        await mine.journal.add("begun\n");
        const since = performance.now();
        wire[how]();
        const added = mine.journal.add("cut off\n").then(
          () => "kept",
          (error: unknown) => error,
        );
        await expect.poll(() => lock.lost!.aborted, { timeout: 30_000 }).toBe(true);
        expect((performance.now() - since) / 1000).toBeLessThan(2 * lease + 4);
        expect(lock.lost!.reason).toEqual(isLost);
        expect(String(lock.lost!.reason)).toContain("could not be renewed for 4.0 s");
        expect(await added).toEqual(isLost);
        await expect(mine.journal.add("late\n")).rejects.toEqual(isLost);
        const next = as("berta");
        await expect
          .poll(() => next.lock.take("up").then((taken) => taken.takenOverFrom?.user), { timeout: 30_000 })
          .toBe("anna");
        wire.restore();
        await lock.release();
      },
    );

    test.each(["hold", "cut"] as const)(
      "a store that cannot be reached for less than a lease costs nothing but time: %s",
      async (how) => {
        const { as, byWire, wire } = await opened();
        const mine = byWire("anna");
        const lock = await mine.lock.take("up");
        await mine.journal.add("one\n");
        wire[how]();
        const added = mine.journal.add("two\n");
        await sleep(1000);
        wire.restore();
        await added;
        await mine.snapshot.replace("state");
        expect([await as("berta").journal.read(), await as("berta").snapshot.read()]).toEqual([
          "one\ntwo\n",
          "state",
        ]);
        await lock.release();
      },
    );

    test("a slow store keeps the order of what is under way together", async () => {
      const { as, byWire, wire } = await opened();
      wire.delay = 60;
      const mine = byWire("anna");
      const lock = await mine.lock.take("up");
      const lines = Array.from({ length: 12 }, (_, at) => `${at}\n`);
      for (let at = 0; at < lines.length; at += mine.journal.together)
        await Promise.all(lines.slice(at, at + mine.journal.together).map((line) => mine.journal.add(line)));
      expect(await as("berta").journal.read()).toBe(lines.join(""));
      await lock.release();
    });

    test("a run that is unlocked by hand has lost the stack at its next write", async () => {
      const { as } = await opened();
      const [mine, theirs] = [as("anna"), as("berta")];
      const lock = await mine.lock.take("up");
      await theirs.lock.clear();
      await expect(mine.snapshot.replace("late")).rejects.toMatchObject({
        errorCode: "PLB-LEASE",
        message: expect.stringContaining("unlocked"),
      });
      const taken = await theirs.lock.take("up");
      await expect(mine.journal.add("late\n")).rejects.toEqual(isLost);
      expect([await theirs.snapshot.read(), await theirs.journal.read()]).toEqual([undefined, undefined]);
      await taken.release();
      await lock.release();
    });

    test("nobody writes to a stack that another holds, with a lock or without", async () => {
      const { as } = await opened();
      const lock = await as("anna").lock.take("up");
      const theirs = as("berta");
      const isLocked = { code: "locked", message: expect.stringContaining("anna") };
      await expect(theirs.journal.add("x\n")).rejects.toMatchObject(isLocked);
      await expect(theirs.snapshot.replace("x")).rejects.toMatchObject(isLocked);
      await lock.release();
    });

    test("as many versions are kept as the address says, each with who made it", async () => {
      const { as } = await opened();
      const mine = as("anna", { parameters: "&keep=3" });
      const lock = await mine.lock.take("up");
      for (let n = 1; n <= 5; n += 1) await mine.snapshot.replace(`state ${n}`, change(n));
      await lock.release();
      const { history } = as("berta");
      expect(await history.list()).toEqual([3, 4, 5].map((n) => ({ ...change(n), version: n })));
      const texts = await Promise.all([2, 3, 5, 6].map((version) => history.read(version)));
      expect(texts).toEqual([undefined, "state 3", "state 5", undefined]);
    });
  });
}
