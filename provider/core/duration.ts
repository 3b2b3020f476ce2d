/** Times of any length in one way, and as they are written in stack files. Pure. */

/** `0.4 s`, `12 s`, `3 min 4 s`, `1 h 2 min`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const units: { readonly [unit: string]: number } = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** Seconds of a duration in Go's notation (`1h30m`, `90s`, `1.5m`), or undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9.]+)(ns|us|µs|μs|ms|s|m|h)/g))
    seconds += Number(amount) * units[unit!]!;
  return seconds;
}
