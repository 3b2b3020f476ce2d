/** A controller whose API server goes away and comes back, or forgets: nothing is lost meanwhile, and nothing made twice. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openRelay, type Relay } from "./relay.ts";
import { openSite, type Site } from "./site.ts";

const domain = "plumbline:dns/domain:Domain";
const record = "plumbline:dns/record:Record";
const zone = (at: number) => ({ domain: `zone-${at}.example`, type: "master", soaEmail: "root@one.example" });
const www = (at: number) => ({
  domainRef: { name: `zone-${at}` },
  type: "A",
  name: "www",
  target: "192.0.2.1",
});

describe.skipIf(!hasKubernetes)("a controller", { timeout: 90_000 }, () => {
  let cluster: Cluster;
  let relay: Relay;
  let site: Site;
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
    relay = await openRelay(Number(new URL(cluster.url).port));
  }, 120_000);
  afterEach(async () => {
    relay.mend();
    await site?.close();
  });
  afterAll(async () => {
    relay?.close();
    await cluster?.close();
  });

  const start = () =>
    site.startController({ kubeconfig: cluster.kubeconfig(`https://127.0.0.1:${relay.port}`) });
  const domains = async (): Promise<string[]> =>
    ((await site.call("GET", "/domains?page_size=500"))["data"] as { domain: string }[])
      .map((each) => each.domain)
      .sort();

  it("whose API server is killed in the middle of creates, and starts again, makes the rest and nothing twice", async () => {
    site = await openSite(cluster);
    await start();
    const all = Array.from({ length: 20 }, (_, at) => at);
    for (const at of all) {
      await site.apply(domain, `zone-${at}`, zone(at));
      await site.apply(record, `www-${at}`, www(at));
    }
    await cluster.stop();
    await sleep(2_000);
    await cluster.start();
    for (const at of all) {
      await site.ready(domain, `zone-${at}`, 60);
      await site.ready(record, `www-${at}`, 60);
    }
    expect(await domains()).toEqual(all.map((at) => `zone-${at}.example`).sort());
    for (const { id } of (await site.call("GET", "/domains"))["data"] as { id: number }[])
      expect((await site.call("GET", `/domains/${id}/records`))["results"]).toBe(1);
  });

  it("whose watches are cut again and again sees every change", async () => {
    site = await openSite(cluster);
    await start();
    await site.apply(domain, "zone-0", zone(0));
    await site.ready(domain, "zone-0");
    for (let at = 1; at <= 5; at += 1) {
      relay.cut();
      await site.apply(domain, "zone-0", { ...zone(0), description: `change ${at}` });
      await site.apply(domain, `zone-${at}`, zone(at));
      relay.mend();
      await site.ready(domain, `zone-${at}`);
      const { status } = await site.ready(domain, "zone-0");
      expect(status!.atProvider!["description"]).toBe(`change ${at}`);
    }
    expect((await domains()).length).toBe(6);
  });

  it("that was away while the API server forgot what happened catches up: made, changed and deleted", async () => {
    site = await openSite(cluster);
    await start();
    for (const at of [0, 1, 2]) await site.apply(domain, `zone-${at}`, zone(at));
    for (const at of [0, 1, 2]) await site.ready(domain, `zone-${at}`);
    relay.cut();
    await site.apply(domain, "zone-0", { ...zone(0), description: "meanwhile" });
    await site.remove(domain, "zone-1");
    await site.apply(domain, "zone-3", zone(3));
    // It watches from no version that it had before it began again.
    await cluster.stop();
    await cluster.start();
    relay.mend();
    await site.untilGone(domain, "zone-1");
    await site.ready(domain, "zone-3", 60);
    expect((await site.ready(domain, "zone-0")).status!.atProvider!["description"]).toBe("meanwhile");
    expect(await domains()).toEqual(["zone-0.example", "zone-2.example", "zone-3.example"]);
  });
});
