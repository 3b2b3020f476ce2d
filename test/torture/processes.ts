/** The processes under one process, as /proc shows them: to hold them all still for a moment, or to kill one of them. Needs Linux. */

import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  /** Its command line, words parted by blanks. */
  readonly command: string;
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

/** The process and everything that it started. */
export function family(root: number): readonly Process[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(read(`/proc/${name}/stat`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = new Set([root]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found].map((pid) => ({
    pid,
    command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim(),
  }));
}

/** Sends the signal to those that still live. */
export function signal(processes: readonly Process[], name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}
