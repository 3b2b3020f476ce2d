/** What a declared resource differs in from its saved state, and whether that changes it in place or replaces it. Writes nothing. */

import { isDefaultProvider, referencedProvider } from "../../core/engines/urn.ts";
import type { DiffResponse } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import { notesOf } from "../state/notes.ts";
import type { ResourceState } from "../state/state.ts";
import { positionOf, type Settled } from "./goal.ts";
import { savedProvider } from "./pool.ts";
import { replaceOnChanges, withoutHidden } from "./property.ts";
import type { Registry } from "./registry.ts";

/** A diff with everything of the engine that bears on it. */
export interface Compared extends DiffResponse {
  /** Not empty: a replacement. */
  readonly reasons: readonly string[];
}

/** Compares what is declared with what was last applied, and says whether that is an update or a replacement. */
export async function compare(
  registry: Registry,
  settled: Settled,
  old: ResourceState,
  inputs: ValueMap,
  slot?: number,
): Promise<Compared> {
  const { entry, use, goal } = settled;
  const { options } = entry;
  const plain = await use.provider.diff({
    urn: entry.urn,
    type: goal.type,
    name: goal.name,
    id: old.id ?? "",
    oldInputs: old.inputs,
    state: old.outputs,
    newInputs: inputs,
    log: registry.run.logOf(entry.urn),
    signal: registry.run.signal,
    ...(slot === undefined ? {} : { notes: notesOf(registry.run, slot) }),
    ...(options.ignoreChanges ? { ignoreChanges: options.ignoreChanges } : {}),
  });
  const diff = replaceOnChanges(plain, options.replaceOnChanges ?? []);
  const reasons = diff.changes ? [...diff.replaces] : [];
  if (await hasOtherAccount(registry, settled, old)) reasons.push("provider");
  if (old.taint) reasons.push("taint");
  for (const urn of options.replaceWith ?? []) if (registry.entry(urn)?.replaced) reasons.push("replaceWith");
  const mustUpdate = (old.initErrors?.length ?? 0) > 0;
  return { ...diff, changes: diff.changes || mustUpdate || reasons.length > 0, reasons };
}

/** True when the resource moves to a provider that cannot reach its object. Moving between two default providers never is such a move. */
async function hasOtherAccount(registry: Registry, settled: Settled, old: ResourceState): Promise<boolean> {
  const { use } = settled;
  if (old.provider === undefined || old.provider === use.reference) return false;
  const before = referencedProvider(old.provider);
  if (isDefaultProvider(before.urn) && isDefaultProvider(use.urn)) return false;
  if (await registry.run.isElsewhere(before.urn, use.provider)) return true;
  const saved = savedProvider(registry.run.ledger, before.urn, before.id);
  if (saved === undefined) return false;
  const diff = await registry.run.pool
    .plain()
    .diffConfig({ urn: use.urn, oldInputs: saved.inputs, newInputs: use.inputs });
  return diff.changes && diff.replaces.length > 0;
}

/** What a step shows of a comparison. */
export function shown(settled: Settled, old: ResourceState, inputs: ValueMap, diff: Compared) {
  return {
    detailedDiff: withoutHidden(diff.detailedDiff, settled.entry.options.hideDiffs),
    replaceReasons: diff.reasons,
    oldInputs: old.inputs,
    oldOutputs: old.outputs,
    newInputs: inputs,
    ...(old.initErrors && old.initErrors.length > 0 ? { unfinished: old.initErrors } : {}),
    ...positionOf(settled.goal),
  };
}

/** Throws EngineError `protect` for what may not go. The state decides: taking a block out of the file does not unprotect it. */
export function refuseProtected(state: ResourceState, fate: string): void {
  if (!state.protect) return;
  throw new EngineError(
    "protect",
    `${state.urn} is protected and would be ${fate}: set \`protect: false\` in its options, run \`plumbline up\`, and try again.`,
  );
}

/** Throws EngineError `usage` for an object that is to be kept where it cannot stay. */
export function refuseRetained(state: ResourceState, reason: string): void {
  if (!state.retainOnDelete) return;
  throw new EngineError(
    "usage",
    `${state.urn} has to be replaced, and its object ${state.id ?? ""} is to be kept (\`retainOnDelete\`), but ${reason}: give the new one another name, or set \`retainOnDelete: false\`, run \`plumbline up\` with nothing else changed, and try again.`,
  );
}
