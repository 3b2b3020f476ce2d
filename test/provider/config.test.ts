import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSecret, secret, unknown, type ValueMap } from "../../provider/core/value.ts";
import { createProvider } from "../../provider/provider.ts";
import { type Account, openAccount } from "./deployment.ts";

const urn = "urn:pulumi:dev::p::pulumi:providers:plumbline::default";
const check = (newInputs: ValueMap, environment = {}) =>
  createProvider({ environment }).checkConfig({ urn, oldInputs: {}, newInputs });
const configure = (config: ValueMap, environment = {}) => createProvider({ environment }).configure(config);
const good = { baseUrl: "https://api.example.com/v4", token: "t" };

describe("checkConfig", () => {
  test("marks the token secret and keeps everything else as it is, the engine's keys too", async () => {
    const { inputs, failures } = await check({ ...good, brand: "acme", version: "0.1.0", __internal: {} });
    expect(failures).toEqual([]);
    expect(inputs).toEqual({ ...good, token: secret("t"), brand: "acme", version: "0.1.0" });
  });

  test("never takes anything from the environment", async () => {
    const { inputs } = await check({}, { PLUMBLINE_TOKEN: "x", PLUMBLINE_BASE_URL: "https://x/v4" });
    expect(inputs).toEqual({});
  });

  test.each([
    [
      "an address without its version",
      { baseUrl: "https://api.example.com" },
      /^must end with the version segment \/v4/,
    ],
    ["no address", { baseUrl: "api" }, /^must be an http or https address/],
    [
      "a password in the address",
      { baseUrl: "https://u:p@x.example/v4" },
      /^must not hold a user or a password/,
    ],
    ["a brand of several words", { brand: "Two Words" }, /^must be a lower-case word/],
    ["an unknown setting", { tokn: "x" }, /did you mean "token"/],
  ])("refuses %s", async (_, inputs, reason) => {
    const { failures } = await check(inputs as ValueMap);
    const errorCode = "baseUrl" in inputs ? "PLB-SETTING" : undefined;
    expect(failures).toEqual([
      { property: Object.keys(inputs)[0], reason: expect.stringMatching(reason), errorCode },
    ]);
  });

  test("skips what is not known yet, and never shows a token", async () => {
    expect((await check({ baseUrl: unknown, token: unknown })).failures).toEqual([]);
    const { failures } = await check({ token: 12345 });
    expect(failures).toEqual([{ property: "token", reason: "must be text" }]);
  });
});

describe("diffConfig", () => {
  const diff = (oldInputs: ValueMap, newInputs: ValueMap) =>
    createProvider().diffConfig({ urn, oldInputs, newInputs });

  test("never replaces, whatever changes", async () => {
    const changed = await diff(good, {
      baseUrl: "https://other.example/v4",
      token: "u",
      brand: "acme",
      version: "2",
    });
    expect(changed).toMatchObject({ changes: true, replaces: [], deleteBeforeReplace: false });
    expect(Object.keys(changed.detailedDiff)).toEqual(["baseUrl", "token", "brand"]);
  });

  test("sees no change in a version or a secret mark", async () => {
    expect(
      await diff({ ...good, version: "1" }, { ...good, token: secret("t"), version: "2" }),
    ).toMatchObject({ changes: false });
  });
});

describe("configure", () => {
  test.each([
    ["address", { token: "t" }, "plumbline:baseUrl", "PLUMBLINE_BASE_URL"],
    ["token", { baseUrl: good.baseUrl }, "plumbline:token", "PLUMBLINE_TOKEN"],
  ])("without %s names both ways to set it", async (_, config, key, variable) => {
    await expect(configure(config)).rejects.toThrow(key);
    await expect(configure(config)).rejects.toThrow(variable);
  });

  test("a wrong address from the environment is refused by name", async () => {
    await expect(configure({ token: "t" }, { PLUMBLINE_BASE_URL: "http://x" })).rejects.toThrow(
      "PLUMBLINE_BASE_URL",
    );
  });

  test("a verb before it says so", async () => {
    const provider = createProvider({ environment: {} });
    await expect(provider.read({ urn, name: "x", type: "plumbline:dns:Domain", id: "1" })).rejects.toThrow(
      "not configured",
    );
    expect(provider.requests()).toEqual({});
    expect(Date.parse(provider.serviceTime())).toBeGreaterThan(0);
  });
});

describe("against a service", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount({ brand: "acme" });
  });
  afterAll(() => account.close());

  test("explicit settings come before the environment, secrets are taken, and the brand word is used", async () => {
    const environment = {
      PLUMBLINE_BASE_URL: "http://127.0.0.1:1/v4",
      PLUMBLINE_TOKEN: "x",
      PLUMBLINE_BRAND: "acme",
    };
    const provider = createProvider({ environment });
    await provider.configure({ baseUrl: account.emulator.baseUrl, token: secret(account.emulator.token) });
    const volume = { urn: "v", type: "plumbline:blockstorage:Volume", name: "v" };
    const made = await provider.create({
      ...volume,
      inputs: { label: "disk", region: "us-east" },
      preview: false,
    });
    expect(made.state["filesystemPath"]).toMatch(/disk$/);
    expect(Object.values(made.state).some(isSecret)).toBe(false);
    expect(provider.serviceTime()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    await provider.close();
  });
});

test("a type or function of no known name is an error", async () => {
  const provider = createProvider();
  await expect(
    provider.check({ urn, name: "x", type: "plumbline:dns:Zebra", newInputs: {} }),
  ).rejects.toThrow("Zebra");
  await expect(
    provider.invoke({ token: "plumbline:dns:getZebra", args: {}, preview: false }),
  ).rejects.toThrow("getZebra");
});

test("plain http to another machine is warned of once, to this one never", async () => {
  const said: string[] = [];
  const log = (_severity: string, message: string) => void said.push(message);
  const check = async (baseUrl: string) => {
    const provider = createProvider({ environment: {} });
    await provider.configure({ baseUrl, token: "tok-123456" });
    const resource = { urn: "u", type: "plumbline:volumes/volume:Volume", name: "v", newInputs: {}, log };
    for (let time = 0; time < 2; time++) await provider.check(resource).catch(() => undefined);
    await provider.close();
  };
  await check("http://127.0.0.1:1/v4");
  await check("http://localhost/v4");
  await check("https://api.warned.example/v4");
  expect(said).toEqual([]);
  await check("http://api.warned.example:8080/v4");
  await check("http://api.warned.example:8080/v4/");
  expect(said).toEqual([expect.stringMatching(/^the token goes to api\.warned\.example:8080 in plain http/)]);
});
