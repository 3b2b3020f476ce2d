/** When a create begins is told by the service's clock, and by this machine's only where the service cannot be asked. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginningOf, unknownClockMargin } from "../../../provider/core/engines/clock.ts";
import { createProvider } from "../../../provider/provider.ts";
import { createService } from "../../../provider/service/client.ts";
import { systemClock } from "../../../provider/service/clock.ts";
import { type Account, openAccount } from "../../provider/deployment.ts";

const hour = 3_600_000;
let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

/** A provider on a machine whose clock is off by so many milliseconds. */
async function providerOff(by: number) {
  const { baseUrl, token } = account.emulator;
  const clock = { ...systemClock, now: () => Date.now() + by };
  const provider = createProvider({
    environment: { PLUMBLINE_BASE_URL: baseUrl, PLUMBLINE_TOKEN: token },
    connect: (target) => {
      const client = createService({ ...target, clock });
      return { ...client, serviceTime: () => client.serviceTime().replace(/Z?$/, "Z") };
    },
  });
  await provider.configure({});
  return provider;
}

describe("a create on a machine whose clock is off", () => {
  test.each([-7, 7])(
    "by %s hours begins at the service's time, though nothing was answered before",
    async (hours) => {
      const provider = await providerOff(hours * hour);
      expect(Math.abs(Date.parse(provider.serviceTime()) - Date.now())).toBeGreaterThan(6 * hour);
      const beginning = Date.parse(await beginningOf(provider));
      expect(Math.abs(beginning - Date.now())).toBeLessThan(hour);
      expect(provider.requests()).toEqual({ GET: 1 });
      await beginningOf(provider);
      expect(provider.requests()).toEqual({ GET: 1 });
      await provider.close();
    },
  );

  test("that cannot ask begins by what clocks may differ earlier", async () => {
    const now = "2030-01-01T12:00:00.000Z";
    const beginning = await beginningOf({ requests: () => ({}), serviceTime: () => now });
    expect(Date.parse(now) - Date.parse(beginning)).toBe(unknownClockMargin);
  });
});
