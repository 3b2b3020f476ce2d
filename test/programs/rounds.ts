/** A program and its edit under both engines: what each leaves after either. The program is told by its config which `round` it is. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { stringify } from "yaml";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { runCommand } from "../cli-process.ts";
import { automate } from "../e2e/automation.ts";
import { type Exported, stateIn, stateOf } from "../e2e/engines.ts";
import { createProject, pluginFolder } from "../e2e/pulumi.ts";
import { type Left, left } from "./left.ts";

/** One program, in a folder beside which its packages are. */
export interface Subject {
  readonly base: string;
  readonly runtime: string;
  /** Name and text of the program. */
  readonly file: string;
  readonly source: string;
  /** What its packages want of the environment. */
  readonly packages?: NodeJS.ProcessEnv;
  /** Of a program in Python: the interpreter. */
  readonly python?: string;
}

const settingsOf = ({ runtime }: Subject) =>
  stringify({
    name: "options",
    runtime,
    plugins: { providers: [{ name: "plumbline", path: pluginFolder }] },
  });

/** What this engine left after each round, and what Pulumi's did. */
export async function leaveBoth(subject: Subject): Promise<readonly [readonly Left[], readonly Left[]]> {
  const folder = join(subject.base, "project");
  mkdirSync(folder);
  writeFileSync(join(folder, subject.file), subject.source);
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "Pulumi.yaml"), settingsOf(subject));
  return [await here(folder, subject), await there(folder, subject)];
}

const seen = (emulator: Emulator, state: Exported, { base }: Subject): Left =>
  JSON.parse(
    JSON.stringify(left(emulator, state, base)).replaceAll(emulator.baseUrl, "http://service"),
  ) as Left;

const open = () => startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });

async function here(folder: string, subject: Subject): Promise<Left[]> {
  const emulator = await open();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...subject.packages,
    ...{ HOME: subject.base, PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple", NO_COLOR: "1" },
    ...{ PLUMBLINE_BASE_URL: emulator.baseUrl, PLUMBLINE_TOKEN: emulator.token },
  };
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder, env });
    if (code !== 0) throw new Error(`plumbline ${args.join(" ")}: ${code}\n${stdout}\n${stderr}`);
    return stdout;
  };
  const rounds: Left[] = [];
  try {
    for (const round of ["1", "2"]) {
      await succeed("config", "set", "round", round);
      await succeed("up", "--yes", "--skip-preview", "--parallel", "1");
      rounds.push(
        seen(emulator, stateIn(await succeed("stack", "export", "--pulumi", "--show-secrets")), subject),
      );
      expect(await succeed("preview", "--expect-no-changes")).toContain("unchanged");
    }
    return rounds;
  } finally {
    await emulator.close();
  }
}

async function there(folder: string, subject: Subject): Promise<Left[]> {
  const emulator = await open();
  const project = await createProject(settingsOf(subject), {
    baseUrl: emulator.baseUrl,
    token: emulator.token,
  });
  const { PATH: _, ...packages } = subject.packages ?? {};
  const env = { ...project.env, ...packages };
  const rounds: Left[] = [];
  try {
    for (const round of ["1", "2"]) {
      const [up] = await automate(
        {
          ...{ verbs: ["up"], states: true, parallel: 1, config: { round } },
          ...{
            folder: project.folder,
            stack: project.stack,
            project: "options",
            entry: join(folder, subject.file),
          },
        },
        { cwd: folder, env, ...(subject.python ? { python: subject.python } : {}) },
      );
      rounds.push(seen(emulator, stateOf(up?.resources ?? []), subject));
    }
    return rounds;
  } finally {
    project.remove();
    await emulator.close();
  }
}
