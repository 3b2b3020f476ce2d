/** Zones whose requests lose their answers, or fail half way: nothing is doubled, and what is told is what is there. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ResourceInitFailedError } from "../../../../provider/core/protocol.ts";
import type { Value, ValueMap } from "../../../../provider/core/value.ts";
import { type Account, apply } from "../../deployment.ts";
import { hosts, liveRecords, openDomain, titlesOf, zone } from "./world.ts";

describe("a Zone", () => {
  let account: Account;
  let domainId: string;
  let path: string;

  beforeEach(async () => {
    ({ account, domainId, path } = await openDomain());
  });
  afterEach(() => account.close());

  const of = (records: readonly Value[]): ValueMap => ({ domainId, records });
  const live = () => liveRecords({ account, domainId, path });
  const titles = async () => titlesOf(await live());
  const fired = async () => {
    const answer = await fetch(account.emulator.baseUrl.replace(/\/v4$/, "/_emulator/faults"));
    return ((await answer.json()) as { fired: number }[])[0]?.fired;
  };

  describe("whose answers are lost", () => {
    const next = [
      { type: "A", name: "h0", target: "192.0.2.50" },
      { type: "A", name: "h1", target: "192.0.2.51" },
      { type: "CNAME", name: "h2", target: "x.example" },
      { type: "TXT", name: "t", target: "one" },
      { type: "TXT", name: "t", target: "two" },
    ];
    for (const method of ["POST", "PUT", "DELETE"]) {
      for (const what of ["reset-after", "reset-before"] as const) {
        for (const nth of [1, 2]) {
          it(`does the rest and doubles nothing: ${method} number ${nth}, ${what}`, async () => {
            const saved = await apply(account, zone, of(hosts(4)), undefined);
            account.emulator.setFaults([{ method, path: "*", nth, times: 1, do: what }]);
            const applied = await apply(account, zone, of(next), saved);
            expect(await fired()).toBe(1);
            expect(await titles()).toEqual([
              "h0/A 192.0.2.50",
              "h1/A 192.0.2.51",
              "h2/CNAME x.example",
              "t/TXT one",
              "t/TXT two",
            ]);
            expect((await apply(account, zone, of(next), applied)).operation).toBe("same");
          });
        }
      }
    }

    it("gives up when no answer ever comes, and keeps what is really there", async () => {
      const saved = await apply(account, zone, of(hosts(3)), undefined);
      account.emulator.setFaults([{ method: "POST", path: "*", probability: 1, do: "reset-before" }]);
      const failed = apply(account, zone, of(next), saved);
      await expect(failed).rejects.toBeInstanceOf(ResourceInitFailedError);
    });
  });

  it("that fails half way tells what is there now, and the next run does the rest", async () => {
    const saved = await apply(account, zone, of(hosts(3)), undefined);
    const wanted = [...hosts(3, "192.0.2.7"), { type: "TXT", name: "t", target: "x" }];
    account.emulator.setFaults([{ method: "PUT", path: "*", nth: 2, times: 1, do: "status", status: 400 }]);
    const error: unknown = await apply(account, zone, of(wanted), saved).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ResourceInitFailedError);
    const { id, state, inputs, reasons } = error as ResourceInitFailedError;
    expect(reasons.join()).toMatch(/the service refused it|400/);
    expect(inputs?.["records"]).toEqual(state["records"]);
    expect((await live()).filter(({ target }) => target === "192.0.2.7").length).toBeGreaterThan(0);
    const half = { id, state, inputs: inputs! };
    const back = await apply(account, zone, of(hosts(3)), half);
    expect(back.operation).toBe("update");
    expect(await titles()).toEqual(["h0/A 192.0.2.1", "h1/A 192.0.2.1", "h2/A 192.0.2.1"]);
  });
});
