/**
 * The one object of a stack that is written under a condition: who holds the stack, which snapshot counts, which journal goes on from it. Whoever
 * changes it has seen it as it was; so nobody who has lost the stack changes anything, however late he wakes up.
 */

import { randomUUID } from "node:crypto";
import { EngineError } from "../../../failure.ts";
import type { LockOwner, Version } from "../../backend.ts";
import { isMap } from "../../form.ts";
import type { Bucket, Condition, Effort } from "./client.ts";

export interface Head {
  readonly format: 1;
  /** Random, new with each write. */
  readonly revision: string;
  readonly owner?: LockOwner;
  /** True: the last owner did not let go by himself, so that he may still be about to write. */
  readonly isAbandoned?: true;
  /** Key of the snapshot; absent: there is none. */
  readonly snapshot?: string;
  /** Which journal counts; the segments of any other are left-overs. */
  readonly journal: number;
  /** Oldest first. The last one need not be the snapshot: one without a change is kept as no version. */
  readonly versions: readonly KeptVersion[];
}

export interface KeptVersion extends Version {
  readonly key: string;
}

/** A head as it lies in the store. */
export interface FoundHead {
  readonly head: Head;
  /** Undefined: there is no such object yet. */
  readonly etag: string | undefined;
  readonly age: number | undefined;
}

const none: Head = { format: 1, revision: "", journal: 0, versions: [] };

export async function readHead(bucket: Bucket, key: string, how?: Effort): Promise<FoundHead> {
  const found = await bucket.get(key, how);
  if (found === undefined) return { head: none, etag: undefined, age: undefined };
  return { head: parseHead(found.text, `${bucket.place}/${key}`), etag: found.etag, age: found.age };
}

function parseHead(text: string, place: string): Head {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  if (isMap(json) && typeof json.format === "number" && json.format > 1)
    throw new EngineError(
      "state",
      `${place} was written by a newer version: nothing was done. Use that version, or a newer one.`,
      { errorCode: "PLB-NEWER" },
    );
  if (isMap(json) && json.format === 1 && Number.isSafeInteger(json.journal) && Array.isArray(json.versions))
    return json as unknown as Head;
  throw new EngineError(
    "state",
    `${place} is damaged: it does not say which snapshot and journal count. Nothing was done. Bring an intact copy of it back, or remove it and take over an export with \`plumbline stack import FILE\`.`,
  );
}

/** Writes the head that follows on the found one; undefined: it was changed meanwhile. */
export async function writeHead(
  bucket: Bucket,
  key: string,
  { etag }: Pick<FoundHead, "etag">,
  next: Omit<Head, "revision" | "format">,
  how?: Effort,
): Promise<FoundHead | undefined> {
  const head: Head = { ...next, format: 1, revision: randomUUID() };
  const condition: Condition = etag === undefined ? { absent: true } : { etag };
  const written = await bucket.put(key, JSON.stringify(head), condition, how);
  return written === undefined ? undefined : { head, etag: written, age: 0 };
}
