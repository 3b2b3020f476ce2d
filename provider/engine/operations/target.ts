/**
 * Whether what an operation works on is what the state belongs to. Another address or account is refused before anything is asked of it or
 * written to it; a state that belongs to none yet is bound before its first write. Knows no resource.
 */

import { createHmac } from "node:crypto";
import { isProviderType, providerReference } from "../../core/engines/urn.ts";
import type { Provider, TargetIdentity, Urn } from "../../core/protocol.ts";
import type { ProviderPool } from "../deployment/pool.ts";
import { EngineError } from "../failure.ts";
import type { Ledger } from "../state/ledger.ts";
import {
  defaultTarget,
  type Target,
  targetKey,
  targetRecord,
  targetText,
  usedTargets,
} from "../state/target.ts";

export interface TargetJudge {
  /** Judges a configured Provider of the provider resource (absent: the default one) by what is known without a request. Returns it with its answers judged, too. */
  readonly admit: (urn: Urn | undefined, provider: Provider) => Promise<Provider>;
  /** Judges what `admit` returned before it writes: makes a request where nothing has told the account yet, and binds the state. */
  readonly admitWrite: (provider: Provider) => Promise<void>;
  /** True when what the provider resource made is elsewhere than what `admit` returned works on. Makes a request where the account is not known and matters. */
  readonly isElsewhere: (urn: Urn, provider: Provider) => Promise<boolean>;
  /** Judges the default provider of the state, as it is configured now, before anything else is done. */
  readonly admitState: (pool: ProviderPool) => Promise<void>;
  /** Binds the state to what has told its account. Does nothing where nothing is saved. */
  readonly bindAll: () => Promise<void>;
  /** The target of what `admit` returned, as the state would remember it. Makes a request where nothing has told the account yet. */
  readonly targetOf: (provider: Provider) => Promise<Target | undefined>;
  /** Address and account of the default provider as far as this operation used it; makes a request where nothing has told the account yet. */
  readonly target: () => Promise<Omit<Target, "credential"> | undefined>;
}

