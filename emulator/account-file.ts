/** The account as a file: what `--data` keeps and `--seed` brings; knows the form, not what the objects mean. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { type Item, type Json, Refusal } from "./area.ts";
import type { Job } from "./jobs.ts";
import type { StoreData } from "./store.ts";

/** Everything that makes the account, plain JSON. */
export interface AccountData extends StoreData {
  format: 1;
  /** Milliseconds that `advance` added. */
  clockOffset: number;
  /** State of the repeatable randomness. */
  random: number;
  jobs: Job[];
}

/** One request that a seed makes as the owner. `"${0.id}"` in path or body stands for field `id` of the first request's answer. */
export interface SeedRequest {
  readonly method: string;
  /** Without the version segment, in the brand's word. */
  readonly path: string;
  readonly body: unknown;
}

/**
 * A seed: `{"requests": [{"method": "POST", "path": "/domains", "body": {…}}], "account": {…}, "collections": {"domains": [{…}]}}`, all
 * optional. Requests are answered like any other, after the rest is planted. Collections (also as names at the top) hold items as the
 * account keeps them: one without id gets one, one whose id is taken replaces the item there. A data file is a seed too.
 */
export interface Seed {
  readonly requests: readonly SeedRequest[];
  readonly account: { [name: string]: Json };
  readonly collections: { [name: string]: (Partial<Item> & { [name: string]: unknown })[] };
}

/** Reads a data file; nothing when there is none yet. */
export function readDataFile(path: string): AccountData | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`cannot read the data file ${path}: ${(cause as Error).message}`, { cause });
  }
  try {
    return checkData(JSON.parse(text));
  } catch (cause) {
    throw new Error(`the data file ${path} is not an account: ${(cause as Error).message}`, { cause });
  }
}

/** Checks the form of what `PUT /_emulator/data` or a file gives; refuses with 400. */
export function checkData(data: unknown): AccountData {
  const wrong = (reason: string, field?: string): never => {
    throw new Refusal(400, [field === undefined ? { reason } : { reason, field }]);
  };
  if (!isObject(data)) return wrong("the account must be a JSON object");
  const {
    format,
    clockOffset = 0,
    random = 1,
    account = {},
    counters = {},
    jobs = [],
    collections = {},
  } = data;
  if (format !== 1) wrong("must be 1", "format");
  if (typeof clockOffset !== "number") wrong("must be a number of milliseconds", "clockOffset");
  if (typeof random !== "number") wrong("must be a number", "random");
  if (!isObject(account)) wrong("must be an object", "account");
  if (!isObject(counters)) wrong("must be an object", "counters");
  if (!Array.isArray(jobs) || !jobs.every(isJob))
    wrong("must be a list of jobs {id, kind, due, data}", "jobs");
  if (!isObject(collections)) return wrong("must be an object", "collections");
  for (const [name, items] of Object.entries(collections)) {
    if (!Array.isArray(items)) return wrong("must be a list", `collections.${name}`);
    const ids = new Set<unknown>();
    for (const item of items) {
      if (!isObject(item) || !Number.isInteger(item["id"]) || ids.has(item["id"]))
        wrong("every item needs an integer id of its own", `collections.${name}`);
      ids.add((item as Item).id);
    }
  }
  return { format: 1, clockOffset, random, account, counters, jobs, collections } as AccountData;
}

/** Reads a seed file. */
export function readSeedFile(path: string): Seed {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`cannot read the seed file ${path}: ${(cause as Error).message}`, { cause });
  }
  if (!isObject(parsed)) throw new Error(`the seed file ${path} must hold a JSON object`);
  const { requests = [], account = {}, ...others } = parsed;
  const collections = isObject(others["collections"]) ? others["collections"] : others;
  for (const [name, items] of Object.entries(collections))
    if (!Array.isArray(items) || !items.every(isObject))
      throw new Error(`the seed file ${path}: "${name}" must be a list of objects`);
  if (!isObject(account)) throw new Error(`the seed file ${path}: "account" must be an object`);
  if (!Array.isArray(requests) || !requests.every(isSeedRequest))
    throw new Error(`the seed file ${path}: "requests" must be a list of {"method", "path", "body"}`);
  return { requests, account, collections } as Seed;
}

function isSeedRequest(request: unknown): boolean {
  return (
    isObject(request) &&
    typeof request["method"] === "string" &&
    typeof request["path"] === "string" &&
    request["path"].startsWith("/")
  );
}

export interface Keeper {
  /** The account changed by itself: it is written soon. */
  changed(): void;
  /** Resolves when everything up to now is in the file. Those who ask in the same turn share one writing. */
  saved(): Promise<void>;
  /** Writes at once, and nothing after that. Throws when the file cannot be written. */
  close(): void;
}

/** Milliseconds from a change to its writing, at least. */
const settle = 100;

/** Keeps the account in the file, replaced as a whole so that a crash leaves the old or the new one. */
export function createKeeper(path: string, data: () => AccountData, log: (line: string) => void): Keeper {
  let timer: NodeJS.Timeout | undefined;
  let cost = 0;
  let closed = false;
  let saving: Promise<void> | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const from = performance.now();
    const next = `${path}.${process.pid}.new`;
    writeFileSync(next, JSON.stringify(data()));
    renameSync(next, path);
    cost = performance.now() - from;
  }

  function tryToWrite(): void {
    try {
      write();
    } catch (error) {
      log(`cannot write the data file ${path}: ${(error as Error).message}`);
    }
  }

  return {
    changed: () => {
      if (closed) return;
      // A big account takes long to write: then it is written less often.
      timer ??= setTimeout(tryToWrite, Math.max(settle, cost * 10));
    },
    saved: () => {
      if (closed) return Promise.resolve();
      // All requests that have come in are answered before it is the immediates' turn.
      saving ??= new Promise((done) => {
        setImmediate(() => {
          saving = undefined;
          if (!closed) tryToWrite();
          done();
        });
      });
      return saving;
    },
    close: () => {
      closed = true;
      write();
    },
  };
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJob(job: unknown): job is Job {
  return (
    isObject(job) &&
    typeof job["id"] === "number" &&
    typeof job["kind"] === "string" &&
    typeof job["due"] === "number" &&
    isObject(job["data"])
  );
}
