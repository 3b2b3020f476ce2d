/** What the engine relies on in a store of states, whatever keeps them: every `StateBackend` must pass it. */

import { describe, expect, onTestFinished, test } from "vitest";
import type { StackStore, StateBackend } from "../../../../provider/engine/state/backend.ts";
import type { Machine } from "../../../../provider/engine/state/owner.ts";

export interface Place {
  /** For as many runs as a test wants, each on a machine of its own or as another process of one. */
  readonly open: (machine: Machine) => StateBackend;
  /** What is kept where a message says, as a user finds it. */
  readonly textAt: (place: string) => Promise<string | undefined>;
  /** False: it must keep no key, and say so. */
  readonly keepsKey?: false;
}

const machineOf = (name: string, pid = 1, isAlive = true): Machine => ({
  user: name,
  host: `host-of-${name}`,
  pid,
  isAlive: () => isAlive,
});
const anna = machineOf("anna");
const berta = machineOf("berta");

/** Judges the store that `make` makes, a new and empty one each time. */
export function judgesBackend(name: string, make: () => Place | Promise<Place>): void {
  describe(name, () => {
    /** Two runs over one place, and a stack as each of them sees it. */
    async function twoRuns() {
      const { open, textAt, keepsKey = true } = await make();
      const place = (machine: Machine) => {
        const backend = open(machine);
        onTestFinished(backend.close);
        return backend;
      };
      const [one, two] = [place(anna), place(berta)];
      return {
        place,
        textAt,
        keepsKey,
        one,
        two,
        mine: one.stack("shop", "dev"),
        theirs: two.stack("shop", "dev"),
      };
    }

    test("has nothing at first, and says where that is", async () => {
      const { one, mine } = await twoRuns();
      expect(await mine.snapshot.read()).toBeUndefined();
      expect(await mine.journal.read()).toBeUndefined();
      expect(await one.key.read()).toBeUndefined();
      expect(await mine.lock.owner()).toBeUndefined();
      expect(await one.stacks("shop")).toEqual([]);
      expect(await one.projects()).toEqual([]);
      await mine.journal.remove();
      const places = [one.place, one.key.place, mine.snapshot.place, mine.journal.place];
      expect(new Set(places).size).toBe(4);
      expect(places).not.toContain("");
    });

    describe("a snapshot", () => {
      test("is the last one as a whole, for every run, to the last character", async () => {
        const { mine, theirs } = await twoRuns();
        const long = `${"ä\r\n\u0000😀".repeat(50_000)}\n`;
        await mine.snapshot.replace(long);
        expect(await theirs.snapshot.read()).toBe(long);
        await theirs.snapshot.replace("short");
        expect(await mine.snapshot.read()).toBe("short");
      });

      test("is never seen in part while it is replaced", async () => {
        const { mine, theirs } = await twoRuns();
        const texts = ["a".repeat(200_000), "b".repeat(300_000)];
        await mine.snapshot.replace(texts[0]!);
        const seen: (string | undefined)[] = [];
        const writing = (async () => {
          for (let i = 1; i <= 10; i += 1) await mine.snapshot.replace(texts[i % 2]!);
        })();
        for (let i = 0; i < 20; i += 1) seen.push(await theirs.snapshot.read());
        await writing;
        expect(seen.filter((text) => !texts.includes(text ?? ""))).toEqual([]);
      });
    });

    describe("a journal", () => {
      test("grows by what is added, in that order, and each addition is kept when it resolves", async () => {
        const { mine, theirs } = await twoRuns();
        let whole = "";
        for (const line of ["one\n", "zwölf\n", "3".repeat(100_000), "\n"]) {
          await mine.journal.add(line);
          whole += line;
          expect(await theirs.journal.read()).toBe(whole);
        }
      });

      test("that is removed begins anew, whoever removed it", async () => {
        const { one, two, mine } = await twoRuns();
        await mine.journal.add("one\n");
        await mine.journal.remove();
        expect(await mine.journal.read()).toBeUndefined();
        await mine.journal.add("two\n");
        expect(await mine.journal.read()).toBe("two\n");
        await one.close();
        const later = two.stack("shop", "dev");
        await later.journal.remove();
        await later.journal.add("three\n");
        expect(await later.journal.read()).toBe("three\n");
      });

      test("is another text than the snapshot", async () => {
        const { mine } = await twoRuns();
        await mine.snapshot.replace("snapshot");
        await mine.journal.add("journal");
        expect([await mine.snapshot.read(), await mine.journal.read()]).toEqual(["snapshot", "journal"]);
        await mine.journal.remove();
        expect(await mine.snapshot.read()).toBe("snapshot");
      });
    });

    test.each(["snapshot", "journal"] as const)(
      "a %s that is put aside is kept under a name that is told, once",
      async (kind) => {
        const { textAt, one, mine, theirs } = await twoRuns();
        const write = (text: string) =>
          kind === "snapshot" ? mine.snapshot.replace(text) : mine.journal.add(text);
        expect(await mine[kind].putAside(".damaged")).toBeUndefined();
        await write("text");
        const where = await theirs[kind].putAside(".damaged");
        expect(where).toMatch(/\.damaged$/);
        expect(where).not.toBe(mine[kind].place);
        expect(await textAt(where!)).toBe("text");
        await mine.journal.remove();
        expect(await mine[kind].read()).toBeUndefined();
        expect(await mine[kind].putAside(".damaged")).toBeUndefined();
        expect(await one.stacks("shop")).toEqual([]);
        await one.close();
      },
    );

    describe("stacks", () => {
      const text = (name: string) => ({
        write: (store: StackStore) => store.snapshot.replace(name),
        read: (store: StackStore) => store.snapshot.read(),
      });

      test("are apart, whatever their projects and names have in common", async () => {
        const { one, two } = await twoRuns();
        const names = [
          ["shop", "dev"],
          ["shop", "dev.2"],
          ["shop", "dev_2"],
          ["shop.dev", "2"],
          ["dev", "shop"],
        ] as const;
        for (const [project, stack] of names) await text(project + stack).write(one.stack(project, stack));
        for (const [project, stack] of names)
          expect(await text("").read(two.stack(project, stack))).toBe(project + stack);
        expect(await two.stacks("shop")).toEqual(["dev", "dev.2", "dev_2"]);
        expect(await two.stacks("nothing")).toEqual([]);
        expect(await two.projects()).toEqual(["dev", "shop", "shop.dev"]);
      });

      test("are told by their journals too, and not by their locks", async () => {
        const { one, two } = await twoRuns();
        await one.stack("shop", "begun").journal.add("a line\n");
        const lock = await one.stack("shop", "locked").lock.take("up");
        expect(await two.stacks("shop")).toEqual(["begun"]);
        const other = await one.stack("depot", "locked").lock.take("up");
        expect(await two.projects()).toEqual(["shop"]);
        await other.release();
        await lock.release();
      });

      test("cannot have a name that leads elsewhere", async () => {
        const { one } = await twoRuns();
        const usage = expect.objectContaining({ code: "usage" });
        for (const name of ["", "..", "../dev", "a/b", "a\\b"]) {
          expect(() => one.stack("shop", name)).toThrow(usage);
          expect(() => one.stack(name, "dev")).toThrow(usage);
        }
      });
    });

    test("a key is claimed once, by one of many that ask at the same time; or by nobody, who is told what to do", async () => {
      const { place, keepsKey } = await twoRuns();
      expect(place(anna).key.isKept).toBe(keepsKey);
      if (!keepsKey) {
        await expect(place(anna).key.claim("key")).rejects.toMatchObject({
          errorCode: "PLB-KEY",
          message: expect.stringMatching(/PLUMBLINE_PASSPHRASE.*PLUMBLINE_KEY/),
        });
        expect(await place(anna).key.read()).toBeUndefined();
        return;
      }
      const keys = Array.from({ length: 12 }, (_, i) => `key ${i}`);
      const won = await Promise.all(keys.map((key) => place(anna).key.claim(key)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await place(berta).key.read()).toBe(keys[won.indexOf(true)]);
      expect(await place(berta).key.claim("late")).toBe(false);
    });

    describe("a lock", () => {
      test("has one holder, who is named to everybody else, until it is released", async () => {
        const { mine, theirs } = await twoRuns();
        const lock = await mine.lock.take("up");
        expect(lock.takenOverFrom).toBeUndefined();
        expect(await theirs.lock.owner()).toEqual(lock.owner);
        expect(lock.owner).toMatchObject({ user: "anna", host: "host-of-anna", pid: 1, operation: "up" });
        expect(Number.isNaN(Date.parse(lock.owner.since))).toBe(false);
        await expect(theirs.lock.take("destroy")).rejects.toMatchObject({
          code: "locked",
          message: expect.stringContaining("anna"),
        });
        await expect(mine.lock.take("up")).rejects.toMatchObject({ code: "locked" });
        await lock.release();
        expect(await theirs.lock.owner()).toBeUndefined();
        await (await theirs.lock.take("destroy")).release();
      });

      test("is got by one of many that ask at the same time", async () => {
        const { place } = await twoRuns();
        const asked = Array.from({ length: 12 }, (_, i) =>
          place(machineOf(`run${i}`))
            .stack("shop", "dev")
            .lock.take("up"),
        );
        const got = (await Promise.allSettled(asked)).filter((one) => one.status === "fulfilled");
        expect(got).toHaveLength(1);
        await got[0]!.value.release();
      });

      test("is of one stack only", async () => {
        const { one, two } = await twoRuns();
        const locks = [
          await one.stack("shop", "dev").lock.take("up"),
          await two.stack("shop", "prod").lock.take("up"),
          await two.stack("other", "dev").lock.take("up"),
        ];
        for (const lock of locks) await lock.release();
      });

      test("whose owner is seen to have died is taken over, and the dead one is named", async () => {
        const { place } = await twoRuns();
        const [first, next] = [machineOf("carl", 11), machineOf("carl", 12, false)];
        const dead = await place(first).stack("shop", "dev").lock.take("up");
        const store = place(next).stack("shop", "dev");
        expect(await store.lock.isSeenAlive(dead.owner)).toBe(false);
        const lock = await store.lock.take("refresh");
        expect(lock.takenOverFrom).toEqual(dead.owner);
        expect(await store.lock.owner()).toEqual(lock.owner);
        // The one that was thought dead lets go of nothing that is another's now.
        await dead.release();
        expect(await store.lock.owner()).toEqual(lock.owner);
        await lock.release();
      });

      test("of another machine is never taken over, because nobody sees from here whether it lives", async () => {
        const { place } = await twoRuns();
        const theirs = await place(berta).stack("shop", "dev").lock.take("up");
        const { lock } = place(machineOf("anna", 1, false)).stack("shop", "dev");
        await expect(lock.take("up")).rejects.toMatchObject({ code: "locked" });
        expect(await lock.isSeenAlive(theirs.owner)).toBe(false);
        await theirs.release();
      });

      test("that is cleared is free, and its former holder frees no other's", async () => {
        const { mine, theirs } = await twoRuns();
        const lost = await mine.lock.take("up");
        await theirs.lock.clear();
        expect(await mine.lock.owner()).toBeUndefined();
        const lock = await theirs.lock.take("up");
        await lost.release();
        expect(await mine.lock.owner()).toEqual(lock.owner);
        await lock.release();
        await theirs.lock.clear();
      });
    });

    test("tidying leaves what is kept as it is", async () => {
      const { one, mine, theirs, keepsKey } = await twoRuns();
      if (keepsKey) await one.key.claim("key");
      await mine.snapshot.replace("snapshot");
      await mine.journal.add("journal");
      const lock = await mine.lock.take("up");
      await mine.tidy();
      await mine.tidy();
      expect([await theirs.snapshot.read(), await theirs.journal.read()]).toEqual(["snapshot", "journal"]);
      expect(await one.key.read()).toBe(keepsKey ? "key" : undefined);
      expect(await theirs.lock.owner()).toEqual(lock.owner);
      expect(await one.stacks("shop")).toEqual(["dev"]);
      await lock.release();
    });
  });
}
