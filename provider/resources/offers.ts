/** What the service offers (regions, types, versions), looked up in previews, so that a slip is told before anything is made. */

import { nearest } from "../core/nearest.ts";
import { isApiError, type WireObject } from "../core/service-port.ts";
import type { Fields } from "../core/type/field.ts";
import type { LookupContext } from "../core/type/resource.ts";

export type Look = Pick<LookupContext<Fields>, "list" | "refuse">;

/** A list that this token may not see, or that the service does not have, tells nothing. */
export async function offered(list: Look["list"], path: string): Promise<readonly WireObject[]> {
  try {
    return await list(path);
  } catch (error) {
    if (isApiError(error, 401) || isApiError(error, 403)) return [];
    throw error;
  }
}

/** What is said of an id that is none of those offered. */
export function notOffered(given: string, offers: readonly WireObject[]): string {
  const ids = offers.map(({ id }) => String(id));
  const near = nearest(given, ids);
  const shown = ids.length > 12 ? `${ids.slice(0, 12).join(", ")}…` : ids.join(", ");
  return `${JSON.stringify(given)} is not offered; ${near ? `did you mean ${near}?` : `there are: ${shown}`}`;
}

/** Refuses a property that is no id of a list of offers. */
export async function judgeOffer(
  property: string,
  given: string | undefined,
  path: string,
  { list, refuse }: Look,
): Promise<void> {
  if (given === undefined) return;
  const offers = await offered(list, path);
  if (offers.length > 0 && !offers.some(({ id }) => id === given))
    refuse(property, notOffered(given, offers));
}

/** Refuses a region that does not exist or, where the service demands one, lacks a capability (notes, sections 7.1, 9 and 12). */
export async function judgeRegion(
  region: string | undefined,
  look: Look,
  capability?: string,
): Promise<void> {
  if (region === undefined) return;
  await judgeOffer("region", region, "/regions", look);
  if (capability === undefined) return;
  const regions = await offered(look.list, "/regions");
  const isCapable = (one: WireObject) => (one["capabilities"] as readonly string[]).includes(capability);
  const found = regions.find(({ id }) => id === region);
  if (!found || isCapable(found)) return;
  const others = regions.filter(isCapable).map(({ id }) => id);
  look.refuse("region", `has no ${capability}; these have: ${others.join(", ")}`);
}
