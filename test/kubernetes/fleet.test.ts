/** A small fleet on a virtual time: what the guide to capacity promises of the scheduler. */

import { expect, it } from "vitest";
import { runFleet } from "./fleet.ts";

it("sees every drift within an interval and what a sweep takes, leaves half of each limit, and goes on without a killed replica within 30 seconds", async () => {
  const figures = await runFleet({ replicas: 3, accounts: 30, listed: 2000, single: 100, perObject: 0.2 });
  expect(figures.seen.median).toBeLessThan(6);
  expect(figures.seen.worst).toBeLessThan(12);
  expect(figures.left).toBeGreaterThanOrEqual(50);
  expect(figures.writes).toBeLessThan(1);
  expect(figures.takeover).toBeLessThan(30);
  expect(figures.busy).toBeLessThan(0.1);
});
