/** How large values get: a short file can double a list a hundred times. Measures each part once, however often it is shared; evaluates nothing. */

import { isTracked, type Term } from "./term.ts";

/** Characters, and what lists and objects take beside them, of one value and of all that a run makes. */
const LARGEST = 32 * 1024 * 1024;
const LARGEST_OF_ALL = 8 * LARGEST;
const OF_A_PART = 8;
/** Lists and objects within each other; what writes values down goes as deep. */
const DEEPEST = 100;

interface Measure {
  readonly size: number;
  readonly depth: number;
}

export interface Sizes {
  /** True when the value may be gone on with; false when it, or all together, is larger than any declaration needs. */
  admit(term: Term): boolean;
}

export function createSizes(): Sizes {
  const known = new WeakMap<object, Measure>();
  let all = 0;

  /** Distinct parts only are walked through, so this takes no longer than it took to make them. */
  function measure(value: unknown): Measure {
    if (typeof value === "string") return { size: value.length, depth: 0 };
    if (typeof value !== "object" || value === null) return { size: OF_A_PART, depth: 0 };
    const earlier = known.get(value);
    if (earlier !== undefined) return earlier;
    const whole = isTracked(value as Term)
      ? measure((value as { value: unknown }).value)
      : measureParts(value);
    known.set(value, whole);
    all += OF_A_PART;
    return whole;
  }

  function measureParts(value: object): Measure {
    let size = OF_A_PART;
    let depth = 0;
    for (const [name, part] of Object.entries(value)) {
      const of = measure(part);
      size += name.length + OF_A_PART + of.size;
      depth = Math.max(depth, of.depth);
    }
    return { size, depth: depth + 1 };
  }

  return {
    admit(term) {
      const { size, depth } = measure(term);
      all += size;
      return size <= LARGEST && all <= LARGEST_OF_ALL && depth <= DEEPEST;
    },
  };
}
