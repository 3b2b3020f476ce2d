/** Verbs that belong to an area: their arguments, what they foresee, and the word without which nothing is destroyed. */

import { expect, test } from "vitest";
import { areaVerb, areaVerbInfo } from "../../provider/core/type/area-verb.ts";
import { integer, optional } from "../../provider/core/type/field.ts";
import { foreseeAreaVerb, runAreaVerb } from "../../provider/verbs/run-area.ts";
import { operationOf, service, words } from "./small-world.ts";

const recycle = areaVerb({
  area: "test",
  name: "recycle",
  description: "Makes a part anew.",
  path: "/things/recycle",
  args: { patience: optional(integer({ ...words, minimum: 1 })) },
  destroys: "what the part holds",
  foresee: async ({ service }) => {
    const { holds } = await service.get("/things/7");
    return { losses: [`${holds} drops`] };
  },
  async run({ service, path, args, wait }) {
    await service.post(path, { patience: args.patience ?? 5 });
    await wait("/things/7", "waiting for the part", () => true);
  },
});

const end = areaVerb({
  area: "test",
  name: "end",
  description: "Ends it all.",
  path: "/things/end",
  args: {},
  destroys: "all things",
  foresee: async () => ({ losses: ["thing 7"], word: "owner" }),
  run: async ({ service, path }) => void (await service.post(path)),
});

const table = {
  "GET /things/7": () => ({ holds: 3 }),
  "POST /things/recycle": () => ({}),
  "POST /things/end": () => ({}),
};
const asking = (args = {}) => ({ type: recycle.token, verb: "recycle", id: "", args });

test("is foreseen and run with its arguments", async () => {
  const { port, asked } = service(table);
  const session = operationOf(port);
  expect(areaVerbInfo(recycle)).toMatchObject({ token: "plumbline:test/recycle:recycle" });
  expect(await foreseeAreaVerb(session, recycle, asking())).toEqual({
    failures: [],
    losses: ["3 drops"],
  });
  expect(asked()).toEqual([]);
  expect(await runAreaVerb(session, recycle, asking({ patience: 9 }))).toEqual({ failures: [] });
  expect(asked()).toEqual(['POST /things/recycle {"patience":9}', "wait /things/7"]);
});

test("an id, which none has, and arguments that are wrong, stop it before any request", async () => {
  const { port, asked } = service(table);
  const session = operationOf(port);
  await expect(runAreaVerb(session, end, { ...asking(), id: "7", verb: "end" })).rejects.toThrow(
    'is done to the account and takes no id, so "7" means nothing',
  );
  const wrong = asking({ patience: 0, haste: 1 });
  for (const verb of [runAreaVerb, foreseeAreaVerb]) {
    const { failures } = await verb(session, recycle, wrong);
    expect(failures.map(({ property }) => property).sort()).toEqual(["haste", "patience"]);
  }
  expect(asked()).toEqual([]);
});

test("one that demands a word runs with that word only", async () => {
  const { port, asked } = service(table);
  const session = operationOf(port);
  const request = { type: end.token, verb: "end", id: "", args: {} };
  expect(await foreseeAreaVerb(session, end, request)).toEqual({
    failures: [],
    losses: ["thing 7"],
    word: "owner",
  });
  await expect(runAreaVerb(session, end, request)).rejects.toThrow(
    'plumbline:test:end destroys all things: its word must be "owner", it was not given',
  );
  await expect(runAreaVerb(session, end, { ...request, consent: "yes" })).rejects.toThrow('not "yes"');
  expect(asked()).toEqual([]);
  await runAreaVerb(session, end, { ...request, consent: "owner" });
  expect(asked()).toEqual(["POST /things/end"]);
});
