/**
 * Which Accounts this replica of the controller keeps. The Lease of an Account says who holds it, and is good only while that replica's own Lease is,
 * which it renews. Whoever takes the place of a silent replica first puts itself into that Lease, so that the silent one cannot renew it any more.
 */

import pLimit from "p-limit";
import { ConflictError, type Lease, type Leases } from "./api.ts";
import type { Clock } from "./clock.ts";
import { createHeartbeat, type Timing, usualTiming } from "./leases/heartbeat.ts";
import { accountLease, preferred } from "./leases/names.ts";
import { AbandonedError } from "./outcome.ts";

export interface ReplicasOptions {
  /** Of this replica: a pod's name. Another life of it is another replica. */
  readonly name: string;
  /** What replicas that share Accounts have in common: the namespaces that they keep. */
  readonly scope?: string;
  readonly leases: Leases;
  readonly clock: Clock;
  /** Default: a Lease is renewed every 4 seconds, and ends after 20. All replicas that share Accounts have the same. */
  readonly timing?: Timing;
  /** Hexadecimal digits that nobody had before. */
  readonly random: () => string;
  /** The Account (`namespace/name`) is this replica's now. */
  readonly gained: (account: string) => void;
  /**
   * It is to be let go: nothing more is begun; resolves when what is under way has ended. That may still write, as far as `ensure` lets it; another takes
   * it only afterwards, unless this replica is taken for dead.
   */
  readonly lost: (account: string) => Promise<void>;
  /** Told what could not be done, and is tried again. */
  readonly failed: (doing: string, error: unknown) => void;
}

export interface Replicas {
  /** All Accounts that are to be kept by somebody, each time that they change; the first call begins. */
  readonly wants: (accounts: Iterable<string>) => void;
  /** True while work for it may be begun. */
  readonly holds: (account: string) => boolean;
  /** Throws AbandonedError once this process does not surely hold it. Whoever is about to write asks, right before. */
  readonly ensure: (account: string) => void;
  /** Gives everything up; resolves when others may have it, or the API server could not be told in time. */
  readonly close: () => Promise<void>;
}

interface Hold {
  /** Whom the Lease names. */
  readonly id: string;
  isEnding: boolean;
}

/** Requests about Leases of Accounts at once. */
const atOnce = 16;

