/** What a record must know of the other records of its domain; a list to look through, or an index that grows. */

import { folded } from "./names.ts";
import { isNullMx, type Neighbours, type RecordFields } from "./record.ts";

/** Looks through a list: right for one question, as one request has. */
export function listedNeighbours(records: readonly RecordFields[]): Neighbours {
  return {
    size: records.length,
    typesAt(name) {
      const wanted = folded(name);
      return records
        .filter((record) => record.name.length === wanted.length && folded(record.name) === wanted)
        .map((record) => record.type);
    },
    mail() {
      const mx = records.filter((record) => record.type === "MX");
      return mx.some(isNullMx) ? "null" : mx.length > 0 ? "some" : "none";
    },
  };
}

/** Keeps an index that `add` extends: right for a whole zone judged record by record. */
export function growingNeighbours(): Neighbours & { add(record: RecordFields): void } {
  const types = new Map<string, string[]>();
  let size = 0;
  let mail: "none" | "some" | "null" = "none";
  return {
    get size() {
      return size;
    },
    typesAt: (name) => types.get(folded(name)) ?? [],
    mail: () => mail,
    add(record) {
      size += 1;
      const name = folded(record.name);
      const known = types.get(name);
      if (known) known.push(record.type);
      else types.set(name, [record.type]);
      if (isNullMx(record)) mail = "null";
      else if (record.type === "MX" && mail === "none") mail = "some";
    },
  };
}
