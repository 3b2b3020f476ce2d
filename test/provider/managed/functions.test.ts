import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type Account, openAccount } from "../deployment.ts";
import { contact, instance } from "../lives/managed.ts";

describe("functions of managed monitoring", () => {
  let account: Account;
  let contactId: string;
  let credentialId: string;
  let serviceId: string;
  let computeId: string;
  beforeAll(async () => {
    account = await openAccount();
    const make = async (path: string, body: object) => String((await account.call("POST", path, body))["id"]);
    contactId = await make("/managed/contacts", { ...contact, group: "night" });
    await make("/managed/contacts", { name: "Al", email: "al@example.org" });
    credentialId = await make("/managed/credentials", { label: "key", password: "pa55" });
    serviceId = await make("/managed/services", {
      label: "shop",
      service_type: "url",
      address: "https://shop.example",
      timeout: 5,
      consultation_group: "night",
    });
    computeId = await instance(account, "web-1");
  });
  afterAll(() => account.close());

  const invoke = async (name: string, args: ValueMap = {}) => {
    const token = `plumbline:managed/${name}:${name}`;
    const { result, failures } = await account.during((provider) =>
      provider.invoke({ token, args, preview: false }),
    );
    expect(failures).toEqual([]);
    return result!;
  };

  test("single objects are found by id and by name", async () => {
    for (const args of [{ id: contactId }, { name: "Jo Doe" }] as ValueMap[])
      expect(await invoke("getContact", args)).toMatchObject({ id: contactId, group: "night" });
    for (const args of [{ id: serviceId }, { label: "shop" }] as ValueMap[])
      expect(await invoke("getService", args)).toMatchObject({ id: serviceId, enabled: true, timeout: 5 });
    for (const args of [{ id: credentialId }, { label: "key" }] as ValueMap[])
      expect(await invoke("getCredential", args)).toEqual({ id: credentialId, label: "key" });
    await expect(invoke("getContact", { name: "No" })).rejects.toThrow('no Contact with name "No"');
    await expect(invoke("getService", { id: 99 })).rejects.toThrow("no Service with id 99");
  });

  test("lists keep to what the arguments match", async () => {
    const names = async (fn: string, field: string, args: ValueMap, key: string) =>
      ((await invoke(fn, args))[field] as ValueMap[]).map((each) => each[key]);
    expect(await names("getContacts", "contacts", {}, "name")).toEqual(["Jo Doe", "Al"]);
    expect(await names("getContacts", "contacts", { group: "night" }, "name")).toEqual(["Jo Doe"]);
    expect(await names("getCredentials", "credentials", {}, "label")).toEqual(["key"]);
    expect(await names("getServices", "services", { consultationGroup: "night" }, "label")).toEqual(["shop"]);
    expect(await names("getServices", "services", { consultationGroup: "day" }, "label")).toEqual([]);
    expect(await names("getInstanceSettings", "settings", {}, "computeId")).toEqual([computeId]);
    expect(await names("getInstanceSettings", "settings", { computeId }, "label")).toEqual(["web-1"]);
    await expect(invoke("getInstanceSettings", { computeId: 99 })).rejects.toThrow(
      "no compute instance with id 99",
    );
  });

  test("a failing service has an issue, found in the list and by its id", async () => {
    expect(await invoke("getIssues")).toEqual({ issues: [] });
    const data = structuredClone(account.emulator.data()) as {
      collections: { managedServices: { [field: string]: unknown }[] };
    };
    data.collections.managedServices[0]!["_failing"] = true;
    account.emulator.setData(data);
    account.emulator.advance(900);
    const { issues } = (await invoke("getIssues", { serviceId })) as { issues: ValueMap[] };
    expect(issues).toMatchObject([{ services: [serviceId], entity: { type: "ticket" } }]);
    expect(await invoke("getIssue", { id: issues[0]!["id"]! })).toEqual(issues[0]);
    expect((await invoke("getIssues", { serviceId: 99 }))["issues"]).toEqual([]);
    expect((await invoke("getServices", { status: "problem" }))["services"]).toHaveLength(1);
    await expect(invoke("getIssue", { id: 99 })).rejects.toThrow("no issue with id 99");
  });

  test("arguments that name nothing, or two things, are refused without a request", async () => {
    for (const args of [{}, { id: contactId, name: "Jo Doe" }] as ValueMap[]) {
      const provider = await account.open();
      const token = "plumbline:managed/getContact:getContact";
      expect((await provider.invoke({ token, args, preview: false })).failures).toHaveLength(1);
      expect(provider.requests()).toEqual({});
    }
  });

  test("the account's usage and key are told", async () => {
    const stats = await invoke("getStats");
    for (const name of ["cpu", "disk", "swap", "netIn", "netOut"])
      expect(Array.isArray(stats[name])).toBe(true);
    expect(await invoke("getSshKey")).toEqual({ sshKey: expect.stringMatching(/^ssh-rsa AAAA/) });
  });
});
