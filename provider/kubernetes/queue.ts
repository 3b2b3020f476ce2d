/**
 * The work of one Account: each key is worked on by one at a time, changes before sweeps, and what failed again after a while that doubles. Knows
 * neither objects nor the service; its clock may be a virtual one.
 */

export interface QueueClock {
  /** Milliseconds. */
  readonly now: () => number;
  /** Returns what takes it back. */
  readonly at: (time: number, act: () => void) => () => void;
}

export type Urgency = "change" | "sweep";

export interface QueueOptions<Key> {
  /** Rejects for what is a fault of ours or of the API server: it is tried again as after `soon`. */
  readonly work: (key: Key) => Promise<"done" | "soon">;
  /** How many are worked on at once. */
  readonly atOnce: number;
  /** How many of sweeps are beside those of changes, which then never wait for them; absent: all share `atOnce`. */
  readonly sweepsAtOnce?: number;
  readonly clock: QueueClock;
  /** Milliseconds: the first wait after what failed, and the longest. */
  readonly waits?: readonly [first: number, longest: number];
  readonly failed: (key: Key, error: unknown) => void;
}

export interface Queue<Key> {
  /**
   * Works on the key as soon as may be; once more where it is being worked on. A change forgets earlier failures; a sweep leaves out what failed and
   * waits: false then.
   */
  readonly add: (key: Key, urgency: Urgency) => boolean;
  /** It is not worked on any more, unless it is added again. */
  readonly forget: (key: Key) => void;
  /** How many wait. */
  readonly waiting: () => { readonly [urgency in Urgency]: number };
  /** Begins nothing more; resolves when what is under way has ended. */
  readonly close: () => Promise<void>;
}

export function createQueue<Key>({
  work,
  atOnce,
  sweepsAtOnce,
  clock,
  waits: [first, longest] = [1_000, 300_000],
  failed,
}: QueueOptions<Key>): Queue<Key> {
  const waiting = { change: new Set<Key>(), sweep: new Set<Key>() };
  const again = new Map<Key, Urgency>();
  const active = new Map<Key, Urgency>();
  const running = { change: 0, sweep: 0 };
  const failures = new Map<Key, number>();
  const later = new Map<Key, () => void>();
  let isOpen = true;
  let settled = () => {};

  function hasRoom(urgency: Urgency): boolean {
    if (sweepsAtOnce === undefined) return active.size < atOnce;
    return running[urgency] < (urgency === "change" ? atOnce : sweepsAtOnce);
  }

  function start(): void {
    for (const urgency of ["change", "sweep"] as const)
      for (const key of waiting[urgency]) {
        if (!isOpen || !hasRoom(urgency)) break;
        waiting[urgency].delete(key);
        active.set(key, urgency);
        running[urgency] += 1;
        void run(key);
      }
  }

  async function run(key: Key): Promise<void> {
    const end = await work(key).catch((error: unknown) => {
      failed(key, error);
      return "soon" as const;
    });
    running[active.get(key)!] -= 1;
    active.delete(key);
    const urgency = again.get(key);
    again.delete(key);
    if (end === "done") failures.delete(key);
    else if (isOpen && urgency !== "change") postpone(key);
    if (urgency !== undefined) enqueue(key, urgency);
    if (!isOpen && active.size === 0) settled();
    start();
  }

  function postpone(key: Key): void {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    const wait = Math.min(longest, first * 2 ** count);
    later.get(key)?.();
    later.set(
      key,
      clock.at(clock.now() + wait, () => {
        later.delete(key);
        enqueue(key, "change");
        start();
      }),
    );
  }

  /** False once it is closed. */
  function enqueue(key: Key, urgency: Urgency): boolean {
    if (isOpen && active.has(key)) {
      if (again.get(key) !== "change") again.set(key, urgency);
    } else if (isOpen && (urgency === "change" || !waiting.change.has(key))) {
      waiting.sweep.delete(key);
      waiting[urgency].add(key);
    }
    return isOpen;
  }

  return {
    add(key, urgency) {
      if (urgency === "change") {
        failures.delete(key);
        later.get(key)?.();
        later.delete(key);
      } else if (later.has(key)) return false;
      const isTaken = enqueue(key, urgency);
      start();
      return isTaken;
    },
    forget(key) {
      for (const keys of [waiting.change, waiting.sweep]) keys.delete(key);
      again.delete(key);
      failures.delete(key);
      later.get(key)?.();
      later.delete(key);
    },
    waiting: () => ({ change: waiting.change.size, sweep: waiting.sweep.size }),
    close() {
      isOpen = false;
      for (const cancel of later.values()) cancel();
      later.clear();
      return active.size === 0 ? Promise.resolve() : new Promise((done) => (settled = done));
    },
  };
}
