/** Unique names that resources of one plan take from one another, judged by Check alone: no request is made. */

import { expect, test } from "vitest";
import { createProvider } from "../../provider/provider.ts";

const type = "plumbline:blockstorage/volume:Volume";

/** What Check says of volumes that are relabelled in one plan, in their order. */
async function refusals(moves: readonly (readonly [from: string, to: string])[]): Promise<string[]> {
  const provider = createProvider({ environment: {} });
  const said: string[] = [];
  for (const [i, [from, to]] of moves.entries()) {
    const name = `v${i}`;
    const inputs = (label: string) => ({ label, size: 20, region: "us-east" });
    const { failures } = await provider.check({
      urn: `urn:pulumi:dev::shop::${type}::${name}`,
      type,
      name,
      oldInputs: inputs(from),
      newInputs: inputs(to),
      randomSeed: new Uint8Array(32),
    });
    said.push(...failures.map(({ property, reason }) => `${name} ${property}: ${reason}`));
  }
  return said;
}

test("names that change places are refused by the check, with the way to do it, also by three in a ring", async () => {
  expect(
    await refusals([
      ["one", "two"],
      ["two", "one"],
    ]),
  ).toEqual([
    expect.stringMatching(
      /^v1 label: "one" is still the label of "v0".*give one of the two another label first/,
    ),
  ]);
  expect(
    await refusals([
      ["one", "two"],
      ["two", "three"],
      ["three", "one"],
    ]),
  ).toEqual([expect.stringMatching(/^v2 label: "one" is still the label of "v0"/)]);
});

test("a name that its holder leaves for a new one is no circle", async () => {
  expect(
    await refusals([
      ["one", "two"],
      ["two", "three"],
    ]),
  ).toEqual([]);
  expect(
    await refusals([
      ["one", "one"],
      ["two", "two"],
    ]),
  ).toEqual([]);
});
