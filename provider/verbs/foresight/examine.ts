/** Has a type look at the live object before it is changed, and before a preview says that it will be. Writes nothing. */

import { withoutValue } from "../../core/judgement/check.ts";
import { isHidden } from "../../core/object/state.ts";
import { parsePath } from "../../core/property-path.ts";
import { CheckFailedError, type CheckFailure, type Severity } from "../../core/protocol.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { Operation } from "../operation.ts";
import type { Task } from "../task.ts";

/** Throws CheckFailedError when the object cannot be brought to its declared state, or only with the user's leave. */
export async function examine(
  operation: Operation,
  task: Pick<Task, "type" | "identity" | "id" | "scope" | "inputs" | "values" | "object"> & {
    readonly preview?: boolean;
  },
): Promise<void> {
  const { type, scope, inputs, values, id, object, preview = false } = task;
  const failures: CheckFailure[] = [];
  const say = (severity: Severity) => (message: string) => scope.log(severity, message);
  await type.examine?.({
    inputs: values,
    isHidden: (name) => isHidden(type, name, inputs),
    id,
    object,
    get: (path) => scope.service.get(path),
    parent: operation.plan.parentOf(type, inputs),
    preview,
    refuse: (property, reason) => {
      const [name] = parsePath(property);
      const hidden =
        name !== undefined &&
        [String(name), insteadOf(type, String(name))].some((each) => isHidden(type, each, inputs));
      failures.push({ property, reason: hidden ? withoutValue(reason) : reason });
    },
    guard: (property, reason) => void failures.push({ property, reason, guard: true, errorCode: "PLB-MASS" }),
    tell: say("info"),
  });
  if (failures.length > 0) throw new CheckFailedError(failures);
}

/** The input that this one writes in another way, or itself. */
const insteadOf = (type: ResourceType, name: string) => {
  const field = type.inputs[name];
  return (field && annotations(field).insteadOf) ?? name;
};
