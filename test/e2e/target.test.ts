/** A stack under the real engine whose commands are pointed at another service: nothing is forgotten, nothing is written. */

import { expect, it } from "vitest";
import { startEmulator } from "../../emulator/index.ts";
import { kept, writes } from "./account.ts";
import { createProject, pulumiBin } from "./pulumi.ts";

const program = {
  resources: { disk: { type: "plumbline:blockstorage:Volume", properties: { region: "us-east", size: 20 } } },
};

it.skipIf(!pulumiBin)(
  "a refresh, a destroy and an update on another service are refused by the real engine",
  { timeout: 180_000 },
  async ({ onTestFinished }) => {
    const own = await startEmulator({ speed: "instant" });
    onTestFinished(() => own.close());
    const other = await startEmulator({ speed: "instant" });
    onTestFinished(() => other.close());
    const project = await createProject(program, { baseUrl: own.baseUrl, token: own.token });
    onTestFinished(async () => project.remove());
    await project.up();
    const [disk] = await project.resources();

    project.env["PLUMBLINE_BASE_URL"] = other.baseUrl;
    for (const args of [
      ["refresh", "--yes", "--skip-preview"],
      ["destroy", "--yes", "--skip-preview"],
      ["up", "--yes", "--skip-preview"],
    ]) {
      const { code, diagnostics } = await project.attempt(...args);
      expect([args[0], code]).not.toEqual([args[0], 0]);
      expect(diagnostics.map(({ message }) => message).join()).toContain(
        `PLUMBLINE_RETARGET=${other.baseUrl} [PLB-TARGET]`,
      );
      expect(await project.resources()).toMatchObject([{ id: disk?.id }]);
    }
    expect(writes(other)).toEqual({});

    project.env["PLUMBLINE_BASE_URL"] = own.baseUrl;
    expect((await project.up()).changes).toEqual({ same: 1 });
    await project.destroy();
    expect(kept(own, "volumes")).toEqual([]);
  },
);
