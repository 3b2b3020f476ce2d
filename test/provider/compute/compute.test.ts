import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type Account, apply, openAccount, resourceNamed } from "../deployment.ts";
import { leadsItsLife } from "../lifecycle.ts";
import { least, lives, script, type } from "../lives/compute.ts";

for (const life of lives) leadsItsLife(life);

describe("a public StackScript", () => {
  let account: Account;
  const resource = resourceNamed(type, "shared");
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());

  const failures = async (newInputs: ValueMap, oldInputs?: ValueMap) => {
    const provider = await account.open();
    const { failures: all } = await provider.check({
      ...resource,
      newInputs,
      ...(oldInputs && { oldInputs }),
    });
    expect(provider.requests()).toEqual({});
    return all.map(({ property, reason }) => `${property}: ${reason}`);
  };

  test("is made so in place, is never made private, and its delete is refused with advice", async () => {
    const made = await apply(account, resource, { ...least, isPublic: false }, undefined);
    const shared = await apply(account, resource, { ...least, isPublic: true }, made);
    expect(shared).toMatchObject({ operation: "update", id: made.id, state: { isPublic: true } });
    expect(await failures({ ...least, isPublic: false }, shared.inputs)).toEqual([
      expect.stringMatching(/^isPublic: a public StackScript cannot be made private.*retainOnDelete/),
    ]);
    expect((await apply(account, resource, least, shared)).operation).toBe("same");
    const { id, inputs: oldInputs, state } = shared;
    // Taken out of the declaration it stays public, and that is not forgotten.
    const renamed = await apply(account, resource, { ...least, label: "renamed" }, shared);
    expect(renamed).toMatchObject({ operation: "update", state: { isPublic: true } });
    await expect(apply(account, resource, { ...least, isPublic: false }, renamed)).rejects.toMatchObject({
      failures: [{ property: "isPublic", reason: expect.stringContaining("cannot be made private") }],
    });
    expect(account.requests()).toEqual({});
    await expect(
      account.during((provider) => provider.delete({ ...resource, id, oldInputs, state })),
    ).rejects.toThrow(/public.*retainOnDelete: true/);
    expect(account.requests()).toEqual({ GET: 1 });
    expect(await account.call("GET", `/compute/stackscripts/${id}`)).toMatchObject({ is_public: true });
  });

  test("would be deleted before its replacement is made, so that the refusal comes first", async () => {
    const provider = await account.open();
    const diff = (oldInputs: ValueMap, state: ValueMap) =>
      provider.diff({
        ...resource,
        id: "5",
        oldInputs,
        state,
        newInputs: { ...oldInputs, label: "web-2" },
      });
    const isPublic = { ...least, isPublic: true };
    expect((await diff(isPublic, isPublic)).deleteBeforeReplace).toBe(true);
    expect((await diff(least, isPublic)).deleteBeforeReplace).toBe(true);
    expect((await diff(least, { ...least, isPublic: false })).deleteBeforeReplace).toBe(false);
    expect(provider.requests()).toEqual({});
  });

  test("made public behind the provider's back, its delete is refused with the same advice", async () => {
    const { id, inputs: oldInputs, state } = await apply(account, resource, least, undefined);
    await account.call("PUT", `/compute/stackscripts/${id}`, { is_public: true });
    await expect(
      account.during((provider) => provider.delete({ ...resource, id, oldInputs, state })),
    ).rejects.toThrow(/public.*retainOnDelete: true/);
    const read = await account.during((provider) =>
      provider.read({ ...resource, id, inputs: oldInputs, state }),
    );
    expect(read!.inputs).toEqual({ ...oldInputs, isPublic: true });
    const imported = await account.during((provider) => provider.read({ ...resource, id }));
    expect(imported!.inputs).toEqual({ ...least, isPublic: true });
  });

  test.each<[string, ValueMap, string]>([
    ["a script without an interpreter", { ...least, script: "echo hello" }, "script: must begin with #!"],
    ["a short label", { ...least, label: "ab" }, "label: must have 3 to 128 characters, not 2"],
    ["a long label", { ...least, label: "x".repeat(129) }, "label: must have 3 to 128 characters, not 129"],
    ["a declaration without images", { label: "web", script }, "images: is required"],
    ["a declaration without a script", { label: "web", images: [] }, "script: is required"],
    ["a declaration without a label", { images: [], script }, "label: is required"],
    ["a word for a truth", { ...least, isPublic: "perhaps" }, "isPublic: must be true or false"],
    ["its own date", { ...least, created: "2024-04-01T10:00:00" }, "created: is made by the service"],
  ])("is refused for %s, without a request", async (_, inputs, reason) => {
    expect(await failures(inputs)).toEqual([expect.stringContaining(reason)]);
  });
});

test("a script with Windows line ends is sent with plain ones, as no interpreter would be found otherwise", async () => {
  const account = await openAccount();
  try {
    const windows = { ...least, script: script.replaceAll("\n", "\r\n") };
    const resource = resourceNamed(type, "windows");
    const made = await apply(account, resource, windows, undefined);
    expect(made).toMatchObject({ inputs: windows, state: { script } });
    const changed = { ...windows, script: "#!/bin/sh\r\ntrue\r\n" };
    expect((await apply(account, resource, changed, made)).state).toMatchObject({
      script: "#!/bin/sh\ntrue\n",
    });
  } finally {
    await account.close();
  }
});

describe("functions", () => {
  let account: Account;
  let id: string;
  beforeAll(async () => {
    account = await openAccount();
    id = String((await account.call("POST", "/compute/stackscripts", least))["id"]);
    await account.call("POST", "/compute/stackscripts", { ...least, label: "shared", is_public: true });
  });
  afterAll(() => account.close());

  const invoke = async (name: string, args: ValueMap) => {
    const token = `plumbline:compute/${name}:${name}`;
    const { result, failures } = await account.during((provider) =>
      provider.invoke({ token, args, preview: false }),
    );
    expect(failures).toEqual([]);
    return result!;
  };

  test("getStackScript finds any by id, and the account's own by label", async () => {
    expect(await invoke("getStackScript", { id })).toMatchObject({ id, label: "web server", script });
    expect(await invoke("getStackScript", { label: "shared" })).toMatchObject({ isPublic: true, mine: true });
    expect(await invoke("getStackScript", { id: 1021 })).toMatchObject({
      username: "harbourside",
      mine: false,
    });
    await expect(invoke("getStackScript", { label: "First user and keys" })).rejects.toThrow(
      'no StackScript of this account labelled "First user and keys"',
    );
    await expect(invoke("getStackScript", { id: 99 })).rejects.toThrow("no StackScript with id 99");
  });

  const labels = async (args: ValueMap) => {
    const { stackScripts } = await invoke("getStackScripts", args);
    return (stackScripts as ValueMap[]).map((each) => each["label"]);
  };

  test("getStackScripts keeps to the account's own unless told otherwise", async () => {
    expect(await labels({})).toEqual(["web server", "shared"]);
    expect(await labels({ isPublic: true })).toEqual(["shared"]);
    expect(await labels({ label: "web server" })).toEqual(["web server"]);
    expect(await labels({ image: "compute/alpine3.19" })).toEqual([]);
    const every = await labels({ mine: false });
    expect(every).toEqual(expect.arrayContaining(["web server", "shared", "First user and keys"]));
    expect(await labels({ mine: false, username: "northfield-ops" })).toEqual(["PostgreSQL with a database"]);
    expect(await labels({ mine: false, image: "compute/alpine3.19" })).toContain("Time from our own region");
  });
});
