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

/** With another `random`, the service draws other passwords, keys and names. */
export async function onEmulator<T>(
  work: (emulator: Emulator) => Promise<T>,
  { random }: { readonly random?: number } = {},
): Promise<T> {
  const emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
  try {
    if (random !== undefined) emulator.setData({ ...(emulator.data() as object), random });
    const done = await work(emulator);
    expect(emulator.mismatches).toEqual([]);
    return done;
  } finally {
    await emulator.close();
  }
}

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

/** What stands on the account. */
export const accountLeft = (emulator: Emulator, base: string): unknown =>
  Object.fromEntries(
    Object.entries(withoutChance(comparable(emulator), emulator, base) as { [name: string]: unknown[] }).map(
      // What was drawn stood in their order.
      ([name, objects]) => [name, objects.toSorted(byText)],
    ),
  );

/** `base` is the folder that holds the copies of the examples, in one folder for each engine. */
export function left(emulator: Emulator, state: Exported, base: string): Left {
  const plain = (value: unknown) => withoutChance(value, emulator, base);
  // What stands for an id may itself have been drawn.
  const named = plain(withoutIds(emulator, plain(comparableState(state))));
  return { account: accountLeft(emulator, base), state: named };
}

interface Kept {
  readonly [field: string]: unknown;
}

/** What the service draws, by the collection that keeps it. Whoever comes first is drawn for first, and a program in Python registers in no certain order. */
const drawnOf: { readonly [collection: string]: (object: Kept) => readonly unknown[] } = {
  databases: ({ hosts, _password }) => [...Object.values(hosts as object), _password],
  objectStorageKeys: ({ access_key, _secret }) => [access_key, _secret],
  lkeClusters: ({ _uuid, _serviceToken, _kubeconfig }) => [
    ...[_uuid, _serviceToken],
    (_kubeconfig as Kept | null)?.["token"],
  ],
  lkeNodes: ({ name }) => [name],
};

/** Names to put in the place of what the service drew. */
function drawn(emulator: Emulator): ReadonlyMap<string, string> {
  const { collections } = emulator.data() as { collections: { [name: string]: readonly Kept[] } };
  return new Map(
    Object.entries(drawnOf).flatMap(([collection, drawnIn]) =>
      (collections[collection] ?? []).flatMap((object) =>
        drawnIn(object).flatMap((value, at): [string, string][] =>
          typeof value === "string" ? [[value, `[${collection} ${object["label"] ?? ""} ${at}]`]] : [],
        ),
      ),
    ),
  );
}

const byChance = /^last_?[mM]odified$|^_certificate$|^hour_?[oO]f_?[dD]ay$|^day_?[oO]f_?[wW]eek$/;

/** Without the moments of writes, what the service draws at them, and the place of the copy. Private keys are never printed by the command line. */
const withoutChance = (value: unknown, emulator: Emulator, base: string): unknown =>
  JSON.parse(
    [...drawn(emulator)]
      .reduce(
        (text, [chance, name]) => text.replaceAll(chance, name),
        JSON.stringify(value, (name, part) => (byChance.test(name) ? "" : part)),
      )
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
