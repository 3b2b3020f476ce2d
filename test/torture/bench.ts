/** One emulator and one embedded engine in this process over a disk in memory, so that any moment of a run is two copies: of the account and of the state. */

import {
  type Disturbance,
  type Emulator,
  startEmulator,
  starterAccount,
  type Watched,
} from "../../emulator/index.ts";
import {
  createEngine,
  type Engine,
  type EngineEvent,
  type StateBackend,
} from "../../provider/engine/engine.ts";
import { loadProgram } from "../../provider/engine/language/program.ts";
import type { Disk } from "../../provider/engine/state/backends/folder/disk.ts";
import type { Machine } from "../../provider/engine/state/owner.ts";
import { catalogue, createProvider } from "../../provider/provider.ts";
import { createService } from "../../provider/service/client.ts";
import type { Clock } from "../../provider/service/clock.ts";
import { cheapKey } from "../engine/cheap-key.ts";
import { memoryDisk } from "../engine/deployment/world.ts";

/** What a kill leaves: the account, and the files of the state folder. */
export interface Moment {
  readonly account: unknown;
  readonly files: ReadonlyMap<string, string>;
}

export type Watch = (moment: "before" | "after", request: Watched) => Disturbance | Promise<Disturbance>;

export interface Bench {
  readonly emulator: Emulator;
  /** The state folder's files now. */
  readonly files: Map<string, string>;
  readonly now: () => Moment;
  readonly restore: (moment: Moment) => void;
  /** Called at each request until replaced. */
  watch: Watch | undefined;
  /** Called before and after each change of a file. */
  watchDisk: ((what: string) => void) | undefined;
  /** Does something with a new engine over the stack file, as a new process would. */
  readonly run: <T>(stack: string, work: (engine: Engine) => Promise<T>, options?: RunOptions) => Promise<T>;
  readonly close: () => Promise<void>;
}

export interface RunOptions {
  /** Default 4: enough that much happens at once. */
  readonly parallel?: number;
  readonly onEvent?: (event: EngineEvent) => void;
  /** Where the state is instead of the folder; made for a process of this number. */
  readonly backend?: (machine: Machine) => StateBackend;
  /** Another door to the emulator, which the engine does not hear of. */
  readonly baseUrl?: string;
}

const stateFolder = "/state";
export const passphrase = "correct horse battery staple";

/** How many times faster than time a sleep is over. */
const haste = 100;

/** A clock on which patience costs nothing: a sleep ends soon, and then it is as late as it would be, for the service too. */
function hastyClock(now: () => number, advance: (ms: number) => void): Clock {
  return {
    now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const until = now() + ms;
        const stop = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener("abort", stop);
          if (now() < until) advance(until - now());
          resolve();
        }, ms / haste);
        signal?.addEventListener("abort", stop, { once: true });
      }),
  };
}

export interface BenchOptions {
  readonly port?: number;
  /** Seconds after which a write's answer counts as lost. */
  readonly patience?: number;
}

export async function openBench({ port = 0, patience = 5 }: BenchOptions = {}): Promise<Bench> {
  const files = new Map<string, string>();
  const emulator = await startEmulator({
    seed: starterAccount,
    speed: "instant",
    port,
    watch: (moment, request) => bench.watch?.(moment, request),
    log: () => {},
  });
  const environment = {
    PLUMBLINE_BASE_URL: emulator.baseUrl,
    PLUMBLINE_TOKEN: emulator.token,
    PLUMBLINE_PASSPHRASE: passphrase,
  };
  const memory = memoryDisk(files);
  const told =
    <A extends unknown[], T>(name: string, act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      bench.watchDisk?.(`before ${name}`);
      const result = await act(...args);
      bench.watchDisk?.(`after ${name}`);
      return result;
    };
  const disk: Disk = {
    ...memory,
    replace: told("replace", memory.replace),
    append: told("append", memory.append),
    claim: told("claim", memory.claim),
    move: told("move", memory.move),
    remove: told("remove", memory.remove),
  };
  /** Milliseconds by which the service's clock is ahead of this machine's. */
  let ahead = 0;
  const now = () => Date.now() + ahead;
  // What a process measures by its own clock takes as long.
  const measured = performance.now;
  performance.now = () => measured.call(performance) + ahead;
  const clock = hastyClock(now, (ms) => {
    ahead += ms;
    emulator.advance(ms / 1000);
  });
  const connect = (target: { readonly baseUrl: string; readonly token: string }) => {
    const timeoutSeconds = { read: 5, write: patience };
    const client = createService({ ...target, clock, timeoutSeconds, windowMilliseconds: 1 });
    return { ...client, serviceTime: () => client.serviceTime().replace(/Z?$/, "Z") };
  };
  const bench: Bench = {
    emulator,
    files,
    watch: undefined,
    watchDisk: undefined,
    now: () => ({ account: emulator.data(), files: new Map(files) }),
    restore(moment) {
      emulator.setData(moment.account);
      ahead = (moment.account as { clockOffset: number }).clockOffset;
      files.clear();
      for (const [name, text] of moment.files) files.set(name, text);
    },
    async run(stack, work, { parallel = 4, onEvent, backend, baseUrl } = {}) {
      // Each engine is a process of its own; the one before is dead.
      const machine = { user: "torture", host: "here", pid: ++processes, isAlive: () => false };
      const byDoor: typeof connect = (target) => connect({ ...target, baseUrl: baseUrl ?? target.baseUrl });
      const program = await loadProgram({
        file: "/stack/Pulumi.yaml",
        stack: "dev",
        catalogue,
        environment,
        readFile: async (path) => {
          if (path.endsWith("/Pulumi.yaml")) return stack;
          throw Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
        },
      });
      const engine = createEngine({
        project: "torture",
        stack: "dev",
        stateFolder,
        program,
        environment,
        disk,
        deriveKey: cheapKey,
        parallel,
        now: () => new Date(now()),
        machine,
        createProvider: () => createProvider({ environment, connect: byDoor }),
        ...(backend && { backend: backend(machine) }),
        ...(onEvent && { onEvent }),
      });
      return work(engine);
    },
    close: () => {
      performance.now = measured;
      return emulator.close();
    },
  };
  return bench;
}

let processes = 1_000_000;
