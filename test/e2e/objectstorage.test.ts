/** Object Storage under each engine: keys and their secrets, buckets that exist, what is emptied, what is removed by hand, and contents from files, texts and addresses. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { cluster, pair } from "../provider/lives/objectstorage.ts";
import { killTree } from "../resilience/dying.ts";
import { call, type Kept, kept, writes } from "./account.ts";
import { createEmbedded } from "./embedded.ts";
import { createDriver, type Driver, type EngineName } from "./engines.ts";
import { createProject, type Program, pulumiBin } from "./pulumi.ts";

const cli = resolve(import.meta.dirname, "../../bin/plumbline");
const canKill = existsSync("/proc/self/stat");
const typed = (name: string, properties: object, options: object = {}) => ({
  type: `plumbline:objectstorage:${name}`,
  properties,
  options,
});

/** Stores objects as anybody with a key would. */
async function store(emulator: Emulator, bucket: string, names: readonly string[], content = "x") {
  const path = `/object-storage/buckets/${cluster}/${bucket}/object-url`;
  const headers = { "Content-Type": "text/plain" };
  for (const name of names) {
    const asked = { name, method: "PUT", content_type: "text/plain" };
    const { url } = await call<{ url: string }>(emulator, "POST", path, asked);
    expect((await fetch(url, { method: "PUT", headers, body: content })).ok).toBe(true);
  }
}

/** Puts many copies of the one object that there is beside it, each under a name of its own. */
async function multiply(emulator: Emulator, count: number): Promise<void> {
  const address = new URL("/_emulator/data", emulator.baseUrl);
  const data = (await (await fetch(address)).json()) as { collections: { [name: string]: Kept[] } };
  const [first] = data.collections["objectStorageObjects"] as [Kept];
  const copies = Array.from({ length: count - 1 }, (_, i) => ({
    ...first,
    id: first.id + 1 + i,
    name: `folder ${i % 7}/object ${i}`,
  }));
  data.collections["objectStorageObjects"] = [first, ...copies];
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "PUT", headers, body: JSON.stringify(data) });
  expect(answer.ok).toBe(true);
}

/** Methods and templates of the requests since the emulator started, oldest first. */
async function requests(emulator: Emulator): Promise<string[]> {
  const answer = await fetch(new URL("/_emulator/requests?last=10000", emulator.baseUrl));
  const all = (await answer.json()) as { method: string; template: string }[];
  return all.map(({ method, template }) => `${method} ${template}`);
}

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  const isAbsent = engine === "pulumi" && !pulumiBin;
  describe.skipIf(isAbsent)(`Object Storage under ${engine}`, { timeout: 180_000 }, () => lead(engine));
  describe.skipIf(isAbsent || !canKill)(`a key under ${engine}, killed`, { timeout: 120_000 }, () =>
    crash(engine),
  );
}

