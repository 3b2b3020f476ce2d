/** The service in a box, as other rooms start it. */

export { starterAccount } from "./catalogue/starter.ts";
export type { Disturbance, Emulator, EmulatorOptions, EmulatorStats, FaultRule, Watched } from "./face.ts";
export { startEmulator } from "./server.ts";
