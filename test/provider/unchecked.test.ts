/** Inputs that no check has seen: an engine sends none, somebody else may. */

import { expect, test } from "vitest";
import { createProvider } from "../../provider/provider.ts";
import { resourceNamed } from "./deployment.ts";

test("inputs of another kind than their fields, which no check lets pass, are refused by name and not met by a crash", async () => {
  const provider = createProvider({ environment: {} });
  const record = resourceNamed("plumbline:dns/record:Record", "x");
  const good = { domainId: "1", type: "A", name: "www", target: "192.0.2.1" };
  const odd = { ...good, name: 7 };
  const refused = { failures: [{ property: "name", reason: expect.stringContaining("must be text") }] };
  const old = { ...record, id: "1/2", oldInputs: good, state: good };
  await expect(provider.diff({ ...old, newInputs: odd })).rejects.toMatchObject(refused);
  await expect(provider.update({ ...old, newInputs: odd, preview: true })).rejects.toMatchObject(refused);
  await expect(provider.create({ ...record, inputs: odd, preview: true })).rejects.toMatchObject(refused);
  expect((await provider.diff({ ...old, newInputs: good })).changes).toBe(false);
  const damaged = { ...record, id: "1/2", oldInputs: odd, state: odd, newInputs: good };
  expect(Object.keys((await provider.diff(damaged)).detailedDiff)).toEqual(["name"]);
});
