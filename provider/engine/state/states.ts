/** The states of a backend: how a stack of it is opened, and what is told of the others. */

import { stackType } from "../../core/engines/urn.ts";
import type { ValueMap } from "../../core/value.ts";
import type { StackStore, StateBackend } from "./backend.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import type { DeriveKey } from "./passphrase.ts";
import { createSealers, type Sealer } from "./sealer.ts";

export interface States {
  /** Where they are, as messages call it. */
  readonly place: string;
  /** What is kept of the stack. */
  readonly store: StackStore;
  readonly sealer: (salt: string | undefined) => Sealer;
  /** `write` needs the lock. */
  readonly open: (options: {
    readonly write: boolean;
    readonly lineage?: string;
    readonly withoutKey?: boolean;
  }) => Promise<Ledger>;
  /** Outputs of another stack beside this one: `stack`, `project/stack` or `organization/project/stack`. */
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
  /** Names of the project's stacks. */
  readonly stacks: () => Promise<readonly string[]>;
  /** Every other stack of the backend, of every project, one after the other; secrets that nothing at hand opens stay shut. Needs no lock. */
  readonly others: () => AsyncIterable<OpenedStack>;
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
  readonly notice: (message: string) => void;
  readonly deriveKey?: DeriveKey | undefined;
}

/** Opens nothing yet. Throws EngineError `usage` for a name that cannot be kept. */
export function createStates(options: StatesOptions): States {
  const { backend, environment, notice, deriveKey } = options;
  const sealer = createSealers({ environment, key: backend.key, notice, deriveKey });
  const store = backend.stack(options.project, options.stack);
  const ledgerOptions = { sealer, now: options.now, notice };
  return {
    place: backend.place,
    store,
    sealer,
    open: ({ write, lineage, withoutKey = false }) =>
      openLedger(store, {
        ...ledgerOptions,
        write,
        withoutKey,
        owner: { project: options.project, stack: options.stack },
        ...(lineage === undefined ? {} : { lineage }),
      }),
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
      if (other.isNew) throw new Error(`there is no stack ${name} in the state folder ${backend.place}`);
      const root = [...other.resources.values()].find((state) => state.type === stackType);
      return root?.outputs ?? {};
    },
    stacks: () => backend.stacks(options.project),
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
