/**
 * The client of the service: what resource types ask for, made of links that each know one thing. A call goes through
 * reads (or a write's bookkeeping) → retry → answer → limiter → transport. It knows no resource type and no engine.
 */

import { setMaxListeners } from "node:events";
import { readAnswer, type WireObject } from "./answer.ts";
import { createBrand } from "./brand.ts";
import { type Clock, cancelledBy, systemClock } from "./clock.ts";
import { CancelledError, isMissing } from "./errors.ts";
import { limited } from "./limiter.ts";
import { createMemory } from "./memory.ts";
import { checkPath } from "./path.ts";
import { createPoller, type IsDone, type WaitOptions } from "./poller.ts";
import { createReads, type ListOptions, type ReadOptions } from "./reads.ts";
import { type RetryNotice, retried } from "./retry.ts";
import { createStorage, type SignedRequest } from "./storage.ts";
import { createTransport } from "./transport.ts";
import type { Write } from "./writes.ts";

export interface ServiceOptions {
  /** With the version segment: `https://api.example.com/v4`. */
  readonly baseUrl: string;
  readonly token: string;
  /** The word that the service uses where the contract writes `compute`. Default `compute`. */
  readonly brand?: string | undefined;
  /** Default `plumbline`. */
  readonly userAgent?: string | undefined;
  /** The most requests at once, 1 to 16. Default 16. */
  readonly parallel?: number | undefined;
  /** For how long a whole list that was read answers later reads of its items. Seconds, default 30. */
  readonly freshnessSeconds?: number | undefined;
  /** For how long a read waits for others of its list. Milliseconds, default 10. */
  readonly windowMilliseconds?: number | undefined;
  /** Seconds without an answer after which it counts as lost. Default 30 for reads, 60 for writes. */
  readonly timeoutSeconds?: { readonly read: number; readonly write: number } | undefined;
  readonly clock?: Clock | undefined;
  /** 0 to 1, as `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Told before each repeat of a request. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/** Objects and lists that it returns may be shared with other callers: they are not to be changed. */
export interface Service {
  /** One object; may be up to `freshnessSeconds` old, but never older than this client's last write to it. */
  get(path: string, options?: ReadOptions): Promise<WireObject>;
  /** The object's own GET, now. */
  getFresh(path: string, options?: ReadOptions): Promise<WireObject>;
  /** Every item of a list. `fresh` asks now; otherwise as `get`. */
  list(path: string, options?: ListOptions): Promise<WireObject[]>;
  post(path: string, body?: WireObject, options?: ReadOptions): Promise<WireObject>;
  put(path: string, body: WireObject, options?: ReadOptions): Promise<WireObject>;
  delete(path: string, options?: ReadOptions): Promise<void>;
  /** A request to a pre-signed URL, beside the API. */
  sendSigned(request: SignedRequest, options?: ReadOptions): Promise<void>;
  waitFor(path: string, isDone: IsDone, options: WaitOptions): Promise<WireObject | undefined>;
  /** Requests sent so far, by method, repeats included. */
  requests(): { [method: string]: number };
  /** Now, by the service's clock as far as its answers told it, else by ours. RFC 3339, UTC; up to a second early. */
  serviceTime(): string;
  /** No further request starts: queued calls and waits reject with CancelledError. Requests already sent may end. */
  cancel(): void;
  /** Cancels, and closes every connection at once. */
  close(): Promise<void>;
}

/**
 * A client of one service with one token. Opens no connection before its first call. Throws SettingError when a setting cannot work.
 * Calls throw ApiError, AnswerLostError, UnreachableError, ListChangedError, TimeoutError and CancelledError (`errors.ts`).
 */
export function createService(options: ServiceOptions): Service {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const parallel = Math.min(16, Math.max(1, Math.floor(options.parallel ?? 16)));
  const freshnessMs = (options.freshnessSeconds ?? 30) * 1000;
  const brand = createBrand(options.brand);
  const cancelling = new AbortController();
  // One listener for each call under way is meant, not a leak.
  setMaxListeners(0, cancelling.signal);
  const now = () => clock.now();

  const transport = createTransport({
    baseUrl: options.baseUrl,
    token: options.token,
    brand,
    userAgent: options.userAgent ?? "plumbline",
    connections: parallel,
    timeoutSeconds: options.timeoutSeconds ?? { read: 30, write: 60 },
    now,
  });
  const { address } = transport;
  const send = limited(transport.send, { parallel, clock, random });
  const call = retried(
    async (request, signal) =>
      readAnswer(request, await send(request, signal), { brand, token: options.token, address, now }),
    { clock, random, brand, address, onRetry: options.onRetry },
  );

  const storage = createStorage({ clock, random, connections: parallel });

  const memory = createMemory({ freshnessMs, now });
  const windowMs = options.windowMilliseconds ?? 10;
  const reads = createReads({ call, memory, clock, windowMs, freshnessMs, signal: cancelling.signal });
  const poller = createPoller({ poll: reads.poll, clock, random, signal: cancelling.signal });

  /** Runs `ask` unless the client or the caller is cancelled already. */
  function door<T>(path: string, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
    const stopped = [cancelling.signal, signal].find((each) => each?.aborted);
    if (stopped !== undefined) return Promise.reject(cancelledBy(stopped));
    if (signal !== undefined) setMaxListeners(0, signal);
    try {
      checkPath(path);
    } catch (error) {
      return Promise.reject(error);
    }
    return ask();
  }

  async function write(
    method: Write["method"],
    path: string,
    body: WireObject | undefined,
    own: AbortSignal | undefined,
  ) {
    const signal = own === undefined ? cancelling.signal : AbortSignal.any([cancelling.signal, own]);
    const begun = memory.beginWrite(method, path);
    try {
      const answer = await call({ method, path, body }, { signal });
      memory.endWrite(begun, answer);
      return answer;
    } catch (error) {
      memory.endWrite(begun, method === "DELETE" && isMissing(error) ? {} : undefined);
      throw error;
    }
  }

  return {
    get: (path, { signal } = {}) => door(path, signal, () => reads.get(path, { signal })),
    getFresh: (path, { signal } = {}) => door(path, signal, () => reads.getFresh(path, { signal })),
    list: (path, list = {}) => door(path, list.signal, () => reads.list(path, list)),
    post: (path, body, { signal } = {}) => door(path, signal, () => write("POST", path, body, signal)),
    put: (path, body, { signal } = {}) => door(path, signal, () => write("PUT", path, body, signal)),
    delete: (path, { signal } = {}) =>
      door(path, signal, async () => {
        await write("DELETE", path, undefined, signal);
      }),
    sendSigned: async (request, { signal: own } = {}) => {
      const signal = own === undefined ? cancelling.signal : AbortSignal.any([cancelling.signal, own]);
      if (signal.aborted) throw cancelledBy(signal);
      const begun = memory.beginWrite("POST", "/object-storage/buckets");
      try {
        await storage.send(request, signal);
      } finally {
        memory.endWrite(begun);
      }
    },
    waitFor: (path, isDone, wait) => door(path, wait.signal, () => poller.waitFor(path, isDone, wait)),
    requests: () => transport.requests(),
    serviceTime: () => new Date(clock.now() + (transport.skew() ?? 0)).toISOString(),
    cancel: () => cancelling.abort(new CancelledError()),
    close: async () => {
      cancelling.abort(new CancelledError());
      await Promise.all([transport.close(), storage.close()]);
    },
  };
}
