/** The emulator within this process: how `--emulator` and the command `emulator` start it. Loads it only when asked for. */

import { randomUUID } from "node:crypto";
import type { Emulator, EmulatorOptions } from "../../emulator/index.ts";
import type { TargetIdentity } from "../core/protocol.ts";

/**
 * Starts the emulator for one run. With a file the account is kept in it, from the start, so that it is the same one after a kill; without, it is
 * gone afterwards. Transitions end by the next request.
 */
export function startEmbedded(file: string | undefined): Promise<Emulator> {
  return startAccount({ speed: "instant", ...(file === undefined ? {} : { data: file }) });
}

/** With the starter account, unless options say otherwise; each new one has a customer id of its own, as on the service. */
export async function startAccount(options: EmulatorOptions): Promise<Emulator> {
  // Loaded only when asked for: most commands never need the service's side.
  const { starterAccount, startEmulator } = await import("../../emulator/index.ts");
  const account = { ...starterAccount.account, euuid: randomUUID().toUpperCase() };
  return startEmulator({ seed: { ...starterAccount, account }, ...options });
}

/** What a state that is made on an embedded emulator belongs to: the account in its file, whatever port it is served on. */
export function embeddedTarget(emulator: Emulator, file: string | undefined): TargetIdentity {
  const { account } = emulator.data() as { account: { euuid?: unknown } };
  return { baseUrl: `emulator:${file ?? ""}`, account: String(account.euuid) };
}
