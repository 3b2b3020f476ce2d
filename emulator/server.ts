/** Puts the emulator together and serves it over HTTP. */

import type { Emulator, EmulatorOptions } from "./index.ts";

/** Starts an emulator. Rejects when the port is taken or a file cannot be read. */
export function startEmulator(_options: EmulatorOptions = {}): Promise<Emulator> {
  return Promise.reject(new Error("the emulator is not built yet"));
}
