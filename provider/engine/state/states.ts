/** The states of a backend: how a stack of it is opened, and what is told of the others. */

import { stackType } from "../../core/engines/urn.ts";
import type { ValueMap } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import type { Change, StackStore, StateBackend } from "./backend.ts";
import { type Ledger, type LedgerStore, type Outcome, openLedger } from "./ledger.ts";
import type { Machine } from "./owner.ts";
import type { DeriveKey } from "./passphrase.ts";
import { createSealers, type KeySource, refuseKeyless, type Sealer } from "./sealer.ts";

export interface States {
  /** Where they are, as messages call it. */
  readonly place: string;
  /** What is kept of the stack. */
  readonly store: StackStore;
  /** What is kept of another stack of the project. Throws EngineError `usage` for a name that cannot be kept. */
  readonly storeOf: (stack: string) => StackStore;
  readonly sealer: (salt: string | undefined) => Sealer;
  /** `write` needs the lock. */
  readonly open: (options: {
    readonly write: boolean;
    readonly lineage?: string;
    readonly withoutKey?: boolean;
    /** True: as if there were none; nothing is asked of the backend. */
    readonly withoutState?: boolean;
    /** One of the history, to be read alone. Throws EngineError `usage` where it is not kept. */
    readonly version?: number | undefined;
  }) => Promise<Ledger>;
  /** Outputs of another stack beside this one: `stack`, `project/stack` or `organization/project/stack`. */
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
  /** Names of the project's stacks. */
  readonly stacks: () => Promise<readonly string[]>;
  /** Where Pulumi keeps a stack of this name in the same place; undefined: it keeps none. */
  readonly pulumis: () => Promise<string | undefined>;
  /** Every other stack of the backend, of every project, one after the other; secrets that nothing at hand opens stay shut. Needs no lock. */
  readonly others: () => AsyncIterable<OpenedStack>;
  /** What is noted of a version that is made now. */
  readonly changeOf: (outcome: Outcome) => Change;
  readonly close: () => Promise<void>;
}

/** A stack that was opened to be looked at. */
export interface OpenedStack {
  readonly project: string;
  readonly stack: string;
  readonly ledger: Ledger;
}

export interface StatesOptions {
  readonly backend: StateBackend;
  readonly project: string;
  readonly stack: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly now: () => Date;
  /** Who makes versions. */
  readonly machine: Pick<Machine, "user" | "host">;
  readonly notice: (message: string) => void;
  readonly deriveKey?: DeriveKey | undefined;
  readonly onSecret?: KeySource["onSecret"];
}

/** Opens nothing yet. Throws EngineError `usage` for a name that cannot be kept. */
export function createStates(options: StatesOptions): States {
  const { backend, environment, notice, deriveKey, onSecret } = options;
  const keys = { environment, key: backend.key, notice, deriveKey, onSecret };
  const sealer = createSealers(keys);
  const { user, host } = options.machine;
  const changeOf = (outcome: Outcome): Change => ({
    user,
    host,
    at: options.now().toISOString(),
    ...outcome,
  });
  const store = backend.stack(options.project, options.stack);
  const ledgerOptions = { sealer, now: options.now, notice };
  return {
    place: backend.place,
    store,
    storeOf: (stack) => backend.stack(options.project, stack),
    sealer,
    changeOf,
    async open({ write, lineage, withoutKey = false, withoutState = false, version }) {
      // What a run makes may bring a secret that is shown once: then it is too late to ask for a key.
      if (write && !withoutKey) await refuseKeyless(keys);
      const kept = version === undefined ? store : atVersion(store, version);
      return openLedger(withoutState ? emptied(store) : kept, {
        ...ledgerOptions,
        changeOf,
        write,
        withoutKey,
        underWay: version !== undefined,
        owner: { project: options.project, stack: options.stack },
        ...(lineage === undefined ? {} : { lineage }),
      });
    },
    async stackOutputs(name) {
      const parts = name.split("/");
      const stack = parts[parts.length - 1] ?? "";
      const project = parts.length > 1 ? (parts[parts.length - 2] ?? "") : options.project;
      if (parts.length > 3)
        throw new Error(`"${name}" is no stack: write STACK, PROJECT/STACK or ORGANIZATION/PROJECT/STACK`);
      const owner = { project, stack };
      const other = await openLedger(backend.stack(project, stack), {
        ...ledgerOptions,
        write: false,
        owner,
      });
      if (other.isNew) throw new Error(`there is no stack ${name} in ${backend.place}`);
      const root = [...other.resources.values()].find((state) => state.type === stackType);
      return root?.outputs ?? {};
    },
    stacks: () => backend.stacks(options.project),
    pulumis: () => backend.pulumis(options.project, options.stack),
    async *others() {
      for (const project of await backend.projects()) {
        for (const stack of await backend.stacks(project)) {
          if (project === options.project && stack === options.stack) continue;
          const look = { write: false, withoutKey: true, owner: { project, stack } };
          const ledger = await openLedger(backend.stack(project, stack), { ...ledgerOptions, ...look });
          yield { project, stack, ledger };
        }
      }
    },
    close: () => backend.close(),
  };
}

/** A stack that has no state. */
const emptied = ({ snapshot, journal }: StackStore): LedgerStore => ({
  snapshot: { ...snapshot, read: async () => undefined },
  journal: { ...journal, read: async () => undefined },
});

/** A stack as it was when the version was made. */
function atVersion({ snapshot, journal, history }: StackStore, version: number): LedgerStore {
  const read = async (): Promise<string> => {
    const text = await history.read(version);
    if (text !== undefined) return text;
    throw new EngineError(
      "usage",
      `There is no version ${version} of the state: \`plumbline stack history\` lists those that are kept.`,
    );
  };
  const place = `version ${version} of ${snapshot.place}`;
  return { snapshot: { ...snapshot, place, read }, journal: { ...journal, read: async () => undefined } };
}
