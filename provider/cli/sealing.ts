/** How secrets of a stack's settings are sealed and opened: under the same passphrases and key file as those of its state, in Pulumi's form. */

import { backendOpener } from "../engine/state/backends/open.ts";
import { createSealers, type Sealer } from "../engine/state/sealer.ts";
import { printError } from "./render/door.ts";
import type { Settings } from "./settings.ts";

/** Opens values that were sealed with the salt. */
export const openerOf = (settings: Settings) => async (salt: string) => {
  const sealer = await sealerOf(settings, salt);
  return { decrypt: sealer.open };
};

/** A sealer that is ready. Without a salt it makes one: under Pulumi's passphrase where there is one, so that Pulumi opens it without being told more. */
export async function sealerOf(settings: Settings, salt: string | undefined): Promise<Sealer> {
  const { PULUMI_CONFIG_PASSPHRASE: direct, PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  const isShared = salt === undefined && Boolean(direct ?? file);
  const backend = (await backendOpener(settings.state))();
  const sealer = createSealers({
    environment: isShared ? { ...process.env, PLUMBLINE_PASSPHRASE: undefined } : process.env,
    key: backend.key,
    notice: printError,
  })(salt);
  await sealer.ready();
  return sealer;
}
