/** Whether another process of this machine still runs, and its end. */

import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** How long the plugin of a killed engine, which still ends the calls that it has, may take to end. */
const lingerMs = 60_000;
const pollMs = 100;

/** Resolves when another process is gone, or has had its time: its number may be somebody else's by now. */
export async function endOf(pid: number): Promise<void> {
  const deadline = performance.now() + lingerMs;
  while (pid !== process.pid && isAlive(pid) && performance.now() < deadline) await setTimeout(pollMs);
}

/** True while a process has this number and has not ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

/** An ended process whose parent does not look, as in containers without an init, still has its number. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
