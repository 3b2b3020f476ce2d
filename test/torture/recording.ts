/** Records a run: a copy of account and state at each request, before it is handled and after it was, and around each change of a file. A kill at that moment leaves exactly the copy. */

import { createHash } from "node:crypto";
import type { Bench, Moment } from "./bench.ts";

export interface Recorded extends Moment {
  /** Where it was taken, for people. */
  readonly at: string;
}

export interface Recording {
  /** How many moments were seen: those that left what the one before had left are kept once. */
  readonly seen: number;
  readonly moments: readonly Recorded[];
}

/** Milliseconds for which a request waits for others that are under way at the same time. */
const gatheringMs = 6;

/**
 * Records while `work` runs. `gathered`: requests that are under way together are all handled before any of them is answered, and only those
 * moments are kept: what a kill leaves when the service still acts on everything that was sent.
 */
export async function record(
  bench: Bench,
  work: () => Promise<unknown>,
  { gathered = false }: { readonly gathered?: boolean } = {},
): Promise<Recording> {
  const moments: Recorded[] = [];
  let seen = 0;
  let last = "";
  const take = (at: string) => {
    const moment = bench.now();
    seen++;
    const digest = digestOf(moment);
    if (digest === last) return;
    last = digest;
    moments.push({ ...moment, at });
  };
  if (gathered) gather(bench, take);
  else {
    bench.watch = (when, { method, path }) => {
      take(`${when} ${method} ${path}`);
      return undefined;
    };
    bench.watchDisk = take;
  }
  try {
    await work();
  } finally {
    bench.watch = undefined;
    bench.watchDisk = undefined;
  }
  return { seen, moments };
}

function gather(bench: Bench, take: (at: string) => void): void {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let open = 0;
  let answered: (() => void)[] = [];
  let names: string[] = [];
  const release = () => {
    timer = undefined;
    open = waiting.length;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  const arm = () => {
    if (timer === undefined) timer = setTimeout(release, gatheringMs);
  };
  bench.watch = async (when, { method, path }) => {
    if (when === "before") {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        // While one batch is handled, the next one gathers.
        if (open === 0) arm();
      });
      return undefined;
    }
    names.push(`${method} ${path}`);
    open--;
    await new Promise<void>((resolve) => {
      answered.push(resolve);
      if (open > 0) return;
      take(`after ${names.length} together: ${names.join(", ")}`);
      const all = answered;
      [answered, names] = [[], []];
      for (const go of all) go();
      if (waiting.length > 0) arm();
    });
    return undefined;
  };
}

/** Equal for moments that leave the same; what the service only remembers of the past does not count. */
export function digestOf({ account, files }: Moment): string {
  const { collections, ...rest } = account as { collections: { [name: string]: unknown } };
  const { events, domain_renderings, ...kept } = collections;
  const texts = [...files].filter(([name]) => !name.endsWith(".lock")).sort();
  return createHash("sha1")
    .update(JSON.stringify([kept, (rest as { account?: unknown }).account, texts]))
    .digest("base64");
}
