/**
 * The controller: follows every object of every kind, and keeps those of the Accounts that this replica holds. Each Account has a queue of its own, in
 * which the Account itself comes first.
 */

import { createHmac, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Provider } from "../core/protocol.ts";
import type { Kind } from "../core/schema/manifest/form.ts";
import type { ManifestKind } from "../core/schema/manifest/kinds.ts";
import type { ValueMap } from "../core/value.ts";
import { createAccounts } from "./accounts/accounts.ts";
import { specOf } from "./accounts/settings.ts";
import type { KubeObject } from "./api.ts";
import type { Seal } from "./applied.ts";
import type { Client } from "./client.ts";
import type { Clock } from "./clock.ts";
import { urnOf } from "./identity.ts";
import { createKeeper, type Keeper } from "./keeper.ts";
import { accountOf, createObjects, type Entry, keyOf } from "./known/objects.ts";
import { createReferences, isOther, nameOf, namesOf } from "./known/references.ts";
import { look } from "./look.ts";
import type { Urgency } from "./queue.ts";
import type { Replicas } from "./replicas.ts";
import type { Report } from "./report.ts";

export interface ControllerOptions {
  readonly client: Client;
  readonly kinds: readonly ManifestKind[];
  /** A Provider with these settings, each of whose writes is preceded by `admit`. */
  readonly open: (config: ValueMap, admit: () => void) => Promise<Provider>;
  readonly replicas: (hooks: {
    readonly gained: (account: string) => void;
    readonly lost: (account: string) => Promise<void>;
  }) => Replicas;
  readonly report: Report;
  readonly clock: Clock;
  /** Objects of an Account that are looked at at once. */
  readonly concurrency: number;
}

export interface Controller {
  /** Resolves when every kind was listed, and work has begun. */
  readonly start: () => Promise<void>;
  readonly isReady: () => boolean;
  readonly figures: () => Figures;
  /** Begins nothing more; resolves when what is under way has ended and others may go on. */
  readonly close: () => Promise<void>;
}

export interface Figures {
  readonly depths: readonly { readonly account: string; readonly urgency: Urgency; readonly count: number }[];
  /** How many objects of a kind say so. */
  readonly objects: readonly { readonly kind: string; readonly condition: string; readonly count: number }[];
}

const accountKind: Kind = { group: "plumbline.dev", kind: "Account", plural: "accounts" };

/** Milliseconds that what is under way may take once its Account is to be given up. Then waits end; what they waited for is found again. */
const GRACE = 20_000;

