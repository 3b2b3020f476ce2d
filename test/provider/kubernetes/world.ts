/** Clusters as an engine keeps them between runs: inputs, state and notes; runs that end well and runs that are killed. */

import { expect, onTestFinished } from "vitest";
import { noNotes, notesIn } from "../../../provider/core/engines/notes.ts";
import type { Notes } from "../../../provider/core/protocol.ts";
import type { ValueMap } from "../../../provider/core/value.ts";
import {
  type Account,
  checked,
  openAccount,
  type Resource,
  resourceNamed,
  type Saved,
} from "../deployment.ts";
import { openMortal, type Trouble } from "../mortal.ts";

export const clusterType = "plumbline:kubernetes/cluster:Cluster";
export const poolType = "plumbline:kubernetes/nodePool:NodePool";

/** The cluster that most tests are about. */
export const cluster = resourceNamed(clusterType, "shop");
export const web = { type: "g6-standard-1", count: 2 };
export const base = { label: "shop", region: "us-east", k8sVersion: "1.28", nodePools: { web } };

/** What outlives a killed run. */
export interface Kept {
  saved?: Saved;
  /** A create that began, and what it was given. */
  attempt?: { startedAt: string; id?: string };
  held: ValueMap;
  readonly notes: Notes;
}

export function nothingKept(): Kept {
  const kept: Kept = {
    held: {},
    notes: notesIn(
      {
        held: () => kept.held,
        hold: async (notes) => {
          kept.held = structuredClone(notes) as ValueMap;
        },
      },
      { isReadOnly: false },
    ),
  };
  return kept;
}

/** An account of a test's own, of which nothing is kept yet. It ends with the test, which fails when an answer broke the contract. */
export async function openWorld(): Promise<{ account: Account; kept: Kept }> {
  const account = await openAccount();
  onTestFinished(async () => {
    await account.close();
    expect(account.emulator.mismatches).toEqual([]);
  });
  return { account, kept: nothingKept() };
}

/** One run of one resource, as an engine does it. False when it died, with `kept` as the engine would find it. */
export async function run(
  account: Account,
  resource: Resource,
  declared: ValueMap,
  kept: Kept,
  trouble?: Trouble,
): Promise<boolean> {
  const { provider, isDead } = await openMortal(account, trouble);
  const { notes } = kept;
  try {
    const inputs = await checked(provider, resource, declared, kept.saved?.inputs);
    if (!kept.saved) {
      const earlierAttempt = kept.attempt;
      kept.attempt ??= { startedAt: provider.serviceTime() };
      const { id, state } = await provider.create({
        ...{ ...resource, inputs, preview: false, notes },
        ...(earlierAttempt && { earlierAttempt }),
        onCreated: (id, state) => {
          if (!isDead()) kept.saved = { id, inputs, state };
        },
      });
      kept.saved = { id, inputs, state };
      return true;
    }
    const { id, state, inputs: oldInputs } = kept.saved;
    const own = { ...resource, id, oldInputs, state, newInputs: inputs, notes };
    const updated = await provider.update({ ...own, preview: false });
    kept.saved = { id, inputs, state: updated.state };
    return true;
  } catch (error) {
    if (!isDead()) throw error;
    return false;
  } finally {
    await provider.close();
  }
}

/** Reads the resource as a refresh does, and keeps what was read. */
export async function refresh(account: Account, resource: Resource, kept: Kept): Promise<void> {
  const { notes } = kept;
  kept.saved = await account.during((provider) => provider.read({ ...resource, ...kept.saved!, notes }));
}

/** What the preview of a change says and refuses. */
export async function foretold(
  account: Account,
  resource: Resource,
  declared: ValueMap,
  { saved }: Pick<Kept, "saved">,
): Promise<{
  readonly refused: readonly string[];
  readonly said: readonly string[];
  readonly paths: readonly string[];
}> {
  const said: string[] = [];
  const log = (severity: string, message: string) => void (severity === "warning" && said.push(message));
  const told = (failures: readonly { property: string; reason: string }[]) =>
    failures.map(({ property, reason }) => `${property}: ${reason}`);
  return account.during(async (provider) => {
    const check = await provider.check({
      ...{ ...resource, newInputs: declared, randomSeed: new Uint8Array(32) },
      ...(saved && { oldInputs: saved.inputs }),
    });
    if (check.failures.length > 0) return { refused: told(check.failures), said, paths: [] };
    const own = { ...resource, preview: true, notes: noNotes, log };
    try {
      if (!saved) {
        await provider.create({ ...own, inputs: check.inputs });
        return { refused: [], said, paths: [] };
      }
      const change = {
        ...own,
        id: saved.id,
        oldInputs: saved.inputs,
        state: saved.state,
        newInputs: check.inputs,
      };
      const diff = await provider.diff(change);
      if (diff.changes && diff.replaces.length === 0) await provider.update(change);
      return {
        refused: [],
        said,
        paths: Object.entries(diff.detailedDiff).map(([path, { kind }]) => `${path} ${kind}`),
      };
    } catch (error) {
      const { failures } = error as { failures?: { property: string; reason: string }[] };
      if (!failures) throw error;
      return { refused: told(failures), said, paths: [] };
    }
  });
}
