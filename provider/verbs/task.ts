/** What a verb works on: an object, what it is to become, and what a type's actions see of both. Makes no request. */

import type { ResourceIdentity } from "../core/protocol.ts";
import type { WireObject } from "../core/service-port.ts";
import type { Fields } from "../core/type/field.ts";
import type { ActionContext, ResourceType } from "../core/type/resource.ts";
import type { ValueMap } from "../core/value.ts";
import type { VerbScope } from "./operation.ts";
import { bytesOf } from "./values/content.ts";

/** An object and what it is to become. */
export interface Task {
  readonly type: ResourceType;
  readonly identity: ResourceIdentity;
  readonly id: string;
  readonly scope: VerbScope;
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
export function actionContext(task: Pick<Task, "identity" | "scope" | "values">): ActionContext<Fields> {
  const { scope } = task;
  return {
    urn: task.identity.urn,
    service: scope.service,
    inputs: task.values,
    log: scope.log,
    notes: scope.notes,
    bytesOf: (asset) => bytesOf(asset, scope.signal),
    wait: (path, what, isDone, usually) => {
      const tell = (parts: readonly string[]) =>
        scope.log("info", `${what}: ${parts.join(", ")}`, { ephemeral: true });
      const usual = usually === undefined ? [] : [`usually ${usually}`];
      tell(["begun", ...usual]);
      return scope.service.waitFor(path, isDone, {
        timeoutSeconds: scope.remaining(),
        onProgress: (message) => tell([message, ...usual]),
        signal: scope.signal,
      });
    },
  };
}

/** What is read of it. */
export const subjectOf = (task: Pick<Task, "type" | "id" | "scope" | "values" | "before">) => ({
  type: task.type,
  id: task.id,
  scope: task.scope,
  values: task.values,
  ...(task.before && { state: task.before.state }),
});
