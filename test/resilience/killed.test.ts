/** An `up` of the command line killed by SIGKILL in the middle: the next run ends in the declared account, with nothing doubled, nothing missing and no lock in the way. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../emulator/index.ts";
import { comparable } from "../e2e/account.ts";
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

  const instants = moments(5, 12, seed + 3).map(({ requests, milliseconds }) => requests * 15 + milliseconds);

  it.for(instants)(
    "up on an emulator of its own, killed with it after %i ms: neither forgets anything",
    async (milliseconds, { onTestFinished }) => {
      const scene = await openScene(text);
      onTestFinished(() => scene.close());
      const file = join(scene.stack.folder, "account.json");
      const child = scene.start(...up, `--emulator=${file}`);
      const dead = once(child, "exit");
      const journal = () => existsSync(join(scene.stack.folder, ".plumbline"));
      while (!journal() && child.exitCode === null) await setTimeout(1);
      await setTimeout(milliseconds);
      child.kill("SIGKILL");
      await dead;
      await scene.stack.up(`--emulator=${file}`);
      const after = await startEmulator({ data: file, speed: "instant" });
      onTestFinished(() => after.close());
      expect(comparable(after)).toEqual(clean.account.get("up"));
    },
  );
});
