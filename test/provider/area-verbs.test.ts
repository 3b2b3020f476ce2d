/** Verbs of areas through the Provider itself; what the command line makes of them is told in test/cli. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, openAccount } from "./deployment.ts";

let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

test("cancel tells first what it destroys, and removes it only with the account's word", async () => {
  for (const label of ["photos", "logs"])
    await account.call("POST", "/object-storage/buckets", { cluster: "us-east-1", label });
  await account.call("POST", "/object-storage/keys", { label: "app" });
  const request = { type: "plumbline:objectstorage:cancel", id: "", verb: "cancel", args: {} };
  const provider = await account.open();
  const { losses, word } = await provider.foresee!(request);
  expect(losses).toHaveLength(3);
  await expect(provider.run!({ ...request, consent: `not ${word}` })).rejects.toThrow(`must be "${word}"`);
  expect((await account.call("GET", "/object-storage/buckets"))["results"]).toBe(2);
  expect(await provider.run!({ ...request, ...(word !== undefined && { consent: word }) })).toEqual({
    failures: [],
  });
  expect((await account.call("GET", "/object-storage/buckets"))["results"]).toBe(0);
  expect((await account.call("GET", "/object-storage/keys"))["results"]).toBe(0);
});
