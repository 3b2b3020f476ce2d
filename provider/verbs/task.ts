/** What a verb works on: an object, what it is to become, and what a type's actions see of both. Makes no request. */

import type { Fields } from "../core/field.ts";
import type { ResourceIdentity } from "../core/protocol.ts";
import type { ActionContext, ResourceType } from "../core/resource.ts";
import type { WireObject } from "../core/service-port.ts";
import type { ValueMap } from "../core/value.ts";
import { bytesOf } from "./content.ts";
import type { Attempt } from "./session.ts";

/** An object and what it is to become. */
export interface Task {
  readonly type: ResourceType;
  readonly identity: ResourceIdentity;
  readonly id: string;
  readonly attempt: Attempt;
  /** True when another resource of the deployment is the object of the type (by key) with that id. */
  readonly isOurs?: (key: string, id: string) => boolean;
  /** Declared inputs as checked. */
  readonly inputs: ValueMap;
  /** The same, plain and known. */
  readonly values: { readonly [name: string]: unknown };
  /** As observed just now. */
  readonly object: WireObject;
  /** What was applied and read last; absent for a create. */
  readonly before?: {
    readonly inputs: ValueMap;
    readonly state: ValueMap;
    readonly ignoreChanges?: readonly string[];
  };
  /** Fields that the create request carried. */
  readonly posted?: ReadonlySet<string>;
  /** True for what an earlier create of this resource made: nothing that it has beyond the declaration is somebody else's. */
  readonly isResumed?: boolean;
  /** Fields that may not have the value that was saved as applied: an earlier verb was cut off when it sent another. */
  readonly unapplied?: ReadonlySet<string>;
}

/** The context of a type's actions. */
export function actionContext(task: Pick<Task, "identity" | "attempt" | "values">): ActionContext<Fields> {
  const { attempt } = task;
  return {
    urn: task.identity.urn,
    service: attempt.service,
    inputs: task.values,
    log: attempt.log,
    notes: attempt.notes,
    bytesOf: (asset) => bytesOf(asset, attempt.signal),
    wait: (path, what, isDone) => {
      attempt.log("info", what, { ephemeral: true });
      return attempt.service.waitFor(path, isDone, {
        timeoutSeconds: attempt.remaining(),
        onProgress: (message) => attempt.log("info", message, { ephemeral: true }),
        signal: attempt.signal,
      });
    },
  };
}

/** What is read of it. */
export const subjectOf = (task: Pick<Task, "type" | "id" | "attempt" | "values" | "before">) => ({
  type: task.type,
  id: task.id,
  attempt: task.attempt,
  values: task.values,
  ...(task.before && { state: task.before.state }),
});
