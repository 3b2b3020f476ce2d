/** What a program's run has in its environment. */

import type { Emulator } from "../../emulator/index.ts";

/** `packages` is what its language wants; `home` is a folder of the test's. */
export const environmentOf = (
  emulator: Emulator,
  home: string,
  packages: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv => ({
  ...process.env,
  ...packages,
  HOME: home,
  PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
  NO_COLOR: "1",
  PLUMBLINE_BASE_URL: emulator.baseUrl,
  PLUMBLINE_TOKEN: emulator.token,
});
