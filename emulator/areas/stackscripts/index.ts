/** StackScripts: private and public scripts, their fields and revisions (contract sections 2.2, 4.1 and 7; notes, section 2). */

import { type Area, type Call, forbidden, notFound, type Reason, refuseAll } from "../../area.ts";
import { images } from "../../catalogue/images.ts";
import { mustBeAbleToAdd, reach } from "../access.ts";
import { publish } from "./published.ts";
import { type StackScript, scriptEntity, showScript, stackScripts } from "./script.ts";

/** Stands for every image. */
const anyImage = "any/all";

/** True for what the caller may look at: public scripts, also without a token, and its account's own by grant. */
function sees({ caller }: Call, script: StackScript): boolean {
  return script.is_public || (caller.authenticated && caller.may("stackscript", script.id, "read_only"));
}

function reachReadable(call: Call): StackScript {
  const script = stackScripts(call.world).get(call.id("stackscriptId")) ?? notFound();
  return sees(call, script) ? script : forbidden();
}

/** A script that is the account's own; one of another account is seen, but not changed. */
function reachOwn(call: Call): StackScript {
  const script = stackScripts(call.world).get(call.id("stackscriptId"));
  if (script?._foreign) forbidden();
  return reach(call, "stackscript", script, "read_write");
}

const show = (call: Call, script: StackScript) => showScript(call.world, script, call.caller.authenticated);

/** What is wrong with the given fields beyond their schema. */
function reasonsAgainst(body: Call["body"]): Reason[] {
  const wanted: readonly string[] = body["images"] ?? [];
  const unknown = wanted.filter((id) => id !== anyImage && !images.some((image) => image.id === id));
  const reasons: Reason[] = unknown.map((id) => ({ reason: `image is not valid: ${id}`, field: "images" }));
  // The contract's own example has its first line in quotes.
  if (body["script"] !== undefined && !/^"?#!/.test(body["script"]))
    reasons.push({ reason: "Must begin with a shebang (#!)", field: "script" });
  return reasons;
}

function judgeNew(call: Call): Reason[] {
  mustBeAbleToAdd(call, "add_stackscripts");
  return reasonsAgainst(call.body);
}

function create(call: Call) {
  refuseAll(judgeNew(call));
  const { world, body, caller } = call;
  const now = world.clock.stamp();
  const script = stackScripts(world).insert({
    username: caller.username,
    label: body["label"],
    description: body["description"] ?? "",
    images: body["images"],
    deployments_total: 0,
    is_public: body["is_public"] ?? false,
    created: now,
    updated: now,
    rev_note: body["rev_note"] ?? "",
    script: body["script"],
  });
  caller.grant("stackscript", script.id, script.label);
  world.events.emit({ action: "stackscript_create", entity: scriptEntity(script) });
  return show(call, script);
}

function judgeChange(call: Call): { script: StackScript; reasons: Reason[] } {
  const script = reachOwn(call);
  const reasons = reasonsAgainst(call.body);
  if (script.is_public && call.body["is_public"] === false)
    reasons.push({ reason: "A public StackScript cannot be made private", field: "is_public" });
  return { script, reasons };
}

function update(call: Call) {
  const { world, body } = call;
  const { script, reasons } = judgeChange(call);
  refuseAll(reasons);
  const actions = ["stackscript_update"];
  if (body["script"] !== undefined && body["script"] !== script.script) actions.push("stackscript_revise");
  if (body["is_public"] === true && !script.is_public) actions.push("stackscript_publicize");
  const changed = stackScripts(world).update(script.id, {
    label: body["label"] ?? script.label,
    description: body["description"] ?? script.description,
    images: body["images"] ?? script.images,
    is_public: body["is_public"] ?? script.is_public,
    rev_note: body["rev_note"] ?? script.rev_note,
    script: body["script"] ?? script.script,
    updated: world.clock.stamp(),
  });
  for (const action of actions) world.events.emit({ action, entity: scriptEntity(changed) });
  return show(call, changed);
}

function remove(call: Call) {
  const { world } = call;
  const script = reachOwn(call);
  if (script.is_public) refuseAll([{ reason: "A public StackScript cannot be deleted" }]);
  stackScripts(world).delete(script.id);
  world.events.emit({ action: "stackscript_delete", entity: scriptEntity(script) });
  return {};
}

const all = "/compute/stackscripts";
const one = `${all}/{stackscriptId}`;

export const stackScriptArea: Area = {
  name: "stackscripts",
  handlers: {
    [`GET ${all}`]: (call) =>
      stackScripts(call.world)
        .filter((script) => sees(call, script))
        .map((script) => show(call, script)),
    [`POST ${all}`]: create,
    [`GET ${one}`]: (call) => show(call, reachReadable(call)),
    [`PUT ${one}`]: update,
    [`DELETE ${one}`]: remove,
  },
  judges: {
    [`POST ${all}`]: judgeNew,
    [`PUT ${one}`]: (call) => judgeChange(call).reasons,
  },
  seed: publish,
};
