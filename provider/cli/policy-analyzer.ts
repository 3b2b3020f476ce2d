/**
 * The analyzer as a process: Pulumi's engine starts it in the folder of a policy pack whose runtime is `plumbline`, reads its port, and ends it.
 * An entry of its own, so that no other command loads gRPC for it.
 */

import { basename, resolve } from "node:path";
import { serveAnalyzer } from "../engine/policy/analyzer.ts";
import { catalogue } from "../provider.ts";
import { openFolder, type StackPolicies } from "./policy/sets.ts";

/** How often it is asked whether the engine still lives. */
const watchMs = 1_000;

/** Serves the policies of the folder; `args` as the engine gives them: its address and the folder. */
export async function runAnalyzer(args: readonly string[]): Promise<void> {
  const folder = resolve(args[1] ?? ".");
  let opened: Pick<StackPolicies, "active" | "close"> | undefined;
  const { port, close } = await serveAnalyzer({
    name: basename(folder),
    catalogue,
    async policiesFor(stack) {
      await opened?.close();
      opened = openFolder(folder, stack);
      return opened.active();
    },
  });
  const parent = process.ppid;
  const end = () => {
    close();
    void Promise.resolve(opened?.close()).finally(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  // An engine that was killed sends no signal.
  setInterval(() => process.ppid === parent || end(), watchMs).unref();
  process.stdout.write(`${port}\n`);
}
