/** One emulator and the requests of one user of it, for tests of the areas; every answer is checked against the contract. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/index.ts";
import { beginning } from "../beginning.ts";
import { expectKept } from "./kept.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
export type Answer = any;

/** The emulator runs this many times slower than the service, so that the test's own milliseconds end no transition. */
export const slowness = 100;

export interface Reason {
  reason: string;
  field?: string;
}

export interface Session {
  readonly emulator: Emulator;
  get(path: string, filter?: unknown): Promise<Answer>;
  /** All items of a list, whose first page must be all. */
  list(path: string, filter?: unknown): Promise<Answer[]>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** The reasons of a request that must be refused with the status. */
  refused(status: number, method: string, path: string, body?: unknown): Promise<Reason[]>;
  /** The same account as another token sees it. */
  as(token: string): Session;
  /** Lets so many seconds of the service's time pass. */
  wait(seconds: number): void;
  close(): Promise<void>;
}

function session(emulator: Emulator, token: string, close: () => Promise<void>): Session {
  async function send(method: string, path: string, body?: unknown, filter?: unknown) {
    const answer = await fetch(`${emulator.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(filter === undefined ? {} : { "x-filter": JSON.stringify(filter) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer };
  }
  async function ok(method: string, path: string, body?: unknown, filter?: unknown) {
    const answer = await send(method, path, body, filter);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  return {
    emulator,
    get: (path, filter) => ok("GET", path, undefined, filter),
    list: async (path, filter) => {
      const answer = await ok("GET", `${path}?page_size=500`, undefined, filter);
      expect(answer.pages).toBe(1);
      return answer.data;
    },
    post: (path, body) => ok("POST", path, body),
    put: (path, body) => ok("PUT", path, body),
    remove: (path) => ok("DELETE", path),
    refused: async (status, method, path, body) => {
      const answer = await send(method, path, body);
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
      return answer.body.errors;
    },
    as: (other) => session(emulator, other, close),
    wait: (seconds) => emulator.advance(seconds * slowness),
    close,
  };
}

/** Starts an emulator whose transitions end by `wait` alone. Closing fails when an answer broke the contract. */
export async function openSession(options: EmulatorOptions & { users?: unknown } = {}): Promise<Session> {
  const { users, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), "plumbline-session-"));
  const data = join(folder, "account.json");
  const tokens = users === undefined ? undefined : join(folder, "tokens.json");
  if (tokens) writeFileSync(tokens, JSON.stringify(users));
  const failures: string[] = [];
  const emulator = await startEmulator({
    checkAnswers: true,
    speed: 1 / slowness,
    startTime: beginning,
    data,
    log: (line) => failures.push(line),
    ...rest,
    ...(tokens ? { tokens } : {}),
  });
  return session(emulator, emulator.token, async () => {
    await expectKept(emulator, data);
    await emulator.close();
    rmSync(folder, { recursive: true });
    expect([...emulator.mismatches, ...failures]).toEqual([]);
  });
}

/** A running instance of an image, with a configuration profile. */
export async function makeInstance(on: Session, fields: object = {}): Promise<Answer> {
  const { id } = await on.post("/compute/instances", {
    region: "us-east",
    type: "g6-standard-2",
    image: "compute/debian12",
    root_pass: "correct horse battery",
    ...fields,
  });
  on.wait(30);
  return on.get(`/compute/instances/${id}`);
}

/** The only configuration profile of an instance. */
export async function onlyConfig(on: Session, computeId: number): Promise<Answer> {
  const list = await on.list(`/compute/instances/${computeId}/configs`);
  expect(list).toHaveLength(1);
  return list[0];
}

/** Makes a configuration profile free of disks, so that all eight slots are free for volumes. */
export async function emptySlots(on: Session, computeId: number): Promise<Answer> {
  const config = await onlyConfig(on, computeId);
  return on.put(`/compute/instances/${computeId}/configs/${config.id}`, { devices: {} });
}

/** Actions and states of the events about an entity, oldest first. */
export async function eventsOf(on: Session, type: string, id: number): Promise<Answer[]> {
  const events = await on.list("/account/events", {
    "entity.type": type,
    "entity.id": id,
    "+order_by": "id",
    "+order": "asc",
  });
  return events;
}
