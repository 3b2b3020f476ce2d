/** A look at an object of an Account that this replica is not sure of. */

import { expect, it } from "vitest";
import { type LookOptions, look } from "../../provider/kubernetes/look.ts";

it("that comes while the hold on the Account is in doubt comes again: nobody else wakes the object", async () => {
  const results: string[] = [];
  const options = {
    objects: { get: () => ({ key: "a", kind: { kind: "Domain" }, account: "site/default", object: {} }) },
    holds: () => false,
    report: { looked: ({ result }: { result: string }) => void results.push(result) },
  } as unknown as LookOptions;
  expect(await look("a", options)).toBe("soon");
  expect(await look("a", { ...options, objects: { get: () => undefined } as never })).toBe("later");
  expect(results).toEqual([]);
});
