/** What is written about an object after a look at it: its status, where that says something else than before, and the Secret of what may not stand there. */

import type { ValueMap } from "../core/value.ts";
import { isTrue } from "./annotations.ts";
import { type Api, type KubeObject, type Status, TakenError } from "./api.ts";
import { appliedOf, type Seal } from "./applied.ts";
import { conditionsAfter, type NotReady, saysTheSame } from "./conditions.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { secretsIn, withoutSecrets } from "./state.ts";

export interface TellingOptions {
  readonly api: Api;
  readonly seal: Seal;
  /** By this machine; whole seconds (RFC 3339). */
  readonly now: () => string;
}

/** Writes what is secret of a state into the Secret that the object names, if it names one; `state` absent: makes that Secret its own. Rejects with TakenError. */
export async function keepSecrets(
  object: KubeObject,
  state: ValueMap | undefined,
  api: Pick<Api, "writeSecret">,
): Promise<void> {
  const target = object.spec["writeSecretsTo"] as { readonly name: string } | undefined;
  const secrets = state === undefined ? {} : secretsIn(state);
  if (target === undefined || (state !== undefined && Object.keys(secrets).length === 0)) return;
  await api.writeSecret(object, target.name, secrets);
}

/** Writes the status that follows. Rejects where it is not taken. */
export async function tell(
  object: KubeObject,
  outcome: Outcome,
  { api, seal, now }: TellingOptions,
): Promise<void> {
  const { verdict, findings = {}, known } = await withSecretsKept(object, outcome, api);
  const status: Status = {
    ...object.status,
    observedGeneration: object.metadata.generation,
    conditions: conditionsAfter(object, verdict, findings, now()),
    ...(known && {
      id: known.id,
      atProvider: withoutSecrets(known.state),
      applied: appliedOf(known.applied, seal),
    }),
  };
  if (saysTheSame(object.status, status)) return;
  await api.replaceStatus(object, status);
}

async function withSecretsKept(
  object: KubeObject,
  outcome: Outcome,
  api: Pick<Api, "writeSecret">,
): Promise<Outcome> {
  try {
    if (outcome.known) await keepSecrets(object, outcome.known.state, api);
    return outcome;
  } catch (error) {
    if (!(error instanceof TakenError)) throw error;
    return { ...outcome, ...outcomeOf(error) };
  }
}

/** Says of an object that nothing can be done about it now. */
export async function tellWaiting(
  given: KubeObject,
  verdict: NotReady,
  options: TellingOptions,
): Promise<void> {
  if (isTrue(given, "paused")) return;
  await tell(given, { verdict, next: { again: "never" } }, options);
}