export function createReplicas(options: ReplicasOptions): Replicas {
  const { leases, clock, gained, lost, failed, timing = usualTiming } = options;
  /** Milliseconds between two looks at what is due, beside those at changes. */
  const tick = timing.renewal / 4;
  let wanted = new Set<string>();
  const held = new Map<string, Hold>();
  const busy = new Set<string>();
  const asking = pLimit(atOnce);
  let state: "new" | "hearing" | "open" | "closing" | "closed" = "new";
  let ticking = () => {};
  let isDue = false;
  let closed = () => {};

  const heart = createHeartbeat({
    ...{ name: options.name, scope: options.scope ?? "", leases, clock, timing, failed },
    random: options.random,
    reborn: () => look(),
  });
  const { view } = heart;

  /** Who is to keep an Account, remembered while the replicas are the same. */
  let drawn = { replicas: [] as readonly string[], of: new Map<string, string | undefined>() };
  function keeperOf(account: string): string | undefined {
    if (!drawn.of.has(account)) drawn.of.set(account, preferred(account, drawn.replicas));
    return drawn.of.get(account);
  }

  function countReplicas(): void {
    const replicas = view.candidates(heart.scope);
    if (drawn.replicas.join(" ") !== replicas.join(" ")) drawn = { replicas, of: new Map() };
  }

  const isOurs = (account: string, { id }: Hold): boolean =>
    id === heart.id() && view.get(accountLease(account))?.holder === id;

  async function take(account: string, known: Lease | undefined): Promise<void> {
    const id = heart.id();
    const name = accountLease(account);
    // Written even where it names us already: what we sent earlier and nobody answered can come to nothing then.
    const transitions = known === undefined ? 0 : known.transitions + (known.holder === id ? 0 : 1);
    await asking(() => heart.put({ ...known, name, holder: id, transitions }));
    const hold = { id, isEnding: false };
    if (!isOurs(account, hold)) return;
    held.set(account, hold);
    gained(account);
  }

  async function giveUp(account: string): Promise<void> {
    const known = view.get(accountLease(account));
    if (known === undefined || known.holder !== heart.id()) return;
    await asking(() => heart.put({ ...known, holder: "", transitions: known.transitions + 1 }));
  }

  async function remove(lease: Lease | undefined): Promise<void> {
    if (lease !== undefined) await asking(() => heart.remove(lease));
  }

  /** Ends what is under way, and then what is left to do about its Lease. */
  async function letGo(account: string, hold: Hold, then: () => Promise<void>): Promise<void> {
    hold.isEnding = true;
    try {
      await lost(account);
    } finally {
      held.delete(account);
    }
    await then();
  }

  /** What is to be done about an Account. */
  function dueOf(account: string): (() => Promise<void>) | undefined {
    const hold = held.get(account);
    const lease = view.get(accountLease(account));
    const isWanted = wanted.has(account);
    const keeper = keeperOf(account);
    const isElsewhere = state === "closing" || (keeper !== undefined && keeper !== heart.id());
    const dropped = (): Promise<void> =>
      isWanted ? giveUp(account) : remove(view.get(accountLease(account)));
    if (hold !== undefined) {
      if (!isOurs(account, hold) || heart.age() >= timing.ends)
        return () => letGo(account, hold, async () => {});
      return isElsewhere || !isWanted ? () => letGo(account, hold, dropped) : undefined;
    }
    if (lease?.holder === heart.id() && (isElsewhere || !isWanted)) return dropped;
    if (!isWanted || keeper !== heart.id() || isElsewhere || heart.age() >= timing.stale) return undefined;
    const isFree =
      lease === undefined || ["", heart.id()].includes(lease.holder) || view.isDead(lease.holder);
    return isFree ? () => take(account, lease) : undefined;
  }

  /** What fails is tried again with the next tick, and never at once: a server that is gone would be asked without end. */
  async function run(key: string, doing: string, work: () => Promise<void>): Promise<void> {
    if (busy.has(key)) return;
    busy.add(key);
    let isDone = false;
    try {
      await work();
      isDone = true;
    } catch (error) {
      // Who was quicker is told by the watch.
      if (!(error instanceof ConflictError)) failed(doing, error);
    } finally {
      busy.delete(key);
    }
    if (isDone) soon();
  }

  /** Leases that nobody needs any more. */
  function tidy(): void {
    for (const lease of view.overdue())
      void run(lease.name, "take the place of a silent replica", () => heart.seal(lease));
    const names = new Set([...wanted, ...held.keys()].map(accountLease));
    for (const lease of view.ofAccounts()) {
      const { name, holder } = lease;
      if (names.has(name) || view.sinceChange(name) < timing.ends || keeperOf(name) !== heart.id()) continue;
      if (holder === "" || view.isDead(holder))
        void run(name, `remove the Lease ${name}`, () => remove(lease));
    }
    for (const lease of view.spent()) {
      if (view.sinceChange(lease.name) >= timing.ends && keeperOf(lease.name) === heart.id())
        void run(lease.name, `remove the Lease ${lease.name}`, () => remove(lease));
    }
  }

  function look(): void {
    isDue = false;
    if (state === "closed" || state === "hearing") return;
    heart.beat();
    countReplicas();
    for (const account of new Set([...wanted, ...held.keys()])) {
      const work = busy.has(account) ? undefined : dueOf(account);
      if (work) void run(account, `share the Account ${account}`, work);
    }
    if (state === "closing" && isGivenUp()) void finish();
  }

  /** Looks once all that is told at this moment was heard. */
  function soon(): void {
    if (isDue || state === "closed") return;
    isDue = true;
    queueMicrotask(look);
  }

  function wakeUp(): void {
    ticking = clock.at(clock.now() + tick, () => {
      if (state === "closed") return;
      wakeUp();
      look();
      if (state === "open" && heart.age() < timing.stale) tidy();
    });
  }

  async function begin(): Promise<void> {
    state = "hearing";
    try {
      await leases.follow((lease, isGone) => {
        const before = view.get(lease.name);
        heart.heard(lease, isGone);
        // That somebody still lives changes nothing.
        if (isGone || before?.holder !== lease.holder) soon();
      });
    } catch (error) {
      failed("follow the Leases", error);
      ticking = clock.at(clock.now() + tick, () => void begin());
      return;
    }
    if (state !== "hearing") return;
    state = "open";
    wakeUp();
    look();
  }

  /** True once no Lease names us, or nobody can be told any more. */
  function isGivenUp(): boolean {
    if (held.size > 0) return false;
    if (heart.age() >= timing.ends) return true;
    if (busy.size > 0) return false;
    for (const { holder } of view.ofAccounts()) if (holder === heart.id()) return false;
    return true;
  }

  async function finish(): Promise<void> {
    state = "closed";
    ticking();
    await heart.end().catch((error: unknown) => failed("remove this replica's Lease", error));
    closed();
  }

  return {
    wants(accounts) {
      wanted = new Set(accounts);
      if (state === "new") void begin();
      else soon();
    },
    holds: (account) => {
      const hold = held.get(account);
      return hold !== undefined && !hold.isEnding && isOurs(account, hold) && heart.age() < timing.stale;
    },
    ensure(account) {
      const hold = held.get(account);
      if (hold === undefined || !isOurs(account, hold) || heart.age() >= timing.stale)
        throw new AbandonedError(`this replica does not surely hold the Account ${account} any more`);
    },
    close() {
      if (state === "closed") return Promise.resolve();
      const isBegun = state === "open";
      state = isBegun ? "closing" : "closed";
      if (!isBegun) {
        ticking();
        return Promise.resolve();
      }
      return new Promise((done) => {
        closed = done;
        heart.leave();
        look();
      });
    },
  };
}
