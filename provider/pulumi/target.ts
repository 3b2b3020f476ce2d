/**
 * Whose account the objects of a stack are on: kept with the provider's inputs in Pulumi's state, and held against the target of today. It knows
 * no resource and no session.
 */

import grpc from "@grpc/grpc-js";
import { withErrorCode } from "../core/error-code.ts";
import type { Provider, TargetIdentity, ValueMap } from "../core/protocol.ts";
import { containsUnknown, isValueMap } from "../core/value.ts";
import { StatusError } from "./wire/failure.ts";

/** The name among the provider's inputs; two underscores keep it out of what Pulumi shows, and out of what our own checks see. */
const key = "__target";

/** Names the address or account that a stack was moved to on purpose. */
const consent = "PLUMBLINE_RETARGET";

/** How long a first answer may take that tells the account: whatever is wrong with the service, the verbs that need it will say. */
const patienceMs = 10_000;

/** The target that the provider's inputs of an earlier run were saved with. */
export function boundIn(inputs: ValueMap): TargetIdentity | undefined {
  const saved = inputs[key];
  if (saved === undefined || !isValueMap(saved) || typeof saved["baseUrl"] !== "string") return undefined;
  const { baseUrl, account } = saved;
  return typeof account === "string" ? { baseUrl, account } : { baseUrl };
}

/** The provider's inputs with the target to save. */
export function withTarget(inputs: ValueMap, target: TargetIdentity | undefined): ValueMap {
  if (target === undefined) return inputs;
  const { baseUrl, account } = target;
  return { ...inputs, [key]: account === undefined ? { baseUrl } : { baseUrl, account } };
}

/** The target of a configuration that is not in use yet; undefined while it is not known whole. Asks for the account where `asks` says so. */
export async function targetOf(
  createProvider: () => Provider,
  config: ValueMap,
  { asks, signal }: { readonly asks: boolean; readonly signal: AbortSignal },
): Promise<TargetIdentity | undefined> {
  if (Object.values(config).some((value) => containsUnknown(value ?? null))) return undefined;
  const provider = createProvider();
  try {
    const configured = await provider.configure(config).then(
      () => true,
      () => false, // a faulty configuration is refused when it is used, with its own words
    );
    if (!configured || provider.identify === undefined) return undefined;
    const known = await provider.identify({ asks: false });
    if (!asks) return known;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    return await provider.identify({ signal: limited }).catch(() => known);
  } finally {
    await provider.close();
  }
}

/** What is saved from now on: an account that nobody told today stays as it was. */
export function nextTarget(
  bound: TargetIdentity | undefined,
  now: TargetIdentity | undefined,
): TargetIdentity | undefined {
  if (now === undefined || bound === undefined || isOther(bound, now)) return now ?? bound;
  const account = now.account ?? bound.account;
  return { baseUrl: now.baseUrl, ...(account !== undefined && { account }) };
}

/** Why the stack must not be worked on there; undefined when it may. */
export function refusalOf(
  bound: TargetIdentity | undefined,
  now: TargetIdentity | undefined,
): string | undefined {
  if (bound === undefined || now === undefined || !isOther(bound, now)) return undefined;
  const meant = process.env[consent];
  if (meant !== undefined && (meant === now.baseUrl || meant === now.account)) return undefined;
  const move = now.baseUrl === bound.baseUrl ? now.account : now.baseUrl;
  return `the stack's objects are on ${textOf(bound)}, and this run would be about ${textOf(now)}: nothing was done. Set address and token to the stack's own; if its objects are on the other one now, run it with ${consent}=${move}`;
}

export function refuseOther(bound: TargetIdentity | undefined, now: TargetIdentity | undefined): void {
  const refusal = refusalOf(bound, now);
  if (refusal !== undefined)
    throw new StatusError(grpc.status.FAILED_PRECONDITION, withErrorCode(refusal, "PLB-TARGET"));
}

function isOther(one: TargetIdentity, other: TargetIdentity): boolean {
  if (one.baseUrl !== other.baseUrl) return true;
  return one.account !== undefined && other.account !== undefined && one.account !== other.account;
}

function textOf({ baseUrl, account }: TargetIdentity): string {
  return account === undefined ? baseUrl : `account ${account} of ${baseUrl}`;
}
