/** For stores of many machines: a key beside the data would open it for everybody who reads it, so none is kept. */

import type { KeyStore } from "../backend.ts";
import { PassphraseError } from "../passphrase.ts";

export const noKeyStore: KeyStore = {
  isKept: false,
  place: "PLUMBLINE_KEY",
  read: async () => undefined,
  claim: async () => {
    throw new PassphraseError(
      "The states are kept where others can read them, so that secrets need a passphrase of yours: set PLUMBLINE_PASSPHRASE (or PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE) to the same for everybody who runs this stack. Where a key file sealed them before, set PLUMBLINE_KEY to its text. Nothing was done.",
    );
  },
};
