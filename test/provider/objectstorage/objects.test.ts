/** Objects and their access lists: what is stored and how, what is refused, what happens behind the provider's back. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asset, type Value, type ValueMap } from "../../../provider/core/value.ts";
import { hashOf } from "../../../provider/verbs/values/content.ts";
import { type Account, apply, checked, openAccount, resourceNamed, type Saved } from "../deployment.ts";
import { type Kept, run, troubles } from "../killed.ts";
import { cluster, store } from "../lives/objectstorage.ts";

const type = "plumbline:objectstorage/object:Object";
const resource = resourceNamed(type, "subject");
const bucketPath = `/object-storage/buckets/${cluster}/site`;
const folder = mkdtempSync(join(tmpdir(), "plumbline-objects-"));
let account: Account;
let names = 0;

beforeAll(async () => {
  account = await openAccount();
  await account.call("POST", "/object-storage/buckets", { cluster, label: "site" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await account.close();
});

/** Inputs of an object of its own. */
const fresh = (more: ValueMap, extension = "txt") => {
  names += 1;
  return { cluster, bucket: "site", name: `folder/object ${names}.${extension}`, ...more };
};
const make = (inputs: ValueMap, saved?: Saved) => apply(account, resource, inputs, saved);
const read = (saved: Saved) => account.during((provider) => provider.read({ ...resource, ...saved }));

/** What storage answers for the object: its content and type. */
async function stored({ name }: { readonly name: string }) {
  const { url } = await account.call("POST", `${bucketPath}/object-url`, { name, method: "GET" });
  const answer = await fetch(String(url));
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

const fileAsset = (name: string, content: string): Value => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return asset({ path, hash: hashOf(Buffer.from(content)) });
};

