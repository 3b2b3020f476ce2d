/** Which objects an answer told of, and which a request names: what decides, at the speed `max`, when a state may end. */

import type { Route } from "./router.ts";

/** The ids of all objects in an answer. */
export function idsIn(value: unknown, found: Set<unknown> = new Set()): Set<unknown> {
  if (typeof value !== "object" || value === null) return found;
  if ("id" in value) found.add(value.id);
  for (const content of Object.values(value)) idsIn(content, found);
  return found;
}

/** The ids in the path and the body of a request that acts: it is not to fail by a state that nobody looked at. */
export function idsNamed({
  route,
  body,
}: {
  route: Route | undefined;
  body: Buffer | undefined;
}): Set<unknown> {
  const words = [...(route?.values ?? []), ...(body?.toString("utf8").match(/\d+/g) ?? [])];
  return new Set(words.flatMap((word) => [word, Number(word)]));
}
