/** Creates of objects that look alike, cut off by a kill: each resource comes to one object, whichever is resumed first, and none is left over. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ValueMap } from "../../provider/core/value.ts";
import { kept } from "../e2e/account.ts";
import { type Account, checked, openAccount, resourceNamed } from "./deployment.ts";
import { least, type } from "./lives/compute.ts";

let account: Account;
let empty: unknown;
beforeAll(async () => {
  account = await openAccount();
  empty = account.emulator.data();
});
beforeEach(() => account.emulator.setData(structuredClone(empty)));
afterAll(() => account.close());

const scripts = () => kept(account.emulator, "stackscripts").filter((one) => one["label"] === least.label);
/** As somebody's create made it whose answer nobody heard. */
const posted = (inputs: ValueMap) => account.call("POST", "/compute/stackscripts", { ...inputs });
const earlierAttempt = { startedAt: new Date(Date.now() - 60_000).toISOString() };

/** Resumes the creates of resources of one label in one run; resolves to their ids. */
async function resume(...declared: readonly ValueMap[]): Promise<string[]> {
  return account.during((provider) =>
    Promise.all(
      declared.map(async (inputs, i) => {
        const resource = resourceNamed(type, `script-${i}`);
        const checkedInputs = await checked(provider, resource, inputs);
        const request = { ...resource, inputs: checkedInputs, preview: false, earlierAttempt };
        return (await provider.create(request)).id;
      }),
    ),
  );
}

const other = { ...least, script: "#!/bin/sh\nexit 3\n" };

describe("two scripts of one label whose creates were cut off", () => {
  test.each([
    ["in one order", least, other],
    ["in the other", other, least],
  ])("each find their own by what else can be read, when they were made %s", async (_, first, second) => {
    await posted(first);
    await posted(second);
    const ids = await resume(least, other);
    expect(scripts()).toHaveLength(2);
    const contents = ids.map((id) => scripts().find((one) => String(one.id) === id)?.["script"]);
    expect(contents).toEqual([least.script, other.script]);
  });

  test("take one each where nothing tells them apart, the same in every run", async () => {
    await posted(least);
    await posted(least);
    const ids = await resume(least, least);
    expect(ids).toEqual(scripts().map(({ id }) => String(id)));
    expect(await resume(least, least)).toEqual(ids);
    expect(scripts()).toHaveLength(2);
  });

  test("come to two where one of them had made nothing", async () => {
    await posted(least);
    const ids = await resume(other, least);
    expect(new Set(ids).size).toBe(2);
    expect(
      scripts()
        .map((one) => one["script"])
        .sort(),
    ).toEqual([least.script, other.script].sort());
  });
});

test("a create that could be taken for another begins when the other's id is saved", async () => {
  const order: string[] = [];
  await account.during(async (provider) => {
    const make = async (name: string) => {
      const resource = resourceNamed(type, name);
      const inputs = await checked(provider, resource, least);
      await provider.create({
        ...{ ...resource, inputs, preview: false },
        onCreated: async () => {
          order.push(`${name} made ${scripts().length}`);
          await account.call("GET", "/compute/stackscripts"); // the disk takes its time
          order.push(`${name} saved ${scripts().length}`);
        },
      });
    };
    await Promise.all([make("one"), make("two")]);
  });
  expect(order).toEqual(["one made 1", "one saved 1", "two made 2", "two saved 2"]);
});

test("what a look-up finds was given only what its create carried", async () => {
  const service = resourceNamed("plumbline:managed/service:Service", "shop");
  const body = { label: "shop", service_type: "url", address: "https://shop.example", timeout: 5 };
  await account.call("POST", "/managed/services", body);
  await account.during(async (provider) => {
    const declared = { label: "shop", serviceType: "url", address: "https://shop.example", timeout: 5 };
    const inputs = await checked(provider, service, { ...declared, enabled: false });
    const found = await provider.find({ ...service, inputs, earlierAttempt });
    expect(found?.inputs).toEqual(declared);
    const own = { ...service, id: found!.id, oldInputs: found!.inputs, state: found!.state };
    expect(Object.keys((await provider.diff({ ...own, newInputs: inputs })).detailedDiff)).toEqual([
      "enabled",
    ]);
  });
});

test("a volume is found also when the instance that its create asked about is gone", async () => {
  const volume = resourceNamed("plumbline:blockstorage/volume:Volume", "disk");
  await account.call("POST", "/volumes", { label: "disk", region: "us-east", size: 20 });
  await account.during(async (provider) => {
    const declared = { label: "disk", computeId: "999999", persistAcrossBoots: false };
    const inputs = await checked(provider, volume, declared);
    expect((await provider.find({ ...volume, inputs, earlierAttempt }))?.inputs).toEqual({ label: "disk" });
  });
});
