/** The configured Providers of one operation, one for each provider resource: made when first needed, cancelled and closed together. */

import { isDefaultProvider, providerReference, referencedProvider } from "../../core/engines/urn.ts";
import type { Catalogue, Provider, RequestCounts, Urn } from "../../core/protocol.ts";
import { plainToken } from "../../core/token.ts";
import { containsUnknown, unknown, type ValueMap } from "../../core/value.ts";
import type { Ledger } from "../state/ledger.ts";
import { PassphraseError } from "../state/passphrase.ts";
import type { ResourceState } from "../state/state.ts";

export interface ProviderPool {
  /** The Provider for a provider resource of this run, configured with its checked inputs. Unknown inputs (a preview) give one that knows nothing. */
  readonly use: (urn: Urn, id: string, inputs: ValueMap) => Promise<Provider>;
  /** The Provider that a saved resource belongs to: this run's, or one configured as the state says. */
  readonly ofReference: (reference: string | undefined) => Promise<Provider>;
  /** The default provider of this run, else another one that it uses, for what belongs to no one resource. */
  readonly usual: () => Promise<Provider>;
  /** One that is not configured, for `checkConfig` and `diffConfig`. */
  readonly plain: () => Provider;
  /** Providers of their own for another view of the state; they are counted, cancelled and closed with these. */
  readonly fork: (ledger: Ledger) => ProviderPool;
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
  /** Judges whether a configured Provider may work for the provider resource (absent: the default one), and returns what is used in its place. */
  readonly admit: (urn: Urn | undefined, provider: Provider) => Promise<Provider>;
}

export function createPool(options: PoolOptions): ProviderPool {
  const all: Provider[] = [];
  const forks: ProviderPool[] = [];
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

  function configure(key: string, urn: Urn | undefined, inputs: ValueMap): Promise<Provider> {
    const known = configured.get(key);
    if (known) return known;
    const making = (async () => {
      const provider = make();
      if (containsUnknown(inputs)) return unknowing(provider, options.catalogue);
      await provider.configure(inputs);
      return options.admit(urn, provider);
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
      const provider = configure(`declared ${reference}`, urn, inputs);
      current.set(reference, provider);
      return provider;
    },
    async ofReference(reference) {
      if (reference === undefined) return configure("default", undefined, options.defaultConfig ?? {});
      const known = current.get(reference) ?? configured.get(`saved ${reference}`);
      if (known) return known;
      const { urn, id } = referencedProvider(reference);
      const saved = savedProvider(options.ledger, urn, id);
      if (saved === undefined) {
        throw new Error(`The state has no provider ${urn}, which some of its resources belong to.`);
      }
      if (!isDefaultProvider(urn) || options.defaultConfig === undefined) {
        return configure(`saved ${reference}`, urn, opened(options.ledger, saved));
      }
      // What is declared now is fresher than what was saved (a token), unless it means another account.
      const diff = await plain().diffConfig({
        urn,
        oldInputs: saved.inputs,
        newInputs: options.defaultConfig,
      });
      const isElsewhere = diff.changes && diff.replaces.length > 0;
      return configure(
        `saved ${reference}`,
        urn,
        isElsewhere ? opened(options.ledger, saved) : options.defaultConfig,
      );
    },
    usual() {
      const isDefault = ([reference]: [string, unknown]) =>
        isDefaultProvider(referencedProvider(reference).urn);
      const used = [...current];
      const [, provider] = used.find(isDefault) ?? used[0] ?? [];
      return provider ?? configure("default", undefined, options.defaultConfig ?? {});
    },
    plain,
    fork(ledger) {
      const other = createPool({ ...options, ledger });
      if (isCancelled) other.cancel();
      forks.push(other);
      return other;
    },
    requests() {
      const sum: { [method: string]: number } = {};
      for (const provider of [...all, ...forks]) {
        for (const [method, count] of Object.entries(provider.requests()))
          sum[method] = (sum[method] ?? 0) + count;
      }
      return sum;
    },
    each(visit) {
      all.forEach(visit);
      for (const other of forks) other.each(visit);
    },
    cancel() {
      isCancelled = true;
      for (const each of [...all, ...forks]) each.cancel();
    },
    async close() {
      await Promise.all([...all, ...forks].map((each) => each.close()));
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

/** True when settings of the provider resource (its token) are among the secrets that nothing at hand opens. */
export const isSealed = (ledger: Ledger, { inputs }: ResourceState): boolean =>
  ledger.isShut && containsUnknown(inputs);

function opened(ledger: Ledger, provider: ResourceState): ValueMap {
  if (!isSealed(ledger, provider)) return provider.inputs;
  throw new PassphraseError(
    `The settings of the provider ${provider.urn} are encrypted, and nothing at hand opens them: set the passphrase (PLUMBLINE_PASSPHRASE) or bring back the key file.`,
  );
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
    appraise: async ({ objects }) =>
      objects.map(({ type }) => [
        { item: plainToken(type), unit: "object", reason: "its provider is not known yet" },
      ]),
  };
}
