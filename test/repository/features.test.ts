/** The feature table tells the truth: every row names a test that is there, word for word. */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
/** Without the counts of the torture, which name no test. */
const table = readFileSync(join(root, "docs/reference/features.md"), "utf8").replace(
  /<!-- torture:begin -->.*<!-- torture:end -->/s,
  "",
);

interface Row {
  readonly feature: string;
  /** Test files, each with the words of its title that are named. */
  readonly tests: readonly { readonly file: string; readonly title: string | undefined }[];
}

function rowsOf(text: string): Row[] {
  const lines = text.split("\n").filter((line) => line.startsWith("| ") && !/^\| (---|what)/.test(line));
  return lines.map((line) => {
    const [feature = "", named = ""] = line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, ""));
    const tests = [...named.matchAll(/`(test\/[\w/-]+\.test\.ts)`(?:: “([^”]+)”)?/g)];
    return { feature, tests: tests.map(([, file = "", title]) => ({ file, title })) };
  });
}

const rows = rowsOf(table);

it("there is a row for each promise", () => {
  expect(rows.length).toBeGreaterThan(35);
});

describe("each row names tests that are there", () => {
  it.each(rows.map((row) => [row.feature, row] as const))("%s", (_, { tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { file, title } of tests) {
      expect(existsSync(join(root, file)), file).toBe(true);
      if (title !== undefined) expect(readFileSync(join(root, file), "utf8")).toContain(title);
    }
  });
});

it("a row whose test is gone is noticed", () => {
  const [row] = rowsOf("| something | `test/e2e/none.test.ts`: “does it” |");
  expect(row).toEqual({ feature: "something", tests: [{ file: "test/e2e/none.test.ts", title: "does it" }] });
  expect(existsSync(join(root, "test/e2e/none.test.ts"))).toBe(false);
});
