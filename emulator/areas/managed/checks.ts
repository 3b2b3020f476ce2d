/** Checks managed services and opens issues about those that fail (contract sections 2.8 and 3; notes, section 8). */

import type { JsonObject, World } from "../../area.ts";
import { durations } from "../durations.ts";
import { type Issue, issues, type Service, services } from "./services.ts";

/**
 * Services are checked every five minutes of the clock, all in one round. Not of the service's time: at a high speed the rounds
 * of a day that a test skips would be too many.
 */
const roundMinutes = 5;

/** Days for which an issue that is over is still recent. */
const recentDays = 30;

const round = "managed.round";

/** Plans the next round; there is one while there are services. */
function planRound(world: World): void {
  world.jobs.cancel(round, {});
  const step = roundMinutes * 60_000;
  world.jobs.at(round, new Date((Math.floor(world.clock.now().getTime() / step) + 1) * step), {});
}

/** Puts a service into `pending` until its first check, which comes soon. */
export function beginMonitoring(world: World, id: number): Service {
  world.jobs.cancel("managed.check", { service: id });
  world.jobs.schedule("managed.check", durations.managedChecked, { service: id });
  planRound(world);
  return services(world).update(id, { status: "pending" });
}

/** Ends the monitoring of a service that is disabled or deleted; an issue about it alone is over. */
export function endMonitoring(world: World, id: number): void {
  world.jobs.cancel("managed.check", { service: id });
  closeIssues(world);
}

/** An issue goes on while one of its services has the problem, or is looked at again. */
function closeIssues(world: World): void {
  const unwell = (id: number) => ["problem", "pending"].includes(services(world).get(id)?.status ?? "");
  for (const issue of issues(world).filter(({ _closed }) => _closed === undefined))
    if (!issue.services.some(unwell)) issues(world).update(issue.id, { _closed: world.clock.stamp() });
}

/** Checks the services at once: those that begin to fail together get one issue. */
function check(world: World, list: readonly Service[]): void {
  const fallen = list.filter(({ status, _failing }) => _failing === true && status !== "problem");
  for (const { id, status, _failing } of list) {
    const next = _failing === true ? "problem" : "ok";
    if (status !== next) services(world).update(id, { status: next });
  }
  closeIssues(world);
  // A service that was re-checked within an issue is still part of it.
  const open = new Set(
    issues(world)
      .filter(({ _closed }) => _closed === undefined)
      .flatMap((issue) => issue.services),
  );
  const told = fallen.map(({ id }) => id).filter((id) => !open.has(id));
  if (told.length === 0) return;
  const ticket = world.integer(10_000_000, 99_999_999);
  issues(world).insert({
    created: world.clock.stamp(),
    services: told,
    entity: {
      id: ticket,
      type: "ticket",
      label: "Managed Issue opened!",
      url: `/support/tickets/${ticket}`,
    },
  });
}

/** The issues that go on or are recent, newest first. */
export function knownIssues(world: World): Issue[] {
  const since = new Date(world.clock.now().getTime() - recentDays * 86_400_000).toISOString().slice(0, 19);
  return issues(world)
    .filter(({ _closed }) => _closed === undefined || _closed >= since)
    .reverse();
}

export const checkJobs = {
  /** The first check of a pending service. */
  "managed.check": (world: World, data: JsonObject) => {
    const service = services(world).get(data["service"] as number);
    if (service?.status === "pending") check(world, [service]);
  },
  [round]: (world: World) => {
    check(
      world,
      services(world).filter(({ status }) => status === "ok" || status === "problem"),
    );
    if (services(world).size > 0) planRound(world);
  },
};
