/** The real engine and its plugin killed together in the middle of an `up`: the plugin's create log takes over what they made and nobody saved. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { startEmulator, starterAccount } from "../../emulator/index.ts";
import { comparable } from "../e2e/account.ts";
import { createProject, pulumiBin } from "../e2e/pulumi.ts";
import { text } from "../e2e/web.ts";
import { killTree, moments, seed } from "./dying.ts";
import { type Undisturbed, undisturbed } from "./web.ts";

const canKill = pulumiBin !== undefined && existsSync("/proc/self/stat");

describe.skipIf(!canKill)(
  `an engine killed with its plugin (PLUMBLINE_TEST_SEED=${seed})`,
  { timeout: 120_000 },
  () => {
    let clean: Undisturbed;
    beforeAll(async () => {
      clean = await undisturbed();
    });

    // Moments of the clock, with creates side by side; `npm run torture -- kill --engine pulumi` strikes at every request.
    it.for(moments(3, 21, seed + 4))(
      "$text: the next run ends in the declared account",
      async (moment, { onTestFinished }) => {
        const emulator = await startEmulator({ seed: starterAccount, speed: 10 });
        onTestFinished(() => emulator.close());
        const project = await createProject(text, { baseUrl: emulator.baseUrl, token: emulator.token });
        onTestFinished(() => project.remove());
        emulator.setFaults([{ method: "*", path: "*", probability: 1, do: "delay", seconds: 0.1 }]);
        const child = project.start("up", "--yes", "--skip-preview", "--stack", "dev", "--parallel", "4");
        const dead = once(child, "exit");
        while (emulator.stats().total < Math.max(1, moment.requests) && child.exitCode === null)
          await setTimeout(2);
        await setTimeout(moment.milliseconds);
        killTree(child.pid ?? 0);
        await dead;
        expect(child.signalCode).toBe("SIGKILL");
        emulator.setFaults([]);

        await project.recover();
        await project.up();
        expect(comparable(emulator)).toEqual(clean.account.get("up"));
        expect((await project.up()).changes).toEqual({ same: 21 });
        // What the engine knows now, the log has let go.
        expect(existsSync(join(project.folder, ".plumbline", "creates", "dev"))).toBe(false);
        await project.destroy();
        expect(comparable(emulator)).toEqual(clean.account.get("destroy"));
      },
    );
  },
);
