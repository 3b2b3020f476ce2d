/** The real engine killed with its plugin at one chosen request: what was under way is neither doubled nor forgotten, and the next preview shows what is missing. */

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { call, kept } from "../e2e/account.ts";
import { type Outcome, pulumiBin } from "../e2e/pulumi.ts";
import { killed, openKillable } from "./killed-pulumi.ts";

const canKill = pulumiBin !== undefined && existsSync("/proc/self/stat");
const volume = (properties: object) => ({
  resources: { disk: { type: "plumbline:blockstorage:Volume", properties } },
});

describe.skipIf(!canKill)("an engine killed at the answer to a POST", { timeout: 180_000 }, () => {
  it("of a volume, or of its replacement, finds the volume under its automatic name", async ({
    onTestFinished,
  }) => {
    const stage = await openKillable(volume({ region: "us-east", size: 20 }), onTestFinished);
    const { project, emulator } = stage;
    const regions = () => kept(emulator, "volumes").map(({ region }) => region);

    await killed(stage, "POST /volumes");
    expect(regions()).toEqual(["us-east"]);
    const [made] = kept(emulator, "volumes");
    const preview = await project.preview();
    expect(preview.changes).toEqual({ create: 1 });
    const told = preview.diagnostics.map(({ message }) => message).join();
    expect(told).toContain(`Volume ${made?.id} is there; the update goes on with it`);
    expect((await project.up()).changes).toEqual({ create: 1 });
    expect(kept(emulator, "volumes")).toEqual([
      expect.objectContaining({ id: made?.id, label: made?.["label"] }),
    ]);
    expect((await project.up()).changes).toEqual({ same: 1 });

    project.write(volume({ region: "eu-west", size: 20 }));
    await killed(stage, "POST /volumes");
    expect(regions()).toEqual(["us-east", "eu-west"]);
    await project.up();
    expect(regions()).toEqual(["eu-west"]);
    expect((await project.up()).changes).toEqual({ same: 1 });
  });

  it("of a forced replacement goes on with it when it is forced again, and makes no second one", async ({
    onTestFinished,
  }) => {
    const stage = await openKillable(volume({ region: "us-east", size: 20 }), onTestFinished);
    const { project, emulator } = stage;
    await project.up();
    const [old] = kept(emulator, "volumes");
    const [disk] = await project.resources();
    const force = ["--replace", String(disk?.urn)];
    await project.up(...force);
    const [other, ...more] = kept(emulator, "volumes");
    expect(more).toEqual([]);
    expect(other?.id).not.toBe(old?.id);
    await killed(stage, "POST /volumes", { args: ["up", "--yes", "--skip-preview", ...force] });
    const made = kept(emulator, "volumes").find(({ id }) => id !== other?.id);
    const again = await project.attempt("up", "--yes", "--skip-preview", ...force);
    expect(kept(emulator, "volumes")).toHaveLength(again.code === 0 ? 1 : 2);
    if (again.code !== 0) {
      await project.refresh();
      await project.up(...force);
    }
    expect(kept(emulator, "volumes").map(({ id }) => id)).toEqual([made?.id]);
    expect((await project.up()).changes).toEqual({ same: 1 });
  });

  it("of a volume that is not declared any more says that it is there until it is gone", async ({
    onTestFinished,
  }) => {
    const net = { type: "plumbline:vpc:Vpc", properties: { region: "us-east" } };
    const { resources } = volume({ region: "us-east", size: 20 });
    const stage = await openKillable({ resources: { net, ...resources } }, onTestFinished);
    const { project, emulator } = stage;
    await killed(stage, "POST /volumes");
    const [made] = kept(emulator, "volumes");
    project.write({ resources: { net } });
    const warnings = async (run: Promise<Outcome>) =>
      (await run).diagnostics
        .filter(({ severity, message }) => severity === "warning" && message.startsWith("an earlier run"))
        .map(({ message }) => message);
    const left = expect.stringMatching(`while it created disk .*it is there, as ${made?.id}\\.`);
    expect(await warnings(project.preview())).toEqual([left]);
    expect(await warnings(project.up())).toEqual([left]);
    expect(await warnings(project.refresh())).toEqual([left]);
    await call(emulator, "DELETE", `/volumes/${made?.id}`);
    expect(await warnings(project.preview())).toEqual([expect.stringContaining("is not there")]);
    expect(await warnings(project.up())).toEqual([]);
  });

  it("of a key, deletes the one whose secret nobody was told, and makes it anew under its name", async ({
    onTestFinished,
  }) => {
    const program = { resources: { reader: { type: "plumbline:objectstorage:Key" } } };
    const stage = await openKillable(program, onTestFinished);
    const { project, emulator } = stage;
    await killed(stage, "POST /object-storage/keys");
    const [lost] = kept(emulator, "objectStorageKeys");
    await project.up();
    const keys = kept(emulator, "objectStorageKeys");
    expect(keys.map(({ label }) => label)).toEqual([lost?.["label"]]);
    expect(keys[0]?.id).not.toBe(lost?.id);
  });
});
