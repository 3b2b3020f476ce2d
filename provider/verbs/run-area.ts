/** Runs a verb of an area by hand: checks arguments, looks ahead, demands the word where one is needed, runs it once. */

import { knownValues, plainInputs, withoutNulls } from "../core/plain.ts";
import type { Foresight, RunRequest, RunResponse } from "../core/protocol.ts";
import { shortToken } from "../core/token.ts";
import type { AreaVerb } from "../core/type/area-verb.ts";
import { validate } from "../core/validate.ts";
import { begin, type Operation } from "./operation.ts";
import { actionContext } from "./task.ts";

/** A verb may wait as long as an update of a resource may. */
const secondsToRun = 3600;

/** What the verb would destroy. */
export async function foreseeAreaVerb(
  operation: Operation,
  verb: AreaVerb,
  request: RunRequest,
): Promise<Foresight> {
  const asked = await understood(verb, request);
  if (asked.failures.length > 0) return { failures: asked.failures, losses: [] };
  const { service } = begin(operation, request);
  const foreseen = await verb.foresee?.({ ...asked.what, service });
  return { failures: [], losses: [], ...foreseen };
}

export async function runAreaVerb(
  operation: Operation,
  verb: AreaVerb,
  request: RunRequest,
): Promise<RunResponse> {
  const asked = await understood(verb, request);
  if (asked.failures.length > 0) return { failures: asked.failures };
  const scope = begin(operation, request, secondsToRun);
  const { word } = (await verb.foresee?.({ ...asked.what, service: scope.service })) ?? {};
  if (word !== undefined && request.consent !== word) {
    const given = request.consent === undefined ? "it was not given" : `not "${request.consent}"`;
    throw new Error(
      `${shortToken(verb.token)} destroys ${verb.destroys}: its word must be "${word}", ${given}`,
    );
  }
  const identity = { urn: "", type: verb.token, name: verb.name };
  const { service, log, wait } = actionContext({ identity, scope, values: {} });
  await verb.run({ ...asked.what, service, log, wait });
  return { failures: [] };
}

/** The request in the verb's own terms. Throws when it names an id. */
async function understood(verb: AreaVerb, request: RunRequest) {
  if (request.id !== "") {
    const name = shortToken(verb.token);
    throw new Error(`${name} is done to the account and takes no id, so "${request.id}" means nothing`);
  }
  const given = plainInputs(verb.args, withoutNulls(request.args));
  const failures = await validate({ fields: verb.args, noun: "argument" }, given);
  return { failures, what: { path: verb.path, args: knownValues(given) } };
}
