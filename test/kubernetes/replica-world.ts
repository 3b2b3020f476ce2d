/** Replicas that share Accounts over a model of an API server's Leases, on a virtual time: each with clocks of its own, sleeps, slow and lost answers, kills. */

import { ConflictError, type Lease, type Leases } from "../../provider/kubernetes/api.ts";
import type { Clock } from "../../provider/kubernetes/clock.ts";
import { createReplicas, type Replicas } from "../../provider/kubernetes/replicas.ts";

/** Milliseconds that a write may take from when it was allowed until the service has it. */
export const window = 7_000;

/** 0 to 1; equal seeds give equal draws. */
export function drawing(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Machine {
  readonly name: string;
  readonly replicas: Replicas;
  /** What it was told to keep and not to let go. */
  readonly kept: ReadonlySet<string>;
  readonly faults: string[];
  /** As SIGKILL. */
  kill(): void;
  /** Nothing runs for so long; `isSuspended`: its counting clock stands still, too. */
  sleep(milliseconds: number, isSuspended: boolean): void;
  /** As SIGTERM; `closed` once it has ended. */
  close(): void;
  readonly state: () => "running" | "closing" | "closed" | "dead";
}

/** A write to the service: allowed then, there by the end. */
export interface Write {
  readonly account: string;
  readonly by: string;
  readonly at: number;
  readonly until: number;
}

export function createWorld(seed: number) {
  const draw = drawing(seed);
  let now = 0;
  let [number, version] = [0, 0];
  const due: { at: number; order: number; act: () => void }[] = [];
  const store = new Map<string, Lease>();
  const watchers = new Set<(lease: Lease, isGone: boolean) => void>();
  const writes: Write[] = [];
  /** How the API server behaves at this moment. */
  const server = { isDown: false, slowness: 50, losses: 0, isGone: false };
  let puts = 0;
  /** Requests that nobody was there for. */
  let vain = 0;

  function after(milliseconds: number, act: () => void): () => void {
    const one = { at: now + Math.max(0, milliseconds), order: number++, act };
    due.push(one);
    return () => {
      const at = due.indexOf(one);
      if (at >= 0) due.splice(at, 1);
    };
  }

  function change(name: string, lease: Lease | undefined): Lease {
    version += 1;
    const resourceVersion = String(version);
    const told = { ...(lease ?? store.get(name)!), resourceVersion };
    if (lease === undefined) store.delete(name);
    else store.set(name, told);
    for (const watcher of watchers) watcher(told, lease === undefined);
    return told;
  }

  const refused = (lease: Lease): boolean => store.get(lease.name)?.resourceVersion !== lease.resourceVersion;

  /** Asks over a network that is slow and loses. */
  function asked<T>(
    later: (milliseconds: number, act: () => void) => void,
    work: () => T,
    signal?: AbortSignal,
  ) {
    if (server.isGone) {
      vain += 1;
      return Promise.reject(new Error("there is no such file"));
    }
    return new Promise<T>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      const [there, back] = [draw() * server.slowness, draw() * server.slowness];
      if (server.isDown) return later(there, () => reject(new Error("connection refused")));
      const isLost = draw() < server.losses;
      after(there, () => {
        if (isLost && draw() < 0.5) return;
        let settle: () => void;
        try {
          const answer = work();
          settle = () => resolve(answer);
        } catch (error) {
          settle = () => reject(error as Error);
        }
        if (!isLost) later(back, settle);
      });
    });
  }

  /** The Leases as one machine reaches them; `later`: as soon as it is awake after so long. */
  function leasesFor(later: (milliseconds: number, act: () => void) => void, isUp: () => boolean): Leases {
    return {
      async follow(heard) {
        let last = now;
        const told: (readonly [Lease, boolean])[] = [];
        const tell = (lease: Lease, isGone: boolean): void => {
          told.push([lease, isGone]);
          last = Math.max(last, now + draw() * server.slowness);
          // In order, whichever wakes first.
          later(last - now, () => heard(...told.shift()!));
        };
        for (const lease of store.values()) tell(lease, false);
        const watcher = (lease: Lease, isGone: boolean): void => {
          if (isUp()) tell(lease, isGone);
          else watchers.delete(watcher);
        };
        watchers.add(watcher);
        await new Promise<void>((done) => later(last - now, done));
      },
      put: (lease, signal) =>
        asked(
          later,
          () => {
            puts += 1;
            if (refused(lease)) throw new ConflictError(`${lease.name} was written meanwhile`);
            return change(lease.name, lease);
          },
          signal,
        ),
      remove: (lease, signal) =>
        asked(
          later,
          () => {
            if (!store.has(lease.name)) return;
            if (refused(lease)) throw new ConflictError(`${lease.name} was written meanwhile`);
            change(lease.name, undefined);
          },
          signal,
        ),
    };
  }

  function start(name: string, accounts: readonly string[], skew = 0): Machine {
    let state: "running" | "closing" | "closed" | "dead" = "running";
    let [wakesAt, suspended] = [0, 0];
    const kept = new Set<string>();
    const underWay = new Map<string, number>();
    const faults: string[] = [];
    const isUp = (): boolean => state !== "dead";
    /** What came while it slept is dealt with in any order. */
    const later = (milliseconds: number, act: () => void): (() => void) =>
      after(milliseconds, function arrive() {
        if (state === "dead") return;
        if (now < wakesAt) after(wakesAt - now + draw(), arrive);
        else act();
      });
    const clock: Clock = {
      now: () => now - suspended,
      told: () => now + skew,
      at: (time, act) => later(time - (now - suspended), act),
    };
    function work(account: string): void {
      if (!kept.has(account) || state === "dead") return;
      try {
        replicas.ensure(account);
        const until = now + draw() * window;
        writes.push({ account, by: name, at: now, until });
        underWay.set(account, Math.max(underWay.get(account) ?? 0, until));
      } catch (error) {
        if ((error as Error).name !== "AbandonedError") throw error;
      }
      later(200 + draw() * 600, () => work(account));
    }
    const replicas = createReplicas({
      ...{ name, clock, leases: leasesFor(later, isUp) },
      random: () => Math.floor(draw() * 2 ** 32).toString(16),
      gained(account) {
        if (kept.has(account)) faults.push(`${account} was gained twice`);
        kept.add(account);
        later(0, () => work(account));
      },
      lost(account) {
        if (!kept.delete(account)) faults.push(`${account} was lost and never gained`);
        return new Promise((done) => later((underWay.get(account) ?? 0) - now, done));
      },
      failed: () => {},
    });
    replicas.wants(accounts);
    return {
      ...{ name, replicas, kept, faults },
      state: () => state,
      kill() {
        state = "dead";
      },
      sleep(milliseconds, isSuspended) {
        wakesAt = Math.max(wakesAt, now + milliseconds);
        if (isSuspended) suspended += milliseconds;
      },
      close() {
        if (state !== "running") return;
        state = "closing";
        void replicas.close().then(() => {
          if (state === "closing") state = "closed";
        });
      },
    };
  }

  return {
    ...{ start, server, store, writes, after, draw },
    now: () => now,
    puts: () => puts,
    vain: () => vain,
    /** As `kubectl delete lease`. */
    remove: (name: string) => void (store.has(name) && change(name, undefined)),
    /** Lets time pass, and everything happen that is due by then. */
    async until(end: number): Promise<void> {
      for (;;) {
        await new Promise((done) => setImmediate(done));
        let next = due[0];
        for (const one of due)
          if (one.at < next!.at || (one.at === next!.at && one.order < next!.order)) next = one;
        if (next === undefined || next.at > end) break;
        due.splice(due.indexOf(next), 1);
        now = Math.max(now, next.at);
        next.act();
      }
      now = end;
    },
  };
}

/** Pairs of writes to one Account, by two machines, that may have met. */
export function met(writes: readonly Write[]): string[] {
  const found: string[] = [];
  const last = new Map<string, Write[]>();
  for (const write of writes) {
    const earlier = (last.get(write.account) ?? []).filter(({ until }) => until > write.at);
    for (const other of earlier)
      if (other.by !== write.by)
        found.push(
          `${write.account}: ${other.by} at ${other.at} until ${other.until}, ${write.by} at ${write.at}`,
        );
    last.set(write.account, [...earlier, write]);
  }
  return found;
}