describe("an Object", () => {
  test.each<[string, ValueMap, string]>([
    ["html", { content: "<p>ä" }, "text/html; charset=utf-8"],
    ["unknown", { content: "<p>ä" }, "text/plain; charset=utf-8"],
    ["unknown", { source: fileAsset("a", "<p>ä") }, "application/octet-stream"],
    ["css", { source: fileAsset("b", "<p>ä") }, "text/css; charset=utf-8"],
    ["html", { content: "<p>ä", contentType: "text/x-mine" }, "text/x-mine"],
  ])("called .%s and given as %o has the content and the type %s", async (extension, given, contentType) => {
    const inputs = fresh(given, extension);
    const { state } = await make(inputs);
    expect(await stored(inputs)).toEqual({ status: 200, type: contentType, text: "<p>ä" });
    expect(state).toMatchObject({ size: 5, lastModified: expect.stringMatching(/Z$/) });
    expect(Object.keys(state).sort()).toEqual(
      ["bucket", "cluster", "etag", "lastModified", "name", "size"]
        .concat("contentType" in given ? "contentType" : [])
        .sort(),
    );
  });

  test("that exists already is not overwritten silently, neither in a preview nor in a run", async () => {
    const inputs = fresh({ content: "mine" });
    await store(account, { ...inputs, content: "theirs" });
    for (const preview of [true, false]) {
      const asked = account.during(async (provider) =>
        provider.create({ ...resource, inputs: await checked(provider, resource, inputs), preview }),
      );
      await expect(asked).rejects.toMatchObject({
        failures: [
          {
            property: "name",
            reason: expect.stringContaining(
              `plumbline import plumbline:objectstorage:Object subject ${cluster}/site/${inputs.name}`,
            ),
          },
        ],
      });
    }
    expect((await stored(inputs)).text).toBe("theirs");
  });

  test("that a cut-off run stored is taken over, and has the declared content", async () => {
    const inputs = fresh({ content: "whole" });
    await store(account, { ...inputs, content: "half" });
    const earlierAttempt = { startedAt: new Date().toISOString() };
    const made = await account.during(async (provider) =>
      provider.create({
        ...resource,
        inputs: await checked(provider, resource, inputs),
        preview: false,
        earlierAttempt,
      }),
    );
    expect(made.id).toBe(`${cluster}/site/${inputs.name}`);
    expect((await stored(inputs)).text).toBe("whole");
  });

  test("changed from outside is found by a refresh, and stored again by the next run", async () => {
    for (const given of [{ content: "mine" }, { source: fileAsset("drift", "mine") }] as ValueMap[]) {
      const inputs = fresh(given);
      const saved = await make(inputs);
      await store(account, { ...inputs, content: "theirs" });
      const found = await read(saved);
      expect(Object.keys(found!.inputs).sort()).toEqual(["bucket", "cluster", "name"]);
      expect(found!.state).toMatchObject({ size: 6 });
      const repaired = await make(inputs, found);
      expect(repaired.operation).toBe("update");
      expect(Object.keys(repaired.diff!.detailedDiff)).toEqual(Object.keys(given));
      expect((await stored(inputs)).text).toBe("mine");
      expect((await read(repaired))!.inputs).toEqual(inputs);
    }
  });

  test("deleted from outside is gone, and a delete of it succeeds; so does one whose bucket is gone", async () => {
    const inputs = fresh({ content: "mine" });
    const saved = await make(inputs);
    const { url } = await account.call("POST", `${bucketPath}/object-url`, {
      name: inputs.name,
      method: "DELETE",
    });
    expect((await fetch(String(url), { method: "DELETE" })).ok).toBe(true);
    expect(await read(saved)).toBeUndefined();
    const gone = { id: `${cluster}/none/a`, oldInputs: inputs, state: { ...saved.state, bucket: "none" } };
    for (const request of [{ ...saved, oldInputs: inputs }, gone])
      await account.during((provider) => provider.delete({ ...resource, ...request }));
  });

  test("keeps its access list when its content changes", async () => {
    const inputs = fresh({ content: "one" });
    const saved = await make(inputs);
    await account.call("PUT", `${bucketPath}/object-acl`, { name: inputs.name, acl: "public-read" });
    await make({ ...inputs, content: "two" }, saved);
    const query = `name=${encodeURIComponent(inputs.name)}`;
    expect(await account.call("GET", `${bucketPath}/object-acl?${query}`)).toMatchObject({
      acl: "public-read",
    });
    expect((await stored(inputs)).text).toBe("two");
  });

  test.each([
    "/_objects/{clusterId}/{bucket}/{name}",
    "/object-storage/buckets/{clusterId}/{bucket}/object-url",
  ])("whose upload loses an answer of %s is stored by the same run", async (path) => {
    const inputs = fresh({ content: "mine" });
    account.emulator.setFaults([{ method: "*", path, nth: 1, do: "reset-after", times: 2 }]);
    const made = await make(inputs);
    const rules = await fetch(new URL("/_emulator/faults", account.emulator.baseUrl));
    const [{ fired }] = (await rules.json()) as [{ fired: number }];
    account.emulator.setFaults([]);
    expect(fired).toBe(2);
    expect(made.state).toMatchObject({ size: 4 });
    expect((await stored(inputs)).text).toBe("mine");
  });

  describe("whose list an upload resets", () => {
    const aclOf = (name: unknown) => `${bucketPath}/object-acl?name=${encodeURIComponent(String(name))}`;
    /** An object that everybody may read. */
    async function open() {
      const inputs = fresh({ content: "old" });
      const kept: Kept = { notes: {} };
      await run(account, resource, inputs, kept, { memory: "late" });
      await account.call("PUT", `${bucketPath}/object-acl`, { name: inputs["name"], acl: "public-read" });
      return { inputs, kept };
    }

    test.each(["new", "old"])(
      "has it again after a kill at any write, when %s content is declared then",
      async (content) => {
        const whole = await open();
        const { writes } = await run(account, resource, { ...whole.inputs, content: "new" }, whole.kept, {
          memory: "late",
        });
        expect(writes).toBe(3);
        for (const trouble of troubles(writes, ["before", "after"])) {
          const { inputs, kept } = await open();
          await run(account, resource, { ...inputs, content: "new" }, kept, { memory: "late", trouble });
          const next = await run(account, resource, { ...inputs, content }, kept, { memory: "late" });
          expect(Object.keys(next.diff!.detailedDiff)).toEqual(["content"]);
          expect(await stored(inputs)).toMatchObject({ text: content });
          expect(await account.call("GET", aclOf(inputs.name))).toMatchObject({ acl: "public-read" });
          expect(kept.notes).not.toHaveProperty("access list");
        }
      },
    );

    test("has it again in the next run when the service refused to set it", async () => {
      const { inputs, kept } = await open();
      const change = () => run(account, resource, { ...inputs, content: "new" }, kept, { memory: "late" });
      const path = "/object-storage/buckets/{clusterId}/{bucket}/object-acl";
      account.emulator.setFaults([{ method: "PUT", path, do: "status", status: 400 }]);
      await expect(change()).rejects.toThrow(/400/);
      account.emulator.setFaults([]);
      expect(await account.call("GET", aclOf(inputs.name))).toMatchObject({ acl: "private" });
      expect(Object.keys((await change()).diff!.detailedDiff)).toEqual(["content"]);
      expect(await account.call("GET", aclOf(inputs.name))).toMatchObject({ acl: "public-read" });
    });
  });

  test("whose file changed after it was looked at is not stored", async () => {
    const source = fileAsset("changing", "planned");
    const inputs = fresh({ source });
    writeFileSync(join(folder, "changing"), "another");
    await expect(make(inputs)).rejects.toThrow(/changing has changed since it was looked at: run again/);
    expect((await stored(inputs)).status).toBe(404);
  });

  test("has the same content whether it is text or a file, so only a hash that moves is a change", async () => {
    const inputs = fresh({ source: fileAsset("same", "hello") });
    const saved = await make(inputs);
    const text = asset({ text: "hello", hash: hashOf(Buffer.from("hello")) });
    expect((await make({ ...inputs, source: text }, saved)).operation).toBe("same");
    const moved = await make({ ...inputs, source: fileAsset("same", "hello!") }, saved);
    expect([moved.operation, moved.diff?.detailedDiff]).toEqual([
      "update",
      { source: { kind: "update", inputDiff: true } },
    ]);
  });

  test.each<[ValueMap, string, RegExp]>([
    [{ content: "a", source: asset({ text: "a" }) }, "source", /cannot be combined with content/],
    [{}, "content", /is required, or source in its place/],
    [{ source: "./a.txt" }, "source", /must be an asset, not "\.\/a\.txt": use fn::fileAsset/],
    [{ content: asset({ text: "a" }) }, "content", /cannot be an asset/],
    [{ content: "a", name: "ä".repeat(513) }, "name", /at most 1024 bytes of UTF-8, not 1026/],
    [{ content: "a", name: "a\ud800" }, "name", /half a character/],
    [{ content: "a", contentType: "text/plain\r\nX: y" }, "contentType", /printable ASCII/],
  ])("of %o is refused before any request", async (given, property, reason) => {
    const newInputs = { ...fresh({}), ...given };
    const randomSeed = new Uint8Array(32);
    const { failures } = await account.during((provider) =>
      provider.check({ ...resource, newInputs, randomSeed }),
    );
    expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }]);
    expect(account.requests()).toEqual({});
  });

  test("that was imported keeps its content until one is declared; a type alone cannot be", async () => {
    const inputs = fresh({});
    await store(account, { ...inputs, content: "theirs" });
    const imported = await account.during((provider) =>
      provider.read({ ...resource, id: `${cluster}/site/${inputs.name}` }),
    );
    expect(imported?.inputs).toEqual(inputs);
    expect((await make(inputs, imported)).operation).toBe("same");
    const { failures } = await account.during((provider) =>
      provider.check({ ...resource, oldInputs: inputs, newInputs: { ...inputs, contentType: "text/css" } }),
    );
    expect(failures).toMatchObject([{ property: "contentType" }]);
    await make({ ...inputs, content: "mine" }, imported);
    expect((await stored(inputs)).text).toBe("mine");
  });

  test("is declared once in a plan", async () => {
    const inputs = fresh({ content: "a" });
    const failures = await account.during(async (provider) => {
      await checked(provider, resource, inputs);
      return (await provider.check({ ...resourceNamed(type, "second"), newInputs: inputs })).failures;
    });
    expect(failures).toMatchObject([
      { property: "name", reason: expect.stringContaining('also declared by "subject"') },
    ]);
  });
});

