/** What Flux, Argo CD and `kubectl wait` make of our objects at each moment, by the published rules of kstatus. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "../../provider/kubernetes/api.ts";
import { type Cluster, hasKubernetes, startCluster } from "./cluster.ts";
import { openSite, type Site } from "./controller/site.ts";
import { applyDefinitions } from "./definitions.ts";

type Judgement = "InProgress" | "Failed" | "Current" | "Terminating";

/** The rules for kinds that kstatus knows nothing of: deletion, the generation that was seen, what is abnormal, then `Ready`. */
function judged({ metadata, status }: KubeObject): Judgement {
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation)
    return "InProgress";
  const isTrue = (type: string) =>
    status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
  if (isTrue("Reconciling")) return "InProgress";
  if (isTrue("Stalled")) return "Failed";
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True" ? "Current" : "InProgress";
}

/** The script of the guide to Argo CD, line by line. */
function healthOf({ metadata, status }: KubeObject): "Progressing" | "Degraded" | "Healthy" {
  if (status?.conditions === undefined || status.observedGeneration !== metadata.generation)
    return "Progressing";
  const is = (type: string) =>
    status.conditions!.some((each) => each.type === type && each.status === "True");
  return is("Stalled") ? "Degraded" : is("Ready") ? "Healthy" : "Progressing";
}

const domain = "plumbline:dns/domain:Domain";
const record = "plumbline:dns/record:Record";
const zone = { domain: "site.example", type: "master", soaEmail: "a@b.example" };

describe.skipIf(!hasKubernetes)("by the rules of kstatus", { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let site: Site;
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
    site = await openSite(cluster);
  }, 120_000);
  afterAll(async () => {
    await site?.close();
    await cluster?.close();
  });
  const seen = async (kind: string, name: string) => {
    const object = (await site.get(kind, name))!;
    return [judged(object), healthOf(object)];
  };

  it("an object that nobody has looked at yet is in progress, of every life of it", async () => {
    await site.apply(domain, "zone", zone);
    await site.apply(record, "www", {
      domainRef: { name: "zone" },
      type: "A",
      name: "www",
      target: "192.0.2.1",
    });
    await site.apply(record, "early", {
      domainRef: { name: "none" },
      type: "A",
      name: "early",
      target: "192.0.2.1",
    });
    expect(await seen(domain, "zone")).toEqual(["InProgress", "Progressing"]);
    expect(await seen("Account", "default")).toEqual(["InProgress", "Progressing"]);
    await site.startController();
    await site.ready(record, "www");
    expect(await seen(domain, "zone")).toEqual(["Current", "Healthy"]);
    expect(await seen(record, "www")).toEqual(["Current", "Healthy"]);
    expect(await seen("Account", "default")).toEqual(["Current", "Healthy"]);
    await site.until(record, "early", "Reconciling", { reason: "WaitingFor" });
    expect(await seen(record, "early")).toEqual(["InProgress", "Progressing"]);
  });

  it("is never current for a declaration that was not applied", async () => {
    const found: (string | undefined)[] = [];
    for (let round = 2; round < 8; round += 1) {
      await site.patch(record, "www", { spec: { target: `192.0.2.${round}` } });
      for (let done = false; !done; ) {
        const object = (await site.get(record, "www"))!;
        if (judged(object) !== "Current") continue;
        done = true;
        found.push((object.status?.atProvider as { target?: string } | undefined)?.target);
      }
    }
    expect(found).toEqual([2, 3, 4, 5, 6, 7].map((round) => `192.0.2.${round}`));
  });

  it("has failed where only a change helps, and ends when it is deleted", async () => {
    await site.apply(record, "odd", {
      domainRef: { name: "zone" },
      type: "CNAME",
      name: "www",
      target: "a.example",
    });
    await site.until(record, "odd", "Stalled", { status: "True" });
    expect(await seen(record, "odd")).toEqual(["Failed", "Degraded"]);
    await site.patch(record, "odd", { spec: { name: "other" } });
    await site.ready(record, "odd");
    expect(await seen(record, "odd")).toEqual(["Current", "Healthy"]);
    await site.patch(record, "odd", { metadata: { finalizers: ["plumbline.dev/finalizer", "test/keeps"] } });
    await site.remove(record, "odd");
    expect((await seen(record, "odd"))[0]).toBe("Terminating");
    await site.patch(record, "odd", { metadata: { finalizers: null } });
    await site.untilGone(record, "odd");
  });
});
