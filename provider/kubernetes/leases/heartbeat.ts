/**
 * How a replica tells that it lives: one Lease, renewed while it runs. Knows when this process may not be sure any more that others still believe it,
 * and takes a new identity once they do not.
 */

import { ConflictError, type Lease, type Leases } from "../api.ts";
import { type Clock, type Moment, momentOf, sinceOf } from "../clock.ts";
import { identityOf, replicaLease, replicaOf } from "./names.ts";
import { createView, type View } from "./view.ts";

/**
 * Milliseconds: after which a replica renews its Lease, after which it begins no write any more, and after which others may take its place. What lies
 * between the last two is for what was begun just before.
 */
export interface Timing {
  readonly renewal: number;
  readonly stale: number;
  readonly ends: number;
}

export const usualTiming: Timing = { renewal: 4_000, stale: 12_000, ends: 20_000 };

export interface HeartbeatOptions {
  readonly name: string;
  readonly scope: string;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly timing: Timing;
  /** Hexadecimal digits that nobody had before. */
  readonly random: () => string;
  readonly failed: (doing: string, error: unknown) => void;
  /** Called when it is somebody new, whom no Lease names. */
  readonly reborn: () => void;
}

type Content = Omit<Lease, "duration" | "renewTime">;

export interface Heartbeat {
  readonly view: View;
  /** A Lease of ours as it is now, or was when it went. */
  readonly heard: View["heard"];
  readonly id: () => string;
  /** What the Leases of replicas call the scope. */
  readonly scope: string;
  /** Milliseconds since the request was begun that renewed it last; `Infinity`: none did. */
  readonly age: () => number;
  /** Renews it where that is due. */
  readonly beat: () => void;
  /** Writes a Lease of ours, once. Rejects with ConflictError where it is not any more as it was seen. */
  readonly put: (lease: Content) => Promise<void>;
  /** Removes it as it was seen, once. Rejects with ConflictError where it is not so any more. */
  readonly remove: (lease: Lease) => Promise<void>;
  /** Puts this replica in the place of one that is silent, so that it cannot come back unseen. Rejects with ConflictError when it lives. */
  readonly seal: (silent: Lease) => Promise<void>;
  /** From now on it takes nothing more, and says so. */
  readonly leave: () => void;
  /** Its Lease is removed. */
  readonly end: () => Promise<void>;
}

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { name, scope, leases, clock, timing, random, failed, reborn } = options;
  let id = identityOf(name, random());
  let renewed: Moment | undefined;
  let steadySince: number | undefined;
  let isLeaving = false;
  /** False while it leaves and that is not told yet. */
  let isTold = true;
  /** True once its Lease was there. */
  let isKnown = false;
  let running: Promise<void> | undefined;
  const view = createView({
    ...{ clock, patience: timing.ends },
    steadySince: () => (age() < timing.stale ? steadySince : undefined),
  });
  const own = (): string => replicaLease(scope, id);
  const age = (): number => (renewed === undefined ? Number.POSITIVE_INFINITY : sinceOf(clock, renewed));

  /** Another life: nothing that the last one held is this one's. */
  function beginAnew(): void {
    id = identityOf(name, random());
    [renewed, isKnown] = [undefined, false];
    reborn();
  }

  function heard(lease: Lease, isGone: boolean): void {
    if (lease.name === own() && !isGone) isKnown = true;
    view.heard(lease, isGone);
  }

  /** True where another put itself in our place, or our Lease is gone. */
  function isLost(): boolean {
    const lease = view.get(own());
    return lease === undefined ? isKnown : lease.holder !== "" && lease.holder !== id;
  }

  async function put(lease: Content): Promise<void> {
    const [duration, renewTime] = [timing.ends / 1000, timeOf(clock)];
    const ask = (signal: AbortSignal) => leases.put({ ...lease, duration, renewTime }, signal);
    heard(await within(clock, timing.renewal, ask), false);
  }

  async function remove(lease: Lease): Promise<void> {
    await within(clock, timing.renewal, (signal) => leases.remove(lease, signal));
    heard(lease, true);
  }

  async function renew(): Promise<void> {
    if (isLost()) beginAnew();
    const begun = momentOf(clock);
    const { resourceVersion, transitions = 0 } = view.get(own()) ?? {};
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    // Whoever was silent for long has heard as little of others.
    if (age() >= timing.stale) steadySince = undefined;
    try {
      const holder = isLeaving ? "" : id;
      await put({ name: own(), ...version, holder, transitions });
      isTold ||= holder === "";
      renewed = begun;
      steadySince ??= clock.now();
    } catch (error) {
      steadySince = undefined;
      if (!(error instanceof ConflictError)) failed("tell that this replica lives", error);
      // An answer that was lost is soon told by the watch; what is not told for so long is not there.
      else if (isKnown && age() >= timing.ends) beginAnew();
    }
  }

  function beat(): void {
    if (running !== undefined || (age() < timing.renewal && isTold && !isLost())) return;
    running = renew().finally(() => {
      running = undefined;
    });
  }

  return {
    view,
    heard,
    id: () => id,
    scope: replicaOf(own())!.scope,
    age,
    beat,
    put,
    remove,
    seal: ({ name: theirs, resourceVersion, transitions }) => {
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      return put({ name: theirs, ...version, holder: id, transitions: transitions + 1 });
    },
    leave() {
      [isLeaving, isTold] = [true, false];
      beat();
    },
    async end() {
      await running;
      const lease = view.get(own());
      if (lease !== undefined && !isLost()) await remove(lease);
    },
  };
}

/** RFC 3339 with microseconds, as the API server wants it. */
const timeOf = ({ told }: Clock): string => new Date(told()).toISOString().replace(/(\.\d{3})Z$/, "$1000Z");

/** Ends the request after so many milliseconds. */
async function within<T>(
  clock: Clock,
  milliseconds: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const stop = clock.at(clock.now() + milliseconds, () =>
    ending.abort(new Error(`no answer for ${milliseconds / 1000} s`)),
  );
  try {
    return await ask(ending.signal);
  } finally {
    stop();
  }
}
