/** Objects that neither a name nor a date tells from ones like them, shown on a small type and a service in memory. */

import { describe, expect, test } from "vitest";
import type { WireObject } from "../../provider/core/service-port.ts";
import { text } from "../../provider/core/type/field.ts";
import { resource } from "../../provider/core/type/resource.ts";
import { findResource } from "../../provider/verbs/create.ts";
import { make, named, operationOf, service, words } from "./small-world.ts";

describe("an object that nothing tells from one like it", () => {
  const Brick = resource({
    area: "test",
    name: "Brick",
    description: "",
    path: "/bricks/{brickNumber}",
    nameFormat: "ID",
    inputs: { colour: text({ ...words, adoptKey: true }) },
    outputs: {},
    indistinct: true,
  });
  const wall = (losing: string[] = []) => {
    const bricks: WireObject[] = [{ id: 1, colour: "red" }];
    const table = {
      "GET /bricks": () => ({ data: [...bricks] }),
      "GET /bricks/2": () => bricks[1]!,
      "POST /bricks": (body: WireObject) => {
        bricks.push({ ...body, id: bricks.length + 1 });
        return bricks.at(-1)!;
      },
    };
    const kept = new Map<string, unknown>();
    const notes = {
      get: (key: string) => kept.get(key) as never,
      set: async (key: string, note: unknown) => void kept.set(key, note),
    };
    return { session: operationOf(service(table, losing).port, Brick), bricks, kept, notes };
  };
  const earlierAttempt = { startedAt: "2030-01-01T00:00:00Z" };

  test("is told by what was there before it, when the answer to its create is lost", async () => {
    const { session, bricks, notes } = wall(["POST /bricks"]);
    expect((await make(session, Brick, { colour: "red" }, { notes })).id).toBe("2");
    expect(bricks).toHaveLength(2);
  });

  test("is found by the same after a killed run, and is not there when that had noted nothing", async () => {
    const { session, bricks, kept, notes } = wall();
    const request = { ...named(Brick), inputs: { colour: "red" }, earlierAttempt, notes };
    expect(await findResource(session, Brick, request)).toBeUndefined();
    kept.set("before", ["1"]);
    expect(await findResource(session, Brick, request)).toBeUndefined();
    bricks.push({ id: 2, colour: "red" });
    expect((await findResource(session, Brick, request))?.id).toBe("2");
  });
});
