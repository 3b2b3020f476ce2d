/** Ctrl-C in the middle: exit 130, what was made is saved, and the next run goes on. */

import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { comparable, kept, leftovers } from "../e2e/account.ts";
import { text } from "../e2e/web.ts";
import { openScene, type Scene } from "./dying.ts";
import { undisturbed } from "./web.ts";

describe("a command interrupted by Ctrl-C", { timeout: 60_000 }, () => {
  async function open(speed: number): Promise<Scene> {
    const scene = await openScene(text, { speed });
    onTestFinished(() => scene.close());
    return scene;
  }

  const asked = (scene: Scene, wanted: RegExp): number =>
    Object.entries(scene.emulator.stats().requests)
      .filter(([operation]) => wanted.test(operation))
      .reduce((sum, [, count]) => sum + count, 0);

  it("while it waits for volumes ends soon with 130, and the next run goes on with the same volumes", async () => {
    // The volumes would take five minutes.
    const scene = await open(0.01);
    const { emulator, stack } = scene;
    const child = scene.start("up", "--yes", "--skip-preview", "--json");
    const ended = once(child, "exit");
    // Both volumes are made and looked at, and everything else has been made meanwhile.
    await expect.poll(() => asked(scene, /^POST /)).toBe(21);
    await expect.poll(() => asked(scene, /^GET \/volumes/)).toBeGreaterThan(0);
    const at = performance.now();
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    expect(performance.now() - at).toBeLessThan(10_000);
    const volumes = kept(emulator, "volumes").map(({ id }) => id);
    expect(volumes).toHaveLength(2);

    emulator.advance(3600);
    const finished = await stack.up();
    expect(finished.changes).toEqual({ update: 2, same: 19 });
    expect(kept(emulator, "volumes").map(({ id }) => id)).toEqual(volumes);
    expect(asked(scene, /^POST \/volumes$/)).toBe(2);
    expect((await stack.attempt("preview", "--expect-no-changes")).code).toBe(0);
    expect(comparable(emulator)).toEqual((await undisturbed()).account.get("up"));
  });

  it("in the middle of its creates begins nothing more, and the next run does the rest", async () => {
    const scene = await open(10);
    const { emulator, stack } = scene;
    emulator.setFaults([{ method: "*", path: "*", probability: 1, do: "delay", seconds: 0.2 }]);
    const child = scene.start("up", "--yes", "--skip-preview", "--json", "--parallel", "2");
    const ended = once(child, "exit");
    await expect.poll(() => asked(scene, /^POST /), { timeout: 30_000, interval: 5 }).toBeGreaterThan(5);
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    emulator.setFaults([]);
    const made = asked(scene, /^POST /);
    expect(made).toBeLessThan(12);
    const finished = await stack.up();
    // Every create that ran had ended, so that none has to be looked for.
    expect(asked(scene, /^POST /)).toBe(21);
    expect(finished.changes["create"]).toBe(21 - made);
    expect(comparable(emulator)).toEqual((await undisturbed()).account.get("up"));
  });

  it("in the middle of a destroy leaves a state from which the next destroy goes on", async () => {
    const scene = await open(10);
    const { emulator, stack } = scene;
    await stack.up();
    emulator.setFaults([{ method: "*", path: "*", probability: 1, do: "delay", seconds: 0.2 }]);
    const child = scene.start("destroy", "--yes", "--json", "--parallel", "2");
    const ended = once(child, "exit");
    await expect.poll(() => asked(scene, /^DELETE /), { timeout: 30_000, interval: 5 }).toBeGreaterThan(1);
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    emulator.setFaults([]);
    expect(leftovers(emulator)).not.toEqual({});
    await stack.destroy();
    expect(leftovers(emulator)).toEqual({});
  });
});
