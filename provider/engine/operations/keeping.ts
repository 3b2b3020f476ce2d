/** What is done with a stack's state alone: it is told, handed over, replaced, unlocked. Writes nothing to the service. */

import { randomUUID } from "node:crypto";
import { stackType } from "../../core/engines/urn.ts";
import type { Provider } from "../../core/protocol.ts";
import { EngineError } from "../failure.ts";
import type { Ledger } from "../state/ledger.ts";
import { PassphraseError } from "../state/passphrase.ts";
import { needsKey, parseSnapshot, type SnapshotFile, saltOf } from "../state/snapshot.ts";
import type { States } from "../state/states.ts";
import { deploymentOf, refuseForeign, renamed, shownFile, toPulumi, toSnapshot } from "../state/transfer.ts";
import type { Engine, Shown } from "./facade.ts";
import { graphOf } from "./graph.ts";
import type { Operations } from "./operation.ts";
import { renameState } from "./renaming.ts";

export interface KeepingOptions {
  readonly project: string;
  readonly stack: string;
  readonly states: States;
  readonly operations: Operations;
  /** A Provider as it is configured now; rejects where none is. */
  readonly provider: () => Promise<Provider>;
  readonly now: () => Date;
  readonly notice: (message: string) => void;
}

export type Keeping = Pick<
  Engine,
  | ("outputs" | "resources" | "graph" | "stacks")
  | ("history" | "exportState" | "exportPulumi" | "importState")
  | ("renameStack" | "removeStack" | "lock" | "unlock")
>;

export function createKeeping(options: KeepingOptions): Keeping {
  const { project, stack, states } = options;
  const { snapshot, lock } = states.store;
  const { readOnly } = options.operations;
  const time = (): string => options.now().toISOString();

  /** Judges the target that is configured, if one is: what is only read needs none. */
  async function admitConfigured(): Promise<void> {
    const provider = await options.provider().catch(() => undefined);
    try {
      if (provider) await options.operations.admit(provider, { asks: false });
    } finally {
      await provider?.close();
    }
  }

  return {
    async outputs(how) {
      await admitConfigured();
      return readOnly(async (ledger) => {
        await openedFor(ledger, how);
        if (ledger.isNew)
          throw new EngineError("usage", `There is no stack ${stack} of ${project} in ${states.place}.`);
        return rootOf(ledger)?.outputs ?? {};
      });
    },
    resources: (how) =>
      readOnly(async (ledger) => {
        await openedFor(ledger, how);
        return [...ledger.resources.values()];
      }),
    graph: () => readOnly(async (ledger) => graphOf(ledger.resources.values())),
    stacks: () => states.stacks(),
    history: () => states.store.history.list(),
    exportState: ({ version, showSecrets = false } = {}) =>
      readOnly(async (ledger, sealer) => {
        const file = await ledger.file();
        if (!showSecrets || !needsKey(file.deployment)) return file;
        await sealer.ready();
        return shownFile(file, sealer);
      }, version),
    exportPulumi: ({ showSecrets = false, sealedUnder, version } = {}) =>
      readOnly(async (ledger, sealer) => {
        refuseUnended(ledger, stack);
        await sealer.ready();
        const keyFile = showSecrets ? undefined : sealer.keyFile();
        if (keyFile !== undefined) sealedUnder?.(keyFile);
        return toPulumi([...ledger.resources.values()], sealer, { time: time(), showSecrets });
      }, version),
    importState: (text, { rename = false } = {}) =>
      options.operations.locked("import", async () => {
        const given = deploymentOf(text);
        const { deployment, targets } = rename ? renamed(given, project, stack) : given;
        refuseForeign(deployment, project, stack);
        const isSealed = needsKey(deployment);
        const from = states.sealer(isSealed ? saltOf(deployment, "The given state") : undefined);
        if (isSealed) await from.ready();
        const { plumbline, salt } = await present(options);
        const file = await toSnapshot(deployment, from, states.sealer(salt), {
          serial: plumbline.serial + 1,
          lineage: plumbline.lineage,
          time: time(),
          targets: new Map(Object.entries(targets ?? plumbline.targets ?? {})),
        });
        const change = states.changeOf({ operation: "import", result: "succeeded" });
        await snapshot.replace(`${JSON.stringify(file)}\n`, change);
      }),
    renameStack: (name, how = {}) =>
      options.operations.locked("state", () =>
        renameState({ project, stack, states, mark: asideMark("renamed", options.now()), ...how }, name),
      ),
    removeStack: ({ force = false } = {}) =>
      options.operations.locked("state", async () => {
        const ledger = await states.open({ write: true, withoutKey: true });
        const left = [...ledger.resources.values()].filter(({ type }) => type.startsWith("plumbline:"));
        if (left.length > 0 && !force) {
          throw new EngineError(
            "usage",
            `The stack ${stack} has ${left.length} resources: delete them by \`plumbline destroy\`, or give --force to leave their objects to nobody. Nothing was done.`,
          );
        }
        await states.store.journal.remove();
        return snapshot.putAside(asideMark("removed", options.now()));
      }),
    lock: () => lock.owner(),
    async unlock({ force = false } = {}) {
      const owner = await lock.owner();
      if (owner === undefined) return undefined;
      if ((await lock.isSeenAlive(owner)) && !force) {
        throw new EngineError(
          "locked",
          `Process ${owner.pid}, which holds the lock for ${owner.operation}, still runs on this host. End it first; if it is something else by now, use --force.`,
        );
      }
      await lock.clear();
      return owner;
    },
  };
}

