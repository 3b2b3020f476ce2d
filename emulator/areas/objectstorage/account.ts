/** What the account itself has to do with Object Storage: its balance and its enrolment (contract section 7; notes, sections 6 and 12). */

import type { JsonObject, Reason, World } from "../../area.ts";

/** Why an account cannot make buckets and keys. */
export function balanceReasons(world: World): Reason[] {
  return Number(world.account["balance"] ?? 0) < 0
    ? [{ reason: "An account with a negative balance cannot use Object Storage" }]
    : [];
}

function setEnrolment(world: World, object_storage: string): void {
  world.account["settings"] = { ...(world.account["settings"] as JsonObject | undefined), object_storage };
}

/** The first bucket or key enrols the account again after a cancellation. */
export function enrol(world: World): void {
  const settings = world.account["settings"] as JsonObject | undefined;
  if (settings?.["object_storage"] === "disabled") setEnrolment(world, "active");
}

export function endEnrolment(world: World): void {
  setEnrolment(world, "disabled");
}
