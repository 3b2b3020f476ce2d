/** One look at one object of a cluster: with which Provider, beside which others, and what is done after it. */

import { CancelledError } from "../core/protocol.ts";
import type { ManifestKind } from "../core/schema/manifest/kinds.ts";
import { kinds } from "../provider.ts";
import type { Accounts } from "./accounts/accounts.ts";
import { type Api, ConflictError, type KubeObject } from "./api.ts";
import type { Seal } from "./applied.ts";
import type { Entry, Objects } from "./known/objects.ts";
import { type References, surroundingsOf } from "./known/references.ts";
import { AbandonedError, type Next, TokenRefusedError } from "./outcome.ts";
import type { Looked, Report } from "./report.ts";
import { reconcile } from "./subject.ts";
import { tellWaiting } from "./telling.ts";

export interface LookOptions {
  /** Whose writes are noted. */
  readonly api: Api;
  readonly objects: Objects<ManifestKind>;
  readonly references: References;
  readonly accounts: Accounts;
  readonly seal: Seal;
  readonly now: () => string;
  readonly holds: (account: string) => boolean;
  readonly ensure: (account: string) => void;
  readonly report: Report;
  /** The Account's token is refused: it is to be settled anew. */
  readonly refused: (account: string) => void;
  readonly signal: AbortSignal;
}

/** Resolves to what is to become of it, and "soon" where it has to be looked at again. Rejects for what is a fault of ours or of the API server. */
export async function look(key: string, options: LookOptions): Promise<Next["again"]> {
  const { objects, holds, report } = options;
  const entry = objects.get(key);
  if (entry === undefined) return "later";
  // It may be this replica's again before anybody tells; a queue that is closed asks no more.
  if (!holds(entry.account)) return "soon";
  const begun = performance.now();
  let result: Looked["result"] = "failed";
  try {
    const again = await reconciled(entry, options);
    result = resultOf(objects.get(key)?.object);
    return again;
  } catch (error) {
    if (error instanceof TokenRefusedError) {
      options.refused(entry.account);
      return "later";
    }
    const isExpected = [CancelledError, AbandonedError, ConflictError].some((each) => error instanceof each);
    if (isExpected) return "soon";
    throw error;
  } finally {
    report.looked({ kind: entry.kind.kind, result, seconds: (performance.now() - begun) / 1000 });
  }
}

async function reconciled(
  { key, kind, object, account }: Entry<ManifestKind>,
  options: LookOptions,
): Promise<Next["again"]> {
  const { objects, references, accounts, ensure, report } = options;
  const standing = accounts.standing(account);
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  const provider = standing.is === "ready" ? standing.provider : isGoing ? standing.parting : undefined;
  if (provider === undefined) {
    if (standing.is === "not ready") await tellWaiting(object, standing.verdict, options);
    return "later";
  }
  const surroundings = await surroundingsOf(
    options.api,
    references.namedBy(key),
    object,
    (other) => objects.get(other)?.object,
  );
  const { again } = await accounts.using(provider, () =>
    report.within(account, () =>
      reconcile(object, {
        ...{ api: told(options), kind, provider, surroundings },
        customer: standing.is === "ready" ? standing.customer : undefined,
        ...{ seal: options.seal, now: options.now, signal: options.signal },
        ensure: () => ensure(account),
        isKnownId(id, token) {
          const other = objects.withId(account, kinds.get(token)!, id);
          return other !== undefined && other !== key;
        },
        isTokenRefused: () => accounts.isRefused(account),
      }),
    ),
  );
  return again;
}

/** The API, whose events are logged, too. */
function told({ api, report }: LookOptions): Api {
  return {
    ...api,
    event(object, type, reason, message) {
      api.event(object, type, reason, message);
      if (reason === "Drifted" || reason === "DeletedOutside") report.drifted(object.kind);
      const { namespace, name } = object.metadata;
      report.log(reason, `${object.kind} ${namespace}/${name}: ${message}`, {
        ...{ kind: object.kind, namespace, name },
      });
    },
  };
}

function resultOf(object: KubeObject | undefined): Looked["result"] {
  if (object === undefined) return "gone";
  const said = (type: string): boolean =>
    object.status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
  if (said("Ready")) return "ready";
  return said("Stalled") ? "stalled" : "reconciling";
}