export interface TargetJudgeOptions {
  readonly stack: string;
  readonly ledger: Ledger;
  readonly write: boolean;
  /** False: an account that nobody told yet is not asked for. Default true. */
  readonly asks?: boolean;
  /** Accounts by credential, as far as this process was told; shared by the operations of one engine. */
  readonly accounts: Map<string, string>;
  /** Where a plan is to be done: what holds while the state says nothing. */
  readonly expected?: Target | undefined;
  /** True: another target is what is asked for, so none is refused, and only `targetOf` and the ledger bind. */
  readonly takesAny?: boolean;
  readonly report: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** A Provider under judgement. */
interface Candidate {
  readonly key: string;
  readonly identify: NonNullable<Provider["identify"]>;
  identity: TargetIdentity;
  writing?: Promise<void>;
}

export function createTargetJudge(options: TargetJudgeOptions): TargetJudge {
  const { ledger, accounts } = options;
  // What is in use at the opening: where the stack has nothing, nothing can be mixed up.
  const used = usedTargets(ledger.resources, ledger.attempts);
  const told = new Set(ledger.targets.keys());
  const candidates = new WeakMap<Provider, Candidate>();
  const all: Candidate[] = [];

  const keyed = (credential: string | undefined): string | undefined =>
    credential && createHmac("sha256", ledger.lineage).update(credential).digest("base64url");

  const boundOf = (key: string): Target | undefined => {
    if (options.takesAny) return undefined;
    const saved = used.has(key) ? ledger.targets.get(key) : undefined;
    return saved ?? (key === defaultTarget ? options.expected : undefined);
  };

  function refuseOther({ key, identity }: Candidate): void {
    const bound = boundOf(key);
    if (bound !== undefined && isOther(bound, identity))
      throw otherTarget(bound === options.expected ? "The plan" : whose(options.stack, key), bound, identity);
  }

  /** Takes over what the provider, or another of this process with the same token, was told; `asks` makes a request where nobody was. */
  async function learn(candidate: Candidate, asks: boolean): Promise<void> {
    const { credential } = candidate.identity;
    const account = credential === undefined ? undefined : accounts.get(credential);
    if (account !== undefined) candidate.identity = { ...candidate.identity, account };
    if (candidate.identity.account === undefined) {
      const { signal } = options;
      candidate.identity = await candidate.identify({ asks, ...(signal ? { signal } : {}) });
      const { account: answered } = candidate.identity;
      if (credential !== undefined && answered !== undefined) accounts.set(credential, answered);
    }
    refuseOther(candidate);
  }

  function remembered({ identity }: Candidate): Target {
    const credential = identity.account === undefined ? undefined : keyed(identity.credential);
    const { baseUrl, account } = identity;
    return targetRecord({ baseUrl, ...(account && { account }), ...(credential && { credential }) });
  }

  async function bind(candidate: Candidate): Promise<void> {
    if (!options.write || options.takesAny) return;
    const { key, identity } = candidate;
    const before = boundOf(key);
    // An answer that names nobody takes nothing back.
    if (before?.account !== undefined && identity.account === undefined) return;
    const next = remembered(candidate);
    if (JSON.stringify(ledger.targets.get(key)) === JSON.stringify(next)) return;
    await ledger.bind(key, next);
    if (!used.has(key) || told.has(key)) return;
    told.add(key);
    options.report(
      `The state of ${options.stack} did not say where its objects are: from now on it is of ${targetText(next)}.`,
    );
  }

  function admitWrite(candidate: Candidate): Promise<void> {
    candidate.writing ??= learn(candidate, true).then(() => bind(candidate));
    return candidate.writing;
  }

  /** The provider, with the account judged after whatever may have told it, and before whatever writes. */
  const judging = (candidate: Candidate, provider: Provider): Provider =>
    watched(provider, {
      async afterRead() {
        if (candidate.identity.account === undefined) await learn(candidate, false);
      },
      beforeWrite: () => admitWrite(candidate),
    });

  return {
    async admit(urn, provider) {
      const { identify } = provider;
      if (identify === undefined) return provider;
      const candidate: Candidate = {
        key: targetKey(urn),
        identify,
        identity: await identify({ asks: false }),
      };
      refuseOther(candidate);
      const bound = boundOf(candidate.key);
      // The same token means the same account; any other one is asked for its account first.
      const isSame =
        bound?.account === undefined || bound.credential === keyed(candidate.identity.credential);
      if (!isSame) await learn(candidate, options.asks ?? true);
      const judged = judging(candidate, provider);
      candidates.set(judged, candidate);
      all.push(candidate);
      return judged;
    },
    async admitWrite(provider) {
      const candidate = candidates.get(provider);
      if (candidate) await admitWrite(candidate);
    },
    async isElsewhere(urn, provider) {
      const bound = boundOf(targetKey(urn));
      const candidate = candidates.get(provider);
      if (bound === undefined || candidate === undefined) return false;
      if (bound.baseUrl === candidate.identity.baseUrl && bound.account !== undefined)
        await learn(candidate, bound.credential !== keyed(candidate.identity.credential));
      return isOther(bound, candidate.identity);
    },
    async admitState(pool) {
      if (boundOf(defaultTarget) === undefined) return;
      const saved = [...ledger.resources.values()].find(
        ({ type, urn }) => isProviderType(type) && targetKey(urn) === defaultTarget,
      );
      try {
        await pool.ofReference(saved && providerReference(saved.urn, saved.id ?? ""));
      } catch (error) {
        // Whatever else is wrong with it, who needs it will tell.
        if (error instanceof EngineError) throw error;
      }
    },
    async targetOf(provider) {
      const candidate = candidates.get(provider);
      if (candidate === undefined) return undefined;
      await learn(candidate, true);
      return remembered(candidate);
    },
    async target() {
      const candidate = all.find(({ key }) => key === defaultTarget);
      if (candidate === undefined) return undefined;
      await learn(candidate, true);
      const { baseUrl, account } = candidate.identity;
      return { baseUrl, ...(account === undefined ? {} : { account }) };
    },
    async bindAll() {
      const now = usedTargets(ledger.resources, ledger.attempts);
      for (const candidate of all) {
        if (now.has(candidate.key) && candidate.identity.account !== undefined) await bind(candidate);
      }
    },
  };
}

interface Watch {
  readonly afterRead: () => Promise<void>;
  readonly beforeWrite: () => Promise<void>;
}

/** The provider with something done after each read and before each write of its. */
function watched(provider: Provider, { afterRead, beforeWrite }: Watch): Provider {
  const read =
    <R, T>(verb: (request: R) => Promise<T>) =>
    async (request: R): Promise<T> => {
      const answer = await verb(request);
      await afterRead();
      return answer;
    };
  const write =
    <R, T>(verb: (request: R) => Promise<T>) =>
    async (request: R): Promise<T> => {
      await beforeWrite();
      return verb(request);
    };
  const { run, foresee } = provider;
  return {
    ...provider,
    read: read(provider.read),
    list: read(provider.list),
    invoke: read(provider.invoke),
    find: read(provider.find),
    create: (request) => (request.preview ? read : write)(provider.create)(request),
    update: (request) => (request.preview ? read : write)(provider.update)(request),
    delete: write(provider.delete),
    ...(foresee ? { foresee: read(foresee) } : {}),
    ...(run ? { run: write(run) } : {}),
  };
}

/** True when the two cannot be the same: an account that one of them does not name may be. */
export function isOther(one: TargetIdentity, other: TargetIdentity): boolean {
  if (one.baseUrl !== other.baseUrl) return true;
  return one.account !== undefined && other.account !== undefined && one.account !== other.account;
}

function whose(stack: string, key: string): string {
  return key === defaultTarget ? `The stack ${stack}` : `What the stack ${stack} has of ${key}`;
}

function otherTarget(what: string, bound: Target, now: TargetIdentity): EngineError {
  return new EngineError(
    "target",
    `${what} is on ${targetText(bound)}, and this run would be about ${targetText(now)}: nothing was done. Set address and token to its own, or take another --stack; if the stack's objects are there now, run \`plumbline stack retarget\`.`,
  );
}
