/** The same objects by stack file, by program and by manifests: what stands on the account is the same. */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { starterAccount } from "../../../emulator/index.ts";
import type { Manifest } from "../../../provider/kubernetes/manifests.ts";
import { kinds } from "../../../provider/provider.ts";
import { openDesk } from "../../cli/plumbline.ts";
import { installAll } from "../../e2e/automation.ts";
import { findExamples } from "../../e2e/example.ts";
import { accountLeft, liveHere, onEmulator } from "../../programs/left.ts";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";
import { applyDefinitions } from "../definitions.ts";
import { openSite } from "./site.ts";

const stacks = findExamples().flatMap(({ name, yaml, program }) =>
  yaml === undefined ? [] : [{ name, folder: yaml, program }],
);

describe.skipIf(!hasKubernetes)("the examples by manifests", { timeout: 180_000 }, () => {
  let cluster: Cluster;
  let base: string;
  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), "plumbline-parity-"));
    cluster = await startCluster();
    await applyDefinitions(cluster);
  }, 120_000);
  afterAll(async () => {
    await cluster?.close();
    rmSync(base, { recursive: true, force: true });
  });

  /** The stack brought up by its file, and what it is as manifests that name no object of the service. */
  async function byStackFile(folder: string) {
    const desk = await openDesk();
    try {
      cpSync(folder, desk.folder, { recursive: true });
      const up = await desk.run(["up", "--yes", "--skip-preview", "--parallel", "1"]);
      expect(up.code, up.text).toBe(0);
      const exported = await desk.run(["stack", "export", "--kubernetes", "--show-secrets"]);
      expect(exported.code, exported.text).toBe(0);
      const manifests = parseAllDocuments(exported.stdout).map((each) => each.toJS() as Manifest);
      return { account: accountLeft(desk.emulator, desk.folder), manifests };
    } finally {
      await desk.close();
    }
  }

  async function byManifests(manifests: readonly Manifest[]) {
    const site = await openSite(cluster, { seed: starterAccount });
    try {
      const objects = manifests.flatMap((each) => {
        const kind = [...kinds.values()].find(({ kind }) => kind === each.kind);
        return kind ? [{ token: kind.token, name: each.metadata.name, spec: each["spec"] as object }] : [];
      });
      for (const { kind, metadata, ...rest } of manifests)
        if (kind === "Secret")
          await site.secret(metadata.name, rest["stringData"] as { [key: string]: string });
      await site.startController();
      // One at a time, so that ids, and what the service draws by them, are alike.
      for (const { token, name, spec } of objects) {
        await site.apply(token, name, spec);
        await site.ready(token, name, 60);
      }
      return accountLeft(site.emulator, base);
    } finally {
      await site.close();
    }
  }

  it.each(stacks)("$name", async ({ folder }) => {
    const { account, manifests } = await byStackFile(folder);
    expect(await byManifests(manifests)).toEqual(account);
  });

  it("and by a program", async () => {
    const { name, folder, program } = stacks.find((each) => each.program !== undefined)!;
    cpSync(folder, join(base, "plumbline", "examples", name), { recursive: true });
    installAll(join(base, "plumbline"));
    const place = program!.replace(folder, join(base, "plumbline", "examples", name));
    const left = await onEmulator((emulator) => liveHere(place, emulator, base));
    const { account, manifests } = await byStackFile(folder);
    expect(account).toEqual(left.account);
    expect(await byManifests(manifests)).toEqual(left.account);
  });
});
