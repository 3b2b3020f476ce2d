/** By which request a bucket's access is set: it is never answered, so what is not declared may be anything. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, apply, openAccount, resourceNamed } from "../deployment.ts";

const cluster = "us-east-1";
const resource = resourceNamed("plumbline:objectstorage/bucket:Bucket", "subject");
const operation = "/object-storage/buckets/{clusterId}/{bucket}/access";

let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

const access = async (label: string) => {
  const { acl, cors_enabled } = await account.call(
    "GET",
    `/object-storage/buckets/${cluster}/${label}/access`,
  );
  return [acl, cors_enabled];
};
const sent = () => {
  const { requests } = account.emulator.stats();
  return [requests[`PUT ${operation}`] ?? 0, requests[`POST ${operation}`] ?? 0];
};

test("a setting that changes where both are declared is set with the other one, which may have been changed unseen", async () => {
  const declared = { cluster, label: "whole", acl: "public-read", corsEnabled: true };
  const made = await apply(account, resource, declared, undefined);
  await account.call("POST", `/object-storage/buckets/${cluster}/whole/access`, { acl: "private" });
  const before = sent();
  const changed = await apply(account, resource, { ...declared, corsEnabled: false }, made);
  expect(changed.operation).toBe("update");
  expect(await access("whole")).toEqual(["public-read", false]);
  expect(sent()).toEqual([before[0]! + 1, before[1]!]);
});

test("both that are taken out together are set back together", async () => {
  const declared = { cluster, label: "bare", acl: "public-read-write", corsEnabled: true };
  const made = await apply(account, resource, declared, undefined);
  const before = sent();
  await apply(account, resource, { cluster, label: "bare" }, made);
  expect(await access("bare")).toEqual(["private", false]);
  expect(sent()).toEqual([before[0]! + 1, before[1]!]);
});

test("the only one that is declared is set alone, and leaves the other as somebody made it", async () => {
  const declared = { cluster, label: "theirs", acl: "private" };
  const made = await apply(account, resource, declared, undefined);
  await account.call("PUT", `/object-storage/buckets/${cluster}/theirs/access`, { cors_enabled: true });
  const before = sent();
  await apply(account, resource, { ...declared, acl: "authenticated-read" }, made);
  expect(await access("theirs")).toEqual(["authenticated-read", true]);
  expect(sent()).toEqual([before[0]!, before[1]! + 1]);
});
