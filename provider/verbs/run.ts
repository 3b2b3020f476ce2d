/** Runs a verb by hand: checks its arguments, finds the object, runs it once, waits until the object is ready again. */

import { nearest } from "../core/nearest.ts";
import { pathOf } from "../core/object/identifier.ts";
import { observedState } from "../core/object/state.ts";
import { knownValues, plainInputs, withoutNulls } from "../core/plain.ts";
import type { RunRequest, RunResponse } from "../core/protocol.ts";
import type { ResourceType } from "../core/type/resource.ts";
import { validate } from "../core/validate.ts";
import { untilReady } from "./converge.ts";
import { fetchObject } from "./fetch.ts";
import { begin, type Operation } from "./operation.ts";
import { resolveId } from "./read.ts";
import { actionContext } from "./task.ts";

export async function runVerb(
  operation: Operation,
  type: ResourceType,
  request: RunRequest,
): Promise<RunResponse> {
  const verb = type.verbs.find(({ name }) => name === request.verb);
  if (!verb) {
    const names = type.verbs.map(({ name }) => name);
    const near = nearest(request.verb, names);
    const advice = near ? `did you mean ${near}?` : `it has: ${names.join(", ") || "none"}`;
    throw new Error(`${type.name} has no verb ${request.verb}; ${advice}`);
  }
  const given = plainInputs(verb.args ?? {}, withoutNulls(request.args));
  const failures = await validate({ fields: verb.args ?? {}, noun: "argument" }, given);
  if (failures.length > 0) return { failures };
  const scope = begin(operation, request, type.timeouts.update);
  const id = await resolveId(operation, type, scope, request.id);
  if (id === undefined) throw new Error(`there is no ${type.name} ${request.id}`);
  const path = pathOf(type, id);
  const look = () => fetchObject({ type, id, scope }, { fresh: true });
  const object = await look();
  const values = knownValues(plainInputs(type.inputs, observedState(type, id, object)));
  const task = { type, id, identity: { urn: "", type: type.token, name: request.id }, scope, values };
  if (!verb.mayStart?.(object)) await untilReady(task, object);
  await verb.run({ ...actionContext(task), id, path, args: knownValues(given) });
  await untilReady(task, await look());
  return { failures: [] };
}
