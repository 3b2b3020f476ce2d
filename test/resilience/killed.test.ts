/** The command line killed by SIGKILL in the middle: the next run ends in the declared account, with nothing doubled, nothing missing and no lock in the way. */

import { beforeAll, describe, expect, it } from "vitest";
import { comparable, leftovers } from "../e2e/account.ts";
import { changed, edited, text } from "../e2e/web.ts";
import { moments, openScene, type Scene, seed } from "./dying.ts";
import { type Undisturbed, undisturbed } from "./web.ts";

describe(`a killed command (PLUMBLINE_TEST_SEED=${seed})`, { timeout: 60_000 }, () => {
  let clean: Undisturbed;
  beforeAll(async () => {
    clean = await undisturbed();
  });

  const up = ["up", "--yes", "--skip-preview"];

  async function expectDone(scene: Scene, after: string): Promise<void> {
    await scene.stack.up();
    expect(comparable(scene.emulator)).toEqual(clean.account.get(after));
    expect((await scene.stack.attempt("preview", "--expect-no-changes")).code).toBe(0);
  }

  it.for(moments(10, 21))(
    "up, $text: the next run ends in the declared account",
    async (moment, { onTestFinished }) => {
      const scene = await openScene(text);
      onTestFinished(() => scene.close());
      await scene.killed(moment, ...up);
      await expectDone(scene, "up");
    },
  );

  it("up, killed again and again, ends in the declared account when it is let", async ({
    onTestFinished,
  }) => {
    const scene = await openScene(text);
    onTestFinished(() => scene.close());
    for (const moment of moments(5, 4, seed + 1)) await scene.killed(moment, ...up);
    await expectDone(scene, "up");
  });

  it.for(moments(4, 3, seed + 2))(
    "up of a change and a replacement, $text: the next run ends in the declared account",
    async (moment, { onTestFinished }) => {
      const scene = await openScene(text);
      onTestFinished(() => scene.close());
      await scene.stack.up();
      scene.stack.write(edited(...changed));
      await scene.killed(moment, ...up);
      await expectDone(scene, "up, changed");
    },
  );

  it.for(moments(10, 21, seed + 3))(
    "destroy, $text: the next run leaves nothing",
    async (moment, { onTestFinished }) => {
      const scene = await openScene(text);
      onTestFinished(() => scene.close());
      await scene.stack.up();
      await scene.killed(moment, "destroy", "--yes");
      await scene.stack.destroy();
      expect(leftovers(scene.emulator)).toEqual({});
      expect(comparable(scene.emulator)).toEqual(clean.account.get("destroy"));
      expect((await scene.stack.preview()).changes).toEqual({ create: 21 });
    },
  );
});