export function createController(options: ControllerOptions): Controller {
  const { client, report, clock } = options;
  const references = createReferences();
  const keepers = new Map<string, Keeper>();
  const endings = new Map<string, AbortController>();
  let seal: Seal | undefined;
  let isListed = false;
  let isClosed = false;

  const now = (): string => `${new Date(clock.told()).toISOString().slice(0, 19)}Z`;
  const keeperOf = (key: string): Keeper | undefined => {
    const entry = objects.get(key);
    return entry && keepers.get(entry.account);
  };
  const wakeNaming = (name: string): void => {
    for (const key of references.naming(name)) keeperOf(key)?.wake(key);
  };
  const settle = (account: string): void => keepers.get(account)?.settle();

  const objects = createObjects<ManifestKind>({
    changed(entry, before) {
      const { key, kind, object } = entry;
      if (before?.metadata.generation !== object.metadata.generation)
        references.note(key, namesOf(kind, object));
      if (before && accountOf(before) !== accountOf(object)) moved(key, accountOf(before));
      if (before === undefined || accountOf(before) !== accountOf(object)) want();
      if (isOther(before, object)) wakeNaming(key);
      const keeper = keepers.get(accountOf(object));
      keeper?.put(entry);
      if (before === undefined || isSignificant(before, object)) keeper?.wake(key);
    },
    written(entry, before) {
      if (isOther(before, entry.object)) wakeNaming(entry.key);
      keepers.get(entry.account)?.put(entry);
    },
    gone: (entry) => gone(entry),
  });
  const accountObjects = createObjects<Kind>({
    changed({ object }, before) {
      want();
      if (before === undefined || isSignificant(before, object)) settle(nameOfAccount(object));
    },
    written() {},
    gone({ object }) {
      settle(nameOfAccount(object));
      want();
    },
  });
  const findAccount = (account: string): KubeObject | undefined =>
    accountObjects.get(keyOf(accountKind, ...partsOf(account)))?.object;
  const accounts = createAccounts({
    ...{ api: accountObjects.noting(client), find: findAccount, now },
    open: (account, config) => options.open(config, () => replicas.ensure(account)),
    isUsed: (account) => objects.of(account).size > 0,
    ensure: (account) => replicas.ensure(account),
  });
  const replicas = options.replicas({ gained, lost });

  /** Tells the replicas which Accounts there are, once all are known. */
  let isDue = false;
  function want(): void {
    if (!isListed || isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      const named = [...accountObjects.all()].map(({ object }) => nameOfAccount(object));
      replicas.wants(new Set([...objects.accounts(), ...named]));
    });
  }

  /** It belongs to this Account no more. */
  function moved(key: string, account: string): void {
    keepers.get(account)?.forget(key);
    keepers.get(account)?.stir();
    if (objects.of(account).size === 0) settle(account);
  }

  function gone({ key, kind, object, account }: Entry<ManifestKind>): void {
    moved(key, account);
    const standing = accounts.standing(account);
    if (standing.is === "ready") standing.provider.forget?.(urnOf(kind, object));
    wakeNaming(key);
    // What it named may have waited for it to go.
    for (const name of references.namedBy(key))
      if (objects.get(name)?.object.metadata.deletionTimestamp !== undefined) keeperOf(name)?.wake(name);
    references.forget(key);
    want();
  }

  function gained(account: string): void {
    const ending = new AbortController();
    // One listener for each look under way is meant, not a leak.
    setMaxListeners(0, ending.signal);
    endings.set(account, ending);
    const keeper = createKeeper({
      ...{ account, objects, accounts, report, clock, concurrency: options.concurrency },
      look: (key) =>
        look(key, {
          ...{ api: objects.noting(client), objects, references, accounts, report, now },
          ...{ seal: seal!, signal: ending.signal, refused: settle },
          holds: (each) => replicas.holds(each),
          ensure: (each) => replicas.ensure(each),
        }),
    });
    keepers.set(account, keeper);
    for (const key of objects.of(account)) keeper.put(objects.get(key)!);
    report.log("gained", `keeps the Account ${account}`, { account });
    keeper.settle();
  }

  /** True while nobody else may write. */
  function isHeld(account: string): boolean {
    try {
      replicas.ensure(account);
      return true;
    } catch {
      return false;
    }
  }

  async function lost(account: string): Promise<void> {
    const keeper = keepers.get(account);
    keepers.delete(account);
    const patience = isHeld(account) ? GRACE : 0;
    const cancel = clock.at(clock.now() + patience, () => endings.get(account)?.abort());
    await keeper?.close();
    cancel();
    accounts.drop(account);
    report.log("lost", `keeps the Account ${account} no more`, { account });
  }

  function secretHeard(namespace: string, name: string): void {
    wakeNaming(nameOf("Secret", namespace, name));
    for (const { object } of accountObjects.all()) {
      const { metadata } = object;
      if (metadata.namespace === namespace && specOf(object).tokenSecretRef.name === name)
        settle(`${namespace}/${metadata.name}`);
    }
  }

  return {
    async start() {
      await Promise.all([
        client.follow(accountKind, (object, isGone) => accountObjects.heard(accountKind, object, isGone)),
        client.followNames("Secret", secretHeard),
        client.followNames("ConfigMap", (namespace, name) =>
          wakeNaming(nameOf("ConfigMap", namespace, name)),
        ),
        ...options.kinds.map((kind) =>
          client.follow(kind, (object, isGone) => objects.heard(kind, object, isGone)),
        ),
      ]);
      if (isClosed) return;
      seal = await sealOf(client);
      isListed = true;
      want();
      report.log("ready", "every kind was listed");
    },
    isReady: () => isListed,
    figures: () => figuresOf(keepers, objects.all()),
    async close() {
      isClosed = true;
      await replicas.close();
      await client.close();
    },
  };
}

function partsOf(account: string): [namespace: string, name: string] {
  const at = account.indexOf("/");
  return [account.slice(0, at), account.slice(at + 1)];
}

/** Of the installation: with another key nothing that was applied would be known again. */
async function sealOf(client: Pick<Client, "ownSecret">): Promise<Seal> {
  const values = await client.ownSecret("plumbline-seal", () => ({
    key: randomBytes(32).toString("base64"),
  }));
  const key = values.get("key");
  if (key === undefined) throw new Error("the Secret plumbline-seal has no key: delete it");
  return (text) => createHmac("sha256", key).update(text).digest("base64url");
}

const nameOfAccount = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/** True for a change that the controller acts on. */
function isSignificant(before: KubeObject, now: KubeObject): boolean {
  const told = ({ metadata, status }: KubeObject): string =>
    JSON.stringify([
      ...[metadata.generation, metadata.deletionTimestamp, metadata.annotations, metadata.finalizers],
      status,
    ]);
  return told(before) !== told(now);
}

function figuresOf(keepers: ReadonlyMap<string, Keeper>, entries: Iterable<Entry<ManifestKind>>): Figures {
  const counts = new Map<string, number>();
  for (const { kind, object } of entries)
    for (const { type, status } of object.status?.conditions ?? []) {
      if (status !== "True") continue;
      const name = `${kind.kind} ${type}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  return {
    depths: [...keepers].flatMap(([account, { waiting }]) =>
      Object.entries(waiting()).map(([urgency, count]) => ({
        ...{ account, count, urgency: urgency as Urgency },
      })),
    ),
    objects: [...counts].map(([name, count]) => {
      const [kind = "", condition = ""] = name.split(" ");
      return { kind, condition, count };
    }),
  };
}
