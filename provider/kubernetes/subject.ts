/**
 * One look at one object: what it declares, what the service has, and what is done about it. Every write to the service is preceded by what a
 * successor needs to go on with it: the finalizer, the moment at which a create began, the id as soon as there is one.
 */

import { CheckFailedError, type DiffResponse, type EarlierAttempt, type Provider } from "../core/protocol.ts";
import type { ManifestKind } from "../core/schema/manifest/kinds.ts";
import type { Surroundings } from "../core/schema/manifest/spec.ts";
import type { ValueMap } from "../core/value.ts";
import {
  annotation,
  createStarted,
  externalId,
  finalizer,
  isTrue,
  knownIdOf,
  notesOf,
  ofCustomer,
  takesByName,
  withFinalizer,
  withoutNotes,
} from "./annotations.ts";
import type { Api, KubeObject } from "./api.ts";
import { inputsApplied, type Seal } from "./applied.ts";
import { seedOf, urnOf } from "./identity.ts";
import {
  AbandonedError,
  done,
  existingIn,
  isTokenRefusal,
  type Next,
  type Outcome,
  outcomeOf,
  stalled,
  strangerOf,
  TokenRefusedError,
  waitingFor,
} from "./outcome.ts";
import { stateOf } from "./state.ts";
import { keepSecrets, tell } from "./telling.ts";

export interface SubjectOptions {
  readonly api: Api;
  readonly kind: ManifestKind;
  /** Of the Account that the object belongs to. */
  readonly provider: Provider;
  /** Whose that Account is, where the service tells it. */
  readonly customer?: string | undefined;
  readonly surroundings: Surroundings;
  readonly seal: Seal;
  /** By this machine; whole seconds (RFC 3339). */
  readonly now: () => string;
  readonly signal: AbortSignal;
  /** Throws AbandonedError once this process does not hold the Account any more: nothing is written then, nor told. */
  readonly ensure: () => void;
  /** True where another object of the Account is known to have this id of the type (canonical token). */
  readonly isKnownId: (id: string, token: string) => boolean;
  /** Resolves to true where the service takes nothing by the Account's token: asked after a request was refused for its token. */
  readonly isTokenRefused: () => Promise<boolean>;
}

/**
 * Looks at the object, and does what is due. Rejects with AbandonedError, with TokenRefusedError, or where the status is not taken; everything else
 * stands in the status.
 */
export async function reconcile(given: KubeObject, options: SubjectOptions): Promise<Next> {
  if (isTrue(given, "paused")) return { again: "never" };
  const subject = createSubject(given, options);
  const isGoing = given.metadata.deletionTimestamp !== undefined;
  const outcome =
    strangerOf(given, options.customer) ?? (await (isGoing ? subject.remove() : subject.keep()));
  if (!outcome.isGone) await tell(subject.object(), outcome, options);
  return outcome.next;
}

