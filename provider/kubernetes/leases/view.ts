/** What is known of all Leases of the controller, and which replicas live, by this process's own clock alone. Makes no request. */

import type { Lease } from "../api.ts";
import type { QueueClock } from "../queue.ts";
import { isAccountLease, replicaOf } from "./names.ts";

export interface ViewOptions {
  readonly clock: QueueClock;
  /** Milliseconds that somebody who holds an Account, but has no Lease of its own, may be silent. */
  readonly patience: number;
  /** Since when this process has had the API server's ear without a break; undefined: it has not now. By `clock`. */
  readonly steadySince: () => number | undefined;
}

export interface View {
  /** What is older than what is known already is left out. */
  readonly heard: (lease: Lease, isGone: boolean) => void;
  readonly get: (name: string) => Lease | undefined;
  /** Leases of Accounts. */
  readonly ofAccounts: () => Iterable<Lease>;
  /** Milliseconds since the Lease was seen to change; `Infinity`: it never was. */
  readonly sinceChange: (name: string) => number;
  /** Replicas of the scope (as its Leases have it) that live and stay, in order. */
  readonly candidates: (scope: string) => readonly string[];
  /** True for a replica that surely writes nothing any more. */
  readonly isDead: (id: string) => boolean;
  /** Leases of replicas that have not told that they live for as long as they said they would. */
  readonly overdue: () => readonly Lease[];
  /** Leases of replicas that are dead and hold nothing any more. */
  readonly spent: () => readonly Lease[];
}

/** How a replica stands, as its own Lease tells. */
interface Replica {
  /** Undefined: it is not there. */
  lease: Lease | undefined;
  readonly scope: string;
  /** When it was seen to change last. */
  changedAt: number;
  /** Milliseconds that it may be silent. */
  patience: number;
  /** True: another replica has put itself in its place, so that it cannot renew its Lease any more. */
  isSealed: boolean;
}

export function createView({ clock, patience, steadySince }: ViewOptions): View {
  const leases = new Map<string, Lease>();
  const changes = new Map<string, number>();
  const replicas = new Map<string, Replica>();

  function heard(lease: Lease, isGone: boolean): void {
    const { name } = lease;
    const known = leases.get(name);
    if (known !== undefined && isOlder(lease, known)) return;
    if (known?.resourceVersion !== lease.resourceVersion || isGone) changes.set(name, clock.now());
    if (isGone) leases.delete(name);
    else leases.set(name, lease);
    const whose = replicaOf(name);
    if (whose !== undefined) noteReplica(whose, lease, isGone);
  }

  function noteReplica(whose: { scope: string; id: string }, lease: Lease, isGone: boolean): void {
    const known = replicas.get(whose.id);
    if (isGone) {
      if (known) known.lease = undefined;
      return;
    }
    const isNew = known?.lease?.resourceVersion !== lease.resourceVersion;
    replicas.set(whose.id, {
      ...{ lease, scope: whose.scope, patience: lease.duration * 1000 },
      changedAt: isNew ? clock.now() : known!.changedAt,
      isSealed: known?.isSealed === true || (lease.holder !== "" && lease.holder !== whose.id),
    });
  }

  /** True once it was silent for too long while it could have been heard: neither our own sleep nor the API server's counts. */
  function isSilent({ changedAt, patience: own }: Replica): boolean {
    const since = steadySince();
    return since !== undefined && clock.now() - Math.max(changedAt, since) >= own;
  }

  function isDead(id: string): boolean {
    let known = replicas.get(id);
    if (known === undefined) {
      known = {
        ...{ lease: undefined, scope: "", changedAt: clock.now(), isSealed: false, patience },
      };
      replicas.set(id, known);
    }
    return known.isSealed || (known.lease === undefined && isSilent(known));
  }

  const ofAccounts = (): Lease[] => [...leases.values()].filter(({ name }) => isAccountLease(name));

  function spent(): Lease[] {
    const holders = new Set(ofAccounts().map(({ holder }) => holder));
    const found: Lease[] = [];
    for (const [id, { lease, isSealed }] of replicas) {
      if (holders.has(id)) continue;
      if (lease === undefined) replicas.delete(id);
      else if (isSealed) found.push(lease);
    }
    return found;
  }

  return {
    heard,
    get: (name) => leases.get(name),
    ofAccounts,
    sinceChange: (name) => clock.now() - (changes.get(name) ?? Number.NEGATIVE_INFINITY),
    candidates: (scope) =>
      [...replicas]
        .filter(([id, each]) => each.scope === scope && each.lease?.holder === id && !each.isSealed)
        .map(([id]) => id)
        .sort(),
    isDead,
    overdue: () =>
      [...replicas.values()].flatMap((each) =>
        each.lease !== undefined && !each.isSealed && isSilent(each) ? [each.lease] : [],
      ),
    spent,
  };
}

/** Versions of an API server count up; one that is not told is taken for new. */
function isOlder({ resourceVersion }: Lease, known: Lease): boolean {
  const [one, other] = [resourceVersion ?? "", known.resourceVersion ?? ""];
  return /^\d+$/.test(one) && /^\d+$/.test(other) && BigInt(one) < BigInt(other);
}
