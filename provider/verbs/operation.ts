/** What the verbs of one operation share: the service, the plan, cancellation. Knows no type. */

import { notesIn } from "../core/engines/notes.ts";
import type { Plan } from "../core/judgement/plan.ts";
import type { Marker } from "../core/judgement/unapplied.ts";
import {
  type Allowance,
  CancelledError,
  type Log,
  type Notes,
  type RequestContext,
  type RequestCounts,
  surelyNotWritten,
} from "../core/protocol.ts";
import type { CallOptions, ServicePort, WireObject } from "../core/service-port.ts";
import type { ResourceType } from "../core/type/resource.ts";
import type { ValueMap } from "../core/value.ts";
import { joined } from "../service/signals.ts";

/** The service as the provider needs it beside what types may use. */
export interface Service extends ServicePort {
  readonly requests: () => RequestCounts;
  /** What the service calls the token's customer; absent where it names none. One GET where it has not answered yet, unless `asks` is false. */
  readonly identify: (options?: CallOptions & { readonly asks?: boolean }) => Promise<string | undefined>;
  /** Now by the service's clock as last seen, else by this machine's (RFC 3339). */
  readonly serviceTime: () => string;
  /** What is known of the limit of requests; absent in a client that knows none. */
  readonly allowance?: () => Allowance | undefined;
  readonly close: () => Promise<void>;
}

/** One operation under way. */
export interface Operation {
  /** By key (`dns/domain`). */
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly plan: Plan;
  /** The configured service. Throws when there is no configuration. */
  readonly service: () => Service;
  readonly cancelled: AbortSignal;
  /** Lists read once for all look-ups of a preview, by path. */
  readonly lists: Map<string, Promise<readonly WireObject[]>>;
  /** Runs the work after every earlier one of the same key has ended. */
  readonly exclusive: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Makes marks of values that are sent. */
  readonly marker: Marker;
}

/** One verb's own view of the service: no write starts and no wait goes on after a cancel. */
export interface VerbScope {
  readonly service: ServicePort;
  readonly log: Log;
  readonly notes: Notes;
  readonly signal: AbortSignal;
  /** Seconds that the verb has left. */
  readonly remaining: () => number;
  readonly marker: Marker;
  /** How many writes of this verb have, or may have, run. */
  readonly writes: () => number;
}

/** Begins a verb: joins its own signal and deadline with the operation's. */
export function begin(operation: Operation, request: RequestContext, timeoutSeconds = 600): VerbScope {
  const signal = joined(request.signal, operation.cancelled);
  const end = performance.now() + timeoutSeconds * 1000;
  let writes = 0;
  return {
    service: bound(operation.service(), signal, () => {
      writes += 1;
    }),
    writes: () => writes,
    marker: operation.marker,
    log: request.log ?? (() => {}),
    notes: request.notes ?? fleetingNotes(),
    signal,
    remaining: () => Math.max(0, (end - performance.now()) / 1000),
  };
}

function bound(service: ServicePort, signal: AbortSignal, onWrite: () => void): ServicePort {
  const write = async <T>(send: () => Promise<T>): Promise<T> => {
    if (signal.aborted) throw new CancelledError("cancelled before it was sent");
    try {
      const answer = await send();
      onWrite();
      return answer;
    } catch (error) {
      if (!surelyNotWritten(error)) onWrite();
      throw error;
    }
  };
  return {
    get: async (path, options) => service.get(path, { signal, ...options }),
    getFresh: async (path, options) => service.getFresh(path, { signal, ...options }),
    list: async (path, options) => service.list(path, { signal, ...options }),
    post: (path, body, options) => write(() => service.post(path, body, { signal, ...options })),
    put: (path, body, options) => write(() => service.put(path, body, { signal, ...options })),
    delete: (path, options) => write(() => service.delete(path, { signal, ...options })),
    sendSigned: (request, options) => write(() => service.sendSigned(request, { signal, ...options })),
    waitFor: async (path, isDone, options) => service.waitFor(path, isDone, { signal, ...options }),
  };
}

/** Notes where nothing can be kept: they last as long as the verb. */
function fleetingNotes(): Notes {
  let held: ValueMap = {};
  const store = {
    held: () => held,
    hold: async (notes: ValueMap) => {
      held = notes;
    },
  };
  return notesIn(store, { isReadOnly: false });
}

/** An `exclusive` of its own: works of one key run one after the other. */
export function keyedQueue(): Operation["exclusive"] {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const tail = mine.catch(() => {});
    tails.set(key, tail);
    tail.finally(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    return mine;
  };
}
