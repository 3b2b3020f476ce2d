/** Certificates of buckets: what is refused before any request, how one takes the place of another, what is seen when one is gone. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { unknown, type Value, type ValueMap } from "../../../provider/core/value.ts";
import { type Account, apply, checked, openAccount, resourceNamed, type Saved } from "../deployment.ts";
import { cluster, pair } from "../lives/objectstorage.ts";

const resource = resourceNamed("plumbline:objectstorage/bucketCertificate:BucketCertificate", "subject");
const site = "www.plumbline.example";
const path = `/object-storage/buckets/${cluster}/${site}/ssl`;
const template = "/object-storage/buckets/{clusterId}/{bucket}/ssl";
const one = pair(site);
const two = pair(site, { seed: "2" });
const declared = { cluster, bucket: site, ...one };
let account: Account;

beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());
beforeEach(async () => {
  account.emulator.reset();
  await account.call("POST", "/object-storage/buckets", { cluster, label: site });
});

const make = (inputs: ValueMap, saved?: Saved) => apply(account, resource, inputs, saved);
const read = (saved: Saved) => account.during((provider) => provider.read({ ...resource, ...saved }));
/** The certificate that the service has. */
const kept = () =>
  (account.emulator.data() as { collections: { objectStorageBuckets: { _certificate: string | null }[] } })
    .collections.objectStorageBuckets[0]?._certificate;

