/** The account as a file: what `--data` keeps and `--seed` brings; knows the form, not what the objects mean. */

import { readFileSync } from "node:fs";
import { type Item, type Json, Refusal } from "../area.ts";
import type { Job } from "./jobs.ts";
import { type AccountData, type Changes, replay } from "./journal.ts";

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

/**
 * Reads a data file; nothing when there is none yet, or an empty one. Its first line is an account, each other one what changed since, all or
 * nothing; the last of them is left out when a kill cut it off. A file that is one account in any form is good too.
 */
export function readDataFile(path: string, log: (line: string) => void = () => {}): AccountData | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`cannot read the data file ${path}: ${(cause as Error).message}`, { cause });
  }
  if (text === "") return undefined;
  const [first = "", ...others] = text.split("\n");
  const cut = others.pop();
  try {
    const account = parsed(first);
    if (account === undefined) return checkData(JSON.parse(text));
    if (cut) log(`the last change in ${path} was cut off by a kill and never answered: it is left out`);
    return checkData(replay(checkData(account), readChanges(others)));
  } catch (cause) {
    throw new Error(`the data file ${path} is not an account: ${(cause as Error).message}`, { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* readChanges(lines: readonly string[]): Generator<Changes> {
  for (const [at, line] of lines.entries()) {
    const changes = parsed(line);
    if (!isObject(changes) || !Array.isArray(changes["items"]))
      throw new Error(
        `line ${at + 2} is no set of changes; without it and all lines after it the file is good`,
      );
    yield changes as unknown as Changes;
  }
}

/** Milliseconds by which a clock may be off, so that every moment still has a date. */
const longestOffset = 7000 * 365 * 86_400_000;

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
  if (typeof clockOffset !== "number" || !(Math.abs(clockOffset) <= longestOffset))
    wrong("must be a number of milliseconds, at most 7000 years", "clockOffset");
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
  let content: unknown;
  try {
    content = readSeed(path);
  } catch (cause) {
    throw new Error(`cannot read the seed file ${path}: ${(cause as Error).message}`, { cause });
  }
  if (!isObject(content)) throw new Error(`the seed file ${path} must hold a JSON object`);
  const { requests = [], account = {}, ...others } = content;
  const collections = isObject(others["collections"]) ? others["collections"] : others;
  for (const [name, items] of Object.entries(collections))
    if (!Array.isArray(items) || !items.every(isObject))
      throw new Error(`the seed file ${path}: "${name}" must be a list of objects`);
  if (!isObject(account)) throw new Error(`the seed file ${path}: "account" must be an object`);
  if (!Array.isArray(requests) || !requests.every(isSeedRequest))
    throw new Error(`the seed file ${path}: "requests" must be a list of {"method", "path", "body"}`);
  return { requests, account, collections } as Seed;
}

/** A seed's own JSON, or the account of a data file with changes after it. */
function readSeed(path: string): unknown {
  const text = readFileSync(path, "utf8");
  const end = text.indexOf("\n");
  const first = end < 0 ? undefined : parsed(text.slice(0, end));
  const isDataFile = isObject(first) && first["format"] === 1;
  return isDataFile ? readDataFile(path) : JSON.parse(text);
}

function isSeedRequest(request: unknown): boolean {
  return (
    isObject(request) &&
    typeof request["method"] === "string" &&
    typeof request["path"] === "string" &&
    request["path"].startsWith("/")
  );
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
