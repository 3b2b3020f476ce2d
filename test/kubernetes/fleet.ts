/**
 * The scheduler of many replicas on a virtual time: sharing, sweeps and queues as they are, over a model of the service's limits, of the API server's
 * Leases and of each machine's one processor. What an object costs is told to it.
 */

import { ConflictError, type Lease, type Leases } from "../../provider/kubernetes/api.ts";
import { createQueue } from "../../provider/kubernetes/queue.ts";
import { createReplicas } from "../../provider/kubernetes/replicas.ts";
import { createSweeps } from "../../provider/kubernetes/sweeps.ts";
import { drawing } from "./replica-world.ts";
import { createTime, type VirtualTime } from "./virtual-time.ts";

export interface FleetOptions {
  readonly replicas: number;
  readonly accounts: number;
  /** Objects of each Account that pages of lists show, 500 a page, and those that are asked for one by one. */
  readonly listed: number;
  readonly single: number;
  /** Milliseconds of a processor that a look at one object takes. */
  readonly perObject: number;
}

export interface FleetFigures {
  /** Minutes from a drift to the look that sees it; `Infinity`: none did within an hour. */
  readonly seen: { readonly median: number; readonly worst: number };
  /** The least percentage of any Account's limit, in any window, that sweeps left. */
  readonly left: number;
  /** Writes of Leases, a second. */
  readonly writes: number;
  /** The part of each processor that was busy, at the most. */
  readonly busy: number;
  /** Seconds until all Accounts of a killed replica were kept again. */
  readonly takeover: number;
}

const minute = 60_000;
const page = 500;
/** Milliseconds that an answer takes. */
const [ofService, ofServer] = [150, 10];
const limit = { requests: 800, milliseconds: 2 * minute };
/** As the controller's own. */
const concurrency = 10;

/** What the model moves as one: objects that one page shows, or one that has a request of its own. */
interface Key {
  readonly name: string;
  readonly objects: number;
  readonly looks: number[];
}

/** An Account on the service: its limit, and its objects. */
interface Account {
  readonly keys: readonly Key[];
  windowEnds: number;
  used: number;
  least: number;
}

function openAccount({ listed, single }: FleetOptions): Account {
  const keys: Key[] = [];
  for (let at = 0; at < listed; at += page)
    keys.push({ name: `list ${at}`, objects: Math.min(page, listed - at), looks: [] });
  for (let at = 0; at < single; at += 1) keys.push({ name: `single ${at}`, objects: 1, looks: [] });
  return { keys, windowEnds: 0, used: 0, least: 1 };
}

function countRequest(account: Account, now: number): void {
  if (now >= account.windowEnds) [account.windowEnds, account.used] = [now + limit.milliseconds, 0];
  account.used += 1;
  account.least = Math.min(account.least, 1 - account.used / limit.requests);
}

function openStore({ clock }: VirtualTime) {
  const store = new Map<string, Lease>();
  const watchers = new Set<(lease: Lease, isGone: boolean) => void>();
  let [version, writes] = [0, 0];
  const later = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) =>
      clock.at(clock.now() + ofServer, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error as Error);
        }
      }),
    );
  const told = (lease: Lease, isGone: boolean): Lease => {
    for (const watcher of watchers) watcher(lease, isGone);
    return lease;
  };
  const check = ({ name, resourceVersion }: Lease): void => {
    if (store.get(name)?.resourceVersion !== resourceVersion) throw new ConflictError(name);
  };
  const leases: Leases = {
    follow: (heard) =>
      later(() => {
        for (const lease of store.values()) heard(lease, false);
        watchers.add(heard);
      }),
    put: (lease) =>
      later(() => {
        writes += 1;
        check(lease);
        version += 1;
        const put = { ...lease, resourceVersion: String(version) };
        store.set(lease.name, put);
        return told(put, false);
      }),
    remove: (lease) =>
      later(() => {
        writes += 1;
        check(lease);
        store.delete(lease.name);
        told(lease, true);
      }),
  };
  return { leases, writes: () => writes };
}