describe("a BucketCertificate", () => {
  const secretLine = one.privateKey.split("\n")[1]!;

  test.each<[string, ValueMap, ValueMap]>([
    ["not PEM", { certificate: "abc" }, { certificate: "must be a certificate in PEM form" }],
    [
      "a key that is none",
      { privateKey: `-----BEGIN PRIVATE KEY-----\n${secretLine}` },
      { privateKey: "must be a private key in PEM form, without a passphrase" },
    ],
    [
      "a key of another certificate",
      { privateKey: two.privateKey },
      { privateKey: "is not the key of the certificate" },
    ],
    [
      "expired",
      { ...pair(site, { days: -1 }) },
      { certificate: expect.stringMatching(/^expired on \d{4}-.*; give one that is still good$/) as never },
    ],
    [
      "for another domain",
      { ...pair("other.example") },
      { certificate: `is for other.example, and must be for ${site}, the bucket's label` },
    ],
    ["without a key", { privateKey: null }, { privateKey: "is required: both parts are uploaded together" }],
    [
      "without anything",
      { privateKey: null, certificate: null },
      { certificate: "is required for a new one", privateKey: "is required for a new one" },
    ],
  ])(
    "that is %s is refused before any request, and no part of a key is shown",
    async (_, given, expected) => {
      const newInputs = { ...declared, ...given };
      const { failures } = await account.during((provider) => provider.check({ ...resource, newInputs }));
      expect(Object.fromEntries(failures.map(({ property, reason }) => [property, reason]))).toEqual(
        expected,
      );
      expect(JSON.stringify(failures)).not.toContain(secretLine);
      expect(account.requests()).toEqual({});
    },
  );

  test("is judged as far as it is known", async () => {
    const given = { ...declared, privateKey: unknown as Value };
    const { failures } = await account.during((provider) =>
      provider.check({ ...resource, newInputs: given }),
    );
    expect(failures).toEqual([]);
  });

  test("has expired by the service's clock, not by this machine's", async () => {
    const later = await openAccount();
    later.emulator.advance(2 * 86_400);
    const { failures } = await later.during(async (provider) => {
      await provider.read({ ...resource, id: `${cluster}/${site}` });
      return provider.check({ ...resource, newInputs: declared });
    });
    await later.close();
    expect(failures).toMatchObject([{ property: "certificate", reason: expect.stringContaining("expired") }]);
  });

  test("has its key in no state, and sealed in the inputs", async () => {
    const { state, inputs } = await make(declared);
    expect(state).toEqual({ cluster, bucket: site, ssl: true });
    expect(JSON.stringify({ ...inputs, privateKey: null })).not.toContain(secretLine);
    expect(kept()).toBe(one.certificate);
  });

  test("that is there already is not replaced silently", async () => {
    await account.call("POST", path, { certificate: two.certificate, private_key: two.privateKey });
    for (const preview of [true, false]) {
      const asked = account.during(async (provider) =>
        provider.create({ ...resource, inputs: await checked(provider, resource, declared), preview }),
      );
      await expect(asked).rejects.toThrow(`exists already, with id ${cluster}/${site}`);
    }
    expect(kept()).toBe(two.certificate);
  });

  test("removed by hand is gone, so the next run uploads it again", async () => {
    const saved = await make(declared);
    await account.call("DELETE", path);
    expect(await read(saved)).toBeUndefined();
    expect((await make(declared)).state).toMatchObject({ ssl: true });
  });

  test("is replaced by a delete and an upload", async () => {
    const saved = await make(declared);
    const before = account.emulator.stats().requests;
    const changed = await make({ ...declared, ...two }, saved);
    const { requests } = account.emulator.stats();
    expect(changed.operation).toBe("update");
    expect([requests[`DELETE ${template}`], requests[`POST ${template}`]]).toEqual([
      (before[`DELETE ${template}`] ?? 0) + 1,
      (before[`POST ${template}`] ?? 0) + 1,
    ]);
    expect(kept()).toBe(two.certificate);
  });

  test("whose upload loses its answer is there once", async () => {
    for (const fault of ["reset-after", "reset-before"] as const) {
      account.emulator.setFaults([{ method: "POST", path: template, nth: 1, do: fault }]);
      const made = await make(declared);
      account.emulator.setFaults([]);
      expect([made.state["ssl"], kept()]).toEqual([true, one.certificate]);
      await account.call("DELETE", path);
    }
  });

  describe("whose new one is refused when the old one is deleted", () => {
    /** Updates with notes that outlive the verb, and fails at the upload. */
    async function fail(saved: Saved, notes: Map<string, Value>) {
      account.emulator.setFaults([{ method: "POST", path: template, nth: 1, do: "status", status: 400 }]);
      const error = await account
        .during(async (provider) => {
          const newInputs = await checked(provider, resource, { ...declared, ...two }, saved.inputs);
          const { id, state, inputs: oldInputs } = saved;
          const request = { ...resource, id, state, oldInputs, newInputs, preview: false };
          return provider.update({ ...request, notes: keeper(notes) });
        })
        .catch((thrown: unknown) => thrown);
      account.emulator.setFaults([]);
      return error as Error & Partial<Saved>;
    }
    const keeper = (notes: Map<string, Value>) => ({
      get: (key: string) => notes.get(key),
      set: async (key: string, note: Value | undefined) =>
        void (note === undefined ? notes.delete(key) : notes.set(key, note)),
    });

    test("says so, and the next run uploads it", async () => {
      const saved = await make(declared);
      const notes = new Map<string, Value>();
      const error = await fail(saved, notes);
      expect(error.name).toBe("ResourceInitFailedError");
      expect(error.message).toContain("the bucket has none; the next run uploads it");
      expect(kept()).toBeNull();
      expect(error.state).toEqual({ cluster, bucket: site, ssl: false });
      expect(error.inputs).toMatchObject({ certificate: one.certificate });
      const updated = await account.during(async (provider) => {
        const newInputs = await checked(provider, resource, { ...declared, ...two }, error.inputs);
        const own = { ...resource, id: saved.id, state: error.state!, oldInputs: error.inputs!, newInputs };
        expect((await provider.diff(own)).changes).toBe(true);
        return provider.update({ ...own, preview: false, notes: keeper(notes) });
      });
      expect([updated.state["ssl"], kept(), notes.get("uploading")]).toEqual([
        true,
        two.certificate,
        undefined,
      ]);
    });

    test("is uploaded also when the old one is declared again, after a refresh", async () => {
      const saved = await make(declared);
      const notes = new Map<string, Value>();
      await fail(saved, notes);
      const found = await account.during((provider) =>
        provider.read({ ...resource, ...saved, notes: keeper(notes) }),
      );
      expect(found?.inputs).toEqual({ cluster, bucket: site });
      const updated = await account.during(async (provider) => {
        const newInputs = await checked(provider, resource, declared, found!.inputs);
        const own = { ...resource, id: saved.id, state: found!.state, oldInputs: found!.inputs, newInputs };
        expect((await provider.diff(own)).changes).toBe(true);
        return provider.update({ ...own, preview: false, notes: keeper(notes) });
      });
      expect([updated.state["ssl"], kept()]).toEqual([true, one.certificate]);
    });
  });

  test("is declared once for a bucket", async () => {
    const failures = await account.during(async (provider) => {
      await checked(provider, resource, declared);
      const second = resourceNamed(resource.type, "second");
      return (await provider.check({ ...second, newInputs: declared })).failures;
    });
    expect(failures).toMatchObject([{ property: "bucket" }]);
  });
});
