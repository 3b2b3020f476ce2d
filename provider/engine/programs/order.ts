/** Registrations that have to wait for others, which the program itself does not know of: names that go from one resource to another. */

import { urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";

export interface Order {
  /** Resolves when everything that goes before the registration has ended: to false where some of that failed. Rejects when it cannot come any more. */
  readonly turn: (urn: Urn) => Promise<boolean>;
  /** The registration has ended. */
  readonly end: (urn: Urn, isMade: boolean) => void;
  /** Counts what the program waits for while the work lasts. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** The program has ended: nothing comes any more. */
  readonly close: () => void;
}

export interface OrderOptions {
  /** By URN: what goes before it. */
  readonly first: ReadonlyMap<Urn, readonly Urn[]>;
  /** Milliseconds without anything from the program, while all that it waits for is held back, until it is taken to wait for that. */
  readonly patience: number;
}

interface Waiting {
  readonly urn: Urn;
  readonly refuse: (reason: Error) => void;
}

export function createOrder({ first, patience }: OrderOptions): Order {
  const ended = new Map<Urn, PromiseWithResolvers<boolean>>();
  const waiting = new Set<Waiting>();
  let working = 0;
  let timer: NodeJS.Timeout | undefined;

  const endOf = (urn: Urn): PromiseWithResolvers<boolean> => {
    const known = ended.get(urn) ?? withResolvers<boolean>();
    ended.set(urn, known);
    return known;
  };

  const refuseAll = (): void => {
    for (const { urn, refuse } of waiting) refuse(stuck(urn, first.get(urn) ?? []));
  };

  const watch = (): void => {
    clearTimeout(timer);
    if (waiting.size > 0 && working === 0) timer = setTimeout(refuseAll, patience);
  };

  return {
    async turn(urn) {
      const before = first.get(urn) ?? [];
      if (before.length === 0) return true;
      const { promise, reject } = withResolvers<never>();
      const own = { urn, refuse: reject };
      waiting.add(own);
      working -= 1;
      watch();
      try {
        const all = await Promise.race([promise, Promise.all(before.map((other) => endOf(other).promise))]);
        return all.every(Boolean);
      } finally {
        waiting.delete(own);
        working += 1;
        watch();
      }
    },
    end: (urn, isMade) => endOf(urn).resolve(isMade),
    async during(work) {
      working += 1;
      watch();
      try {
        return await work();
      } finally {
        working -= 1;
        watch();
      }
    },
    close() {
      clearTimeout(timer);
      refuseAll();
    },
  };
}

function stuck(urn: Urn, before: readonly Urn[]): Error {
  const names = before.map((other) => JSON.stringify(urnParts(other).name)).join(", ");
  return new Error(
    `it takes over a name that ${names} has to let go of first, and the program does not declare ${names} before it has "${urnParts(urn).name}": declare them without waiting in between, or make the change in two runs`,
  );
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>["resolve"] = () => {};
  let reject: PromiseWithResolvers<T>["reject"] = () => {};
  const promise = new Promise<T>((settle, refuse) => {
    resolve = settle;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

/** A promise that is settled from outside. Node 20 has no way of its own. */
interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}
