/** Every example in TypeScript, unchanged, under both engines: equal accounts and equal states, nothing to do the second time, and no trace. */

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { runCommand } from "../cli-process.ts";
import { comparable, withoutIds } from "../e2e/account.ts";
import { automate, compile, installAll, installSdk } from "../e2e/automation.ts";
import { type Exported, stateIn, stateOf } from "../e2e/engines.ts";
import { findExamples, projectText } from "../e2e/example.ts";
import { comparableState } from "../e2e/pair.ts";
import { createProject, type Project, pulumiBin } from "../e2e/pulumi.ts";

const examples = resolve(import.meta.dirname, "../../examples");
const base = mkdtempSync(join(tmpdir(), "plumbline-examples-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** A folder with a copy of all the examples, where their packages are to be. */
function copied(name: string): string {
  const copy = join(base, name);
  cpSync(examples, join(copy, "examples"), {
    recursive: true,
    filter: (source) => !["node_modules", ".plumbline"].includes(basename(source)),
  });
  return copy;
}

let pulumi: Project | undefined;
beforeAll(async () => {
  installAll(copied("plumbline"));
  // The Automation API and the program share one copy of Pulumi's package.
  installSdk(copied("pulumi"));
  if (pulumiBin) pulumi = await createProject({}, { baseUrl: "", token: "" });
}, 120_000);
afterAll(() => pulumi?.remove());

/** What an engine left. */
interface Left {
  readonly account: unknown;
  readonly state: unknown;
}

async function onEmulator<T>(work: (emulator: Emulator) => Promise<T>): Promise<T> {
  const emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
  try {
    const done = await work(emulator);
    expect(emulator.mismatches).toEqual([]);
    return done;
  } finally {
    await emulator.close();
  }
}

const left = (emulator: Emulator, state: Exported): Left => ({
  account: withoutChance(comparable(emulator)),
  state: withoutChance(withoutIds(emulator, comparableState(state))),
});

/** Without the moments of writes, keys and certificates drawn at them, and the place of the copy. Private keys are never printed by the command line. */
const withoutChance = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) => (/^last_?[mM]odified$|^_certificate$/.test(name) ? "" : part))
      .replace(/-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----/g, "[private key]")
      .replace(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g, "[certificate]")
      .replace(/[A-Za-z0-9+/=]{400,}/g, "[certificate or more]")
      .replaceAll(join(base, "plumbline"), "")
      .replaceAll(join(base, "pulumi"), ""),
  );

/** The program's whole life; resolves to what it left in between. */
async function liveHere(folder: string, emulator: Emulator): Promise<Left> {
  const before = comparable(emulator);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: base,
    PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
    NO_COLOR: "1",
    PLUMBLINE_BASE_URL: emulator.baseUrl,
    PLUMBLINE_TOKEN: emulator.token,
  };
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder, env });
    if (code !== 0) throw new Error(`plumbline ${args.join(" ")}: ${code}\n${stdout}\n${stderr}`);
    return stdout;
  };
  // One at a time, so that ids, and what the service draws by them, are alike.
  await succeed("up", "--yes", "--skip-preview", "--parallel", "1");
  const found = left(emulator, stateIn(await succeed("stack", "export", "--pulumi", "--show-secrets")));
  expect(await succeed("preview", "--expect-no-changes")).toContain("unchanged");
  await succeed("destroy", "--yes");
  expect(comparable(emulator)).toEqual(before);
  return found;
}

async function liveThere(folder: string, emulator: Emulator, project: Project): Promise<Left> {
  expect(compile(folder)).toBe("");
  const text = projectText(folder.replace(join(base, "pulumi", "examples"), examples));
  writeFileSync(join(project.folder, "Pulumi.yaml"), text);
  const { baseUrl, token } = emulator;
  const [up] = await automate(
    {
      ...{ verbs: ["up"], states: true, parallel: 1, folder: project.folder, stack: project.stack },
      ...{ entry: join(folder, "bin", "index.js"), project: (parse(text) as { name: string }).name },
    },
    { cwd: folder, env: { ...project.env, PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token } },
  );
  return left(emulator, stateOf(up?.resources ?? []));
}

const programs = findExamples().flatMap(({ name, program }) =>
  program === undefined ? [] : [[name, program.slice(examples.length + 1)] as const],
);

describe.each(programs)("examples/%s", { timeout: 300_000 }, (_, place) => {
  let here: Left | undefined;

  it("lives as it is under plumbline", async () => {
    here = await onEmulator((emulator) => liveHere(join(base, "plumbline", "examples", place), emulator));
  });

  it.skipIf(!pulumiBin)("leaves what it leaves under pulumi", async () => {
    const there = await onEmulator((emulator) =>
      liveThere(join(base, "pulumi", "examples", place), emulator, pulumi!),
    );
    expect(here?.account).toEqual(there.account);
    expect(here?.state).toEqual(there.state);
  });
});
