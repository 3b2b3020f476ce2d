import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSecret, reveal } from "../../../provider/core/value.ts";
import { type Account, apply, openAccount, type Resource, resourceNamed, type Saved } from "../deployment.ts";
import { leadsItsLife } from "../lifecycle.ts";
import { instance, lives, service } from "../lives/managed.ts";

for (const life of lives) leadsItsLife(life);

describe("a credential", () => {
  let account: Account;
  const resource = resourceNamed("plumbline:managed/credential:Credential", "shop");
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());
  const writes = () =>
    Object.entries(account.emulator.stats().requests).filter(([request]) => !request.startsWith("GET"));
  /** The writes that the work makes, by operation. */
  const writesOf = async (work: () => Promise<unknown>) => {
    const before = Object.fromEntries(writes());
    await work();
    const made = writes().map(([request, count]) => [request, count - (before[request] ?? 0)] as const);
    return Object.fromEntries(made.filter(([, count]) => count > 0));
  };

  test("is rotated by one update call, and its password is nowhere but in secrets", async () => {
    const made = await apply(
      account,
      resource,
      { label: "shop", username: "a", password: "pa55-old" },
      undefined,
    );
    let rotated = made;
    const asked = await writesOf(async () => {
      rotated = await apply(account, resource, { label: "shop", username: "b", password: "pa55-new" }, made);
    });
    expect(asked).toEqual({ "POST /managed/credentials/{credentialId}/update": 1 });
    for (const { inputs, state } of [made, rotated]) {
      const { password, ...others } = inputs;
      expect(isSecret(password)).toBe(true);
      expect(reveal(password!)).toMatch(/^pa55-/);
      expect(JSON.stringify([others, state])).not.toContain("pa55");
    }
    expect(JSON.stringify(rotated.diff)).not.toContain("pa55");
    const { id, inputs: oldInputs, state } = rotated;
    const removal = await writesOf(() =>
      account.during((provider) => provider.delete({ ...resource, id, oldInputs, state })),
    );
    expect(removal).toEqual({ "POST /managed/credentials/{credentialId}/revoke": 1 });
  });

  test("keeps the user name that it was imported with until one is declared, and both when both are taken out", async () => {
    const login = () => {
      const { collections } = account.emulator.data() as { collections: { [name: string]: object[] } };
      return collections["managedCredentials"]!.find((one) => (one as { label: string }).label === "theirs");
    };
    const made = { label: "theirs", username: "root", password: "pa55-a" };
    const { id } = await account.call("POST", "/managed/credentials", made);
    const imported = (await account.during((provider) => provider.read({ ...resource, id: String(id) })))!;
    const rotated = await apply(account, resource, { label: "theirs", password: "pa55-b" }, imported);
    expect(login()).toMatchObject({ _username: "root", _password: "pa55-b" });
    const named = await apply(
      account,
      resource,
      { label: "theirs", username: "deploy", password: "pa55-b" },
      rotated,
    );
    expect(login()).toMatchObject({ _username: "deploy", _password: "pa55-b" });
    expect(await writesOf(() => apply(account, resource, { label: "theirs" }, named))).toEqual({});
    expect(login()).toMatchObject({ _username: "deploy", _password: "pa55-b" });
    const provider = await account.open();
    const newInputs = { label: "theirs", username: "other" };
    const { failures } = await provider.check({ ...resource, oldInputs: named.inputs, newInputs });
    expect(failures).toEqual([
      { property: "password", reason: expect.stringContaining("is required with username") },
    ]);
  });

  test("that was imported is left as it is until a password is declared", async () => {
    const { id } = await account.call("POST", "/managed/credentials", { label: "mine", password: "pa55-x" });
    const imported = (await account.during((provider) => provider.read({ ...resource, id: String(id) })))!;
    expect(imported.inputs).toEqual({ label: "mine" });
    expect((await apply(account, resource, { label: "mine" }, imported)).operation).toBe("same");
    const set = await apply(account, resource, { label: "mine", password: "pa55-y" }, imported);
    expect(set.operation).toBe("update");
    expect(Object.keys(set.diff!.detailedDiff)).toEqual(["password"]);
  });

  test("whose update's answer is lost is updated again", async () => {
    const lossy = await openAccount({
      faults: [
        {
          method: "POST",
          path: "/managed/credentials/{credentialId}/update",
          nth: 1,
          times: 1,
          do: "reset-after",
        },
      ],
    });
    try {
      const made = await apply(lossy, resource, { label: "lost", password: "pa55-1" }, undefined);
      const set = await apply(lossy, resource, { label: "lost", password: "pa55-2" }, made);
      expect(set.operation).toBe("update");
      const update = "POST /managed/credentials/{credentialId}/update";
      expect(lossy.emulator.stats().requests[update]).toBe(2);
    } finally {
      await lossy.close();
    }
  });
});