function createSubject(given: KubeObject, options: SubjectOptions) {
  const { api, kind, provider, surroundings, seal, signal, ensure } = options;
  let object = given;
  const { name, uid } = given.metadata;
  const identity = { urn: urnOf(kind, given), type: kind.token, name };
  const owned = options.customer === undefined ? {} : { [ofCustomer]: options.customer };
  const isKnownId = (id: string, token = kind.token) => options.isKnownId(id, token);

  const patch = async (change: Parameters<Api["patchMetadata"]>[1]): Promise<void> => {
    object = await api.patchMetadata(object, change).catch((cause: unknown) => {
      throw new AbandonedError("the API server did not take what has to be noted first", { cause });
    });
  };
  const context = { signal, notes: notesOf(() => object, patch) };

  /** Inputs that were applied last, secrets as far as they are the declared ones. */
  const appliedBefore = (declared: ValueMap): ValueMap =>
    inputsApplied(object.status?.applied ?? {}, declared, seal);

  /** What an error of the service or of a verb means, told as an event, too. */
  async function failed(error: unknown): Promise<Outcome> {
    if (isTokenRefusal(error) && (await options.isTokenRefused()))
      throw new TokenRefusedError("the service does not take the token", { cause: error });
    const outcome = outcomeOf(error);
    const { verdict } = outcome;
    if (verdict.is === "stalled" || (verdict.is === "reconciling" && outcome.known === undefined))
      api.event(object, "Warning", verdict.reason, verdict.message);
    return outcome;
  }

  async function keep(): Promise<Outcome> {
    const { inputs: declared, missing } = kind.inputsOf(object.spec, surroundings);
    if (missing.length > 0) return waitingFor(missing);
    try {
      const hasBefore = object.status?.applied !== undefined;
      const id = knownIdOf(object);
      const oldInputs = hasBefore ? appliedBefore(declared) : declared;
      const checked = await provider.check({
        ...{ ...identity, ...context, newInputs: declared, randomSeed: seedOf(uid) },
        // What is there already is not new, though nothing of it was applied from here.
        ...(hasBefore || id !== undefined ? { oldInputs } : {}),
      });
      if (checked.failures.length > 0) return await failed(new CheckFailedError(checked.failures));
      if (id === undefined) return await makeOrTake(checked.inputs);
      return await bring(id, checked.inputs);
    } catch (error) {
      return await failed(error);
    }
  }

  /** Makes it; where the object says so, what has its name already is taken over instead. */
  const makeOrTake = (inputs: ValueMap): Promise<Outcome> =>
    make(inputs).catch(async (error: unknown) => {
      const id = takesByName(object) ? existingIn(error) : undefined;
      // What another object here stands for is not two.
      if (id === undefined || isKnownId(id)) throw error;
      await patch({ annotations: { [externalId]: id, [createStarted]: null } });
      return bring(id, inputs);
    });

  async function make(inputs: ValueMap): Promise<Outcome> {
    if (isTrue(object, "observe"))
      return {
        verdict: stalled("NothingToObserve", `no ${externalId} names the object to observe`),
        next: { again: "never" },
      };
    // The Secret is ours before there is something to put into it that the service tells only once.
    await keepSecrets(object, undefined, api);
    const began = object.metadata.annotations?.[createStarted];
    const earlierAttempt: EarlierAttempt | undefined = began === undefined ? undefined : { startedAt: began };
    await patch({
      finalizers: withFinalizer(object),
      annotations: { ...owned, [createStarted]: began ?? provider.serviceTime() },
    });
    ensure();
    const { id, state } = await provider.create({
      ...{ ...identity, ...context, inputs, preview: false },
      ...(earlierAttempt === undefined ? {} : { earlierAttempt }),
      isKnownId,
      async onCreated(made, told) {
        await keepSecrets(object, told, api);
        await patch({ annotations: { [externalId]: made, [createStarted]: null } });
      },
    });
    await patchWhereNeeded(id);
    api.event(object, "Normal", "Made", `made ${kind.kind} ${id}`);
    return done(id, state, inputs);
  }

  /** Brings what is there to what is declared. */
  async function bring(id: string, inputs: ValueMap): Promise<Outcome> {
    const before = appliedBefore(inputs);
    const isAdopted = object.status?.applied === undefined;
    const found = await provider.read({
      ...{ ...identity, ...context, id },
      ...(isAdopted ? {} : { inputs: before, state: stateOf(object, before) }),
    });
    if (found === undefined) return lost(id, inputs);
    await patchWhereNeeded(found.id);
    const drift = isAdopted ? [] : await changedOutside(found.id, before, found);
    const diff = await provider.diff({
      ...{ ...identity, ...context, id: found.id },
      ...{ oldInputs: found.inputs, state: found.state, newInputs: inputs },
    });
    if (drift.length > 0) api.event(object, "Warning", "Drifted", `changed outside: ${drift.join(", ")}`);
    if (!diff.changes) return done(found.id, found.state, inputs, drift);
    if (isTrue(object, "observe"))
      return {
        ...done(found.id, found.state, found.inputs, Object.keys(diff.detailedDiff)),
        findings: { isSynced: false, drifted: Object.keys(diff.detailedDiff) },
      };
    if (diff.replaces.length > 0) return replace(found, inputs, diff);
    ensure();
    const { state } = await provider.update({
      ...{ ...identity, ...context, isKnownId, id: found.id, preview: false },
      ...{ oldInputs: found.inputs, state: found.state, newInputs: inputs },
    });
    api.event(object, "Normal", "Changed", `changed ${Object.keys(diff.detailedDiff).join(", ")}`);
    return done(found.id, state, inputs, []);
  }

  /** Properties that the service has otherwise than they were applied. */
  async function changedOutside(
    id: string,
    before: ValueMap,
    found: { inputs: ValueMap; state: ValueMap },
  ): Promise<string[]> {
    const diff = await provider.diff({
      ...{ ...identity, ...context, id },
      ...{ oldInputs: found.inputs, state: found.state, newInputs: before },
    });
    return Object.keys(diff.detailedDiff);
  }

  async function lost(id: string, inputs: ValueMap): Promise<Outcome> {
    api.event(object, "Warning", "DeletedOutside", `${kind.kind} ${id} was deleted outside`);
    await patch({ annotations: { ...withoutNotes(object), [externalId]: null, [createStarted]: null } });
    if (isTrue(object, "observe"))
      return { verdict: stalled("DeletedOutside", `${id} is not there any more`), next: { again: "later" } };
    return make(inputs);
  }

  async function replace(
    found: { readonly id: string; readonly inputs: ValueMap; readonly state: ValueMap },
    inputs: ValueMap,
    { replaces }: DiffResponse,
  ): Promise<Outcome> {
    if (!isTrue(object, "allow-replace")) {
      const what = replaces.map((each) => `spec.${each}`).join(", ");
      const message = `${what} cannot be changed in place: set it back, or allow a replacement by the annotation ${annotation("allow-replace")}: "true"`;
      return {
        verdict: stalled("NeedsReplacement", message),
        findings: { isSynced: false },
        next: { again: "never" },
      };
    }
    ensure();
    await provider.delete({
      ...identity,
      ...context,
      id: found.id,
      oldInputs: found.inputs,
      state: found.state,
    });
    await patch({ annotations: { ...withoutNotes(object), [externalId]: null } });
    api.event(object, "Normal", "Replaced", `deleted ${found.id} to make it anew for ${replaces.join(", ")}`);
    return make(inputs);
  }

  const patchWhereNeeded = async (id: string): Promise<void> => {
    const hasFinalizer = object.metadata.finalizers?.includes(finalizer) === true;
    const { annotations = {} } = object.metadata;
    const wanted = { ...owned, [externalId]: id };
    const isNoted = Object.entries(wanted).every(([key, value]) => annotations[key] === value);
    if (hasFinalizer && isNoted && annotations[createStarted] === undefined) return;
    await patch({ finalizers: withFinalizer(object), annotations: { ...wanted, [createStarted]: null } });
  };

  async function remove(): Promise<Outcome> {
    const { finalizers = [], annotations = {} } = object.metadata;
    const gone: Outcome = { verdict: { is: "ready" }, next: { again: "never" }, isGone: true };
    if (!finalizers.includes(finalizer)) return gone;
    const letGo = async (): Promise<Outcome> => {
      await patch({ finalizers: finalizers.filter((each) => each !== finalizer) });
      return gone;
    };
    if (object.spec["deletionPolicy"] === "Retain" || isTrue(object, "observe")) return letGo();
    try {
      const { inputs } = kind.inputsOf(object.spec, surroundings);
      const oldInputs = { ...inputs, ...appliedBefore(inputs) };
      const began = annotations[createStarted];
      const id =
        knownIdOf(object) ??
        (began === undefined
          ? undefined
          : (
              await provider.find({
                ...identity,
                ...context,
                inputs: oldInputs,
                earlierAttempt: { startedAt: began },
                isKnownId,
              })
            )?.id);
      if (id === undefined) return await letGo();
      ensure();
      await provider.delete({ ...identity, ...context, id, oldInputs, state: stateOf(object, oldInputs) });
      api.event(object, "Normal", "Deleted", `deleted ${kind.kind} ${id}`);
      return await letGo();
    } catch (error) {
      const outcome = await failed(error);
      // Whoever deletes it waits for this: a refusal may pass when something else goes.
      return outcome.next.again === "never" ? { ...outcome, next: { again: "soon" } } : outcome;
    }
  }

  return { keep, remove, object: () => object };
}
