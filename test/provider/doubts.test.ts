/** Siblings under a parent of which an engine tells nothing but that it is not there yet: what can only be one parent is warned of, by name. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Provider } from "../../provider/core/protocol.ts";
import { unknown, type ValueMap } from "../../provider/core/value.ts";
import { type Account, openAccount, type Resource, resourceNamed } from "./deployment.ts";

let account: Account;
let provider: Provider;
beforeAll(async () => {
  account = await openAccount();
});
beforeEach(async () => {
  provider = await account.open();
});
afterAll(() => account.close());

const domain = (name = "zone") => resourceNamed("plumbline:dns/domain:Domain", name);
const record = (name: string) => resourceNamed("plumbline:dns/record:Record", name);
const zone = (name: string) => ({ domain: name, type: "master", soaEmail: "x@a.example" });
const cname = { domainId: unknown, type: "CNAME", name: "www", target: "b.example" };

/** What is said of a declaration, which must not be refused. */
async function warned(resource: Resource, newInputs: ValueMap): Promise<string[]> {
  const said: string[] = [];
  const log = (severity: string, message: string) => void said.push(`${severity}: ${message}`);
  const { failures } = await provider.check({ ...resource, newInputs, log });
  expect(failures).toEqual([]);
  return said;
}

describe("where the plan has one parent that can be meant", () => {
  test("two CNAMEs of one name are warned of", async () => {
    await warned(domain(), zone("a.example"));
    expect(await warned(record("one"), cname)).toEqual([]);
    expect(await warned(record("two"), cname)).toEqual([
      expect.stringMatching(
        /^warning: name: is also the name of "one" in this plan.*if "zone", which does not/,
      ),
    ]);
    expect(await warned(record("two"), { ...cname, name: "web" })).toEqual([]);
    expect(await warned(record("three"), { ...cname, name: "web.a.example." })).toHaveLength(1);
  });

  test("an MX beside a Null MX is", async () => {
    await warned(domain(), zone("a.example"));
    await warned(record("null"), { domainId: unknown, type: "MX", target: "" });
    const mx = { domainId: unknown, type: "MX", target: "m.example", priority: 1 };
    expect((await warned(record("mx"), mx)).join()).toMatch(/target: .*"null"/);
  });

  test("overlapping subnets are", async () => {
    await warned(resourceNamed("plumbline:vpc/vpc:Vpc", "net"), { region: "us-east", label: "net" });
    const subnet = (name: string) => resourceNamed("plumbline:vpc/subnet:Subnet", name);
    await warned(subnet("one"), { vpcId: unknown, ipv4: "10.0.0.0/24", label: "web" });
    const two = { vpcId: unknown, ipv4: "10.0.0.128/25", label: "data" };
    expect((await warned(subnet("two"), two)).join()).toMatch(
      /ipv4: 10.0.0.128\/25 overlaps.*"one".*if "net"/,
    );
  });

  test("a parent that exists has a known id, and is not the one that is meant", async () => {
    await warned(domain("old"), zone("old.example"));
    await provider.diff({ ...domain("old"), id: "7", oldInputs: {}, state: {}, newInputs: {} });
    await warned(record("one"), { ...cname, domainId: "7" });
    await warned(domain("new"), zone("new.example"));
    expect(await warned(record("two"), cname)).toEqual([]);
    expect((await warned(record("three"), cname)).join()).toMatch(/"two".*if "new"/);
  });
});

test("nothing is said where two parents can be meant, or none is there", async () => {
  await warned(record("none"), cname);
  await warned(record("nil"), cname);
  await warned(domain(), zone("a.example"));
  await warned(record("one"), cname);
  await warned(domain("other"), zone("b.example"));
  expect(await warned(record("two"), cname)).toEqual([]);
});
