/** Deploying an instance by a script: which script, on which image, with which fields (contract section 2.2; notes, section 2.1). */

import type { Call, Reason } from "../../area.ts";
import { type Instance, instances } from "../compute/objects.ts";
import { userDefinedFields } from "./fields.ts";
import { type StackScript, stackScripts } from "./script.ts";

/** The script that a request names, when the caller may use it: a public one, or one of its own that it may see. */
function namedScript(call: Call): StackScript | undefined {
  const found = stackScripts(call.world).get(call.body["stackscript_id"]);
  return found && (found.is_public || call.caller.may("stackscript", found.id, "read_only"))
    ? found
    : undefined;
}

/** Why the request's script cannot be deployed; nothing without one. */
export function deploymentReasons(call: Call): Reason[] {
  const { body } = call;
  if (body["stackscript_id"] === undefined)
    return body["stackscript_data"] === undefined
      ? []
      : [{ reason: "Needs a stackscript_id", field: "stackscript_data" }];
  const script = namedScript(call);
  if (!script) return [{ reason: "stackscript_id is not valid", field: "stackscript_id" }];
  const reasons: Reason[] = [];
  const image: string | undefined = body["image"];
  if (image === undefined) reasons.push({ reason: "image is required to deploy a script", field: "image" });
  else if (!script.images.includes(image) && !script.images.includes("any/all"))
    reasons.push({ reason: "The script does not take this image", field: "image" });
  const given: { [name: string]: string } = body["stackscript_data"] ?? {};
  for (const { name, default: usual, oneof, manyof } of userDefinedFields(script.script)) {
    const field = `stackscript_data.${name}`;
    const value = given[name] ?? usual;
    if (value === undefined) reasons.push({ reason: `${name} is required`, field });
    const choices = (oneof ?? manyof)?.split(",").map((choice) => choice.trim());
    const chosen = oneof === undefined ? value?.split(",").filter((one) => one !== "") : value && [value];
    if (choices && chosen && !chosen.every((one) => choices.includes(one.trim())))
      reasons.push({ reason: `Must be one of ${choices.join(", ")}`, field });
  }
  return reasons;
}

/** Counts a deployment that was accepted, and keeps with the instance by which script it was. */
export function recordDeployment(call: Call, instance: Instance): void {
  const script = namedScript(call);
  if (!script) return;
  stackScripts(call.world).update(script.id, { deployments_total: script.deployments_total + 1 });
  instances(call.world).update(instance.id, { _stackscript: script.id });
}
