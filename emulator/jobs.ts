/** Work that becomes due: kept as data, run in order of time before each request and by a timer between requests. */

import type { Jobs, JsonObject } from "./area.ts";
import type { MovableClock } from "./clock.ts";

export interface Job {
  id: number;
  kind: string;
  /** Milliseconds since 1970 on the emulator's clock. */
  due: number;
  data: JsonObject;
}

export interface JobQueue extends Jobs {
  /** Does everything that is due, each job with the clock held at its own moment. */
  runDue(): void;
  data(): Job[];
  setData(jobs: readonly Job[]): void;
  /** Starts or stops the timer that runs jobs between requests. */
  start(): void;
  stop(): void;
}

/** A job that makes its successor due at once would never end: after so many the rest waits for the next request. */
const mostAtOnce = 10_000;
const longestTimer = 2_147_483_647;

export function createJobs(
  clock: MovableClock,
  speed: number | "max",
  perform: (job: Job) => void,
): JobQueue {
  let jobs: Job[] = [];
  let lastId = 0;
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let started = false;

  function add(kind: string, due: number, data: JsonObject): number {
    const job = { id: ++lastId, kind, due, data };
    let at = jobs.length;
    while (at > 0 && jobs[at - 1]!.due > due) at--;
    jobs.splice(at, 0, job);
    if (at === 0) wind();
    return job.id;
  }

  function wind(): void {
    clearTimeout(timer);
    const next = jobs[0];
    if (!started || running || speed === "max" || !next) return;
    const wait = Math.max(0, Math.ceil(next.due - clock.millis()));
    timer = setTimeout(queue.runDue, Math.min(wait, longestTimer));
    timer.unref();
  }

  const queue: JobQueue = {
    schedule: (kind, seconds, data) =>
      add(kind, clock.millis() + (speed === "max" ? 0 : (seconds * 1000) / speed), data),
    at: (kind, moment, data) => add(kind, moment.getTime(), data),
    cancel: (kind, match) => {
      const wanted = Object.entries(match);
      jobs = jobs.filter(
        (job) => job.kind !== kind || !wanted.every(([field, value]) => job.data[field] === value),
      );
      wind();
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
        for (let done = 0; done < mostAtOnce && jobs[0] && jobs[0].due <= now; done++) {
          const job = jobs.shift()!;
          clock.held(job.due, () => perform(job));
        }
      } finally {
        running = false;
        wind();
      }
    },
    data: () => jobs,
    setData: (next) => {
      jobs = next.map((job) => ({ ...job })).sort((a, b) => a.due - b.due || a.id - b.id);
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
