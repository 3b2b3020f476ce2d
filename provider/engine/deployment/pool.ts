/** The configured Providers of one operation, one for each provider resource: made when first needed, cancelled and closed together. */

import type { Catalogue, Provider, RequestCounts, Urn } from "../../core/protocol.ts";
import { containsUnknown, unknown, type ValueMap } from "../../core/value.ts";
import type { Ledger } from "./ledger.ts";
import type { ResourceState } from "./state.ts";
import { isDefaultProvider, providerReference, referencedProvider } from "./urn.ts";

export interface ProviderPool {
  /** The Provider for a provider resource of this run, configured with its checked inputs. Unknown inputs (a preview) give one that knows nothing. */
  readonly use: (urn: Urn, id: string, inputs: ValueMap) => Promise<Provider>;
  /** The Provider that a saved resource belongs to: this run's, or one configured as the state says. */
  readonly ofReference: (reference: string | undefined) => Promise<Provider>;
  /** One that is not configured, for `checkConfig` and `diffConfig`. */
  readonly plain: () => Provider;
  /** Requests made by all of them. */
  readonly requests: () => RequestCounts;
  readonly each: (visit: (provider: Provider) => void) => void;
  readonly cancel: () => void;
  readonly close: () => Promise<void>;
}

export interface PoolOptions {
  readonly createProvider: () => Provider;
  readonly catalogue: Catalogue;
  readonly ledger: Ledger;
  /** Config of the default provider as it is declared now; wins over what the state says. Absent: nobody knows. */
  readonly defaultConfig: ValueMap | undefined;
}

export function createPool(options: PoolOptions): ProviderPool {
  const all: Provider[] = [];
  const configured = new Map<string, Promise<Provider>>();
  const current = new Map<string, Promise<Provider>>();
  let isCancelled = false;
  let unconfigured: Provider | undefined;

  function make(): Provider {
    const provider = options.createProvider();
    if (isCancelled) provider.cancel();
    all.push(provider);
    return provider;
  }

  function configure(key: string, inputs: ValueMap): Promise<Provider> {
    const known = configured.get(key);
    if (known) return known;
    const making = (async () => {
      const provider = make();
      if (containsUnknown(inputs)) return unknowing(provider, options.catalogue);
      await provider.configure(inputs);
      return provider;
    })();
    configured.set(key, making);
    return making;
  }

  function plain(): Provider {
    unconfigured ??= make();
    return unconfigured;
  }

  return {
    use(urn, id, inputs) {
      const reference = providerReference(urn, id);
      const provider = configure(`declared ${reference}`, inputs);
      current.set(reference, provider);
      return provider;
    },
    async ofReference(reference) {
      if (reference === undefined) return configure("default", options.defaultConfig ?? {});
      const known = current.get(reference) ?? configured.get(`saved ${reference}`);
      if (known) return known;
      const { urn, id } = referencedProvider(reference);
      const saved = savedProvider(options.ledger, urn, id);
      if (saved === undefined) {
        throw new Error(`The state has no provider ${urn}, which some of its resources belong to.`);
      }
      if (!isDefaultProvider(urn) || options.defaultConfig === undefined) {
        return configure(`saved ${reference}`, saved.inputs);
      }
      // What is declared now is fresher than what was saved (a token), unless it means another account.
      const diff = await plain().diffConfig({
        urn,
        oldInputs: saved.inputs,
        newInputs: options.defaultConfig,
      });
      const isElsewhere = diff.changes && diff.replaces.length > 0;
      return configure(`saved ${reference}`, isElsewhere ? saved.inputs : options.defaultConfig);
    },
    plain,
    requests() {
      const sum: { [method: string]: number } = {};
      for (const provider of all) {
        for (const [method, count] of Object.entries(provider.requests()))
          sum[method] = (sum[method] ?? 0) + count;
      }
      return sum;
    },
    each: (visit) => all.forEach(visit),
    cancel() {
      isCancelled = true;
      for (const provider of all) provider.cancel();
    },
    async close() {
      await Promise.all(all.map((provider) => provider.close()));
    },
  };
}

/** A provider resource of the state; one that was replaced in this run may wait beside its successor. */
export function savedProvider(ledger: Ledger, urn: Urn, id: string): ResourceState | undefined {
  const slot = ledger.slotOf(urn);
  const present = slot === undefined ? undefined : ledger.resources.get(slot);
  if (present?.id === id) return present;
  return [...ledger.resources.values()].find((state) => state.urn === urn && state.id === id);
}

/**
 * What stands in for a Provider whose configuration is not known before something else is made: everything it would have to look up is
 * unknown, and whatever exists is taken to change in place. Only previews meet it.
 */
function unknowing(provider: Provider, catalogue: Catalogue): Provider {
  const open = (type: string): ValueMap =>
    Object.fromEntries(
      Object.keys(catalogue.resources.get(type)?.outputs ?? {}).map((name) => [name, unknown]),
    );
  return {
    ...provider,
    check: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
    diff: async () => ({
      changes: true,
      detailedDiff: {},
      replaces: [],
      deleteBeforeReplace: false,
      stables: [],
    }),
    create: async ({ type, inputs }) => ({ id: "", state: { ...open(type), ...inputs } }),
    update: async ({ newInputs, state }) => ({ state: { ...state, ...newInputs } }),
    read: async ({ id, inputs, state }) => ({ id, inputs: inputs ?? {}, state: state ?? {} }),
    invoke: async () => ({ result: {}, failures: [] }),
    list: async () => [],
    find: async () => undefined,
  };
}
