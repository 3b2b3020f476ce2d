/** One collection of an API server, followed: a list in pages, then a watch, again and again, so that whoever listens misses nothing for long. */

import { backOff, pause } from "../../machine/pause.ts";
import { type Connection, hasStatus, type Json, StatusError } from "./connection.ts";

export interface ServerObject extends Json {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

export interface FollowOptions {
  readonly connection: Connection;
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  /** True: of each object its metadata alone is asked for. */
  readonly isNamesOnly?: boolean;
  readonly changed: (object: ServerObject) => void;
  /** `version`: at which it went, where that was told. */
  readonly gone: (name: string, namespace: string, version?: string) => void;
  /** Told when it cannot be followed, once for each reason, and when it can be again (undefined). */
  readonly troubled: (error: Error | undefined) => void;
  /** Milliseconds without a word after which a watch counts as lost. */
  readonly silence: number;
  readonly signal: AbortSignal;
}

const PAGE = 500;
/** Milliseconds before a collection that failed is asked again. */
const waits = { first: 200, most: 30_000 };

/** Resolves when all objects that are there were told; goes on until the signal is given. */
export function follow(options: FollowOptions): Promise<void> {
  return new Promise((listed) => void run(options, listed));
}

async function run(options: FollowOptions, listed: () => void): Promise<void> {
  const { signal, troubled } = options;
  const state: State = { known: new Map() };
  let failures = 0;
  let trouble = "";
  while (!signal.aborted) {
    const begun = performance.now();
    try {
      if (state.version === undefined) {
        await list(options, state);
        listed();
      }
      if (trouble !== "") troubled(undefined);
      trouble = "";
      await watch(options, state);
      failures = performance.now() - begun < 1000 ? failures + 1 : 0;
    } catch (error) {
      if (signal.aborted) break;
      // What happened meanwhile is forgotten by the server: only a new list tells.
      if (hasStatus(error, 410)) state.version = undefined;
      failures = performance.now() - begun > 60_000 ? 1 : failures + 1;
      const { message } = error as Error;
      // A watch that ends is nothing; one that cannot be begun again is.
      if (failures > 1 && message !== trouble) {
        trouble = message;
        troubled(error as Error);
      }
    }
    if (failures > 0) await pause(backOff(failures, waits), signal);
  }
  listed();
}

interface State {
  /** Up to which the collection was told; undefined: a list is due. */
  version?: string | undefined;
  /** By namespace and name. */
  readonly known: Map<string, { readonly uid: string; readonly version: string }>;
}

const accepts = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

const keyOf = ({ metadata: { name, namespace } }: ServerObject): string => `${namespace}/${name}`;

async function list(options: FollowOptions, state: State): Promise<void> {
  const { connection, path, query, isNamesOnly, signal } = options;
  const seen = new Set<string>();
  let next: string | undefined;
  do {
    const page = (await connection.ask({
      ...{
        method: "GET",
        path,
        signal,
        ...(isNamesOnly && { accept: accepts("PartialObjectMetadataList") }),
      },
      query: { ...query, limit: PAGE, continue: next },
    })) as unknown as {
      readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
      readonly items?: readonly ServerObject[];
      readonly apiVersion: string;
      readonly kind: string;
    };
    for (const item of page.items ?? []) {
      seen.add(keyOf(item));
      put(options, state, item);
    }
    next = page.metadata.continue || undefined;
    if (next === undefined) state.version = page.metadata.resourceVersion;
  } while (next !== undefined);
  for (const key of state.known.keys()) if (!seen.has(key)) remove(options, state, key);
}

async function watch(options: FollowOptions, state: State): Promise<void> {
  const { connection, path, query, isNamesOnly, silence, signal } = options;
  const lines = connection.lines({
    ...{ method: "GET", path, silence, signal },
    ...(isNamesOnly && { accept: accepts("PartialObjectMetadata") }),
    query: {
      ...query,
      watch: 1,
      allowWatchBookmarks: "true",
      resourceVersion: state.version,
      // By chance, so that all watches do not end at once.
      timeoutSeconds: 300 + Math.floor(Math.random() * 300),
    },
  });
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: ServerObject };
    if (type === "ERROR") {
      const { message, code, reason } = object as unknown as {
        message: string;
        code: number;
        reason: string;
      };
      throw new StatusError(message, code, reason);
    }
    if (type === "DELETED") remove(options, state, keyOf(object), object.metadata.resourceVersion);
    else if (type !== "BOOKMARK") put(options, state, object);
    state.version = object.metadata.resourceVersion;
  }
}

function put(options: FollowOptions, { known }: State, object: ServerObject): void {
  const key = keyOf(object);
  const { uid, resourceVersion: version } = object.metadata;
  const before = known.get(key);
  if (before?.version === version) return;
  // Deleted and made again while nobody looked.
  if (before && before.uid !== uid) options.gone(object.metadata.name, object.metadata.namespace);
  known.set(key, { uid, version });
  options.changed(object);
}

function remove(options: FollowOptions, { known }: State, key: string, version?: string): void {
  if (!known.delete(key)) return;
  const [namespace = "", name = ""] = key.split("/");
  options.gone(name, namespace, version);
}
