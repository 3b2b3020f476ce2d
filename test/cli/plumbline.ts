/** Runs the built command line as a user would: a folder of its own, a stack file, an emulator of the test's. A process of its own only where it takes one. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { type Ended, type OnOutput, runCommand, startCommand } from "../cli-process.ts";

export interface Ran extends Ended {
  /** Standard output and error together. */
  readonly text: string;
}

export interface Desk {
  readonly folder: string;
  readonly emulator: Emulator;
  /** Writes a file of the folder. */
  readonly write: (name: string, text: string) => void;
  /** Runs a command there against the emulator; `env` adds to or (undefined) takes from the environment. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Asks the service directly, behind the command line's back. */
  readonly api: (method: string, path: string, body?: object) => Promise<{ [name: string]: never }>;
  /** Requests to the service while `work` runs. */
  readonly counted: <T>(work: () => Promise<T>) => Promise<[T, number]>;
  readonly close: () => Promise<void>;
}

export interface RunOptions {
  readonly env?: { readonly [name: string]: string | undefined };
  /** Its standard input, in pieces that come slowly or at once; makes it a process of its own, as `onOutput` does. */
  readonly input?: string | readonly string[];
  /** Called with each piece of standard output, and a way to signal the process. */
  readonly onOutput?: OnOutput;
}

export async function openDesk(): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-cli-"));
  const emulator = await startEmulator({ speed: "instant", seed: starterAccount, checkAnswers: true });
  const home = join(folder, ".home");
  mkdirSync(home);
  const run: Desk["run"] = async (args, { env = {}, input, onOutput } = {}) => {
    const own = Object.fromEntries(
      Object.entries({
        PATH: process.env["PATH"],
        HOME: home,
        PLUMBLINE_BASE_URL: emulator.baseUrl,
        PLUMBLINE_TOKEN: emulator.token,
        PLUMBLINE_PASSPHRASE: "correct horse",
        ...env,
      }).filter(([, value]) => value !== undefined),
    ) as NodeJS.ProcessEnv;
    const where = { cwd: folder, env: own };
    const needsProcess = input !== undefined || onOutput !== undefined;
    const ran = await (needsProcess ? startCommand(args, where, input, onOutput) : runCommand(args, where));
    return { ...ran, text: ran.stdout + ran.stderr };
  };
  return {
    folder,
    emulator,
    write: (name, text) => writeFileSync(join(folder, name), text),
    run,
    async api(method, path, body) {
      const answer = await fetch(emulator.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as { [name: string]: never };
    },
    async counted(work) {
      const before = emulator.stats().total;
      const result = await work();
      return [result, emulator.stats().total - before];
    },
    async close() {
      const { mismatches } = emulator;
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
      if (mismatches.length > 0)
        throw new Error(`answers outside the contract: ${JSON.stringify(mismatches)}`);
    },
  };
}

/** The JSON objects of a `--json` stream, one a line. */
export function jsonLines(text: string): { [name: string]: unknown }[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { [name: string]: unknown });
}
