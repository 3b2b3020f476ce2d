/** What an example leaves under an engine, comparable with what it leaves under the other. */

import { join } from "node:path";
import { expect } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { runCommand } from "../cli-process.ts";
import { comparable, withoutIds } from "../e2e/account.ts";
import { type Exported, stateIn } from "../e2e/engines.ts";
import { comparableState } from "../e2e/pair.ts";
import { environmentOf } from "./environment.ts";

/** What an engine left. */
export interface Left {
  readonly account: unknown;
  readonly state: unknown;
}

export async function onEmulator<T>(work: (emulator: Emulator) => Promise<T>): Promise<T> {
  const emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
  try {
    const done = await work(emulator);
    expect(emulator.mismatches).toEqual([]);
    return done;
  } finally {
    await emulator.close();
  }
}

/** What stands on the account. */
export const accountLeft = (emulator: Emulator, base: string): unknown =>
  withoutChance(comparable(emulator), base);

/** `base` is the folder that holds the copies of the examples, in one folder for each engine. */
export const left = (emulator: Emulator, state: Exported, base: string): Left => ({
  account: accountLeft(emulator, base),
  state: withoutChance(withoutIds(emulator, comparableState(state)), base),
});

/** Without the moments of writes, keys and certificates drawn at them, and the place of the copy. Private keys are never printed by the command line. */
const withoutChance = (value: unknown, base: string): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) => (/^last_?[mM]odified$|^_certificate$/.test(name) ? "" : part))
      .replace(/-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----/g, "[private key]")
      .replace(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g, "[certificate]")
      .replace(/[A-Za-z0-9+/=]{400,}/g, "[certificate or more]")
      .replaceAll(join(base, "plumbline"), "")
      .replaceAll(join(base, "pulumi"), ""),
  );

/** The program's whole life under plumbline; `packages` is what its language wants of the environment. Resolves to what it left in between. */
export async function liveHere(
  folder: string,
  emulator: Emulator,
  base: string,
  packages: NodeJS.ProcessEnv = {},
): Promise<Left> {
  const before = comparable(emulator);
  const env = environmentOf(emulator, base, packages);
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder, env });
    if (code !== 0) throw new Error(`plumbline ${args.join(" ")}: ${code}\n${stdout}\n${stderr}`);
    return stdout;
  };
  // One at a time, so that ids, and what the service draws by them, are alike.
  await succeed("up", "--yes", "--skip-preview", "--parallel", "1");
  const found = left(emulator, stateIn(await succeed("stack", "export", "--pulumi", "--show-secrets")), base);
  expect(await succeed("preview", "--expect-no-changes")).toContain("unchanged");
  await succeed("destroy", "--yes");
  expect(comparable(emulator)).toEqual(before);
  return found;
}
