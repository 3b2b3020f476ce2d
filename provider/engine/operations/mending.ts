/** What is done to single resources of a state by hand: forgotten, or renamed. No object is touched, and no provider is asked. */

import { isProviderType, makeUrn, stackType, urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import { EngineError } from "../failure.ts";
import type { Ledger } from "../state/ledger.ts";
import { type ResourceState, references } from "../state/state.ts";
import type { States } from "../state/states.ts";
import type { Engine } from "./facade.ts";
import type { Operations } from "./operation.ts";

export interface MendingOptions {
  readonly states: States;
  readonly operations: Operations;
}

export function createMending({ states, operations }: MendingOptions): Pick<Engine, "forget" | "rename"> {
  const changing = <T>(work: (ledger: Ledger) => Promise<T>): Promise<T> =>
    operations.locked("state", async () => {
      const ledger = await states.open({ write: true, withoutKey: true });
      const result = await work(ledger);
      await ledger.save({ operation: "state", result: "succeeded" });
      return result;
    });

  return {
    forget: (urns, { force = false } = {}) =>
      changing(async (ledger) => {
        const slots = urns.flatMap((urn) => slotsOf(ledger, urn));
        const going = slots.map((slot) => ledger.resources.get(slot)!);
        const guarded = going.filter(({ protect }) => protect);
        if (guarded.length > 0 && !force)
          throw new EngineError(
            "protect",
            `Protected: ${guarded.map(({ urn }) => urn).join(", ")}. Nothing was done. Give --force to forget it all the same.`,
          );
        refuseNeeded(ledger, new Set(slots), going);
        await ledger.set(
          slots.map((slot) => [slot, null]),
          slots.filter((slot) => ledger.attempts.has(slot)),
        );
        return going;
      }),
    rename: (urn, name) =>
      changing(async (ledger) => {
        const [slot] = slotsOf(ledger, urn);
        const state = ledger.resources.get(slot!)!;
        const next = renamedUrn(state, name);
        if (ledger.slotOf(next) !== undefined)
          throw new EngineError("usage", `The stack has a resource ${next} already. Nothing was done.`);
        if (ledger.attempts.has(slot!))
          throw new EngineError(
            "usage",
            `A run before left something open of ${urn}: run \`plumbline up\` or \`plumbline refresh\` first. Nothing was done.`,
            { errorCode: "PLB-PENDING" },
          );
        await ledger.set([[slot!, { ...state, urn: next }]]);
        return next;
      }),
  };
}

/** The slot of what has the URN; where there is none, those of what waits for its deletion. */
function slotsOf(ledger: Ledger, urn: Urn): number[] {
  const slot = ledger.slotOf(urn);
  const slots =
    slot === undefined
      ? [...ledger.resources].flatMap(([each, state]) => (state.urn === urn ? [each] : []))
      : [slot];
  if (slots.length === 0 || urnParts(urn).type === stackType)
    throw new EngineError("usage", `The state has no resource ${urn} of its own. Nothing was done.`);
  return slots;
}

/** Refuses to forget what the state of another resource refers to. */
function refuseNeeded(ledger: Ledger, slots: ReadonlySet<number>, going: readonly ResourceState[]): void {
  const urns = new Set(going.filter(({ urn }) => slots.has(ledger.slotOf(urn) ?? -1)).map(({ urn }) => urn));
  const needing = [...ledger.resources]
    .filter(([slot, state]) => !slots.has(slot) && [...references(state)].some((urn) => urns.has(urn)))
    .map(([, { urn }]) => urn);
  if (needing.length === 0) return;
  throw new EngineError(
    "usage",
    `Needed by others, which would have to be forgotten with it: ${needing.slice(0, 20).join(", ")}${needing.length > 20 ? ` and ${needing.length - 20} more` : ""}. Nothing was done.`,
  );
}

function renamedUrn({ urn, type }: ResourceState, name: string): Urn {
  if (isProviderType(type))
    throw new EngineError("usage", `${urn} is a provider, by whose name others know it. Nothing was done.`);
  const { stack, project, qualifiedType } = urnParts(urn);
  return makeUrn(stack, project, qualifiedType, name);
}
