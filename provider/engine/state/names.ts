/** Names that every store can keep, and none that leads elsewhere. Pure. */

import { EngineError } from "../failure.ts";

export const isKeepable = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name);

/** The name itself. Throws EngineError `usage` for one that cannot be kept. */
export function keepable(what: string, name: string): string {
  if (isKeepable(name)) return name;
  throw new EngineError(
    "usage",
    `"${name}" is no name for a ${what}: use up to 100 letters, digits, "-", "_" and ".", not beginning with "-" or ".".`,
  );
}
