/** Changes single objects of the account from outside, for what goes wrong only when told to. It knows no area and no HTTP. */

import { type Collection, type Json, type Reason, Refusal } from "../area.ts";

/** What to change: `{"collections": {"lkePools": {"118362": {"_wanted": 5}}}, "account": {"balance": -1}}`. */
export interface Changes {
  /** By collection and id: the fields to set, the others stay. */
  readonly collections?: {
    readonly [name: string]: { readonly [id: string]: { readonly [field: string]: Json } };
  };
  /** The account's own values to set. */
  readonly account?: { readonly [name: string]: Json };
}

/** What can be changed. */
export interface Changeable {
  readonly account: { [name: string]: Json };
  /** Absent when the account holds no such collection. */
  collection(name: string): Collection | undefined;
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Makes all the changes, or none and refuses: 400 for another form, 404 for what the account does not hold. */
export function applyChanges(target: Changeable, sent: unknown): void {
  const reasons: Reason[] = [];
  const wrong = (field: string, what: string) =>
    reasons.push({ reason: `Must be an object of ${what}`, field });
  const found: (() => void)[] = [];
  const { collections = {}, account = {}, ...others } = isObject(sent) ? sent : { "": sent };
  for (const field of Object.keys(others))
    reasons.push({ reason: "Must be an object with collections, account or both", ...(field && { field }) });
  if (!isObject(account)) wrong("account", "values");
  else found.push(() => void Object.assign(target.account, structuredClone(account)));
  if (!isObject(collections)) wrong("collections", "collections");
  let missing: Reason | undefined;
  for (const [name, items] of Object.entries(isObject(collections) ? collections : {})) {
    const place = `collections.${name}`;
    const collection = target.collection(name);
    missing ??= collection ? undefined : { reason: "The account has no such collection", field: place };
    if (!isObject(items)) wrong(place, "objects by id");
    for (const [id, fields] of Object.entries(isObject(items) ? items : {})) {
      const item = collection?.get(Number(id));
      if (collection && !item)
        missing ??= { reason: "The account has no such object", field: `${place}.${id}` };
      if (!isObject(fields)) wrong(`${place}.${id}`, "fields");
      else if ("id" in fields) reasons.push({ reason: "Cannot be changed", field: `${place}.${id}.id` });
      else found.push(() => void collection?.update(Number(id), structuredClone(fields)));
    }
  }
  if (reasons.length > 0) throw new Refusal(400, reasons);
  if (missing) throw new Refusal(404, [missing]);
  for (const change of found) change();
}
