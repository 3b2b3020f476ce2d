/** The package for npm brings nothing along: what we use is bundled (decision 029). */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it("every package is a development dependency", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { [key: string]: object };
  const kinds = Object.keys(manifest).filter((key) => /dependencies$/i.test(key));
  expect(kinds).toEqual(["devDependencies"]);
});
