/** What the controller tells of what it does, for logs and figures. Types only. */

import type { Sweep } from "./sweeps.ts";

export interface Looked {
  /** Of the object: `Record`. */
  readonly kind: string;
  /** What came of the look: the word of its status, or that it failed. */
  readonly result: "ready" | "reconciling" | "stalled" | "gone" | "failed";
  readonly seconds: number;
}

export interface Report {
  /** Something happened; `more` is for programs. No secret is in either. */
  readonly log: (event: string, message: string, more?: { readonly [name: string]: unknown }) => void;
  readonly looked: (look: Looked) => void;
  /** An object was found otherwise than it was applied, or not at all. */
  readonly drifted: (kind: string) => void;
  /** Everything of an Account was looked at. */
  readonly swept: (account: string, sweep: Pick<Sweep, "seconds" | "requests">) => void;
  /** Runs what makes requests in the name of the Account. */
  readonly within: <T>(account: string, work: () => Promise<T>) => Promise<T>;
}
