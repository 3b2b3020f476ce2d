/** Makes databases on an emulator and moves them on, for tests of the databases area. */

import type { Json } from "../../../../emulator/area.ts";
import { type Answer, openSession, type Session } from "../../session.ts";

export const kinds = ["mysql", "postgresql"] as const;
export type Kind = (typeof kinds)[number];

interface Job {
  kind: string;
  due: number;
  data: { database?: number };
}
interface Data {
  clockOffset: number;
  jobs: Job[];
}

/** A session in which a second of the service is one of the clock, as calendar and durations must keep step. */
export async function openCalendar(options: Parameters<typeof openSession>[0] = {}): Promise<Session> {
  const real = (session: Session): Session => ({
    ...session,
    wait: (seconds) => session.emulator.advance(seconds),
    as: (token) => real(session.as(token)),
  });
  return real(await openSession({ speed: 1, ...options }));
}

let serial = 0;

/** A label that no other database has. */
export const fresh = () => `db-${++serial}`;

export const instances = (kind: Kind) => `/databases/${kind}/instances`;

export const body = (kind: Kind, fields: object = {}): { [name: string]: unknown } => ({
  label: fresh(),
  engine: kind === "mysql" ? "mysql/8.0.30" : "postgresql/14.6",
  region: "us-east",
  type: "g6-nanode-1",
  ...fields,
});

const dataOf = (on: Session) => on.emulator.data() as Data;

/** The emulator's time. */
export const clock = (on: Session) => new Date(Date.now() + dataOf(on).clockOffset);

function changeJobs(on: Session, change: (jobs: Job[]) => Job[]): void {
  const data = dataOf(on);
  on.emulator.setData({ ...data, jobs: change(data.jobs) });
}

/** An active database that does nothing by itself: no backup at midnight, no maintenance. */
export async function makeDatabase(on: Session, kind: Kind, fields: object = {}): Promise<Answer> {
  const { id } = await on.post(instances(kind), body(kind, fields));
  const due = clock(on).getTime();
  changeJobs(on, (jobs) => jobs.map((job) => (job.data.database === id ? { ...job, due } : job)));
  const database = await on.get(`${instances(kind)}/${id}`);
  changeJobs(on, (jobs) => jobs.filter((job) => job.data.database !== id));
  return database;
}

/** Changes what the account keeps of a database, as no request could. */
export function set(on: Session, id: number, fields: { [field: string]: Json }): void {
  on.emulator.change({ collections: { databases: { [id]: fields } } });
}

/** Moves the clock to just after the first full hour at which the test holds. */
export function advanceTo(on: Session, holds: (now: Date) => boolean): void {
  const seconds = clock(on).getTime() / 1000;
  let step = 3600 - (seconds % 3600) + 1;
  for (let hours = 0; hours < 24 * 62; hours++) {
    if (holds(new Date((seconds + step) * 1000))) {
      on.emulator.advance(step);
      return;
    }
    step += 3600;
  }
  throw new Error("this moment does not come");
}

/** Makes a request that must be answered. */
export function ask(on: Session, method: string, path: string, sent?: unknown): Promise<Answer> {
  switch (method) {
    case "GET":
      return on.get(path);
    case "POST":
      return on.post(path, sent);
    case "PUT":
      return on.put(path, sent);
    case "DELETE":
      return on.remove(path);
    default:
      throw new Error(`no such method: ${method}`);
  }
}
