/** State: what is remembered of an object. Built from what was read; turned back into inputs on refresh and import; foretold in previews. Pure. */

import type { TSchema } from "typebox";
import { comparable, equal, same, toldOf } from "../judgement/compare.ts";
import { canonicalOf, changedInputs, moves } from "../judgement/diff.ts";
import type { ResourceIdentity } from "../protocol.ts";
import type { WireObject } from "../service-port.ts";
import { isAutomaticName } from "../type/automatic-name.ts";
import { annotations, wordsOf } from "../type/field.ts";
import type { ResourceType } from "../type/resource.ts";
import {
  containsSecret,
  containsUnknown,
  isSecret,
  isUnknown,
  reveal,
  secret,
  unknownFrom,
  type Value,
  type ValueMap,
} from "../value.ts";
import { parametersOf } from "./identifier.ts";
import { objectFromWire } from "./wire.ts";

/** True for inputs that the service never answers. */
export function isUnreadable(type: ResourceType, name: string): boolean {
  const notes = annotations(type.inputs[name]!);
  return notes.writeOnly === true || notes.local === true || notes.trigger === true;
}

/** True for inputs that only the checked inputs keep, sealed or large: what was last sent is compared there, and state need not repeat it. */
function isNeverKept(type: ResourceType, name: string): boolean {
  const { writeOnly, secret: isHidden, large } = annotations(type.inputs[name]!);
  return writeOnly === true && (isHidden === true || large === true);
}

/** What was made of an answer last: a create looks at its own answer eight times. */
const seen = new WeakMap<
  WireObject,
  { readonly type: ResourceType; readonly id: string; readonly live: ValueMap }
>();

/** What the service says of the object, in our names: readable inputs and outputs, nulls left out. An answer is never changed, so what is made of it is kept. */
export function observedState(type: ResourceType, id: string, answered: WireObject): ValueMap {
  const known = seen.get(answered);
  if (known?.type === type && known.id === id) return known.live;
  const live = observe(type, id, answered);
  seen.set(answered, { type, id, live });
  return live;
}

function observe(type: ResourceType, id: string, answered: WireObject): ValueMap {
  const object = type.asDeclared?.(answered) ?? answered;
  const parents = Object.entries(parametersOf(type, id)).filter(([name]) => name !== type.ownParameter);
  const read = { ...objectFromWire(type.inputs, object), ...objectFromWire(type.outputs, object) };
  for (const name of Object.keys(type.inputs)) if (isUnreadable(type, name)) delete (read as Mutable)[name];
  return { ...read, ...Object.fromEntries(parents) };
}

type Mutable = { [name: string]: Value };

/** The state to save: what was observed, with unreadable inputs echoed and values that are shown only once kept. */
export function stateOf(
  type: ResourceType,
  id: string,
  object: WireObject,
  inputs: ValueMap,
  previous: ValueMap = {},
): ValueMap {
  const state: Mutable = { ...observedState(type, id, object) };
  for (const name of Object.keys(type.inputs)) {
    const given = inputs[name];
    if (isNeverKept(type, name)) continue;
    if (isUnreadable(type, name) && given !== undefined && given !== null) state[name] = given;
    else if (isHidden(type, name, inputs) && state[name] !== undefined) state[name] = secret(state[name]);
  }
  for (const [name, field] of Object.entries(type.outputs)) {
    const { shownOnce, elsewhere } = annotations(field);
    const isKept = shownOnce || (elsewhere && state[name] === undefined);
    if (isKept && previous[name] !== undefined) state[name] = previous[name];
  }
  return state;
}

/** True for a value that may not be shown, because the declaration of it, or of what stands for it, is secret. */
export function isHidden(type: ResourceType, name: string, inputs: ValueMap): boolean {
  const given = inputs[name];
  if (given !== undefined && (isSecret(given) || (Array.isArray(given) && containsSecret(given))))
    return true;
  return substitutes(type, name).some((other) => isSecret(inputs[other]));
}

/** Inputs that write this one in another way. */
function substitutes(type: ResourceType, name: string): string[] {
  return Object.keys(type.inputs).filter((other) => annotations(type.inputs[other]!).insteadOf === name);
}

/** False for a value that the service answers but does not accept (a status beyond those that can be set). */
function isDeclarable(field: TSchema, value: Value | undefined): boolean {
  const words: readonly unknown[] | undefined = wordsOf(field);
  return words === undefined || value === undefined || words.includes(reveal(value));
}

