/**
 * The embedded engine over a real store of states, stopped at every request to it, before it goes out and before its answer comes in. Killed: nothing
 * of the run gets out any more. Woken: it is cut off from the store alone, and goes on when its successor is done, which must change nothing.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { StateBackend } from "../../provider/engine/engine.ts";
import {
  type PostgresAddress,
  parseAddress,
  type S3Address,
} from "../../provider/engine/state/backends/address.ts";
import { createPostgresBackend } from "../../provider/engine/state/backends/postgres/index.ts";
import { createS3Backend } from "../../provider/engine/state/backends/s3/index.ts";
import type { Machine } from "../../provider/engine/state/owner.ts";
import { hasPostgres, startPostgres } from "../engine/state/backends/postgres-server.ts";
import { hasS3, startS3 } from "../engine/state/backends/s3-server.ts";
import { openWire, type Wire } from "../engine/state/backends/wire.ts";
import { areEqual, differences, toldDifferences } from "./account.ts";
import { type Bench, openBench } from "./bench.ts";
import { type JudgedBench, judge } from "./judge.ts";
import { aimOf, type Operation, operations, type Undisturbed, undisturbed } from "./kill.ts";
import type { Family } from "./stack.ts";
import { type Choice, count, type Fault, isChosen, newTally, type Tally } from "./verdict.ts";

/** A server with places for states. */
interface Store {
  readonly port: number;
  /** An empty place each time, by the door that is asked for. */
  readonly place: () => (machine: Machine, port: number) => StateBackend;
  readonly close: () => unknown;
}

const now = () => new Date();

async function openS3(): Promise<Store> {
  const server = await startS3();
  Object.assign(process.env, server.environment);
  const port = Number(new URL(server.endpoint).port);
  return {
    port,
    place() {
      const text = server.address();
      return (machine, at) =>
        createS3Backend({
          address: parseAddress(text.replace(`:${port}&`, `:${at}&`), "/") as S3Address,
          machine,
          now,
        });
    },
    close: server.close,
  };
}

async function openPostgres(): Promise<Store> {
  const server = await startPostgres();
  Object.assign(process.env, server.environment);
  const { port } = server;
  return {
    port,
    place() {
      const text = server.address();
      return (machine, at) =>
        createPostgresBackend({
          address: parseAddress(text.replace(`:${port}/`, `:${at}/`), "/") as PostgresAddress,
          machine,
          now,
        });
    },
    close: server.close,
  };
}

const stores = {
  s3: { isHere: hasS3, open: openS3 },
  postgres: { isHere: hasPostgres, open: openPostgres },
};

/** Where a run is stopped. */
interface Stop {
  /** Of the pieces that go to the store. */
  readonly piece: number;
  /** True: what it brings about is done, and the run does not hear of it. */
  readonly isAnswered: boolean;
  readonly isWoken: boolean;
}

/** Few families are enough: what differs is where the state is. */
const usual: readonly Family[] = ["dns", "networks", "objects"];

