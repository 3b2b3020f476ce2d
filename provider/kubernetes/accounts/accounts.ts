/**
 * Accounts: the token of each from its Secret, a Provider for each, and what its status says. A Provider is made anew when the settings change, and the
 * one before is closed once nobody uses it. Whoever holds an Account asks; nothing here begins by itself.
 */

import { createHash } from "node:crypto";
import type { Provider } from "../../core/protocol.ts";
import { revealAll, secret, type ValueMap } from "../../core/value.ts";
import { externalId, finalizer, idOf, withFinalizer } from "../annotations.ts";
import type { Api, KubeObject, Status } from "../api.ts";
import { conditionsAfter, type NotReady, saysTheSame, type Verdict } from "../conditions.ts";
import { isTokenRefusal, reconciling, stalled } from "../outcome.ts";
import { type Settings, settingsOf, specOf } from "./settings.ts";

export interface AccountsOptions {
  readonly api: Api;
  readonly find: (account: string) => KubeObject | undefined;
  /** A Provider of the Account with these settings, that has made no request yet. Rejects for settings that cannot work. */
  readonly open: (account: string, config: ValueMap) => Promise<Provider>;
  /** RFC 3339, whole seconds. */
  readonly now: () => string;
  /** True while objects of the Account are there. */
  readonly isUsed: (account: string) => boolean;
  readonly ensure: (account: string) => void;
}

/** How it stands with an Account. */
export type Standing =
  | { readonly is: "ready"; readonly provider: Provider; readonly customer: string | undefined }
  /** `parting`: by which objects that are to go still may, since only the Secret went before them. */
  | { readonly is: "not ready"; readonly verdict: NotReady; readonly parting?: Provider };

export interface Accounts {
  readonly settings: (account: string) => Settings;
  readonly standing: (account: string) => Standing;
  /** Brings what is here to what the Account says, and tells it. `isOther`: its objects are to be looked at anew. */
  readonly settle: (
    account: string,
  ) => Promise<{ readonly again: "done" | "soon"; readonly isOther: boolean }>;
  /** The service refused the token of a request: true where it refuses every request with it. */
  readonly isRefused: (account: string) => Promise<boolean>;
  /** Works with a Provider, which is not closed meanwhile. */
  readonly using: <T>(provider: Provider, work: () => Promise<T>) => Promise<T>;
  /** Notes when everything was looked at last. */
  readonly swept: (account: string) => Promise<void>;
  /** Closes what is open for it. */
  readonly drop: (account: string) => void;
}

interface Open {
  readonly provider: Provider;
  /** Of the settings, the token among them. */
  readonly fingerprint: string;
  readonly customer: string | undefined;
}

interface Kept {
  standing: Standing;
  open?: Open | undefined;
  /** When a refusal was looked into last, and what came of it. */
  doubt?: { readonly at: number; readonly answer: Promise<boolean> };
}

/** Milliseconds for which one answer stands for all that doubt the token. */
const DOUBT = 10_000;

