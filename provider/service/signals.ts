/** Signals that stop what is under way. */

import { setMaxListeners } from "node:events";

const joints = new WeakMap<AbortSignal, WeakMap<AbortSignal, AbortSignal>>();

/** A signal that is aborted when either is: for the same two always the same one, as thousands of calls have them. */
export function joined(own: AbortSignal | undefined, all: AbortSignal): AbortSignal {
  if (own === undefined || own === all) return all;
  const known = joints.get(own) ?? new WeakMap<AbortSignal, AbortSignal>();
  joints.set(own, known);
  let both = known.get(all);
  if (both === undefined) {
    both = AbortSignal.any([own, all]);
    // One listener for each call under way is meant.
    setMaxListeners(0, both);
    known.set(all, both);
  }
  return both;
}
