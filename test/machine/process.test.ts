import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { thisMachine } from "../../provider/engine/state/owner.ts";
import { isAlive } from "../../provider/machine/process.ts";

test.skipIf(!existsSync("/proc/self/stat"))(
  "a process that has ended runs no more, though nobody has looked",
  async () => {
    // The shell becomes one that never looks after the child that it began; the child ends only then.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"]);
    try {
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const child = Number(line.toString());
      const program = () => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim();
      await expect.poll(program, { timeout: 10_000 }).toBe("sleep");
      expect(isAlive(child)).toBe(true);
      process.kill(child, "SIGKILL");
      await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false);
      expect(() => process.kill(child, 0)).not.toThrow();
      expect(thisMachine().isAlive(child)).toBe(false);
      expect(isAlive(Number(parent.pid))).toBe(true);
    } finally {
      parent.kill();
    }
  },
);
