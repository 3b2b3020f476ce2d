/** The provider's rules for Object Storage and the emulator's are written apart from the same contract: given the same input they must refuse the same. */

import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type Account, openAccount, resourceNamed } from "../deployment.ts";
import { cluster, pair } from "../lives/objectstorage.ts";

const site = "www.plumbline.example";
const bucket = `/object-storage/buckets/${cluster}/${site}`;
let account: Account;
beforeAll(async () => {
  account = await openAccount({ checkAnswers: false });
});
afterAll(() => account.close());
beforeEach(async () => {
  account.emulator.reset();
  await account.call("POST", "/object-storage/buckets", { cluster, label: site });
});

/** Whether check and preview refuse the inputs, and whether the service refuses the request; both with what they say. */
async function agrees(type: string, inputs: ValueMap, ask: () => Promise<unknown>): Promise<void> {
  const resource = resourceNamed(`plumbline:objectstorage/${type}`, "subject");
  const provider = await account.open();
  const { failures, inputs: checked } = await provider.check({ ...resource, newInputs: inputs });
  const planned =
    failures.length > 0
      ? failures
      : await provider.create({ ...resource, inputs: checked, preview: true }).then(
          () => undefined,
          (error: Error) => error.message,
        );
  await provider.close();
  const answered = await ask().then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect({ inputs, planned, answered, refused: planned !== undefined }, `${answered}`).toMatchObject({
    refused: answered !== undefined,
  });
}

const part = fc.constantFrom("a", "9", "-", ".", "A", "_", "é", "aa", "1.2", "192.0.2.1", "a".repeat(61));

test("labels of buckets", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
      const inputs = { cluster, label: parts.join("") };
      await agrees("bucket:Bucket", inputs, async () => {
        await account.call("POST", "/object-storage/buckets", inputs);
        await account.call("DELETE", `/object-storage/buckets/${cluster}/${inputs.label}`);
      });
    }),
    { numRuns: 150 },
  );
});

test("names of objects", async () => {
  const name = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
    fc.constantFrom(".", "..", "/", "a//b", "a/../b", "ä".repeat(512), "ä".repeat(513), "\ud800", "a\udfffb"),
  );
  await fc.assert(
    fc.asyncProperty(name, async (name) => {
      const inputs = { cluster, bucket: site, name, content: "x" };
      const body = { name, method: "PUT", content_type: "text/plain" };
      await agrees("object:Object", inputs, () => account.call("POST", `${bucket}/object-url`, body));
    }),
    { numRuns: 150 },
  );
});

test("certificates and their keys", async () => {
  const hosts = [site, "*.plumbline.example", "*.example", "plumbline.example", "other.example"];
  const pairs = hosts.flatMap((host) =>
    ["1", "2"].flatMap((seed) => [1, -1].map((days) => pair(host, { seed, days }))),
  );
  const certificate = fc.constantFrom(...pairs.map((one) => one.certificate), "", "x", pairs[0]!.privateKey);
  const privateKey = fc.constantFrom(...pairs.map((one) => one.privateKey), "", "x", pairs[0]!.certificate);
  const fitting = fc.constantFrom(...pairs);
  const both = fc.oneof(fitting, fc.record({ certificate, privateKey }));
  await fc.assert(
    fc.asyncProperty(both, async (given) => {
      const inputs = { cluster, bucket: site, ...given };
      const body = { certificate: given.certificate, private_key: given.privateKey };
      await agrees("bucketCertificate:BucketCertificate", inputs, async () => {
        await account.call("POST", `${bucket}/ssl`, body);
        await account.call("DELETE", `${bucket}/ssl`);
      });
    }),
    { numRuns: 200 },
  );
});
