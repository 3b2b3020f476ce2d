/** Invoke, once for every function: checks the arguments, then asks. */

import { markSecrets } from "../core/judgement/check.ts";
import { knownValues, plainInputs, withoutNulls } from "../core/plain.ts";
import type { CheckFailure, InvokeRequest, InvokeResponse } from "../core/protocol.ts";
import { isRequired } from "../core/type/field.ts";
import type { FunctionType } from "../core/type/function.ts";
import { validate } from "../core/validate.ts";
import { begin, type Operation } from "./operation.ts";

/** In a preview an engine leaves unknown arguments out, so there a missing or unknown one means: no result yet. */
export async function invokeFunction(
  operation: Operation,
  type: FunctionType,
  request: InvokeRequest,
): Promise<InvokeResponse> {
  const plain = plainInputs(type.args, withoutNulls(request.args));
  const isMissing = Object.entries(type.args).some(
    ([name, field]) => isRequired(field) && !(name in plain.values),
  );
  if (request.preview && (isMissing || plain.unknownPaths.length > 0)) return { result: {}, failures: [] };
  const failures: CheckFailure[] = await validate({ fields: type.args, noun: "argument" }, plain);
  const args = knownValues(plain);
  if (failures.length === 0)
    type.check?.(args, (property, reason) => void failures.push({ property, reason }));
  if (failures.length > 0) return { result: {}, failures };
  const { service } = begin(operation, request);
  return { result: markSecrets(type.result, await type.call({ args, service })), failures: [] };
}
