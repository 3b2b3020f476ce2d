/** The plugin as a process: arguments, the port line, signals, and an end when the engine is gone. */

import { createsFolderOf, engineAddressOf } from "./arguments.ts";
// Before the server, so that nothing it loads can write to the standard output.
import { writePortLine } from "./output.ts";
import { servePlugin } from "./server.ts";
import type { Session } from "./session.ts";

/** How often it is asked whether the engine still lives. */
const watchMs = 1_000;
/** After the engine's death, calls that still run get this long to write down what they made. */
const graceMs = 60_000;

async function main(): Promise<void> {
  const parent = process.ppid;
  const engineAddress = engineAddressOf(process.argv.slice(2));
  const { port, session } = await servePlugin({
    load: () => import("../provider.ts"),
    createsFolder: createsFolderOf(process.env["PLUMBLINE_STATE"]),
    ...(engineAddress !== undefined && { engineAddress, run: engineAddress }),
  });
  const report = (error: unknown) =>
    console.error(session.hide(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  // A crash in the middle of a Create would lose what it made, and every call has its own answer to give.
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  const exit = () => {
    session.flushNow();
    process.exit(0);
  };
  /** The engine ends its plugins when its run is over. */
  const dismiss = () => {
    session.saved();
    session.tellLeftBehind().catch(report).finally(exit);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, dismiss);
  // Without an address nobody owns the process: it was started to be attached to.
  if (engineAddress !== undefined) exitWithParent(parent, session, exit);
  writePortLine(port);
}

/** An engine that was killed sends no signal; the calls that it left end first. */
function exitWithParent(parent: number, session: Session, exit: () => void): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    session.cancel();
    setTimeout(exit, graceMs).unref();
    void session.idle().then(exit);
  }, watchMs);
  watch.unref();
}

main().catch((error: unknown) => {
  console.error(`the plugin cannot start: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
});
