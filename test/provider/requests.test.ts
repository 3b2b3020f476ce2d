import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestCounts } from "../../provider/core/protocol.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { type Account, openAccount, resourceNamed, type Saved } from "./deployment.ts";

/** Requests for a domain with a thousand records, counted. */
const size = 1000;
const zone = resourceNamed("plumbline:dns/domain:Domain", "zone");
const records = Array.from({ length: size }, (_, i) => resourceNamed("plumbline:dns/record:Record", `r${i}`));

let account: Account;
let domainId: string;
const saved: Saved[] = [];
const total = (counts: RequestCounts) => Object.values(counts).reduce((sum, n) => sum + n, 0);
const inputsOf = (i: number): ValueMap => ({ domainId, type: "A", name: `host-${i}`, target: "192.0.2.1" });

beforeAll(async () => {
  account = await openAccount({ checkAnswers: false });
});
afterAll(() => account.close());

test("creating them makes at most 1,005 requests", async () => {
  await account.during(async (provider) => {
    const inputs = { domain: "big.example", type: "master", soaEmail: "x@big.example" };
    const made = await provider.create({ ...zone, inputs, preview: false });
    domainId = made.id;
    saved.push({ ...made, inputs });
    const all = await Promise.all(
      records.map(async (record, i) => {
        const { inputs: checked } = await provider.check({ ...record, newInputs: inputsOf(i) });
        return {
          ...(await provider.create({ ...record, inputs: checked, preview: false })),
          inputs: checked,
        };
      }),
    );
    saved.push(...all);
  });
  expect(total(account.requests())).toBeLessThanOrEqual(1005);
});

test("a refresh of all makes at most 6 requests", async () => {
  await account.during((provider) =>
    Promise.all(
      [zone, ...records].map(async (resource, i) => {
        expect((await provider.read({ ...resource, ...saved[i]! }))?.inputs).toEqual(saved[i]!.inputs);
      }),
    ),
  );
  expect(total(account.requests())).toBeLessThanOrEqual(6);
});

test("a preview of another thousand on the live domain makes a handful", async () => {
  await account.during((provider) =>
    Promise.all(
      records.map(async (record, i) => {
        const newInputs = { ...inputsOf(i), name: `other-${i}.big.example` };
        const { inputs, failures } = await provider.check({ ...record, urn: `${record.urn}x`, newInputs });
        expect(failures).toEqual([]);
        await provider.create({ ...record, inputs, preview: true });
      }),
    ),
  );
  expect(total(account.requests())).toBeLessThanOrEqual(6);
});

test("an update of all sends one request each, and a few to look", async () => {
  await account.during((provider) =>
    Promise.all(
      records.map((record, i) => {
        const { id, inputs, state } = saved[i + 1]!;
        const newInputs = { ...inputs, target: "192.0.2.2" };
        return provider.update({ ...record, id, oldInputs: inputs, state, newInputs, preview: false });
      }),
    ),
  );
  expect(account.requests()["PUT"]).toBe(size);
  expect(account.requests()["GET"]).toBeLessThanOrEqual(6);
});

test("an update sends what changed and nothing else", async () => {
  const provider = await account.open();
  const read = await provider.read({ ...zone, id: domainId });
  await provider.update({
    ...zone,
    id: domainId,
    oldInputs: read!.inputs,
    state: read!.state,
    newInputs: { ...read!.inputs, ttlSec: 300 },
    preview: false,
  });
  const response = await fetch(`${account.emulator.baseUrl.replace(/\/v4$/, "")}/_emulator/requests?last=1`);
  expect(await response.json()).toMatchObject([{ method: "PUT", template: "/domains/{domainId}" }]);
  expect(provider.requests()).toEqual({ GET: 1, PUT: 1 });
});

test("a resource that is as declared is looked at, and nothing is sent", async () => {
  const { id, inputs, state } = saved[0]!;
  await account.during((provider) =>
    provider.update({ ...zone, id, oldInputs: inputs, state, newInputs: inputs, preview: false }),
  );
  expect(account.requests()).toEqual({ GET: 1 });
});