export function createAccounts(options: AccountsOptions): Accounts {
  const { api, find, open, now, isUsed, ensure } = options;
  const kept = new Map<string, Kept>();
  const users = new Map<Provider, number>();
  const retired = new Set<Provider>();

  const keptOf = (account: string): Kept => {
    const known = kept.get(account);
    if (known) return known;
    const fresh: Kept = { standing: waiting(`Account ${nameOf(account)} is not looked at yet`) };
    kept.set(account, fresh);
    return fresh;
  };

  function retire(provider: Provider | undefined): void {
    if (provider === undefined) return;
    if ((users.get(provider) ?? 0) > 0) retired.add(provider);
    else end(provider);
  }

  async function put(account: string, verdict: Verdict, customer?: string): Promise<void> {
    const object = find(account);
    if (object === undefined) return;
    const status: Status & { readonly account?: string } = {
      ...object.status,
      observedGeneration: object.metadata.generation,
      conditions: conditionsAfter(object, verdict, {}, now()),
      ...(customer !== undefined && { account: customer }),
    };
    if (saysTheSame(object.status, status)) return;
    ensure(account);
    await api.replaceStatus(object, status);
    if (verdict.is !== "ready") api.event(object, "Warning", verdict.reason, verdict.message);
    else api.event(object, "Normal", "Ready", "the service knows the token");
  }

  /** True where it stands otherwise than before. */
  function stand(account: string, standing: Standing, opened?: Open): boolean {
    const known = keptOf(account);
    const before = known.standing;
    if (known.open && known.open !== opened) retire(known.open.provider);
    known.open = opened;
    known.standing = standing;
    if (before.is === "ready" && standing.is === "ready") return before.provider !== standing.provider;
    return JSON.stringify(verdictOf(before)) !== JSON.stringify(verdictOf(standing));
  }

  async function notReady(
    account: string,
    verdict: Exclude<Verdict, { is: "ready" }>,
    again: "done" | "soon",
    { keeps }: { readonly keeps?: Open | undefined } = {},
  ) {
    const message = `Account ${nameOf(account)} is not ready: ${verdict.message}`;
    const told = { ...verdict, reason: "AccountNotReady", message };
    const isOther = stand(
      account,
      { is: "not ready", verdict: told, ...(keeps && { parting: keeps.provider }) },
      keeps,
    );
    await put(account, verdict);
    return { again, isOther };
  }

  async function settle(account: string): ReturnType<Accounts["settle"]> {
    const object = find(account);
    const known = keptOf(account).open;
    if (object === undefined) {
      const standing = waiting(`Account ${nameOf(account)} is not there`);
      return { again: "done", isOther: stand(account, standing) };
    }
    if (object.metadata.deletionTimestamp !== undefined && !isUsed(account)) return leave(account, object);
    const config = await configOf(object);
    if (config === undefined) {
      const { name, key } = specOf(object).tokenSecretRef;
      const verdict = reconciling("WaitingForToken", `key ${key} of Secret ${name} is not there`);
      return notReady(account, verdict, "done", { keeps: known });
    }
    const fingerprint = createHash("sha256")
      .update(JSON.stringify(revealAll(config)))
      .digest("base64url");
    if (known?.fingerprint === fingerprint) return ready(account, known);
    return renew(account, object, config, fingerprint);
  }

  /** Undefined: the token is not there. */
  async function configOf(object: KubeObject): Promise<ValueMap | undefined> {
    const { tokenSecretRef: ref, baseUrl, brand } = specOf(object);
    const values = await api.data("Secret", object.metadata.namespace, ref.name);
    const bytes = values?.get(ref.key);
    // Files of tokens end with a line end.
    const token = bytes && new TextDecoder().decode(bytes).trim();
    return token ? { token: secret(token), ...(baseUrl && { baseUrl }), ...(brand && { brand }) } : undefined;
  }

  async function renew(account: string, object: KubeObject, config: ValueMap, fingerprint: string) {
    let provider: Provider;
    try {
      provider = await open(account, config);
    } catch (error) {
      return notReady(account, stalled("BadSetting", (error as Error).message), "done");
    }
    let customer: string | undefined;
    try {
      customer = (await provider.identify?.())?.account;
    } catch (error) {
      await provider.close();
      const { message } = error as Error;
      return isTokenRefusal(error)
        ? notReady(account, stalled("TokenRefused", message), "soon")
        : notReady(account, reconciling("Unreachable", message), "soon");
    }
    const before = idOf(object);
    if (before !== undefined && customer !== undefined && customer !== before) {
      await provider.close();
      const what = `the token is of customer ${customer}, and the objects of this Account were made for ${before}: give a token of ${before}, or make another Account`;
      return notReady(account, stalled("AnotherCustomer", what), "done");
    }
    return ready(account, { provider, fingerprint, customer });
  }

  async function ready(account: string, opened: Open) {
    const { provider, customer } = opened;
    const object = find(account)!;
    const isKnown = customer === undefined || idOf(object) === customer;
    const isGuarded = object.metadata.finalizers?.includes(finalizer) || object.metadata.deletionTimestamp;
    if (!isKnown || !isGuarded) {
      ensure(account);
      const change = {
        ...(!isGuarded && { finalizers: withFinalizer(object) }),
        ...(!isKnown && { annotations: { [externalId]: customer! } }),
      };
      await api.patchMetadata(object, change);
    }
    const isOther = stand(account, { is: "ready", provider, customer }, opened);
    await put(account, { is: "ready" }, customer);
    return { again: "done" as const, isOther };
  }

  /** It is to go, and nothing belongs to it any more. */
  async function leave(account: string, object: KubeObject) {
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(finalizer)) {
      ensure(account);
      await api.patchMetadata(object, { finalizers: finalizers.filter((each) => each !== finalizer) });
    }
    return { again: "done" as const, isOther: false };
  }

  /** By one request of a Provider that remembers nothing. */
  async function isRefusedNow(account: string): Promise<boolean> {
    const object = find(account);
    if (object === undefined) return false;
    const config = await configOf(object);
    if (config === undefined) return true;
    const provider = await open(account, config);
    try {
      await provider.identify?.();
      return false;
    } catch (error) {
      return isTokenRefusal(error);
    } finally {
      await provider.close();
    }
  }

  return {
    settle,
    settings: (account) => settingsOf(find(account)),
    standing: (account) => keptOf(account).standing,
    async isRefused(account) {
      const known = keptOf(account);
      if (known.doubt === undefined || performance.now() - known.doubt.at > DOUBT)
        known.doubt = { at: performance.now(), answer: isRefusedNow(account) };
      const isRefused = await known.doubt.answer;
      // What is open was opened with a token that is no good any more: the next settling asks anew.
      if (isRefused) {
        retire(known.open?.provider);
        known.open = undefined;
      }
      return isRefused;
    },
    async using(provider, work) {
      users.set(provider, (users.get(provider) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = users.get(provider)! - 1;
        if (left > 0) users.set(provider, left);
        else {
          users.delete(provider);
          if (retired.delete(provider)) end(provider);
        }
      }
    },
    async swept(account) {
      const object = find(account);
      if (object === undefined) return;
      const status = { ...object.status, lastSweep: now() };
      ensure(account);
      await api.replaceStatus(object, status);
    },
    drop(account) {
      retire(kept.get(account)?.open?.provider);
      kept.delete(account);
    },
  };
}

const nameOf = (account: string): string => account.slice(account.indexOf("/") + 1);

/** Its connections are gone either way. */
const end = (provider: Provider): void => void provider.close().catch(() => {});

const verdictOf = (standing: Standing): NotReady | undefined =>
  standing.is === "ready" ? undefined : standing.verdict;

/** What its objects say while it is not ready. */
const waiting = (message: string): Standing => ({
  is: "not ready",
  verdict: reconciling("AccountNotReady", message),
});
