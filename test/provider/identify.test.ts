import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProvider } from "../../provider/provider.ts";
import { type Account, openAccount } from "./deployment.ts";

let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

async function identified(token: string, baseUrl = account.emulator.baseUrl) {
  const provider = createProvider({ environment: {} });
  await provider.configure({ baseUrl, token });
  try {
    const target = await provider.identify?.();
    return { target, requests: provider.requests(), time: provider.serviceTime() };
  } finally {
    await provider.close();
  }
}

describe("the target", () => {
  test("is the address and the account that the service names, for one GET", async () => {
    const { euuid } = await account.call("GET", "/account");
    expect(euuid).toMatch(/\w/);
    expect(await identified(account.emulator.token)).toMatchObject({
      target: { baseUrl: account.emulator.baseUrl, account: euuid },
      requests: { GET: 1 },
    });
  });

  test("is the same for a token that may do next to nothing", async () => {
    const { euuid } = await account.call("GET", "/account");
    const body = { label: "narrow", scopes: "domains:read_only" };
    const { token } = await account.call("POST", "/profile/tokens", body);
    expect((await identified(String(token))).target).toMatchObject({ account: euuid });
  });

  test("is told without a request as far as it is known: the address, and a digest that moves with the token", async () => {
    const digest = async (token: string) => {
      const provider = createProvider({ environment: {} });
      await provider.configure({ baseUrl: account.emulator.baseUrl, token });
      const target = await provider.identify?.({ asks: false });
      expect(provider.requests()).toEqual({});
      expect(target).not.toHaveProperty("account");
      expect(JSON.stringify(target)).not.toContain(token);
      await provider.close();
      return target?.credential;
    };
    expect(await digest("one-token")).toBe(await digest("one-token"));
    expect(await digest("one-token")).not.toBe(await digest("another-token"));
  });

  test("of a token that is no good is not told", async () => {
    await expect(identified("invalid")).rejects.toThrow("PLUMBLINE_TOKEN");
  });

  test("has one spelling, however the address was written", async () => {
    const { port } = new URL(account.emulator.baseUrl);
    const host = new URL(account.emulator.baseUrl).hostname;
    const { target } = await identified(account.emulator.token, `HTTP://${host.toUpperCase()}:${port}/v4//`);
    expect(target?.baseUrl).toBe(account.emulator.baseUrl);
  });

  test("is not asked for before a configuration, nor after a cancel", async () => {
    await expect(createProvider({ environment: {} }).identify?.()).rejects.toThrow("not configured");
    const provider = await account.open();
    provider.cancel();
    await expect(provider.identify?.()).rejects.toMatchObject({ name: "CancelledError" });
    expect(provider.requests()).toEqual({});
  });
});
