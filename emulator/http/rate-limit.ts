/** The limits of requests (notes, section 1.7), counted in fixed windows on the emulator's clock. */

export interface RateClass {
  readonly requests: number;
  readonly seconds: number;
}

/** Limits of single operations, named by `x-rate-limit` in the contract. */
export const rateClasses: { readonly [name: string]: RateClass } = {
  "volume-create": { requests: 25, seconds: 60 },
  "instance-create": { requests: 10, seconds: 30 },
  "image-list": { requests: 20, seconds: 60 },
  stats: { requests: 50, seconds: 60 },
  "object-storage": { requests: 750, seconds: 1 },
};

const general: RateClass = { requests: 800, seconds: 120 };
const endpoint: RateClass = { requests: 400, seconds: 60 };
const lists: RateClass = { requests: 200, seconds: 60 };

export interface RateVerdict {
  /** The limit that the headers tell: the general one, or the one that was reached. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970. */
  readonly reset: number;
  readonly refused: boolean;
}

export interface RateLimit {
  /** Counts one request of a client (its token, or its address without one). */
  count(
    client: string,
    operation: { key: string; list: boolean; rateClass: string | undefined },
  ): RateVerdict;
  clear(): void;
}

/** `off` counts nothing and always tells a full allowance; a number is the general limit alone. */
export function createRateLimit(mode: "off" | "standard" | number, now: () => number): RateLimit {
  const windows = new Map<string, { ends: number; used: number }>();
  const whole = typeof mode === "number" ? { ...general, requests: mode } : general;

  function windowOf(name: string, rule: RateClass) {
    const at = now();
    const open = windows.get(name);
    if (open && open.ends > at && open.ends - at <= rule.seconds * 1000) return open;
    if (windows.size > 10_000) for (const [key, old] of windows) if (old.ends <= at) windows.delete(key);
    const fresh = { ends: at + rule.seconds * 1000, used: 0 };
    windows.set(name, fresh);
    return fresh;
  }

  return {
    count: (client, operation) => {
      if (mode === "off")
        return {
          limit: general.requests,
          remaining: general.requests,
          reset: now() + general.seconds * 1000,
          refused: false,
        };
      const rules: [string, RateClass][] = [[`${client} general`, whole]];
      if (mode === "standard") {
        rules.push([`${client} ${operation.key}`, endpoint]);
        if (operation.list) rules.push([`${client} lists ${operation.key}`, lists]);
        const own = operation.rateClass === undefined ? undefined : rateClasses[operation.rateClass];
        if (own) rules.push([`${client} class ${operation.rateClass}`, own]);
      }
      const open = rules.map(([name, rule]) => ({ window: windowOf(name, rule), rule }));
      const reached = open.find(({ window, rule }) => window.used >= rule.requests);
      if (!reached) for (const { window } of open) window.used++;
      const told = reached ?? open[0]!;
      return {
        limit: told.rule.requests,
        remaining: Math.max(0, told.rule.requests - told.window.used),
        reset: told.window.ends,
        refused: reached !== undefined,
      };
    },
    clear: () => windows.clear(),
  };
}
