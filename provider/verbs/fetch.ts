/** Reads one object as its type reads it. Fails with a 404 of the service's own kind when it is not there. */

import { parametersOf, pathOf } from "../core/object/identifier.ts";
import { isGone, notThere, type WireObject } from "../core/service-port.ts";
import type { ResourceType } from "../core/type/resource.ts";
import { revealAll, type ValueMap } from "../core/value.ts";
import type { VerbScope } from "./operation.ts";

/** Which object, and what is known of it. */
export interface Subject {
  readonly type: ResourceType;
  readonly id: string;
  readonly scope: VerbScope;
  /** Declared values, plain; absent where no declaration is known. */
  readonly values?: { readonly [name: string]: unknown };
  /** State as last saved. */
  readonly state?: ValueMap;
}

export interface FetchOptions {
  /** True: no earlier answer and no shared list will do. */
  readonly fresh: boolean;
  /** True: also after a cancel, for what must still be saved. */
  readonly always?: boolean;
}

export async function fetchObject(subject: Subject, options: FetchOptions): Promise<WireObject> {
  const { type, id, scope } = subject;
  const { service } = scope;
  const path = pathOf(type, id);
  const call = options.always ? { signal: undefined } : {};
  const get = (place: string) => (options.fresh ? service.getFresh(place, call) : service.get(place, call));
  if (!type.fetch) return get(path);
  const object = await type.fetch({
    id,
    path,
    parameters: parametersOf(type, id),
    get,
    list: (place) => service.list(place, { ...call, fresh: options.fresh }),
    inputs: subject.values ?? {},
    state: revealAll(subject.state ?? {}) as { readonly [name: string]: unknown },
    notes: scope.notes,
  });
  if (object === undefined) throw notThere(path);
  return object;
}

/** As `fetchObject`, but undefined when it, or its parent, is not there. */
export async function fetchIfThere(subject: Subject, options: FetchOptions): Promise<WireObject | undefined> {
  try {
    return await fetchObject(subject, options);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
