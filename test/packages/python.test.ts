/** The SDK for Python as it is packed, installed where nothing else is, carries `examples/python` through its life. */

import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findPython } from "../../scripts/languages.mjs";
import { packPython } from "../../scripts/release/sources.mjs";
import { pulumiBin } from "../e2e/pulumi.ts";
import { comePulumiUser, exampleLife, pluginArchive, toldOfLife } from "./pulumi-user.ts";

const root = resolve(import.meta.dirname, "../..");
const python = findPython();

it.skipIf(!pulumiBin || !python)(
  "is installed by pip, and the examples on it live",
  { timeout: 300_000 },
  async () => {
    const user = await comePulumiUser({
      installed: { python: python! },
      environment: { PYTHONPATH: "modules" },
    });
    onTestFinished(user.leave);
    user.installPlugin(user.download(join(user.shelf, pluginArchive)));
    const sdk = user.download(join(user.shelf, await packPython(user.shelf, join(user.shelf, "python"))));
    const alone = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet"];
    user.succeed("../python/bin/python", "-m", "pip", "install", ...alone, "--target", "modules", sdk);
    user.download(join(import.meta.dirname, "life.py"));
    const lives = (output: string) =>
      toldOfLife(user.besideEmulator(`../python/bin/python life.py __main__.py ${output}`));
    user.download(join(root, "examples", "python", "__main__.py"));
    expect(lives("diskPath")).toEqual(exampleLife);
    user.download(join(root, "examples", "functions", "python", "__main__.py"));
    const [create, same] = [22, 22];
    expect(lives("nodeStatus")).toEqual({
      ...{ preview: { create }, up: { create }, again: { same } },
      nodeStatus: "ready",
    });
  },
);
