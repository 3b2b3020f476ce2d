/** Accounts of a cluster: which token is whose, what becomes of objects when it is no good, and that namespaces do not reach each other. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openSite, type Site } from "./site.ts";

const domain = "plumbline:dns/domain:Domain";
const zone = (name = "one.example") => ({ domain: name, type: "master", soaEmail: `root@${name}` });

/** An emulator of somebody else. */
const another = {
  seed: { requests: [], account: { euuid: "0A0A0A0A-0000-4000-8000-000000000001" }, collections: {} },
};

describe.skipIf(!hasKubernetes)("an Account", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  const sites: Site[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
  }, 120_000);
  afterEach(() => Promise.all(sites.splice(0).map((site) => site.close())));
  afterAll(() => cluster?.close());

  const open = async (
    ...options: Parameters<typeof openSite> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    const site = await openSite(cluster, ...options);
    sites.push(site);
    return site;
  };
  const total = (site: Site): number => site.emulator.stats().total;
  /** An emulator's tokens: whose they are, and until when. */
  function tokens(...list: { token: string; username?: string; expiry?: string; scopes?: string }[]): string {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-tokens-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "tokens.json");
    writeFileSync(
      file,
      JSON.stringify({
        users: [{ username: "ours" }],
        tokens: list.map((each) => ({ username: "ours", ...each })),
      }),
    );
    return file;
  }

  it("says whose it is, and that it is ready", async () => {
    const site = await open();
    await site.startController();
    const { status, metadata } = await site.ready("Account", "default");
    expect(status).toMatchObject({
      observedGeneration: 1,
      account: expect.stringMatching(/^[0-9A-F-]{36}$/i),
    });
    expect(metadata.annotations!["plumbline.dev/external-id"]).toBe((status as { account?: string }).account);
  });

  it("whose token is wrong is stalled, and its objects say so, without asking again and again; a good one wakes them", async () => {
    const site = await open({ token: "invalid-token" });
    for (let at = 0; at < 20; at += 1) await site.apply(domain, `zone-${at}`, zone(`zone-${at}.example`));
    await site.startController();
    await site.until("Account", "default", "Stalled", { reason: "TokenRefused" });
    for (let at = 0; at < 20; at += 1) {
      const { status } = await site.until(domain, `zone-${at}`, "Stalled", { reason: "AccountNotReady" });
      expect(status!.conditions!.find(({ type }) => type === "Ready")).toMatchObject({
        status: "False",
        message: expect.stringMatching(/^Account default is not ready: .*401/),
      });
    }
    expect(total(site)).toBeLessThanOrEqual(4);
    expect(JSON.stringify([site.log, await site.get("Account", "default")])).not.toContain("invalid-token");
    await site.secret("token", { token: site.emulator.token });
    for (let at = 0; at < 20; at += 1) await site.ready(domain, `zone-${at}`);
    expect((await site.call("GET", "/domains"))["results"]).toBe(20);
  });

  it("whose token expires stops everything at once, and the next one goes on where it was", async () => {
    const file = tokens({ token: "first", expiry: "2030-01-01T00:00:00" }, { token: "second" });
    const site = await open({ tokens: file, token: "first" });
    await site.startController();
    await site.apply(domain, "zone", zone());
    const { status } = await site.ready(domain, "zone");
    site.emulator.advance(10 * 365 * 24 * 3600);
    await site.apply(domain, "zone", { ...zone(), description: "changed" });
    await site.until("Account", "default", "Stalled", { reason: "TokenRefused" });
    await site.until(domain, "zone", "Stalled", { reason: "AccountNotReady" });
    await site.secret("token", { token: "second" });
    const after = await site.ready(domain, "zone");
    expect(after.status!.id).toBe(status!.id);
    expect(after.status!.atProvider!["description"]).toBe("changed");
  });

  it("whose token lacks a scope is ready all the same: the object says what it lacks", async () => {
    const file = tokens({ token: "narrow", scopes: "volumes:read_write" });
    const site = await open({ tokens: file, token: "narrow" });
    await site.startController();
    await site.apply(domain, "zone", zone());
    const { status } = await site.until(domain, "zone", "Stalled", { reason: "RefusedByService" });
    expect(JSON.stringify(status)).toContain("domains");
    await site.ready("Account", "default");
  });

  it("and its Secret may come later than its objects, in any order", async () => {
    const site = await open();
    await site.remove("Account", "default");
    await site.secret("token", null);
    await site.apply(domain, "zone", zone());
    await site.startController();
    const waiting = await site.until(domain, "zone", "Reconciling", { reason: "AccountNotReady" });
    expect(JSON.stringify(waiting.status)).toContain("Account default is not there");
    await site.account("default");
    await site.until("Account", "default", "Reconciling", { reason: "WaitingForToken" });
    await site.secret("token", { other: "x" });
    await site.secret("token", { token: site.emulator.token });
    await site.ready(domain, "zone");
  });

  it("stays until its objects are gone, also where its Secret goes first", async () => {
    const site = await open();
    await site.startController();
    await site.apply(domain, "zone", zone());
    await site.ready(domain, "zone");
    // As when a namespace ends.
    await site.secret("token", null);
    await site.until("Account", "default", "Reconciling", { reason: "WaitingForToken" });
    await site.remove("Account", "default");
    expect(await site.get("Account", "default")).toBeDefined();
    await site.remove(domain, "zone");
    await site.untilGone(domain, "zone");
    await site.untilGone("Account", "default");
    expect((await site.call("GET", "/domains"))["results"]).toBe(0);
  });

  it("takes no token of another customer: nothing is made anew there", async () => {
    const site = await open();
    const other = await open(another);
    await site.startController();
    await site.apply(domain, "zone", zone());
    await site.ready(domain, "zone");
    await site.account("default", { baseUrl: other.emulator.baseUrl });
    await site.until("Account", "default", "Stalled", { reason: "AnotherCustomer" });
    await site.until(domain, "zone", "Stalled", { reason: "AccountNotReady" });
    expect((await other.call("GET", "/domains"))["results"]).toBe(0);
    await site.account("default");
    await site.ready(domain, "zone");
  });

  it("of another customer takes no object over that was made elsewhere, and makes none in its place", async () => {
    const [site, other] = [await open(), await open(another)];
    await site.account("theirs", { baseUrl: other.emulator.baseUrl });
    await site.startController();
    await site.apply(domain, "zone", zone());
    const { status } = await site.ready(domain, "zone");
    await site.apply(domain, "zone", { ...zone(), accountRef: { name: "theirs" } });
    await site.until(domain, "zone", "Stalled", { reason: "AnotherCustomer" });
    await site.remove(domain, "zone");
    await site.until(domain, "zone", "Stalled", { reason: "AnotherCustomer" });
    expect([
      (await site.call("GET", "/domains"))["results"],
      (await other.call("GET", "/domains"))["results"],
    ]).toEqual([1, 0]);
    await site.apply(domain, "zone", { ...zone(), accountRef: { name: "default" } });
    await site.untilGone(domain, "zone");
    expect((await site.call("GET", "/domains"))["results"]).toBe(0);
    expect(status!.id).toBeDefined();
  });

  it("is its namespace's alone: an object of another cannot name it", async () => {
    const [one, two] = [await open(), await open()];
    await one.account("second");
    await two.remove("Account", "default");
    await Promise.all([one.startController(), two.startController()]);
    await two.apply(domain, "zone", { ...zone(), accountRef: { name: "second" } });
    await two.apply(domain, "path", {
      ...zone("two.example"),
      accountRef: { name: `../${one.namespace}/second` },
    });
    await one.apply(domain, "zone", { ...zone("three.example"), accountRef: { name: "second" } });
    await one.ready(domain, "zone");
    await two.until(domain, "zone", "Reconciling", { reason: "AccountNotReady" });
    await two.until(domain, "path", "Reconciling", { reason: "AccountNotReady" });
    expect((await one.call("GET", "/domains"))["results"]).toBe(1);
  });

  it("has another service's address from then on when it says so", async () => {
    const [one, two] = [await open(), await open()];
    await one.startController();
    await one.ready("Account", "default");
    await one.account("default", { baseUrl: "http://127.0.0.1:1/v4" });
    await one.until("Account", "default", "Reconciling", { reason: "Unreachable" });
    await one.account("default", { baseUrl: `${two.emulator.baseUrl}/nothing` });
    await one.until("Account", "default", "Stalled", { reason: "BadSetting" });
    await one.account("default");
    await one.ready("Account", "default");
  });
});