/** A replica on a machine with one processor. */
function startMachine(
  name: string,
  time: VirtualTime,
  accounts: ReadonlyMap<string, Account>,
  { leases, perObject, draw }: { leases: Leases; perObject: number; draw: () => number },
) {
  let isDead = false;
  let [freeAt, busy] = [0, 0];
  const clock = {
    ...time.clock,
    at: (at: number, act: () => void) => time.clock.at(at, () => (isDead ? undefined : act())),
  };
  const kept = new Map<string, { stop: () => Promise<void> }>();
  /** Nothing reaches a process that is dead, and nothing comes of what it asked. */
  const alive = <T>(asked: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) =>
      asked.then(
        (value) => (isDead ? undefined : resolve(value)),
        (error) => (isDead ? undefined : reject(error)),
      ),
    );
  const reached: Leases = {
    follow: (heard) => alive(leases.follow((lease, isGone) => (isDead ? undefined : heard(lease, isGone)))),
    put: (lease) => alive(leases.put(lease)),
    remove: (lease) => alive(leases.remove(lease)),
  };

  async function look(account: Account, key: Key): Promise<"done"> {
    const asked = clock.now();
    countRequest(account, asked);
    const cost = perObject * key.objects;
    freeAt = Math.max(freeAt, asked + ofService) + cost;
    busy += cost;
    await new Promise<void>((done) => clock.at(freeAt, done));
    key.looks.push(asked);
    return "done";
  }

  function gained(id: string): void {
    const account = accounts.get(id)!;
    const queue = createQueue<Key>({
      ...{ clock, atOnce: concurrency, sweepsAtOnce: 64 },
      async work(key) {
        const end = await look(account, key);
        sweeps.looked(key);
        return end;
      },
      failed(_key, error) {
        throw error;
      },
    });
    const sweeps = createSweeps<Key>({
      ...{ clock, random: draw },
      look: (key) => queue.add(key, "sweep"),
      settings: () => ({ interval: 600, budget: 50 }),
      allowance() {
        const now = clock.now();
        const isOver = now >= account.windowEnds;
        return {
          limit: limit.requests,
          remaining: isOver ? limit.requests : limit.requests - account.used,
          resetSeconds: isOver ? 0 : (account.windowEnds - now) / 1000,
        };
      },
      requests: () => 0,
      ended: () => {},
    });
    for (const key of account.keys) sweeps.put(key, { order: key.name });
    kept.set(id, {
      stop: () => {
        sweeps.close();
        return queue.close();
      },
    });
  }

  const replicas = createReplicas({
    ...{ name, clock, gained, leases: reached },
    random: () => Math.floor(draw() * 2 ** 48).toString(16),
    async lost(id) {
      const { stop } = kept.get(id)!;
      kept.delete(id);
      await stop();
    },
    failed: () => {},
  });
  replicas.wants(accounts.keys());
  return {
    kept,
    busy: () => busy,
    kill() {
      isDead = true;
      for (const { stop } of kept.values()) void stop();
    },
  };
}

export async function runFleet(options: FleetOptions): Promise<FleetFigures> {
  const time = createTime();
  const draw = drawing(options.replicas);
  const accounts = new Map(
    Array.from(
      { length: options.accounts },
      (_, at) => [`site-${at}/default`, openAccount(options)] as const,
    ),
  );
  const store = openStore(time);
  const start = (name: string) =>
    startMachine(name, time, accounts, { leases: store.leases, perObject: options.perObject, draw });
  const machines = Array.from({ length: options.replicas }, (_, at) => start(`replica-${at}`));

  const [from, to, end] = [40 * minute, 70 * minute, 130 * minute];
  await time.until(from);
  const before = { writes: store.writes(), busy: machines.map((each) => each.busy()) };
  await time.until(to);
  const writes = (store.writes() - before.writes) / ((to - from) / 1000);
  const busy = Math.max(
    ...machines.map((each, at) => Math.min(1, (each.busy() - before.busy[at]!) / (to - from))),
  );
  await time.until(end);

  const waits: number[] = [];
  for (const { keys } of accounts.values())
    for (const { looks } of keys) {
      const drift = from + draw() * (to - from);
      waits.push((looks.find((at) => at >= drift) ?? Number.POSITIVE_INFINITY) - drift);
    }
  waits.sort((one, other) => one - other);

  const [victim] = machines;
  const lost = [...victim!.kept.keys()];
  victim!.kill();
  const others = options.replicas === 1 ? [start("replica-again")] : machines.slice(1);
  let takeover = 0;
  const isKept = (id: string): boolean => others.some(({ kept }) => kept.has(id));
  while (!lost.every(isKept) && takeover < 120_000) {
    takeover += 250;
    await time.until(end + takeover);
  }
  return {
    seen: { median: waits[waits.length >> 1]! / minute, worst: waits.at(-1)! / minute },
    left: Math.min(...[...accounts.values()].map(({ least }) => least)) * 100,
    ...{ writes, busy, takeover: takeover / 1000 },
  };
}
