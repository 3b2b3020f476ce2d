/**
 * Every object of our kinds as the API server has it. What this process writes itself is known here before a watch tells it, so that nothing is looked
 * at again for our own words, and nothing is written over what a watch has yet to tell.
 */

import type { Kind } from "../../core/schema/manifest/form.ts";
import { idOf } from "../annotations.ts";
import type { Api, KubeObject } from "../api.ts";

export interface Entry<K extends Kind> {
  /** `domains.dns.plumbline.dev/site/zone`. */
  readonly key: string;
  readonly kind: K;
  readonly object: KubeObject;
  /** The Account that it belongs to, by namespace and name. */
  readonly account: string;
}

interface Kept<K extends Kind> extends Entry<K> {
  object: KubeObject;
  account: string;
  /** Versions that we made and no watch has told yet. */
  own: string[];
  writing: number;
  /** What a watch told while we wrote. */
  held: { readonly object: KubeObject; readonly isGone: boolean }[];
}

export interface ObjectsOptions<K extends Kind> {
  /** Somebody else changed it, or it is new (`before` is absent then). */
  readonly changed: (entry: Entry<K>, before?: KubeObject) => void;
  /** We changed it. */
  readonly written: (entry: Entry<K>, before: KubeObject) => void;
  readonly gone: (entry: Entry<K>) => void;
}

export interface Objects<K extends Kind> {
  readonly heard: (kind: K, object: KubeObject, isGone: boolean) => void;
  readonly get: (key: string) => Entry<K> | undefined;
  readonly all: () => Iterable<Entry<K>>;
  /** Keys of those that belong to the Account. */
  readonly of: (account: string) => ReadonlySet<string>;
  /** Accounts that objects name. */
  readonly accounts: () => Iterable<string>;
  /** The object of the kind that has this id in the Account. */
  readonly withId: (account: string, kind: K, id: string) => string | undefined;
  /** The API, whose writes are noted here. */
  readonly noting: (api: Api) => Api;
}

export const keyOf = (
  { plural, group }: Pick<Kind, "plural" | "group">,
  namespace: string,
  name: string,
): string => `${plural}.${group}/${namespace}/${name}`;

export function accountOf({ metadata: { namespace }, spec }: KubeObject): string {
  const { name = "default" } = (spec["accountRef"] ?? {}) as { readonly name?: string };
  return `${namespace}/${name}`;
}

export function createObjects<K extends Kind>({ changed, written, gone }: ObjectsOptions<K>): Objects<K> {
  const kept = new Map<string, Kept<K>>();
  const byUid = new Map<string, Kept<K>>();
  const byAccount = new Map<string, Set<string>>();
  const byId = new Map<string, string>();
  const none: ReadonlySet<string> = new Set();

  const idKey = (account: string, { plural, group }: K, id: string) => `${account} ${plural}.${group} ${id}`;

  function unlist({ key, kind, account, object }: Kept<K>): void {
    const keys = byAccount.get(account);
    keys?.delete(key);
    if (keys?.size === 0) byAccount.delete(account);
    const id = idOf(object);
    if (id !== undefined && byId.get(idKey(account, kind, id)) === key) byId.delete(idKey(account, kind, id));
  }

  function enlist({ key, kind, account, object }: Kept<K>): void {
    const keys = byAccount.get(account);
    if (keys) keys.add(key);
    else byAccount.set(account, new Set([key]));
    const id = idOf(object);
    if (id !== undefined) byId.set(idKey(account, kind, id), key);
  }

  function put(entry: Kept<K>, object: KubeObject): void {
    unlist(entry);
    entry.object = object;
    entry.account = accountOf(object);
    enlist(entry);
  }

  function heardNow(kind: K, object: KubeObject, isGone: boolean): void {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const key = keyOf(kind, namespace, name);
    const entry = kept.get(key);
    if (isGone) {
      if (entry === undefined) return;
      unlist(entry);
      kept.delete(key);
      byUid.delete(entry.object.metadata.uid);
      gone(entry);
      return;
    }
    if (entry === undefined) {
      const fresh: Kept<K> = { key, kind, object, account: accountOf(object), own: [], writing: 0, held: [] };
      kept.set(key, fresh);
      byUid.set(uid, fresh);
      enlist(fresh);
      changed(fresh);
      return;
    }
    const at = entry.own.indexOf(resourceVersion);
    if (at >= 0) {
      entry.own.splice(0, at + 1);
      return;
    }
    entry.own.length = 0;
    const before = entry.object;
    if (before.metadata.resourceVersion === resourceVersion) return;
    put(entry, object);
    changed(entry, before);
  }

  async function noted(given: KubeObject, write: () => Promise<KubeObject>): Promise<KubeObject> {
    const entry = byUid.get(given.metadata.uid);
    if (entry === undefined) return write();
    entry.writing += 1;
    try {
      const object = await write();
      const before = entry.object;
      if (object.metadata.resourceVersion !== before.metadata.resourceVersion) {
        entry.own.push(object.metadata.resourceVersion);
        put(entry, object);
        written(entry, before);
      }
      return object;
    } finally {
      entry.writing -= 1;
      if (entry.writing === 0)
        for (const { object, isGone } of entry.held.splice(0)) heardNow(entry.kind, object, isGone);
    }
  }

  return {
    heard(kind, object, isGone) {
      const { namespace, name } = object.metadata;
      const entry = kept.get(keyOf(kind, namespace, name));
      if (entry && entry.writing > 0) entry.held.push({ object, isGone });
      else heardNow(kind, object, isGone);
    },
    get: (key) => kept.get(key),
    all: () => kept.values(),
    of: (account) => byAccount.get(account) ?? none,
    accounts: () => byAccount.keys(),
    withId: (account, kind, id) => byId.get(idKey(account, kind, id)),
    noting: (api) => ({
      ...api,
      patchMetadata: (object, patch) => noted(object, () => api.patchMetadata(object, patch)),
      replaceStatus: (object, status) => noted(object, () => api.replaceStatus(object, status)),
    }),
  };
}