async function openedFor({ isShut, sealer }: Ledger, { showSecrets = false }: Shown = {}): Promise<void> {
  if (showSecrets && isShut) await sealer.ready();
}

/** Pulumi forgets what was begun and not ended, and would make it again. */
function refuseUnended({ attempts }: Ledger, stack: string): void {
  if (attempts.size === 0) return;
  const urns = [...new Set([...attempts.values()].map(({ resource }) => resource.urn))];
  const shown = urns.slice(0, 10).map((urn) => `\n  ${urn}`);
  const more = urns.length > 10 ? `\n  and ${urns.length - 10} more` : "";
  throw new EngineError(
    "usage",
    `A run of ${stack} was cut off, and what became of these is not known yet. Pulumi would take them for undone and make them again: run \`plumbline refresh\` (or \`plumbline up\`) first, which finds out.${shown.join("")}${more}`,
  );
}

/** What the name of a file ends with that is kept and used no more. */
const asideMark = (what: string, now: Date): string =>
  `.${what}-${now
    .toISOString()
    .replace(/[^0-9]/g, "")
    .slice(0, 14)}`;

const rootOf = (ledger: Ledger) => [...ledger.resources.values()].find((state) => state.type === stackType);

/**
 * What the new state file goes on from. A journal is folded into the old file first; an old file that cannot be read, or is of another stack, is no
 * reason to refuse a good one: it is put aside.
 */
async function present({
  states,
  now,
  notice,
}: KeepingOptions): Promise<Pick<SnapshotFile, "plumbline"> & { salt?: string }> {
  const { snapshot, journal } = states.store;
  try {
    await states.open({ write: true });
    const text = await snapshot.read();
    const file = text === undefined ? undefined : parseSnapshot(text, snapshot.place);
    const salt = file && saltOf(file.deployment, snapshot.place);
    if (file) return { plumbline: file.plumbline, ...(salt === undefined ? {} : { salt }) };
  } catch (error) {
    if (!(error instanceof EngineError || error instanceof PassphraseError)) throw error;
    const aside = asideMark("replaced", now());
    for (const part of [snapshot, journal]) {
      const place = await part.putAside(aside);
      if (place !== undefined) notice(`What was in ${part.place} is in ${place} now.`);
    }
  }
  return { plumbline: { format: 1, serial: 0, lineage: randomUUID() } };
}
