/**
 * The client of the service: what resource types ask for, made of links that each know one thing. A call goes through
 * reads (or a write's bookkeeping) → retry → answer → limiter → transport. It knows no resource type and no engine.
 */

import { setMaxListeners } from "node:events";
import { CancelledError } from "../core/protocol/failures.ts";
import {
  type Allowance,
  ApiError,
  type CallOptions,
  isGone,
  type ServicePort,
  type SpecialList,
  type WireObject,
} from "../core/service-port.ts";
import { createAllowanceMeter } from "./allowance.ts";
import { abortable, type Clock, cancelledBy, systemClock } from "./clock.ts";
import { readAnswer } from "./http/answer.ts";
import { createBrand } from "./http/brand.ts";
import { createWays, type Proxies } from "./http/proxy.ts";
import { createStorage } from "./http/storage.ts";
import { createTransport, type Send } from "./http/transport.ts";
import { createIdentity } from "./identity.ts";
import { limited } from "./limiter.ts";
import { createLists } from "./lists.ts";
import { checkPath } from "./path.ts";
import { createMemory } from "./reading/memory.ts";
import { createPoller } from "./reading/poller.ts";
import { createReads } from "./reading/reads.ts";
import type { Write } from "./reading/writes.ts";
import { type RetryNotice, retried } from "./retry.ts";
import { joined } from "./signals.ts";

export interface ServiceOptions {
  /** Lists that are not like any other. Default none. */
  readonly lists?: readonly SpecialList[] | undefined;
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
  /** Default none. */
  readonly proxies?: Proxies | undefined;
  readonly clock?: Clock | undefined;
  /** 0 to 1, as `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Asked right before each request that may change something is sent; what it throws ends the call, and nothing is sent. Default: it may. */
  readonly admit?: (() => void) | undefined;
  /** Told before each repeat of a request. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/**
 * The port, and what the provider needs beside it. Objects and lists that it returns may be shared with other callers: they are not to be changed.
 * `get` and `list` may be up to `freshnessSeconds` old, but never older than this client's last write.
 */
export interface Service extends ServicePort {
  /**
   * What the service's answers call this token's customer; `undefined` where they name none. Makes one GET where no answer came yet,
   * unless `asks` is false.
   * Throws ApiError when the token is no good.
   */
  identify(options?: CallOptions & { readonly asks?: boolean }): Promise<string | undefined>;
  /** Requests sent so far, by method, repeats included. */
  requests(): { [method: string]: number };
  /** What is left of the limit of requests, by what the answers told; `undefined` before the first. */
  allowance(): Allowance | undefined;
  /** Now, by the service's clock as far as its answers told it, else by ours. RFC 3339, UTC; up to a second early. */
  serviceTime(): string;
  /** No further request starts: queued calls and waits reject with CancelledError. Requests already sent may end. */
  cancel(): void;
  /** Cancels, and closes every connection at once. */
  close(): Promise<void>;
}

/**
 * A client of one service with one token. Opens no connection before its first call. Throws SettingError when a setting cannot work.
 * Calls throw the errors of the port (`core/service-port.ts`), UnreachableError, ListChangedError, AccountChangedError (`errors.ts`)
 * and CancelledError.
 */
export function createService(options: ServiceOptions): Service {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const parallel = Math.min(16, Math.max(1, Math.floor(options.parallel ?? 16)));
  const freshnessMs = (options.freshnessSeconds ?? 30) * 1000;
  const brand = createBrand(options.brand);
  const lists = createLists(options.lists);
  const cancelling = new AbortController();
  // One listener for each call under way is meant, not a leak.
  setMaxListeners(0, cancelling.signal);
  const now = () => clock.now();

  const transport = createTransport({
    baseUrl: options.baseUrl,
    token: options.token,
    brand,
    userAgent: options.userAgent ?? "plumbline",
    ways: createWays(options.proxies ?? {}, { connections: parallel }),
    timeoutSeconds: options.timeoutSeconds ?? { read: 30, write: 60 },
    now,
  });
  const { address } = transport;
  const identity = createIdentity(address);
  const meter = createAllowanceMeter(clock);
  const admitted: Send = async (request, signal) => {
    if (request.method !== "GET") options.admit?.();
    return transport.send(request, signal);
  };
  const send = limited(identity.watched(meter.watched(admitted)), { parallel, clock, random });
  const call = retried(
    async (request, signal) =>
      readAnswer(request, await send(request, signal), { lists, brand, token: options.token, address, now }),
    { clock, random, brand, address, onRetry: options.onRetry },
  );

  const storage = createStorage({
    clock,
    random,
    admit: options.admit,
    ways: createWays(options.proxies ?? {}, { connections: parallel }),
  });

  const memory = createMemory({ lists, freshnessMs, now });
  const windowMs = options.windowMilliseconds ?? 10;
  const reads = createReads({ lists, call, memory, clock, windowMs, freshnessMs, signal: cancelling.signal });
  const poller = createPoller({ lists, poll: reads.poll, clock, random, signal: cancelling.signal });

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
    const signal = joined(own, cancelling.signal);
    const begun = memory.beginWrite(method, path);
    try {
      const answer = await call({ method, path, body }, { signal });
      memory.endWrite(begun, answer);
      return answer;
    } catch (error) {
      memory.endWrite(begun, method === "DELETE" && isGone(error) ? {} : undefined);
      throw error;
    }
  }

  /** Asks what every token may (section 5: no authorization is listed), and what costs no more for a large account than for a small one. */
  async function introduce(): Promise<void> {
    try {
      await call(
        { method: "GET", path: "/object-storage/clusters?page=1&page_size=25", list: true },
        { signal: cancelling.signal },
      );
    } catch (error) {
      // A refusal by someone who knows the token says whose it is all the same.
      if (!(error instanceof ApiError) || !identity.heard()) throw error;
    }
  }

  let introducing: Promise<void> | undefined;

  /** All who ask at once share one request; a caller who stops waiting does not stop it for the others. */
  async function introduced(own: AbortSignal | undefined): Promise<void> {
    if (own?.aborted) throw cancelledBy(own);
    introducing ??= introduce().finally(() => {
      introducing = undefined;
    });
    return abortable(introducing, own);
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
      const signal = joined(own, cancelling.signal);
      if (signal.aborted) throw cancelledBy(signal);
      identity.admit();
      const begun = memory.beginWrite("POST", "/object-storage/buckets");
      try {
        await storage.send(request, signal);
      } finally {
        memory.endWrite(begun);
      }
    },
    waitFor: (path, isDone, wait) => door(path, wait.signal, () => poller.waitFor(path, isDone, wait)),
    identify: async ({ asks = true, signal } = {}) => {
      if (asks && !identity.heard()) await introduced(signal);
      return identity.account();
    },
    requests: () => transport.requests(),
    allowance: () => meter.now(),
    serviceTime: () => new Date(clock.now() + (transport.skew() ?? 0)).toISOString(),
    cancel: () => cancelling.abort(new CancelledError()),
    close: async () => {
      cancelling.abort(new CancelledError());
      await Promise.all([transport.close(), storage.close()]);
    },
  };
}
