/** Runs each argument by the shell, one after the other, beside an emulator of the installed command line, until one fails. Ends with its exit code. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

const emulator = spawn(
  "node_modules/.bin/plumbline",
  ["emulator", "--port", "0", "--speed", "instant", "--json"],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const [line] = await once(emulator.stdout, "data");
const { baseUrl, token } = JSON.parse(line);
const env = { ...process.env, PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token };

for (const command of process.argv.slice(2)) {
  const { status } = spawnSync("sh", ["-c", command], { env, stdio: "inherit" });
  if (status !== 0) {
    console.error(`${command}: ${status}`);
    process.exitCode = 1;
    break;
  }
}
emulator.kill();
