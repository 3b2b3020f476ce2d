/** How one Account that this replica holds is kept: the Account itself first, then what changed, then everything now and again. */

import type { ManifestKind } from "../core/schema/manifest/kinds.ts";
import type { Accounts } from "./accounts/accounts.ts";
import type { KubeObject } from "./api.ts";
import type { Clock } from "./clock.ts";
import type { Entry, Objects } from "./known/objects.ts";
import type { Next } from "./outcome.ts";
import { createQueue, type Urgency } from "./queue.ts";
import type { Report } from "./report.ts";
import { createSweeps, placeOf, sweepsAtOnce } from "./sweeps.ts";

export interface KeeperOptions {
  /** By namespace and name. */
  readonly account: string;
  readonly objects: Pick<Objects<ManifestKind>, "get" | "of">;
  readonly accounts: Accounts;
  readonly report: Report;
  readonly clock: Clock;
  /** Objects that are looked at at once because they changed. */
  readonly concurrency: number;
  readonly look: (key: string) => Promise<Next["again"]>;
}

export interface Keeper {
  /** The Account itself is to be looked at. */
  readonly settle: () => void;
  /** The object changed, or what it hangs on did. */
  readonly wake: (key: string) => void;
  /** The object is there, or is another than before. */
  readonly put: (entry: Entry<ManifestKind>) => void;
  readonly forget: (key: string) => void;
  /** Looks again at those that nothing but a change helps: something beside them went. */
  readonly stir: () => void;
  readonly waiting: () => { readonly [urgency in Urgency]: number };
  /** Begins nothing more; resolves when what is under way has ended. */
  readonly close: () => Promise<void>;
}

/** The key of the Account itself: no object has it. */
const itself = "";

export function createKeeper(options: KeeperOptions): Keeper {
  const { account, objects, accounts, report, clock, concurrency } = options;
  /** Objects that nothing but a change helps: no sweep looks at them. */
  const resting = new Set<string>();
  /** Those that are being looked at: a sweep has nothing to add. */
  const looking = new Set<string>();
  let isSettled = false;

  const failed = (what: string, error: unknown): void =>
    report.log("failed", `${what}: ${(error as Error).message}`, { account });
  const provider = () => {
    const standing = accounts.standing(account);
    return standing.is === "ready" ? standing.provider : undefined;
  };
  const queue = createQueue<string>({
    ...{ clock, atOnce: concurrency, sweepsAtOnce },
    work: (key) => (key === itself ? settled() : looked(key)),
    failed: (key, error) => failed(key === itself ? `Account ${account}` : key, error),
  });
  const sweeps = createSweeps<string>({
    ...{ clock, random: Math.random },
    look: (key) => isSettled && !resting.has(key) && !looking.has(key) && queue.add(key, "sweep"),
    settings: () => accounts.settings(account),
    allowance: () => provider()?.allowance?.(),
    requests: () => Object.values(provider()?.requests() ?? {}).reduce((sum, count) => sum + count, 0),
    ended(sweep) {
      if (!sweep.isWhole) return;
      report.swept(account, sweep);
      accounts.swept(account).catch((error: unknown) => failed("tell of a sweep", error));
    },
  });

  async function settled(): Promise<"done" | "soon"> {
    const { again, isOther } = await report.within(account, () => accounts.settle(account));
    const isFirst = !isSettled;
    isSettled = true;
    if (isFirst || isOther) lookAtAll();
    else sweeps.changed();
    return again;
  }

  /** Looks at everything now, first at what is not as declared. */
  function lookAtAll(): void {
    const keys = [...objects.of(account)];
    for (const key of keys) resting.delete(key);
    for (const key of sweeps.inOrder(keys))
      if (!isAsDeclared(objects.get(key)?.object)) queue.add(key, "change");
    sweeps.now();
  }

  async function looked(key: string): Promise<"done" | "soon"> {
    // Before the Account was looked at, nothing is known of its token.
    if (!isSettled) return "done";
    looking.add(key);
    try {
      const again = await options.look(key);
      if (again === "never") resting.add(key);
      else resting.delete(key);
      return again === "soon" ? "soon" : "done";
    } finally {
      looking.delete(key);
      sweeps.looked(key);
    }
  }

  return {
    settle: () => void queue.add(itself, "change"),
    wake: (key) => void queue.add(key, "change"),
    put: ({ key, object }) => sweeps.put(key, placeOf(object)),
    forget(key) {
      resting.delete(key);
      queue.forget(key);
      sweeps.forget(key);
    },
    stir() {
      for (const key of resting) queue.add(key, "sweep");
    },
    waiting: queue.waiting,
    close() {
      sweeps.close();
      return queue.close();
    },
  };
}

/** False for an object with which something is to be done, as far as its status tells. */
function isAsDeclared(object: KubeObject | undefined): boolean {
  return (
    object?.metadata.deletionTimestamp === undefined &&
    object?.status?.observedGeneration === object?.metadata.generation &&
    object?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true
  );
}