export async function killOverBackend(engine: "s3" | "postgres", choice: Choice): Promise<Tally> {
  const tally = newTally("backend", engine);
  if (!stores[engine].isHere) {
    choice.say(
      `backend ${engine}: left out, for its server is not on this machine (node scripts/stores.mjs)`,
    );
    return tally;
  }
  const began = Date.now();
  const [bench, store] = [await openBench(), await stores[engine].open()];
  try {
    const life = await undisturbed(bench, choice.families ?? usual);
    let number = 0;
    for (const operation of operations) {
      const pieces = await piecesOf(bench, store, life, operation);
      choice.say(`backend ${engine} ${operation}: ${pieces} pieces to the store`);
      for (let piece = 1; piece <= pieces; piece += 1) {
        for (const [isAnswered, isWoken] of [
          [false, false],
          [true, false],
          [false, true],
          [true, true],
        ] as const) {
          number += 1;
          if (!isChosen(number, choice)) continue;
          const faults = await stopAt(bench, store, life, operation, { piece, isAnswered, isWoken });
          const at = `${operation}, ${isWoken ? "woken" : "killed"} ${isAnswered ? "after" : "before"} piece ${piece} of ${pieces}`;
          count(tally, choice, { number, at }, faults);
        }
      }
    }
  } finally {
    await bench.close();
    await store.close();
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}

/** The bench at the beginning of the operation, with the state in a place of its own. */
async function prepared(bench: Bench, store: Store, life: Undisturbed, operation: Operation) {
  const start = life.starts[operation];
  bench.restore(start);
  const place = store.place();
  const direct = (machine: Machine) => place(machine, store.port);
  if (operation !== "up") {
    const state = await bench.run(life.made, (engine) => engine.exportState());
    await bench.run(life.made, (engine) => engine.importState(JSON.stringify(state)), { backend: direct });
  }
  return { place, direct };
}

const workOf = (operation: Operation, life: Undisturbed) => ({
  stack: operation === "up" ? life.made : life.edited,
  work: (engine: Parameters<Parameters<Bench["run"]>[1]>[0]) =>
    operation === "destroy" ? engine.destroy() : engine.up(),
});

async function piecesOf(
  bench: Bench,
  store: Store,
  life: Undisturbed,
  operation: Operation,
): Promise<number> {
  const { place } = await prepared(bench, store, life, operation);
  const wire = await openWire(store.port);
  let pieces = 0;
  wire.watch = (way) => {
    if (way === "there") pieces += 1;
  };
  const { stack, work } = workOf(operation, life);
  const result = await bench.run(stack, work, {
    parallel: 8,
    backend: (machine) => place(machine, wire.port),
  });
  await wire.close();
  if (result.result !== "succeeded")
    throw new Error(`undisturbed ${operation} over the store: ${result.result}`);
  return pieces;
}

/** Milliseconds that a run sleeps at least: nobody is quicker to take its stack by hand. */
const asleep = 1100;

/** Holds the wires at the place; resolves when they are held. */
function held(wire: Wire, others: readonly Wire[], { piece, isAnswered }: Stop): Promise<void> {
  return new Promise((reached) => {
    let pieces = 0;
    const stop = () => {
      wire.watch = undefined;
      for (const each of [wire, ...others]) each.hold();
      reached();
    };
    wire.watch = (way) => {
      if (way === "there") pieces += 1;
      if (pieces >= piece && way === (isAnswered ? "back" : "there")) stop();
    };
  });
}

async function stopAt(
  bench: Bench,
  store: Store,
  life: Undisturbed,
  operation: Operation,
  stop: Stop,
): Promise<Fault[]> {
  const { place, direct } = await prepared(bench, store, life, operation);
  const toStore = await openWire(store.port);
  const toService = await openWire(Number(new URL(bench.emulator.baseUrl).port));
  const { stack, work } = workOf(operation, life);
  const reached = held(toStore, stop.isWoken ? [] : [toService], stop);
  const ran = bench
    .run(stack, work, {
      parallel: 8,
      backend: (machine) => place(machine, toStore.port),
      baseUrl: bench.emulator.baseUrl.replace(/:\d+/, `:${toService.port}`),
    })
    .then(
      ({ result }) => result,
      (error: Error) => error,
    );
  await Promise.race([reached, ran]);
  const since = performance.now();
  // What is under way to the service ends; nothing new can begin.
  if (stop.isWoken) await quiet(bench);
  const holds = await isHeld(direct);
  const aim = aimOf(life, operation);
  const successor: JudgedBench = {
    ...bench,
    get watch() {
      return bench.watch;
    },
    set watch(watch) {
      bench.watch = watch;
    },
    restore: () => {},
    run: (file, judged) => bench.run(file, judged, { backend: direct }),
  };
  const faults = await judge(successor, { account: bench.emulator.data(), files: new Map() }, aim);
  if (stop.isWoken) {
    await sleep(Math.max(0, asleep - (performance.now() - since)));
    faults.push(...(await wakened(bench, toStore, ran, holds ? [] : [aim.account])));
  }
  await Promise.all([toStore.close(), toService.close()]);
  return faults;
}

/** True when somebody holds the stack, as the store has it. */
async function isHeld(open: (machine: Machine) => StateBackend): Promise<boolean> {
  const backend = open({ user: "judge", host: "elsewhere", pid: 1, isAlive: () => true });
  const owner = await backend.stack("torture", "dev").lock.owner();
  await backend.close();
  return owner !== undefined;
}

/**
 * Lets the old run go on, and tells what it changed. One that succeeds may make one of these accounts, too: where it held nothing, it may take the
 * stack when the other is done.
 */
async function wakened(
  bench: Bench,
  wire: Wire,
  ran: Promise<unknown>,
  accounts: readonly unknown[],
): Promise<Fault[]> {
  const before = bench.emulator.data();
  wire.restore();
  const end = await Promise.race([ran, sleep(20_000).then(() => "still runs")]);
  const present = bench.emulator.data();
  const changed = differences(present, before);
  const isRight = end === "succeeded" && accounts.some((account) => areEqual(differences(present, account)));
  const faults: Fault[] = [];
  if (!areEqual(changed) && !isRight)
    faults.push({ kind: "doubled", detail: `the woken run: ${toldDifferences(changed)}` });
  if (end === "still runs") faults.push({ kind: "stuck", detail: "the woken run does not end" });
  return faults;
}

/** Resolves when the service has had no request for a while. */
async function quiet(bench: Bench): Promise<void> {
  for (let last = -1; last !== bench.emulator.stats().total; ) {
    last = bench.emulator.stats().total;
    await sleep(60);
  }
}
