/** How a command that goes on and on is told to end: a first signal ends what is under way, a second one at once. */

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Told {
  /** Nothing more is begun. */
  readonly signal: AbortSignal;
  /** Everything stops. */
  readonly hurry: AbortSignal;
  /** Listens no more. */
  readonly release: () => void;
}

/** Listens from now on. */
export function toldToEnd(): Told {
  const [end, hurry] = [new AbortController(), new AbortController()];
  const onSignal = () => {
    if (end.signal.aborted) hurry.abort();
    end.abort();
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: end.signal,
    hurry: hurry.signal,
    release() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
