/** The embedded engine in this process, on an emulator of its own: a stack file in a temporary folder, each operation as a new engine over what the last one saved. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Emulator,
  type EmulatorOptions,
  type FaultRule,
  startEmulator,
  starterAccount,
} from "../../emulator/index.ts";
import { createEngine, type Engine, type Result } from "../../provider/engine/engine.ts";
import { loadProgram } from "../../provider/engine/language/program.ts";
import { catalogue } from "../../provider/provider.ts";
import { cheapKey } from "../engine/cheap-key.ts";
import { environmentOf, hurriedProvider } from "../hurried.ts";

export interface Workbench {
  readonly emulator: Emulator;
  readonly write: (text: string) => void;
  /** Does one operation with a new engine, as a new process would. */
  readonly run: <T extends Result>(operation: (engine: Engine) => Promise<T>) => Promise<T>;
  /** The rules in force with how often each has fired. */
  readonly fired: () => Promise<readonly (FaultRule & { readonly fired: number })[]>;
  readonly close: () => Promise<void>;
}

/** Starts an emulator with one running instance; its transitions end by the next read unless `speed` says otherwise. */
export async function openWorkbench(text: string, options: EmulatorOptions = {}): Promise<Workbench> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-resilience-"));
  const file = join(folder, "Pulumi.yaml");
  const emulator = await startEmulator({
    seed: starterAccount,
    speed: "instant",
    checkAnswers: true,
    ...options,
  });
  const environment = environmentOf(emulator);
  const write = (next: string) => writeFileSync(file, next);
  write(text);
  return {
    emulator,
    write,
    async run(operation) {
      const program = await loadProgram({ file, stack: "dev", catalogue, environment });
      const engine = createEngine({
        project: program.projectName,
        stack: "dev",
        stateFolder: join(folder, ".plumbline"),
        program,
        environment,
        deriveKey: cheapKey,
        createProvider: () => hurriedProvider(emulator),
      });
      return operation(engine);
    },
    async fired() {
      const answer = await fetch(`${emulator.baseUrl.replace(/\/v4$/, "")}/_emulator/faults`);
      return (await answer.json()) as (FaultRule & { fired: number })[];
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

/** What went wrong in an operation, for a message. */
export function errorsOf(result: Result): string[] {
  return result.diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}
