/** Events about objects, as a cluster shows them: repeated ones are counted, and no more are written than a cluster bears. */

import { randomBytes } from "node:crypto";
import type { KubeObject } from "../api.ts";
import { type Connection, hasStatus } from "./connection.ts";

export interface EventOptions {
  readonly connection: Pick<Connection, "ask">;
  /** Which replica says it. */
  readonly instance: string;
  /** Told of what could not be written, and of what was left out because there was too much. */
  readonly troubled: (error: Error) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

export interface Events {
  readonly tell: (object: KubeObject, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** Resolves when what waits was written, or after two seconds. */
  readonly close: () => Promise<void>;
}

interface Told {
  readonly name: string;
  readonly namespace: string;
  count: number;
  /** When it was written last. */
  at: number;
}

/** Events that wait, at most; those that are remembered so that a repetition is known. */
const MOST_WAITING = 500;
const MOST_REMEMBERED = 4_096;
/** Milliseconds between two writes of one that is repeated, between two writes of any, and the burst of them that is let through first. */
const REPEAT = 60_000;
const GAP = 100;
const BURST = 50;

export function createEvents({ connection, instance, troubled, now = Date.now }: EventOptions): Events {
  const told = new Map<string, Told>();
  const waiting: (() => Promise<void>)[] = [];
  let [allowed, since, left] = [BURST, now(), 0];
  let running: Promise<void> | undefined;
  let isOpen = true;

  const wait = async (): Promise<void> => {
    allowed = Math.min(BURST, allowed + (now() - since) / GAP);
    since = now();
    if (allowed < 1 && isOpen) await new Promise((done) => setTimeout(done, GAP).unref());
    allowed -= 1;
  };

  async function run(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await wait();
      // A namespace that ends takes no events any more.
      await next().catch((error) => {
        if (!hasStatus(error, 403) && !hasStatus(error, 404)) troubled(error as Error);
      });
    }
    if (left > 0) troubled(new Error(`${left} events were left out: there were too many at once`));
    left = 0;
    running = undefined;
  }

  function queue(write: () => Promise<void>): void {
    if (!isOpen) return;
    if (waiting.length >= MOST_WAITING) {
      left += 1;
      return;
    }
    waiting.push(write);
    running ??= Promise.resolve().then(run);
  }

  const path = (namespace: string): string => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

  return {
    tell(object, type, reason, text) {
      const { name, namespace, uid } = object.metadata;
      const note = text.slice(0, 1024);
      const key = [uid, type, reason, note].join("\n");
      const before = told.get(key);
      if (before) {
        before.count += 1;
        if (now() - before.at < REPEAT) return;
        before.at = now();
        const series = { count: before.count, lastObservedTime: micro(now()) };
        return queue(async () => {
          await connection.ask({
            ...{ method: "PATCH", path: `${path(namespace)}/${before.name}`, body: { series } },
            contentType: "application/merge-patch+json",
          });
        });
      }
      const event = `${name.slice(0, 230)}.${randomBytes(8).toString("hex")}`;
      told.set(key, { name: event, namespace, count: 1, at: now() });
      if (told.size > MOST_REMEMBERED) told.delete(told.keys().next().value!);
      const body = {
        metadata: { name: event, namespace },
        ...{ type, reason, note, eventTime: micro(now()), action: reason },
        ...{ reportingController: "plumbline.dev/controller", reportingInstance: instance.slice(0, 128) },
        regarding: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid },
      };
      queue(async () => {
        await connection.ask({ method: "POST", path: path(namespace), body });
      });
    },
    async close() {
      isOpen = false;
      await Promise.race([running, new Promise((done) => setTimeout(done, 2_000).unref())]);
    },
  };
}

/** RFC 3339 with microseconds. */
const micro = (time: number): string => new Date(time).toISOString().replace("Z", "000Z");
