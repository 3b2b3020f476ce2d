/** The README's picture is of a run as it is today, and can be read wherever it is shown. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { colours, picture, record, wordsOf } from "../../scripts/recording.mjs";

const hasTerminals = spawnSync("script", ["-qec", "stty size", "/dev/null"]).status === 0;
const kept = readFileSync(picture, "utf8");

it.skipIf(!hasTerminals)("the recording shows what the same commands show now", async () => {
  expect(wordsOf(kept).length).toBeGreaterThan(30);
  expect(wordsOf(await record())).toEqual(wordsOf(kept));
});

it("the recording needs nothing from elsewhere", () => {
  const addresses = [...kept.matchAll(/\b(?:https?:|data:|href|url\(|@import)[^"<\s]*/g)].map(
    ([found]) => found,
  );
  // The name of the format, and an address that the command line shows.
  expect(addresses).toEqual(["http://www.w3.org/2000/svg", "https://…/v4"]);
});

/** How light a colour is, from 0 to 1, as the rules for contrast reckon it. */
function light(colour: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

it.each(Object.keys(colours).filter((look) => look !== "ground"))(
  "the recording's %s stands out, in light and in dark",
  (look) => {
    for (const shade of [0, 1] as const) {
      const [dark, bright] = [light(colours[look]![shade]), light(colours.ground[shade])].sort(
        (a, b) => a - b,
      );
      expect((bright! + 0.05) / (dark! + 0.05)).toBeGreaterThan(4.5);
    }
  },
);
