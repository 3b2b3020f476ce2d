/** The life of a watch: look, run, wait. Knows neither git nor processes. */

import { duration } from "../../core/duration.ts";
import type { StepCounts } from "../../engine/event.ts";
import { messageOf } from "../../engine/failure.ts";
import { backOff, pause } from "../../machine/pause.ts";
import type { Tell } from "../daemon/log.ts";
import { countsText, requestsText } from "../render/format.ts";
import type { Ran } from "./run.ts";
import type { Source } from "./source.ts";

/** Why a run is made. */
export type Reason = "start" | "change" | "interval" | "retry" | "lock";

export interface LoopOptions {
  readonly source: Source;
  /** Milliseconds between two runs of the same declaration. */
  readonly interval: number;
  readonly run: (reason: Reason) => Promise<Ran>;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/** Milliseconds before a run that failed is made again, and between two tries to get a stack that another run holds. */
const FIRST_RETRY = 5_000;

/** What the next turn is about. */
interface Mind {
  /** The declaration as it was found last. */
  version?: string;
  /** When a run is due, by the clock that never goes back; never while a guard waits for another declaration. */
  due: number;
  reason: Reason;
  failures: number;
  /** Looks that failed in a row, and what the last one said. */
  missed: number;
  trouble: string;
  isWaiting: boolean;
}

/** Runs at the start, after a change and on the interval, until it is told to end. */
export async function loop(options: LoopOptions): Promise<void> {
  const { source, run, signal } = options;
  const mind: Mind = { due: 0, reason: "start", failures: 0, missed: 0, trouble: "", isWaiting: false };
  while (!signal.aborted) {
    await look(mind, options);
    if (signal.aborted) return;
    if (mind.version !== undefined && performance.now() >= mind.due) {
      const ran = await run(mind.reason);
      if (ran.result === "ended") return;
      conclude(mind, ran, options);
    }
    const next =
      mind.missed === 0 ? source.poll : backOff(mind.missed, { first: source.poll, most: options.interval });
    const due = mind.version === undefined ? Number.POSITIVE_INFINITY : mind.due - performance.now();
    await pause(Math.min(next, due), signal);
  }
}

/** Where the declaration cannot be told, the last one goes on being kept. */
async function look(mind: Mind, { source, tell, signal }: LoopOptions): Promise<void> {
  let found: string;
  try {
    found = await source.look();
  } catch (error) {
    if (signal.aborted) return;
    mind.missed += 1;
    const trouble = messageOf(error);
    if (trouble !== mind.trouble)
      tell(
        "unseen",
        `the declaration cannot be read: ${trouble}${mind.version === undefined ? "" : "; the last one is kept to"}`,
      );
    mind.trouble = trouble;
    return;
  }
  if (mind.missed > 0) tell("seen", "the declaration can be read again");
  Object.assign(mind, { missed: 0, trouble: "" });
  if (found === mind.version) return;
  if (mind.version !== undefined) {
    tell("changed", changeOf(source.changed?.(mind.version, found) ?? [source.place]));
    mind.reason = "change";
  }
  Object.assign(mind, { version: found, due: 0, failures: 0, isWaiting: false });
}

/** Names that are told one by one; of more, their number. */
const mostNames = 3;

function changeOf(names: readonly string[]): string {
  if (names.length === 1) return `${names[0]} has changed`;
  const others = names.length - mostNames;
  return `${names.slice(0, mostNames).join(", ")}${others > 0 ? ` and ${others} more` : ""} have changed`;
}

/** Tells how a run ended, and decides when the next one is due. */
function conclude(mind: Mind, ran: Ran, { interval, tell }: LoopOptions): void {
  const now = performance.now();
  const more = {
    result: ran.result,
    reason: mind.reason,
    summary: ran.counts,
    requests: ran.requests,
    seconds: ran.seconds,
    ...(ran.code && { code: ran.code }),
  };
  const first = Math.min(FIRST_RETRY, interval);
  const wait = { again: interval, reason: "interval" as Reason };
  if (ran.result === "locked") {
    if (!mind.isWaiting) tell("locked", `waiting for another run: ${ran.message}`, more);
    mind.isWaiting = true;
    Object.assign(wait, { again: backOff(1, { first, most: interval }), reason: "lock" });
  } else {
    mind.isWaiting = false;
    mind.failures = ran.result === "failed" ? mind.failures + 1 : 0;
    if (ran.result === "succeeded") tell("succeeded", successOf(ran), more);
    if (ran.result === "guarded") {
      tell("guarded", `stopped until the declaration changes: ${ran.message}`, more);
      wait.again = Number.POSITIVE_INFINITY;
    }
    if (ran.result === "failed") {
      Object.assign(wait, { again: backOff(mind.failures, { first, most: interval }), reason: "retry" });
      tell("failed", `failed, again in ${duration(wait.again / 1000)}: ${ran.message}`, {
        ...more,
        again: wait.again / 1000,
      });
    }
  }
  mind.due = now + wait.again;
  mind.reason = wait.reason;
}

const successOf = ({ counts, requests, seconds }: Ran): string =>
  `in order: ${countsText(counts as unknown as StepCounts, "done")}; ${requestsText(requests)}, ${duration(seconds)}`;
