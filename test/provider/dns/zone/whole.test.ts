/** What a Zone does with the records of a domain as a whole: its guard, what it ignores, what else owns records. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CheckFailedError } from "../../../../provider/core/protocol.ts";
import { secret, type Value, type ValueMap } from "../../../../provider/core/value.ts";
import { type Account, apply, checked, resourceNamed, type Saved } from "../../deployment.ts";
import { hosts, liveRecords, openDomain, titlesOf, zone } from "./world.ts";

describe("a Zone", () => {
  let account: Account;
  let domainId: string;
  let path: string;

  beforeEach(async () => {
    ({ account, domainId, path } = await openDomain());
  });
  afterEach(() => account.close());

  const of = (records: readonly Value[], more: ValueMap = {}): ValueMap => ({ domainId, records, ...more });
  const live = () => liveRecords({ account, domainId, path });
  const titles = async () => titlesOf(await live());
  const writes = () =>
    Object.entries(account.requests()).reduce(
      (sum, [method, count]) => sum + (method === "GET" ? 0 : count),
      0,
    );
  /** Messages of a preview, and what it was stopped by. */
  const previewed = async (declared: ValueMap, saved?: Saved) => {
    const said: string[] = [];
    const error = await account.during(async (provider) => {
      const inputs = await checked(provider, zone, declared, saved?.inputs);
      const log = (severity: string, message: string) => void said.push(`${severity}: ${message}`);
      const done = saved
        ? provider.update({
            ...zone,
            ...saved,
            oldInputs: saved.inputs,
            newInputs: inputs,
            preview: true,
            log,
          })
        : provider.create({ ...zone, inputs, preview: true, log });
      return done.then(
        () => undefined,
        (error: unknown) => error,
      );
    });
    return { said, error };
  };
  const refusals = (declared: ValueMap) =>
    account.during(async (provider) =>
      (await provider.check({ ...zone, newInputs: declared })).failures.map(
        ({ property, reason }) => `${property}: ${reason}`,
      ),
    );

  describe("that would remove records", () => {
    it("is stopped above 30 %, in the preview and before the first write, and tells how to allow it", async () => {
      const saved = await apply(account, zone, of(hosts(20)), undefined);
      const less = of(hosts(13));
      const { error } = await previewed(less, saved);
      expect(error).toBeInstanceOf(CheckFailedError);
      expect((error as CheckFailedError).failures).toMatchObject([
        {
          property: "allowMassChange",
          guard: true,
          reason: expect.stringMatching(/^7 of the 20 records of z\.example .* allowMassChange: true/),
        },
      ]);
      const applied = account.during(async (provider) => {
        const newInputs = await checked(provider, zone, less, saved.inputs);
        return provider.update({ ...zone, ...saved, oldInputs: saved.inputs, newInputs, preview: false });
      });
      await expect(applied).rejects.toBeInstanceOf(CheckFailedError);
      expect(writes()).toBe(0);
      expect(await live()).toHaveLength(20);
      await apply(account, zone, { ...less, allowMassChange: true }, saved);
      expect(await live()).toHaveLength(13);
    });

    it("is not stopped at 30 %, nor in a zone of ten records, nor by edits", async () => {
      let saved = await apply(account, zone, of(hosts(20)), undefined);
      saved = await apply(account, zone, of(hosts(14)), saved);
      saved = await apply(account, zone, of(hosts(14, "192.0.2.2")), saved);
      saved = await apply(account, zone, of(hosts(10, "192.0.2.2")), saved);
      await apply(account, zone, of([]), saved);
      expect(await live()).toEqual([]);
    });

    it("is not made at all when its guard stops it: what the domain had is still nobody's", async () => {
      for (const { type, name, target } of hosts(12)) {
        await account.call("POST", path, { type, name, target });
      }
      const declared = of(hosts(3));
      expect((await previewed(declared)).error).toBeInstanceOf(CheckFailedError);
      let id: string | undefined;
      const made = account.during(async (provider) => {
        const onCreated = (given: string) => {
          id = given;
        };
        return provider.create({
          ...zone,
          inputs: await checked(provider, zone, declared),
          preview: false,
          onCreated,
        });
      });
      await expect(made).rejects.toBeInstanceOf(CheckFailedError);
      expect([id, writes(), (await live()).length]).toEqual([undefined, 0, 12]);
    });
  });

  it("tells in a preview what will be done, by count and by name, unless it is secret", async () => {
    const saved = await apply(account, zone, of(hosts(3)), undefined);
    const next = [
      { type: "A", name: "h0", target: "192.0.2.9" },
      { type: "MX", target: "mail" },
      ...hosts(2).slice(1),
    ];
    const { said } = await previewed(of(next), saved);
    expect(said).toEqual(["info: z.example: 1 to add, 1 to change, 1 to remove: + @/MX, ~ h0/A, - h2/A"]);
    const hidden = await previewed({ domainId, records: secret(next) }, saved);
    expect(hidden.said).toEqual(["info: z.example: 1 to add, 1 to change, 1 to remove"]);
  });

  it("keeps what it shows secret when its records, or its zone file, are", async () => {
    const saved = await apply(account, zone, { domainId, zoneFile: secret("word IN TXT hush") }, undefined);
    expect(saved.state["records"]).toEqual(secret([{ type: "TXT", name: "word", target: "hush" }]));
    const provider = await account.open();
    const newInputs = await checked(provider, zone, { domainId, zoneFile: secret("word IN TXT other") });
    const diff = await provider.diff({ ...zone, ...saved, oldInputs: saved.inputs, newInputs });
    expect(diff.detailedDiff).toEqual({ records: { kind: "update", inputDiff: true } });
    const bad = { type: "A", name: "a", target: secret("hush") };
    expect(await refusals(of([bad]))).toEqual([
      "records[0].target: must be an IPv4 address (or [remote_addr])",
    ]);
  });

  describe("beside others", () => {
    it("leaves alone what it ignores, also in a delete, and takes it when it is declared", async () => {
      await account.call("POST", path, { type: "TXT", name: "_acme-challenge", target: "theirs" });
      const ignore = ["_acme-challenge*/TXT"];
      const saved = await apply(account, zone, of(hosts(1), { ignore }), undefined);
      expect(saved.state["records"]).toHaveLength(1);
      await account.call("POST", path, { type: "TXT", name: "_acme-challenge.www", target: "new" });
      const read = await account.during((provider) => provider.read({ ...zone, ...saved }));
      expect(read?.inputs).toEqual(saved.inputs);
      await account.during((provider) => provider.delete({ ...zone, ...saved, oldInputs: saved.inputs }));
      expect(await titles()).toEqual(["_acme-challenge.www/TXT new", "_acme-challenge/TXT theirs"]);
      const own = { type: "TXT", name: "_acme-challenge", target: "theirs" };
      const kept = await apply(account, zone, of([own], { ignore }), undefined);
      expect(kept.state["records"]).toEqual([own]);
      const all = await apply(account, zone, of([own]), kept);
      expect(all.operation).toBe("update");
      expect(await titles()).toEqual(["_acme-challenge/TXT theirs"]);
    });

    it("is refused where an ignored record is in the way", async () => {
      await account.call("POST", path, { type: "A", name: "www", target: "192.0.2.1" });
      const declared = of([{ type: "CNAME", name: "www", target: "a.example" }], { ignore: ["www"] });
      expect(String((await previewed(declared)).error)).toMatch(
        /records\[0\]\.name: is also the name of record \d+\/\d+, which the zone ignores \(A\), and a CNAME must be alone/,
      );
    });

    it.each([true, false])(
      "is refused with a Record that it would remove (the Zone first: %s)",
      async (isFirst) => {
        const record = resourceNamed("plumbline:dns/record:Record", "www");
        const inputs = { domainId, type: "A", name: "www", target: "192.0.2.1" };
        const told = async (zoneInputs: ValueMap) => {
          const provider = await account.open();
          const both = [
            () => provider.check({ ...zone, newInputs: zoneInputs }),
            () => provider.check({ ...record, newInputs: inputs }),
          ];
          const answers = [];
          for (const check of isFirst ? both : both.reverse()) answers.push(await check());
          return answers.map(({ failures }) =>
            failures.map(({ property, reason }) => `${property}: ${reason}`),
          );
        };
        const [first, second] = await told(of(hosts(1)));
        expect(first).toEqual([]);
        expect(second?.[0]).toMatch(
          /^domainId: .*add www\/A to the Zone's records or to its ignore patterns$/,
        );
        expect(await told(of(hosts(1), { ignore: ["www/A"] }))).toEqual([[], []]);
      },
    );

    it("takes records over from Records, and hands them back, within one run", async () => {
      const record = resourceNamed("plumbline:dns/record:Record", "h0");
      const [only] = hosts(1);
      const own = await apply(account, record, { domainId, ...only }, undefined);
      const provider = await account.open();
      const made = await provider.create({
        ...zone,
        inputs: await checked(provider, zone, of([only!])),
        preview: false,
      });
      await provider.delete({ ...record, ...own, oldInputs: own.inputs });
      expect((await live()).map(({ id }) => `${domainId}/${id}`)).toEqual([own.id]);
      const back = await account.open();
      await back.read({ ...record, id: own.id, inputs: own.inputs, state: own.state });
      await back.delete({ ...zone, ...made, oldInputs: of([only!]) });
      expect(await live()).toHaveLength(1);
    });

    it("is refused with another Zone of the domain", async () => {
      const provider = await account.open();
      await checked(provider, zone, of(hosts(1)));
      const other = resourceNamed(zone.type, "other");
      const { failures } = await provider.check({ ...other, newInputs: of(hosts(1)) });
      expect(failures).toMatchObject([{ property: "domainId", reason: expect.stringContaining('"zone"') }]);
    });
  });

  it("reads a zone file without $ORIGIN under the domain's name", async () => {
    const zoneFile = "www.z.example. 300 IN CNAME mail.sub\nmail.sub 300 IN A 192.0.2.1\n";
    const saved = await apply(account, zone, { domainId, zoneFile }, undefined);
    expect(await titles()).toEqual(["mail.sub/A 192.0.2.1", "www/CNAME mail.sub.z.example"]);
    expect((await apply(account, zone, { domainId, zoneFile }, saved)).operation).toBe("same");
    const wrong = {
      domainId,
      zoneFile: `$ORIGIN other.example.\n@ IN SOA a. b. 1 2 3 4 5\nx.other.example. IN A 192.0.2.1`,
    };
    expect(String((await previewed(wrong, saved)).error)).toMatch(/line 3: .*outside the zone z\.example/);
  });

  it("finds drift of a zone file, and shows the records in its place until it is put right", async () => {
    const declared = { domainId, zoneFile: "a IN A 192.0.2.1\nb IN A 192.0.2.2\n" };
    const saved = await apply(account, zone, declared, undefined);
    const [first] = await live();
    await account.call("PUT", `${path}/${first?.id}`, { target: "192.0.2.99" });
    const read = await account.during((provider) => provider.read({ ...zone, ...saved }));
    expect(read?.inputs["zoneFile"]).toBeUndefined();
    const restored = await apply(account, zone, declared, read);
    expect(Object.keys(restored.diff!.detailedDiff)).toEqual(["records.a/A.target"]);
    expect(writes()).toBe(1);
    expect(restored.inputs).toEqual(declared);
  });
});
