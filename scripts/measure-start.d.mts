/** Time from the plugin's start to its first answer against that of `node -e 0`: medians of `runs` runs that take turns, in milliseconds. */
export function measureStart(
  runs?: number,
): Promise<{ ratio: number; startMs: number; nodeMs: number; runs: number }>;
