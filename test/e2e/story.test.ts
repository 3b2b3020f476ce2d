/** `npm start` tells its story to the end, and so briefly that people read it. */

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it("is told from the first preview to an empty account in at most 125 lines", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/demo.mjs"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
  expect([status, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  const headings = lines.filter((line) => /^\d+\. /.test(line));
  expect(headings.map((line) => Number.parseInt(line, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(lines).toContain("Nothing is left in the account.");
  expect(lines.length).toBeLessThanOrEqual(125);
});
