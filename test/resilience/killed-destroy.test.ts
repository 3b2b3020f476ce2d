/** A `destroy` of the command line killed by SIGKILL in the middle: the next run leaves nothing behind. */

import { beforeAll, describe, expect, it } from "vitest";
import { comparable, leftovers } from "../e2e/account.ts";
import { text } from "../e2e/web.ts";
import { moments, openScene, seed } from "./dying.ts";
import { type Undisturbed, undisturbed } from "./web.ts";

describe(`a killed destroy (PLUMBLINE_TEST_SEED=${seed})`, { timeout: 60_000 }, () => {
  let clean: Undisturbed;
  beforeAll(async () => {
    clean = await undisturbed();
  });

  // One request looks, and four delete: the domain, the network and two volumes; the rest goes along.
  it.for(moments(6, 5, seed + 5))(
    "$text: the next run leaves nothing",
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
