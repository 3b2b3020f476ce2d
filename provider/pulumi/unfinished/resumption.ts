/** What becomes of the object that a killed create made: gone on with, changed, or deleted and made anew. It knows no log and no wire. */

import { isNoJson } from "../../core/engines/notes.ts";
import { withoutUnknowns } from "../../core/engines/outputs.ts";
import type {
  EarlierAttempt,
  Provider,
  RequestContext,
  ResourceIdentity,
  ResourceInfo,
  ValueMap,
} from "../../core/protocol.ts";
import { type IsKnownId, ResourceInitFailedError } from "../../core/protocol.ts";
import { isResourceReference, some, type Value } from "../../core/value.ts";

/** A create that was cut off. */
export interface CutOff {
  readonly earlierAttempt: EarlierAttempt;
  /** The lasting inputs that it began with; absent when nobody wrote them down. */
  readonly lasting?: ValueMap;
}

/** The resource that is created now. */
export interface Subject extends ResourceIdentity, RequestContext {
  readonly isKnownId: IsKnownId;
}

/** What the cut-off create made. */
export interface Left {
  readonly id: string;
  readonly state: ValueMap;
  /** The inputs that hold of it. */
  readonly inputs: ValueMap;
  /** Why it cannot become what is declared now; empty when it can. */
  readonly obstacles: readonly string[];
  /** True when it is not yet what is declared now. */
  readonly changes: boolean;
}

/** The inputs that tell the object of a create, as they may be written down: plain JSON, nothing secret. */
export function lastingInputs(inputs: ValueMap, info: ResourceInfo | undefined): ValueMap {
  const entries = lastingNames(info).flatMap((name): [string, Value][] => {
    const value = inputs[name];
    if (value === undefined || value === null) return [];
    const plain = isResourceReference(value) ? (value.id ?? null) : value;
    return plain === null || some(plain, isNoJson) ? [] : [[name, plain]];
  });
  return Object.fromEntries(entries);
}

/** True when what is created now is, by all that was written down, what the cut-off create was to make. */
export function isSameCreate(cutOff: CutOff, inputs: ValueMap, info: ResourceInfo | undefined): boolean {
  return (
    cutOff.lasting === undefined ||
    JSON.stringify(cutOff.lasting) === JSON.stringify(lastingInputs(inputs, info))
  );
}

/** Looks for what the cut-off create made, by its inputs as they were, and compares it with what is declared now. Writes nothing. */
export async function leftBy(
  provider: Provider,
  subject: Subject,
  cutOff: CutOff,
  inputs: ValueMap,
  info: ResourceInfo | undefined,
): Promise<Left | undefined> {
  const { earlierAttempt } = cutOff;
  const find = (as: ValueMap) => provider.find({ ...subject, inputs: as, earlierAttempt });
  let then = inputsThen(cutOff, inputs, info);
  let found = await find(then);
  if (found === undefined && earlierAttempt.id !== undefined) {
    // A run that was killed too may have changed it to what is declared now.
    then = withoutUnknowns(inputs);
    found = await find(then);
  }
  if (found === undefined) return undefined;
  const { id, state } = found;
  if (found.lost) {
    return { id, state, inputs: then, obstacles: ["what only its create told is lost"], changes: true };
  }
  const live = await readAsMade(provider, { ...subject, id, state, inputs: toldOf(found.inputs, info) });
  // What then was given and is not declared now shows as what an import finds.
  const whole = live && (await readAsMade(provider, { ...subject, id }));
  if (live === undefined || whole === undefined) return undefined;
  const oldInputs = { ...whole.inputs, ...live.inputs };
  const { changes, replaces } = await provider.diff({
    ...subject,
    id,
    oldInputs,
    state: live.state,
    newInputs: inputs,
  });
  const obstacles = replaces.map((name) => `another ${name} is declared now`);
  return { id, state: live.state, inputs: oldInputs, obstacles, changes };
}

/** Reads the object; what is not ready is as it is. */
export async function readAsMade(provider: Provider, request: Parameters<Provider["read"]>[0]) {
  try {
    return await provider.read(request);
  } catch (error) {
    if (!(error instanceof ResourceInitFailedError)) throw error;
    return { inputs: error.inputs ?? request.inputs ?? {}, state: error.state };
  }
}

/** The inputs of today with the lasting ones of then; secret ones were not written down and stand as they are. */
function inputsThen({ lasting }: CutOff, inputs: ValueMap, info: ResourceInfo | undefined): ValueMap {
  const known = withoutUnknowns(inputs);
  if (lasting === undefined) return known;
  const noted = lastingInputs(known, info);
  const others = Object.entries(known).filter(([name]) => !(name in noted));
  return { ...Object.fromEntries(others), ...lasting };
}

/** Without what the service never tells again and takes anew at any time: nobody knows whether it was applied. */
function toldOf(inputs: ValueMap, info: ResourceInfo | undefined): ValueMap {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !info?.inputs[name]?.untold));
}

function lastingNames(info: ResourceInfo | undefined): string[] {
  return Object.entries(info?.inputs ?? {}).flatMap(([name, { lasting }]) => (lasting ? [name] : []));
}

/** What the user is told of the object, before or when something becomes of it. */
export function fateOf({ type }: ResourceIdentity, left: Left, isPreview: boolean): string {
  const name = type.slice(type.lastIndexOf(":") + 1);
  const begun = `an earlier run was killed while it created this: ${name} ${left.id} is there`;
  const [goesOn, changes, removes] = isPreview
    ? [
        "the update goes on with it",
        "the update changes it in place",
        "the update deletes it and makes another",
      ]
    : ["it is gone on with", "it is changed in place", "it is deleted, and another is made"];
  if (left.obstacles.length > 0) return `${begun}, but ${left.obstacles.join(", ")}; ${removes}`;
  return `${begun}; ${left.changes ? changes : goesOn}`;
}