describe("what others change", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());
  const read = (resource: Resource, saved: Saved) =>
    account.during((provider) => provider.read({ ...resource, ...saved }));

  test("a service made one of the other kind is drift, and set right by one request", async () => {
    const resource = resourceNamed("plumbline:managed/service:Service", "shop");
    const made = await apply(account, resource, service, undefined);
    const other = { service_type: "tcp", address: "shop.example:25" };
    await account.call("PUT", `/managed/services/${made.id}`, other);
    const found = (await read(resource, made))!;
    expect(found.inputs).toEqual({ ...service, serviceType: "tcp", address: "shop.example:25" });
    const restored = await apply(account, resource, service, found);
    expect(Object.keys(restored.diff!.detailedDiff).sort()).toEqual(["address", "serviceType"]);
    expect(restored.state).toMatchObject(service);
    expect(account.requests()).toEqual({ GET: 1, PUT: 1 });
  });

  test("a service that is not to be monitored is not, from the beginning", async () => {
    const resource = resourceNamed("plumbline:managed/service:Service", "quiet");
    const declared = { ...service, label: "quiet", enabled: false };
    const { state } = await apply(account, resource, declared, undefined);
    expect(state).toMatchObject({ status: "disabled", enabled: false });
    expect(account.requests()).toEqual({ POST: 2 });
  });

  test("a credential that was revoked is taken off its services, which is drift of theirs", async () => {
    const { id } = await account.call("POST", "/managed/credentials", { label: "gone", password: "pa55" });
    const resource = resourceNamed("plumbline:managed/service:Service", "with-key");
    const declared = { ...service, label: "with key", credentials: [String(id)] };
    const made = await apply(account, resource, declared, undefined);
    await account.call("POST", `/managed/credentials/${id}/revoke`);
    expect((await read(resource, made))!.inputs).not.toHaveProperty("credentials");
    const failure = account.during((provider) =>
      provider.update({
        ...resource,
        id: made.id,
        oldInputs: { ...made.inputs, notes: "old" },
        state: made.state,
        newInputs: made.inputs,
        preview: false,
      }),
    );
    await expect(failure).rejects.toMatchObject({
      failures: [{ property: "credentials[0]", reason: expect.stringContaining(String(id)) }],
    });
  });

  test("two contacts of one name are told apart by their ids", async () => {
    for (const email of ["a@example.org", "b@example.org"])
      await account.call("POST", "/managed/contacts", { name: "Twin", email });
    const resource = resourceNamed("plumbline:managed/contact:Contact", "twin");
    await expect(account.during((provider) => provider.read({ ...resource, id: "Twin" }))).rejects.toThrow(
      /"Twin" names 2 objects; use one of their ids: \d+, \d+/,
    );
  });

  test("settings of an instance that is gone are gone, can be deleted, and cannot be made", async () => {
    const resource = resourceNamed("plumbline:managed/instanceSettings:InstanceSettings", "web");
    const computeId = await instance(account, "short-lived");
    const made = await apply(account, resource, { computeId, ssh: { port: 2222 } }, undefined);
    await account.call("DELETE", `/compute/instances/${computeId}`);
    expect(await read(resource, made)).toBeUndefined();
    const { id, inputs: oldInputs, state } = made;
    await account.during((provider) => provider.delete({ ...resource, id, oldInputs, state }));
    await expect(apply(account, resource, { computeId }, undefined)).rejects.toThrow(
      new RegExp(`no InstanceSettings ${computeId}`),
    );
  });
});
