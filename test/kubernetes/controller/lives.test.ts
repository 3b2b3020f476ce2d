/** Every type's life as manifests: server-side apply to a real API server, a controller, and what the account has then. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { kinds } from "../../../provider/provider.ts";
import { type Account, openAccount } from "../../provider/deployment.ts";
import { lives } from "../../provider/lives/index.ts";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openSite, type Site } from "./site.ts";

/** Resolves when the service is asked nothing any more. */
async function quiet(site: Site): Promise<void> {
  for (let total = -1; total !== site.emulator.stats().total; ) {
    total = site.emulator.stats().total;
    await sleep(150);
  }
}

const allowed = { "plumbline.dev/allow-replace": "true" };

describe.skipIf(!hasKubernetes)("every type's life as manifests", { timeout: 60_000 }, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
  }, 120_000);
  afterAll(() => cluster?.close());

  /** Applies what declares the inputs; its secrets stand in Secrets. Resolves to the texts that may be shown nowhere. */
  async function declare(
    site: Site,
    token: string,
    inputs: ValueMap,
    annotations?: { readonly [name: string]: string },
  ): Promise<readonly string[]> {
    const secrets: { [key: string]: string } = {};
    const spec = kinds.get(token)!.specOf(inputs, {
      secretRef(input, value) {
        secrets[input] = value;
        return { name: "secrets", key: input };
      },
      content: (_, { text = "" }) => ({ text }),
      named: () => undefined,
    });
    if (Object.keys(secrets).length > 0) await site.secret("secrets", secrets);
    await site.apply(token, "subject", spec, annotations);
    return Object.values(secrets);
  }

  /** A second look at what is as declared: nothing is written to the service, nor to the status. */
  async function lookAgain(site: Site, token: string): Promise<void> {
    // A Secret that changed is no other generation: what follows from it may be under way.
    await quiet(site);
    const before = await site.get(token, "subject");
    const looks = site.looks(token);
    const writes = await site.writes(async () => {
      const annotations = { "plumbline.dev/reconcile": `${Date.now()}` };
      await site.patch(token, "subject", { metadata: { annotations } });
      await expect.poll(() => site.looks(token), { timeout: 10_000 }).toBeGreaterThan(looks);
    });
    const after = await site.get(token, "subject");
    expect(writes).toBe(0);
    expect(after!.status!.conditions).toEqual(before!.status!.conditions);
    expect(after!.status!.applied).toEqual(before!.status!.applied);
  }

  it.each(lives.map((life) => [life.type, life] as const))("%s", async (type, life) => {
    const account: Account = await openAccount();
    const site = await openSite(cluster, { emulator: account.emulator });
    try {
      await site.startController();
      const parents = await life.prepare(account);
      for (const { does, declare: inputs, leaves } of life.steps) {
        const declared = inputs(parents);
        const refusal = await declare(site, type, declared).then(
          () => "",
          (error: Error) => error.message,
        );
        // The policy says it at once, of what is only written otherwise, too; what it does not know the controller says.
        if (refusal !== "") expect(refusal).toMatch(/cannot be changed in place.*allow-replace/);
        else if (does === "replace")
          await site.until(type, "subject", "Stalled", { reason: "NeedsReplacement" });
        const isAllowed = does === "replace" || refusal !== "";
        const before = (await site.get(type, "subject"))?.status?.id;
        const hidden = await declare(site, type, declared, isAllowed ? allowed : undefined);
        const object = await site.ready(type, "subject");
        expect([does, object.status!.observedGeneration]).toEqual([does, object.metadata.generation]);
        expect(object.status!.conditions!.map((each) => each.type).sort()).toEqual([
          "Drifted",
          "Ready",
          "Synced",
        ]);
        if (does === "same" || does === "update") expect([does, object.status!.id]).toEqual([does, before]);
        for (const [name, value] of Object.entries(leaves ?? {}))
          if (name in object.status!.atProvider!)
            expect({ [name]: object.status!.atProvider![name] }).toMatchObject({ [name]: value });
        for (const text of hidden) expect(JSON.stringify([object, site.log])).not.toContain(text);
        await lookAgain(site, type);
      }
      const { id } = (await site.get(type, "subject"))!.status!;
      expect(id).toBeDefined();
      await site.remove(type, "subject");
      await site.untilGone(type, "subject");
      expect(account.emulator.mismatches).toEqual([]);
    } finally {
      await site.close();
      await account.close();
    }
  });
});
