/** Work that becomes due: kept as data, run in order of time before each request and by a timer between requests. */

import type { Jobs, JsonObject } from "../area.ts";
import type { MovableClock } from "./clock.ts";

export interface Job {
  id: number;
  kind: string;
  /** Milliseconds since 1970 on the emulator's clock. */
  due: number;
  data: JsonObject;
}

/** What durations are divided by; `instant` ends a state by the next request, `max` by the next one after it was told. */
export type Speed = number | "max" | "instant";

export interface JobQueue extends Jobs {
  /** At the speed `max`: the states of these objects were told, or are to end for a request that needs them; what ends them is due now. */
  release(ids: () => ReadonlySet<unknown>): void;
  /** Does everything that is due, each job with the clock held at its own moment. */
  runDue(): void;
  data(): Job[];
  /** The jobs that came and the ids of those that went since the last time it was asked, or since `setData`; nothing when none did. */
  changes(): { added: Job[]; gone: number[] } | undefined;
  setData(jobs: readonly Job[]): void;
  /** Starts or stops the timer that runs jobs between requests. */
  start(): void;
  stop(): void;
}

/** A job that makes its successor due at the same moment would never end: after so many of those the rest waits for the next request. */
const longestChain = 10_000;
const longestTimer = 2_147_483_647;

export function createJobs(
  clock: MovableClock,
  speed: Speed,
  perform: (job: Job) => void,
  shownBy: (job: Pick<Job, "kind" | "data">) => number | string | undefined = () => undefined,
): JobQueue {
  let jobs: Job[] = [];
  let lastId = 0;
  let timer: NodeJS.Timeout | undefined;
  /** What came and went since the last look; nothing is noted before the first. */
  let noted: { added: Map<number, Job>; gone: number[] } | undefined;
  let running = false;
  let started = false;

  function add(kind: string, due: number, data: JsonObject): number {
    return insert({ id: ++lastId, kind, due, data });
  }

  function insert(job: Job): number {
    const { due } = job;
    let at = jobs.length;
    while (at > 0 && jobs[at - 1]!.due > due) at--;
    jobs.splice(at, 0, job);
    noted?.added.set(job.id, job);
    if (at === 0) wind();
    return job.id;
  }

  function forget({ id }: Job): void {
    if (noted && !noted.added.delete(id)) noted.gone.push(id);
  }

  function wind(): void {
    clearTimeout(timer);
    const next = jobs[0];
    if (!started || running || typeof speed !== "number" || !next) return;
    const wait = Math.max(0, Math.ceil(next.due - clock.millis()));
    timer = setTimeout(queue.runDue, Math.min(wait, longestTimer));
    timer.unref();
  }

  const queue: JobQueue = {
    schedule: (kind, seconds, data) => {
      // At `max` a state that nobody looks at takes the contract's own time.
      const held = speed === "max" && shownBy({ kind, data }) !== undefined;
      const divisor = held ? 1 : typeof speed === "number" ? speed : Infinity;
      return add(kind, clock.millis() + (seconds * 1000) / divisor, data);
    },
    at: (kind, moment, data) => add(kind, moment.getTime(), data),
    cancel: (kind, match) => {
      const wanted = Object.entries(match);
      const cancelled = (job: Job) =>
        job.kind === kind && wanted.every(([field, value]) => job.data[field] === value);
      jobs.filter(cancelled).forEach(forget);
      jobs = jobs.filter((job) => !cancelled(job));
      wind();
    },
    release: (ids) => {
      if (speed !== "max") return;
      const now = clock.millis();
      const held = jobs.filter((job) => job.due > now && shownBy(job) !== undefined);
      if (held.length === 0) return;
      const told = ids();
      for (const job of held) {
        if (!told.has(shownBy(job))) continue;
        jobs.splice(jobs.indexOf(job), 1);
        forget(job);
        insert({ ...job, due: now });
      }
    },
    runDue: () => {
      if (running) return;
      const now = clock.millis();
      if (!(jobs[0] && jobs[0].due <= now)) {
        wind();
        return;
      }
      running = true;
      try {
        const lastKnown = lastId;
        let moment = Number.NEGATIVE_INFINITY;
        let chained = 0;
        while (jobs[0] && jobs[0].due <= now && chained < longestChain) {
          const job = jobs.shift()!;
          forget(job);
          if (job.due > moment) chained = 0;
          else if (job.id > lastKnown) chained++;
          moment = Math.max(moment, job.due);
          clock.held(job.due, () => perform(job));
        }
      } finally {
        running = false;
        wind();
      }
    },
    data: () => jobs,
    changes: () => {
      const last = noted;
      noted = { added: new Map(), gone: [] };
      if (!last || last.added.size + last.gone.length === 0) return undefined;
      return { added: [...last.added.values()], gone: last.gone };
    },
    setData: (next) => {
      jobs = next.map((job) => ({ ...job })).sort((a, b) => a.due - b.due || a.id - b.id);
      if (noted) noted = { added: new Map(), gone: [] };
      lastId = jobs.reduce((most, job) => Math.max(most, job.id), lastId);
      wind();
    },
    start: () => {
      started = true;
      wind();
    },
    stop: () => {
      started = false;
      clearTimeout(timer);
    },
  };
  return queue;
}