function lead(engine: EngineName): void {
  let emulator: Emulator;
  let stack: Driver;
  beforeEach(async () => {
    emulator = await startEmulator({ speed: "instant", checkAnswers: true });
    stack = await createDriver(engine, {}, { baseUrl: emulator.baseUrl, token: emulator.token });
  });
  afterEach(async () => {
    expect(emulator.mismatches).toEqual([]);
    stack.remove();
    await emulator.close();
  });

  const up = async (program: Program, ...flags: string[]) => {
    stack.write(program);
    return stack.up(...flags);
  };
  const stored = () => kept(emulator, "objectStorageObjects");
  const contentOf = (name: string) =>
    Buffer.from(
      String(stored().find((object) => object["name"] === name)?.["_content"]),
      "base64",
    ).toString();

  it("makes the new key before it revokes the old one", async () => {
    const program = (bucketAccess?: object[]): Program => ({
      resources: { app: typed("Key", { label: "app", bucketAccess }) },
      outputs: { id: `\${app.id}`, secret: `\${app.secretKey}` },
    });
    await up(program());
    const [before] = kept(emulator, "objectStorageKeys") as [Kept];
    const ran = await up(program([]));
    expect(ran.plan["app"]).toMatchObject({ op: "replace", because: ["bucketAccess"] });
    const [after, ...more] = kept(emulator, "objectStorageKeys") as Kept[];
    expect([more, after!.id === before.id]).toEqual([[], false]);
    const sent = (await requests(emulator)).filter((request) => /^(POST|DELETE) /.test(request));
    expect(sent.slice(1)).toEqual(["POST /object-storage/keys", "DELETE /object-storage/keys/{keyId}"]);
    expect(await stack.outputs()).toEqual({ id: String(after!.id), secret: after!["_secret"] });
  });

  it("does not take over a bucket that exists, and says how to", async () => {
    await call(emulator, "POST", "/object-storage/buckets", { cluster, label: "theirs", acl: "private" });
    const before = writes(emulator);
    stack.write({ resources: { mine: typed("Bucket", { cluster, label: "theirs", acl: "public-read" }) } });
    for (const verb of ["preview", "up"] as const) {
      const refused = await stack.attempt(verb);
      expect(refused.code).toBe(1);
      expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(
        new RegExp(`exists already, with id ${cluster}/theirs.*import plumbline:objectstorage`),
      );
    }
    expect(writes(emulator)).toEqual(before);
  });

  it("does not overwrite an object that exists", async () => {
    await call(emulator, "POST", "/object-storage/buckets", { cluster, label: "theirs" });
    await store(emulator, "theirs", ["a.txt"], "theirs");
    stack.write({
      resources: { mine: typed("Object", { cluster, bucket: "theirs", name: "a.txt", content: "mine" }) },
    });
    const refused = await stack.attempt("preview");
    expect([refused.code, `${refused.said.join("\n")}${refused.printed}`]).toEqual([
      1,
      expect.stringContaining(`exists already, with id ${cluster}/theirs/a.txt`),
    ]);
    expect((await stack.attempt("up")).code).toBe(1);
    expect(contentOf("a.txt")).toBe("theirs");
  });

  it("empties a bucket of 2,500 objects when forceDestroy says so, and not before", async () => {
    const program = (forceDestroy?: boolean): Program => ({
      resources: { many: typed("Bucket", { cluster, label: "many", forceDestroy }) },
    });
    await up(program());
    await store(emulator, "many", ["first"]);
    await multiply(emulator, 2500);
    const refused = await stack.attempt("destroy");
    expect(refused.code).not.toBe(0);
    expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(/still holds objects.*forceDestroy: true/);
    expect(stored()).toHaveLength(2500);
    await up(program(true));
    expect((await stack.destroy()).changes).toEqual({ delete: 1 });
    expect([stored(), kept(emulator, "objectStorageBuckets")]).toEqual([[], []]);
  });

  it("finds that a certificate was removed by hand, and uploads it again; its key is in no output", async () => {
    const site = "www.plumbline.example";
    const made = pair(site);
    const certificate = typed("BucketCertificate", { cluster, bucket: `\${site.label}`, ...made });
    const program = { resources: { site: typed("Bucket", { cluster, label: site }), certificate } };
    const has = () => kept(emulator, "objectStorageBuckets")[0]?.["_certificate"];
    await up(program);
    expect(has()).toBe(made.certificate);
    const exported = await stack.command("stack", "export");
    expect(exported.stdout).not.toContain(made.privateKey.split("\n")[1]);
    await call(emulator, "DELETE", `/object-storage/buckets/${cluster}/${site}/ssl`);
    expect((await stack.refresh()).plan["certificate"]).toMatchObject({ op: "delete" });
    const repaired = await up(program);
    expect([repaired.plan["certificate"]?.op, has()]).toEqual(["create", made.certificate]);
    expect((await stack.preview("--refresh", "--expect-no-changes")).changes).toEqual({ same: 2 });

    const wrong = { ...certificate, properties: { ...certificate.properties, ...pair(site, { days: -1 }) } };
    const before = writes(emulator);
    stack.write({ resources: { ...program.resources, certificate: wrong } });
    const refused = await stack.attempt("preview");
    expect([refused.code, `${refused.said.join("\n")}${refused.printed}`]).toEqual([
      1,
      expect.stringMatching(/certificate.*expired on/s),
    ]);
    expect(writes(emulator)).toEqual(before);
  });

  it("stores contents of files and texts once, by their hash, and again when they change here or there", async () => {
    const file = join(stack.folder, "page.html");
    writeFileSync(file, "<p>one");
    const at = { cluster, bucket: `\${site.label}` };
    const program = {
      resources: {
        site: typed("Bucket", { cluster, label: "site" }),
        page: typed("Object", { ...at, name: "page.html", source: { "fn::fileAsset": "./page.html" } }),
        note: typed("Object", { ...at, name: "note", source: { "fn::stringAsset": "a note" } }),
        text: typed("Object", { ...at, name: "text", content: "a text of its own" }),
        open: typed("ObjectAcl", { ...at, name: `\${page.name}`, acl: "public-read" }),
      },
    };
    expect((await up(program)).changes).toEqual({ create: 5 });
    expect(["page.html", "note", "text"].map(contentOf)).toEqual(["<p>one", "a note", "a text of its own"]);

    const { resources } = await stack.state();
    expect(resources["page"]!.inputs).toMatchObject({
      source: { path: "./page.html", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(resources["note"]!.inputs).toMatchObject({ source: { text: "a note" } });
    for (const name of ["page", "note", "text"]) {
      const outputs = resources[name]!.outputs as object;
      expect([Object.keys(outputs).sort(), name]).toEqual([
        ["bucket", "cluster", "etag", "lastModified", "name", "size"],
        name,
      ]);
    }

    const before = writes(emulator);
    expect((await stack.up()).changes).toEqual({ same: 5 });
    expect((await stack.refresh()).changes).toEqual({ same: 5 });
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 5 });
    expect(writes(emulator)).toEqual(before);

    writeFileSync(file, "<p>two");
    const changed = await stack.up();
    expect([changed.changes, changed.plan["page"]?.paths]).toEqual([
      { same: 4, update: 1 },
      { source: "update" },
    ]);
    expect(contentOf("page.html")).toBe("<p>two");
    expect(stored().find((object) => object["name"] === "page.html")).toMatchObject({
      acl: "public-read",
      content_type: "text/html; charset=utf-8",
    });

    await store(emulator, "site", ["page.html", "text"], "theirs");
    expect((await stack.refresh()).plan).toMatchObject({
      page: { op: "update" },
      text: { op: "update" },
      note: { op: "same" },
    });
    const repaired = await stack.up();
    expect(repaired.plan).toMatchObject({ page: { op: "update" }, text: { op: "update" } });
    expect(["page.html", "text"].map(contentOf)).toEqual(["<p>two", "a text of its own"]);
    expect((await stack.up("--refresh")).changes).toMatchObject({ same: 5 });

    expect((await stack.destroy()).changes).toEqual({ delete: 5 });
    expect(stored()).toEqual([]);
  });

  it("sees that what is at an address has changed", async () => {
    let content = "one";
    const server = createServer((_, response) => response.end(content));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`;
    try {
      await call(emulator, "POST", "/object-storage/buckets", { cluster, label: "site" });
      const source = { "fn::remoteAsset": uri };
      const program = {
        resources: { page: typed("Object", { cluster, bucket: "site", name: "page", source }) },
      };
      await up(program);
      expect(contentOf("page")).toBe("one");
      expect((await stack.up()).changes).toEqual({ same: 1 });
      content = "two";
      expect((await stack.up()).plan["page"]?.paths).toEqual({ source: "update" });
      expect(contentOf("page")).toBe("two");
    } finally {
      server.close();
    }
  });

  it("refuses a path in place of an asset, and a file that is not there", async () => {
    const page = (source: unknown) => ({
      resources: { page: typed("Object", { cluster, bucket: "site", name: "page", source }) },
    });
    for (const source of ["./page.html", { "fn::fileAsset": "./none.html" }]) {
      stack.write(page(source));
      const refused = await stack.attempt("preview");
      expect(refused.code).not.toBe(0);
      expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(/asset|none\.html/i);
    }
    expect(writes(emulator)).toEqual({});
  });
}

/** Kills an `up` that makes a key at the moment that the emulator shows, then runs it again. */
function crash(engine: EngineName): void {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant", checkAnswers: true });
  });
  afterAll(() => emulator.close());
  beforeEach(() => emulator.reset());

  const programOf = (label: string): Program => ({
    resources: {
      app: typed("Key", { label }),
      after: typed("Bucket", { cluster, label: "after" }, { dependsOn: ["${app}"] }),
    },
    outputs: { id: `\${app.id}`, secret: `\${app.secretKey}` },
  });
  const program = programOf("app");
  const keys = () => kept(emulator, "objectStorageKeys");

  async function killed(isTime: () => boolean, next = program): Promise<{ [name: string]: unknown }> {
    const target = { baseUrl: emulator.baseUrl, token: emulator.token };
    const project =
      engine === "pulumi" ? await createProject(program, target) : createEmbedded(program, target);
    try {
      const flags = ["up", "--yes", "--skip-preview", "--stack", "dev"];
      const child: ChildProcess =
        "start" in project
          ? project.start(...flags)
          : spawn(process.execPath, [cli, ...flags], { cwd: project.folder, env: project.env });
      const dead = once(child, "exit");
      while (!isTime() && child.exitCode === null) await setTimeout(1);
      killTree(child.pid ?? 0);
      await dead;
      expect(child.signalCode).toBe("SIGKILL");
      emulator.setFaults([]);
      if ("recover" in project) await project.recover();
      project.write(next);
      await project.up();
      expect((await project.up()).changes).toEqual({ same: 2 });
      return await project.outputs();
    } finally {
      project.remove();
    }
  }

  it("after its creation was answered: its secret is in the state, and no other key is made", async () => {
    const path = "/object-storage/buckets";
    emulator.setFaults([{ method: "POST", path, probability: 1, do: "delay", seconds: 20 }]);
    // The bucket is asked about only when the key is made and known.
    const outputs = await killed(
      () => (emulator.stats().requests[`GET ${path}/{clusterId}/{bucket}`] ?? 0) > 0,
    );
    const [key, ...more] = keys() as [Kept];
    expect(more).toEqual([]);
    expect(outputs).toEqual({ id: String(key.id), secret: key["_secret"] });
    expect(writes(emulator)).toMatchObject({ "POST /object-storage/keys": 1 });
  });

  it("before its creation was answered: that one is revoked, one is made whose secret is known, and another's stays", async () => {
    const theirs = await call(emulator, "POST", "/object-storage/keys", { label: "app" });
    // The request is carried out, and its answer never comes.
    const path = "/object-storage/keys";
    emulator.setFaults([{ method: "POST", path, nth: 1, do: "delay", seconds: 1 }]);
    const outputs = await killed(() => keys().length === 2);
    const [first, key, ...more] = [...keys()].sort((a, b) => a.id - b.id) as [Kept, Kept];
    expect([first.id, more]).toEqual([theirs.id, []]);
    expect(outputs).toEqual({ id: String(key.id), secret: key["_secret"] });
  });

  // Pulumi's plugin knows of a killed create only what is declared now: there is nothing to hold it to.
  if (engine === "pulumi") return;
  it("before its creation was answered, and declared otherwise then: none without its secret is kept", async () => {
    emulator.setFaults([{ method: "POST", path: "/object-storage/keys", nth: 1, do: "delay", seconds: 1 }]);
    const outputs = await killed(() => keys().length === 1, programOf("web"));
    const [key, ...more] = keys() as [Kept];
    expect([key["label"], more]).toEqual(["web", []]);
    expect(outputs).toEqual({ id: String(key.id), secret: key["_secret"] });
  });
}
