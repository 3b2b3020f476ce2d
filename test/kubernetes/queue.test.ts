/** The queue of one Account, on a clock of the test's: order, one at a time, waits that double. */

import { describe, expect, it } from "vitest";
import { createQueue, type QueueOptions } from "../../provider/kubernetes/queue.ts";

function opened(answers: { [key: string]: (() => Promise<"done" | "soon">)[] } = {}, atOnce = 1) {
  let time = 0;
  const due: { readonly at: number; readonly act: () => void }[] = [];
  const [begun, faults]: [string[], string[]] = [[], []];
  const options: QueueOptions<string> = {
    atOnce,
    work(key) {
      begun.push(`${time} ${key}`);
      return answers[key]?.shift()?.() ?? Promise.resolve("done");
    },
    clock: {
      now: () => time,
      at(when, act) {
        const one = { at: when, act };
        due.push(one);
        return () => void due.splice(due.indexOf(one), due.includes(one) ? 1 : 0);
      },
    },
    failed: (key, error) => faults.push(`${key}: ${(error as Error).message}`),
  };
  const settle = () => new Promise((done) => setImmediate(done));
  return {
    queue: createQueue(options),
    begun,
    faults,
    settle,
    /** Lets time pass, and everything happen that is due by then. */
    async until(end: number) {
      for (;;) {
        await settle();
        const [next] = due.sort((one, other) => one.at - other.at);
        if (next === undefined || next.at > end) break;
        due.shift();
        time = next.at;
        next.act();
      }
      time = end;
    },
  };
}

const soon = () => Promise.resolve("soon" as const);

/** Work that goes on until it is let go. */
function held() {
  let letGo = () => {};
  const until = new Promise<"done">((done) => {
    letGo = () => done("done");
  });
  return { letGo: () => letGo(), work: () => until };
}

describe("the queue of an Account", () => {
  it("takes changes before sweeps, however late they come", async () => {
    const first = held();
    const { queue, begun, settle } = opened({ a: [first.work] });
    for (const key of ["a", "b", "c"]) queue.add(key, "sweep");
    queue.add("c", "change");
    queue.add("c", "sweep");
    queue.add("d", "change");
    expect(queue.waiting()).toEqual({ change: 2, sweep: 1 });
    first.letGo();
    await settle();
    expect(begun).toEqual(["0 a", "0 c", "0 d", "0 b"]);
  });

  it("works on a key once at a time, and once more where it was added meanwhile", async () => {
    const first = held();
    const { queue, begun, settle } = opened({ a: [first.work] }, 4);
    for (let n = 0; n < 3; n += 1) queue.add("a", "change");
    await settle();
    expect(begun).toEqual(["0 a"]);
    first.letGo();
    await settle();
    expect(begun).toEqual(["0 a", "0 a"]);
  });

  it("tries again after waits that double up to the longest, which a change forgets and a sweep does not shorten", async () => {
    const fault = () => Promise.reject(new Error("no API server"));
    const { queue, begun, faults, until } = opened({ a: [soon, fault, soon, soon] });
    queue.add("a", "change");
    await until(500);
    queue.add("a", "sweep");
    await until(7_500);
    expect(begun).toEqual(["0 a", "1000 a", "3000 a", "7000 a"]);
    expect(faults).toEqual(["a: no API server"]);
    queue.add("a", "change");
    await until(400_000);
    expect(begun.slice(4)).toEqual(["7500 a"]);
  });

  it("waits five minutes at most", async () => {
    const { queue, begun, until } = opened({ a: Array.from({ length: 12 }, () => soon) });
    queue.add("a", "sweep");
    await until(1_600_000);
    const times = begun.map((each) => Number.parseInt(each, 10));
    const waits = times.slice(1).map((each, at) => each - times[at]!);
    expect(waits.slice(0, 3)).toEqual([1_000, 2_000, 4_000]);
    expect(Math.max(...waits)).toBe(300_000);
  });

  it("forgets a key, and begins nothing more once it is closed, which waits for what is under way", async () => {
    const first = held();
    const { queue, begun, settle, until } = opened({ a: [first.work], b: [soon] });
    queue.add("a", "change");
    queue.add("b", "change");
    queue.add("c", "change");
    queue.forget("c");
    let isClosed = false;
    const closing = queue.close().then(() => {
      isClosed = true;
    });
    queue.add("d", "change");
    await settle();
    expect(isClosed).toBe(false);
    first.letGo();
    await closing;
    await until(10_000);
    expect(begun).toEqual(["0 a"]);
  });
});
