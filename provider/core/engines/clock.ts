/** When a create begins, by the service's clock: a later run tells what it made from older objects by that time. Pure. */

import type { Provider } from "../protocol.ts";

/**
 * By how much a time of this machine's clock is set back where the service never told its own: clocks differ, and it is better to look at an
 * object too many than to make a second one.
 */
export const unknownClockMargin = 5 * 60_000;

/** Has the service tell its time, by one request where none was answered yet. A provider that cannot ask leaves it unknown. */
export async function learnTime(provider: Pick<Provider, "identify">, signal?: AbortSignal): Promise<void> {
  await provider.identify?.(signal ? { signal } : {});
}

/** Now, for a create that begins. */
export async function beginningOf(
  provider: Pick<Provider, "identify" | "requests" | "serviceTime">,
  signal?: AbortSignal,
): Promise<string> {
  await learnTime(provider, signal);
  const isKnown = Object.values(provider.requests()).some((count) => count > 0);
  const now = provider.serviceTime();
  return isKnown ? now : new Date(Date.parse(now) - unknownClockMargin).toISOString();
}
