/** Ends a process as nothing can be caught. */

/** Kills it, unless it has ended meanwhile. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