/** Inputs after a refresh: a property whose live value moved takes it, any other keeps the user's own spelling. */
export function refreshedInputs(
  type: ResourceType,
  inputs: ValueMap,
  state: ValueMap,
  live: ValueMap,
): ValueMap {
  const result: Mutable = { ...inputs };
  const [declared, before, now] = [inputs, state, live].map((values) => canonicalOf(type, values, live)) as [
    ValueMap,
    ValueMap,
    ValueMap,
  ];
  for (const [name, field] of Object.entries(type.inputs)) {
    if (hasLeft(type, field, state, live)) delete result[name];
    if (isUnreadable(type, name) || !isDeclarable(field, live[name])) continue;
    if (
      same(field, before[name], now[name]) ||
      same(field, declared[name], toldOf(field, now[name], declared[name]))
    )
      continue;
    if (live[name] === undefined || comparable(field, live[name]) === comparable(field, undefined))
      delete result[name];
    else result[name] = isHidden(type, name, inputs) ? secret(live[name]) : live[name];
    for (const other of substitutes(type, name)) delete result[other];
  }
  return result;
}

/**
 * The inputs that hold of an object of which not everything was brought in line: of the rest the earlier ones, and where a part of it was
 * done, what is there now.
 */
export function appliedInputs(
  type: ResourceType,
  inputs: ValueMap,
  before: { readonly inputs: ValueMap; readonly state: ValueMap } | undefined,
  pending: ReadonlySet<string>,
  live: ValueMap,
): ValueMap {
  const applied: Mutable = { ...inputs };
  for (const name of pending) {
    for (const each of [name, ...substitutes(type, name)]) {
      const old = before?.inputs[each];
      if (old === undefined) delete applied[each];
      else applied[each] = old;
    }
  }
  const now = refreshedInputs(type, applied, before?.state ?? {}, live);
  for (const name of pending) {
    const isPart = before !== undefined || substitutes(type, name).length > 0;
    if (!isPart || isUnreadable(type, name)) continue;
    for (const each of [name, ...substitutes(type, name)]) {
      if (now[each] === undefined) delete applied[each];
      else applied[each] = now[each];
    }
  }
  return applied;
}

/** True when the witness of a value that cannot be read has moved: what is there now is not what was last sent. */
function hasLeft(type: ResourceType, field: TSchema, state: ValueMap, live: ValueMap): boolean {
  const { witness } = annotations(field);
  const output = witness === undefined ? undefined : type.outputs[witness];
  if (witness === undefined || output === undefined || state[witness] === undefined) return false;
  return !same(output, state[witness], live[witness]);
}

/** Inputs of an object that was never declared: every readable property that is not at its default. */
export function importedInputs(type: ResourceType, live: ValueMap, object: WireObject): ValueMap {
  const result: Mutable = {};
  for (const [name, field] of Object.entries(type.inputs)) {
    if (isUnreadable(type, name) || live[name] === undefined || !isDeclarable(field, live[name])) continue;
    const value = comparable(field, live[name]);
    if (value === undefined || equal(value, comparable(field, undefined))) continue;
    result[name] = live[name];
  }
  return type.imported ? type.imported(result, object) : result;
}

/** What a create would leave: inputs that the service takes as they are, everything else unknown. */
export function foretoldCreate(type: ResourceType, identity: ResourceIdentity, inputs: ValueMap): ValueMap {
  const state: Mutable = {};
  for (const name of Object.keys(type.inputs)) {
    const foretold = foretell(type, identity, name, inputs);
    if (foretold !== undefined) state[name] = foretold;
  }
  for (const name of Object.keys(type.outputs)) state[name] = unknownFrom(`${identity.urn}#${name}`);
  return state;
}

/** What an update would leave: the state, with changed inputs as declared and what they move unknown. */
export function foretoldUpdate(
  type: ResourceType,
  identity: ResourceIdentity,
  oldInputs: ValueMap,
  state: ValueMap,
  newInputs: ValueMap,
  unapplied: ReadonlySet<string> = new Set(),
): ValueMap {
  const changed = new Set([...changedInputs(type, oldInputs, state, newInputs), ...unapplied]);
  const result: Mutable = { ...state };
  for (const name of new Set([...Object.keys(type.inputs), ...Object.keys(type.outputs)])) {
    if (!moves(type, name, changed)) continue;
    const foretold = changed.has(name)
      ? foretell(type, identity, name, newInputs)
      : unknownFrom(`${identity.urn}#${name}`);
    if (foretold === undefined) delete result[name];
    else result[name] = foretold;
  }
  return result;
}

/** A declared value that will be answered unchanged, or an unknown; undefined for what state does not have. */
function foretell(
  type: ResourceType,
  identity: ResourceIdentity,
  name: string,
  inputs: ValueMap,
): Value | undefined {
  if (isNeverKept(type, name)) return undefined;
  const field = type.inputs[name]!;
  const given = inputs[name];
  const source = unknownFrom(`${identity.urn}#${name}`);
  if (given === undefined || given === null) return isUnreadable(type, name) ? undefined : source;
  if (isUnknown(given)) return given;
  if (isUnreadable(type, name) || containsUnknown(given)) return given;
  const { naming } = annotations(field);
  if (naming && isAutomaticName(given, identity.name, naming)) return source;
  const value = comparable(field, given);
  const asGiven = comparable({ ...field, normal: undefined } as typeof field, given);
  return isList(given) || equal(value, asGiven) ? given : source;
}

const isList = (value: Value) => Array.isArray(value);
