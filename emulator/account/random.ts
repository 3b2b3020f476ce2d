/** Repeatable randomness: the same seed gives the same hex digits, numbers and faults. */

export interface Random {
  /** At least 0, less than 1. */
  fraction(): number;
  hex(digits: number): string;
  /** `min..max` inclusive. */
  integer(min: number, max: number): number;
  /** The state, for `--data`. */
  state(): number;
  setState(state: number): void;
}

/** A generator (mulberry32) from a 32-bit seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    fraction,
    hex: (digits) => {
      let text = "";
      while (text.length < digits) text += Math.floor(fraction() * 16).toString(16);
      return text;
    },
    integer: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    state: () => state,
    setState: (next) => {
      state = next >>> 0;
    },
  };
}
