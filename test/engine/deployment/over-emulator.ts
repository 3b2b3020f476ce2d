/** The embedded engine over an emulator in this process, with its state in memory: what the tests of one file share. */

import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../../emulator/index.ts";
import { createEngine, type Engine } from "../../../provider/engine/engine.ts";
import { environmentOf, hurriedProvider } from "../../hurried.ts";
import { cheapKey } from "../cheap-key.ts";
import { type Block, nextMachine, program } from "./program.ts";
import { type Life, life, memoryDisk } from "./world.ts";

export interface OverEmulator {
  readonly emulator: () => Emulator;
  /** A new run over what the last one saved. */
  readonly engine: (blocks: readonly Block[], of?: Life) => Engine;
  /** Back to the account as it was, and to no state. */
  readonly reset: () => void;
}

/** Starts the emulator before the first test of the file; each test begins with its account as it was, and with no state. */
export function overEmulator(): OverEmulator {
  let emulator: Emulator;
  let files: Map<string, string>;
  const reset = () => {
    emulator.reset();
    files = new Map();
  };
  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant", seed: starterAccount });
  });
  beforeEach(reset);
  afterAll(() => emulator.close());
  return {
    emulator: () => emulator,
    reset,
    engine: (blocks, of = life()) => {
      const environment = { ...environmentOf(emulator), PLUMBLINE_PASSPHRASE: "correct horse" };
      return createEngine({
        project: "shop",
        stack: "dev",
        stateFolder: "/state",
        program: program(blocks),
        environment,
        createProvider: () => hurriedProvider(emulator),
        disk: memoryDisk(files, of),
        machine: nextMachine(),
        deriveKey: cheapKey,
      });
    },
  };
}
