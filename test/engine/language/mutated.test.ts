/** The examples' stack files, damaged in a few hundred ways that a seed decides: each is judged by sentences, none by a crash. */

import { expect, it } from "vitest";
import { filesEmbedded } from "../../torture/files.ts";

it("stack files that were damaged anywhere are refused with sentences, or valid, and never crash", async () => {
  const choice = { seed: 8, point: undefined, every: 1, say: () => {} };
  const { points, failures } = await filesEmbedded(choice, { files: 300 });
  expect(points).toBe(300);
  // How long each takes is for the torture, which runs by itself.
  const crashes = failures.filter((failure) => !/ s for one file/.test(JSON.stringify(failure)));
  expect(crashes).toEqual([]);
});
