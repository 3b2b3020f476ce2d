/** The writes under way, to know which of them ran at the same time: the answer of such a one may be older than the other's effect. */

import type { Lists } from "../lists.ts";
import { bare } from "../path.ts";

/** A write under way. */
export interface Write {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Without its query. */
  readonly path: string;
  /** The object that it changes; the list's path for a creation. */
  readonly subject: string;
  /** True once another write to the same subject was under way with it. */
  overlapped: boolean;
}

export interface Writes {
  begin(method: Write["method"], path: string): Write;
  end(write: Write): void;
}

export function createWrites({ itemOf, isCollection }: Lists): Writes {
  const running = new Map<string, Set<Write>>();
  /** `/volumes/7` for `PUT /volumes/7` and for `POST /volumes/7/resize`; the list for a creation. */
  const subjectOf = (method: Write["method"], path: string) => {
    const whole = itemOf(path) !== undefined || (method === "POST" && isCollection(path));
    return whole ? path : path.slice(0, path.lastIndexOf("/"));
  };

  return {
    begin(method, path) {
      const write: Write = {
        method,
        path: bare(path),
        subject: subjectOf(method, bare(path)),
        overlapped: false,
      };
      const others = running.get(write.subject) ?? new Set();
      for (const other of others) {
        other.overlapped = true;
        write.overlapped = true;
      }
      running.set(write.subject, others.add(write));
      return write;
    },
    end(write) {
      const others = running.get(write.subject);
      others?.delete(write);
      if (others?.size === 0) running.delete(write.subject);
    },
  };
}
