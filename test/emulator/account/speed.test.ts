/** The speeds `max` and `instant`: what a client that waits for a state sees of it. */

import { afterEach, describe, expect, test } from "vitest";
import { makeInstance, openSession, type Session } from "../session.ts";

let on: Session;
afterEach(() => on.close());
const times = async (count: number, look: () => Promise<string>) => {
  const seen: string[] = [];
  for (let at = 0; at < count; at++) seen.push(await look());
  return seen;
};
const status = async (path: string) => (await on.get(path)).status as string;

describe("at the speed max", () => {
  test("each state of a volume is told once, whatever else is asked in between", async () => {
    on = await openSession({ speed: "max" });
    const { id } = await on.post("/volumes", { label: "data", region: "us-east" });
    for (const path of ["/regions", "/volumes/1", "/compute/instances", "/domains"])
      await on.get(path).catch(() => undefined);
    expect(await times(3, () => status(`/volumes/${id}`))).toEqual(["creating", "active", "active"]);
    await on.post(`/volumes/${id}/resize`, { size: 40 });
    await on.post("/volumes", { label: "other", region: "us-east" });
    const listed = async () => (await on.list("/volumes", { id }))[0].status;
    expect(await times(3, listed)).toEqual(["resizing", "active", "active"]);
  });

  test("an instance is seen provisioning, booting or shutting down, and running or offline after it", async () => {
    on = await openSession({ speed: "max" });
    const { id } = await makeInstance(on);
    const look = () => status(`/compute/instances/${id}`);
    await times(4, look);
    await on.post(`/compute/instances/${id}/shutdown`);
    expect(await times(3, look)).toEqual(["shutting_down", "offline", "offline"]);
    await on.post(`/compute/instances/${id}/boot`);
    expect(await times(3, look)).toEqual(["booting", "running", "running"]);
  });

  test("a database is seen in each state of its life, and a second step waits for its own look", async () => {
    on = await openSession({ speed: "max" });
    const made = await on.post("/databases/mysql/instances", {
      label: "speedy",
      region: "us-east",
      type: "g6-nanode-1",
      engine: "mysql/8.0.30",
    });
    const path = `/databases/mysql/instances/${made.id}`;
    expect(await times(3, () => status(path))).toEqual(["provisioning", "active", "active"]);
    await on.post(`${path}/patch`);
    expect(await times(3, () => status(path))).toEqual(["updating", "active", "active"]);
  });

  test("who waits for the event instead sees it go on and end", async () => {
    on = await openSession({ speed: "max" });
    await on.post("/volumes", { label: "data", region: "us-east" });
    const event = async () => (await on.list("/account/events", { action: "volume_create" }))[0].status;
    expect((await times(3, event)).at(-1)).toBe("finished");
  });

  test("a request that acts on the object does not fail by a state that nobody looked at", async () => {
    on = await openSession({ speed: "max" });
    const { id } = await on.post("/volumes", { label: "data", region: "us-east" });
    expect((await on.post(`/volumes/${id}/resize`, { size: 40 })).size).toBe(40);
    expect(await status(`/volumes/${id}`)).toBe("resizing");
  });

  test("a state that nobody looks at ends in the service's own time", async () => {
    on = await openSession({ speed: "max" });
    const { id } = await on.post("/volumes", { label: "data", region: "us-east" });
    on.emulator.advance(60);
    expect(await status(`/volumes/${id}`)).toBe("active");
  });
});

test("at the speed instant a state is over by the next request", async () => {
  on = await openSession({ speed: "instant" });
  const { id } = await on.post("/volumes", { label: "data", region: "us-east" });
  expect(await status(`/volumes/${id}`)).toBe("active");
});
