/** Which target the objects of a stack are on: an account of a service, for each provider that the stack uses. Pure. */

import { isDefaultProvider, isProviderType, referencedProvider } from "../../core/engines/urn.ts";
import type { TargetIdentity } from "../../core/protocol/target.ts";
import type { Attempt, ResourceState } from "./state.ts";

/** `credential` is keyed by the stack's lineage. */
export type Target = TargetIdentity;

/** By `targetKey`. */
export type Targets = ReadonlyMap<string, Target>;

/** The key of every default provider, whatever its version: they share one configuration. */
export const defaultTarget = "default";

/** Under what key the target of a provider is remembered: its URN, or `default`. */
export function targetKey(provider: string | undefined): string {
  return provider === undefined || isDefaultProvider(provider) ? defaultTarget : provider;
}

/** The keys of the providers that objects of the stack belong to. Nothing is anywhere under another key, so nothing can be mixed up there. */
export function usedTargets(
  resources: ReadonlyMap<number, ResourceState>,
  attempts: ReadonlyMap<number, Attempt>,
): Set<string> {
  const used = new Set<string>();
  let last: string | undefined;
  for (const state of [...resources.values(), ...[...attempts.values()].map((attempt) => attempt.resource)]) {
    if (!state.custom || isProviderType(state.type) || state.provider === last) continue;
    last = state.provider;
    used.add(targetKey(last === undefined ? undefined : referencedProvider(last).urn));
  }
  return used;
}

/** True for what was saved as a target. */
export function isTarget(value: unknown): value is Target {
  return typeof value === "object" && value !== null && typeof (value as Target).baseUrl === "string";
}

/** `account 8F2A… of https://api.example.com/v4`. */
export function targetText({ baseUrl, account }: Target): string {
  return account === undefined ? baseUrl : `account ${account} of ${baseUrl}`;
}

/** What is remembered of a target: nothing that a later version would not know. */
export function targetRecord({ baseUrl, account, credential }: Target): Target {
  return {
    baseUrl,
    ...(account === undefined ? {} : { account }),
    ...(credential === undefined ? {} : { credential }),
  };
}