describe("an ObjectAcl", () => {
  const aclType = "plumbline:objectstorage/objectAcl:ObjectAcl";
  const acl = resourceNamed(aclType, "open");

  test("of an object that is not there is refused with its name", async () => {
    const inputs = { cluster, bucket: "site", name: "none", acl: "public-read" };
    await expect(apply(account, acl, inputs, undefined)).rejects.toThrow(`ObjectAcl ${cluster}/site/none`);
  });

  test("is private again when it is deleted, and its object stays", async () => {
    const inputs = fresh({ content: "a" });
    await make(inputs);
    const declared = { cluster, bucket: "site", name: inputs.name, acl: "public-read" };
    const { id, state } = await apply(account, acl, declared, undefined);
    await account.during((provider) => provider.delete({ ...acl, id, oldInputs: declared, state }));
    const query = `name=${encodeURIComponent(inputs.name)}`;
    expect(await account.call("GET", `${bucketPath}/object-acl?${query}`)).toMatchObject({ acl: "private" });
  });

  test("whose answer is lost is set by the same run", async () => {
    const inputs = fresh({ content: "a" });
    await make(inputs);
    const path = "/object-storage/buckets/{clusterId}/{bucket}/object-acl";
    account.emulator.setFaults([{ method: "PUT", path, nth: 1, do: "reset-before" }]);
    const declared = { cluster, bucket: "site", name: inputs.name, acl: "public-read" };
    const { state } = await apply(account, acl, declared, undefined);
    account.emulator.setFaults([]);
    expect(state).toMatchObject({ acl: "public-read", aclXml: expect.stringContaining("AllUsers") });
  });

  test("of one object is declared once in a plan", async () => {
    const declared = { cluster, bucket: "site", name: "a", acl: "private" };
    const failures = await account.during(async (provider) => {
      await checked(provider, acl, declared);
      return (await provider.check({ ...resourceNamed(aclType, "second"), newInputs: declared })).failures;
    });
    expect(failures).toMatchObject([{ property: "name" }]);
  });
});
