/** A stranger who uses Pulumi: has it on the PATH, has installed our command line for its emulator, and installs the rest from what is packed. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packCommandLine } from "../../scripts/release/npm.mjs";
import { packPlugin } from "../../scripts/release/plugin.mjs";
import { pulumiBin } from "../e2e/pulumi.ts";
import { type Belongings, comeStranger } from "./stranger.ts";

const root = resolve(import.meta.dirname, "../..");
export const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
};

/** The plugin's archive for this platform, on the shelf. */
export const pluginArchive = `pulumi-resource-plumbline-v${version}-linux-amd64.tar.gz`;

export async function comePulumiUser({ environment, installed }: Belongings = {}) {
  if (!pulumiBin) throw new Error("there is no pulumi: skip this test with `skipIf(!pulumiBin)`");
  /** A folder for what is packed. */
  const shelf = mkdtempSync(join(tmpdir(), "plumbline-shelf-"));
  await packPlugin(shelf, join(shelf, "plugin"));
  const user = comeStranger({
    installed: { bin: pulumiBin, ...installed },
    environment: {
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      ...environment,
    },
  });
  mkdirSync(join(user.folder, "states"));
  user.download(join(import.meta.dirname, "beside-emulator.mjs"));

  /** Runs a program to its end; returns what it said, throws when it fails. */
  function succeed(...command: [string, ...string[]]): string {
    const { code, stdout, stderr } = user.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")}: ${code}\n${stdout}\n${stderr}`);
    return stdout;
  }

  succeed(
    "npm",
    "install",
    "--offline",
    "--no-audit",
    `./${user.download(join(shelf, packCommandLine(shelf)))}`,
  );
  return {
    shelf,
    folder: user.folder,
    download: user.download,
    run: user.run,
    succeed,
    /** Installs the plugin by Pulumi's own command, from an archive or a folder. */
    installPlugin: (file: string) =>
      succeed("pulumi", "plugin", "install", "resource", "plumbline", version, "--file", file),
    /** Runs commands of the shell beside an emulator, until one fails; what they said. */
    besideEmulator: (...commands: string[]) => succeed("node", "beside-emulator.mjs", ...commands),
    leave: () => {
      user.leave();
      rmSync(shelf, { recursive: true, force: true });
    },
  };
}

/** What the examples in Python and Go tell of their life, and what it has to be. */
export const toldOfLife = (said: string): unknown =>
  JSON.parse(said.split("\n").find((line) => line.startsWith("{")) ?? "null");

export const exampleLife = {
  preview: { create: 11 },
  up: { create: 11 },
  again: { same: 11 },
  diskPath: "/dev/disk/by-id/scsi-0Compute_Volume_production-data",
};
