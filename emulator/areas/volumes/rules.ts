/** What is wrong with a request about volumes beyond its schema (contract sections 2.10, 3, 7 and 8); it changes nothing. */

import { type Call, forbidden, type Reason, type World } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { type Config, configs, type Instance, instances } from "../compute/objects.ts";
import { chooseConfig, freeSlot, roomReason, type Volume, volumes } from "./attachment.ts";

/** The label's rules but its length, which is the schema's: it is part of a device path. An absent label breaks none. */
export function labelReasons(world: World, label: string | undefined, own?: number): Reason[] {
  if (label === undefined) return [];
  const problems: string[] = [];
  if (!/^[a-zA-Z]/.test(label)) problems.push("Must begin with a letter");
  if (label.length < 2) problems.push("Must have at least two characters");
  if (!/^[a-zA-Z0-9_-]*$/.test(label))
    problems.push("Must only use ASCII letters, numbers, underscores, and dashes");
  if (/--|__/.test(label)) problems.push("Must not have two dashes or two underscores in a row");
  if (
    volumes(world)
      .by("label", label)
      .some((other) => other.id !== own)
  )
    problems.push("Label must be unique among your volumes");
  return problems.map((reason) => ({ reason, field: "label" }));
}

/** The instance that a body names, `undefined` when there is none; 403 when the caller may not change it. */
function namedInstance(call: Call): Instance | undefined {
  const instance = instances(call.world).get(call.body["compute_id"]);
  if (instance && !call.caller.may("compute", instance.id, "read_write")) forbidden();
  return instance;
}

/** Clients send 0 for a profile that they do not choose (notes, section 10). */
const namedConfig = (call: Call): number | undefined => call.body["config_id"] || undefined;

/** The profile for a lasting attachment, or the reasons why there is none or no room. */
function selectConfig(call: Call, instance: Instance): { config?: Config; reasons: Reason[] } {
  const { world } = call;
  const named = namedConfig(call);
  const room = roomReason(world, instance, true);
  const reasons: Reason[] = room ? [{ reason: room, field: "compute_id" }] : [];
  const config = named === undefined ? chooseConfig(world, instance) : configs(world).get(named);
  if (named !== undefined && config?.compute_id !== instance.id)
    reasons.push({ reason: "config_id is not valid", field: "config_id" });
  else if (!config)
    reasons.push({ reason: "Could not choose a configuration profile: name one", field: "config_id" });
  else if (!freeSlot(config))
    reasons.push({
      reason: `Configuration profile ${config.id} has no free device slot`,
      field: "config_id",
    });
  return config ? { config, reasons } : { reasons };
}

/** Where a volume goes, with every reason why it cannot. */
export interface Place {
  readonly region: string | undefined;
  readonly instance?: Instance;
  /** Of a lasting attachment. */
  readonly config?: Config;
  readonly reasons: Reason[];
}

/** Where a new volume would be: in the region that is named, or beside the instance that it is attached to. */
export function judgeNew(call: Call): Place {
  const { world, body } = call;
  const reasons = labelReasons(world, body["label"]);
  const asked: string | undefined = body["region"];
  const attaching = body["compute_id"] !== undefined;
  const instance = attaching ? namedInstance(call) : undefined;
  const selected = instance ? selectConfig(call, instance) : { reasons: [] };
  reasons.push(...selected.reasons);
  if (!attaching) {
    if (asked === undefined) reasons.push({ reason: "Must provide a region or a Compute ID" });
    if (namedConfig(call) !== undefined)
      reasons.push({ reason: "Must not be sent without compute_id", field: "config_id" });
  } else if (!instance) {
    reasons.push({ reason: "compute_id is not valid", field: "compute_id" });
  } else if (asked !== undefined && asked !== instance.region) {
    reasons.push({ reason: `The instance is in ${instance.region}`, field: "region" });
  }
  const region = asked ?? instance?.region;
  const known = region === undefined ? undefined : findRegion(region);
  if (region !== undefined && !known) reasons.push({ reason: "region is not valid", field: "region" });
  if (known && !known.capabilities.includes("Block Storage"))
    reasons.push({ reason: "Volumes are not available in this region", field: "region" });
  return { ...selected, region, ...(instance && { instance }), reasons };
}

/** Where a volume would be attached; without `config` the attachment does not last. */
export function judgeAttachment(call: Call, volume: Volume): Place {
  const { world, body } = call;
  const { region } = volume;
  const reasons: Reason[] = [];
  const instance = namedInstance(call);
  const persistent: boolean = body["persist_across_boots"] ?? true;
  if (volume.compute_id !== null)
    reasons.push({ reason: `Volume ${volume.id} is already attached to Compute ${volume.compute_id}` });
  if (!persistent && namedConfig(call) !== undefined)
    reasons.push({ reason: "Must not be sent when persist_across_boots is false", field: "config_id" });
  if (!instance) {
    if (body["compute_id"] !== undefined)
      reasons.push({ reason: "compute_id is not valid", field: "compute_id" });
    return { region, reasons };
  }
  if (region !== instance.region) {
    const reason = `The volume is in ${region}, but the instance is in ${instance.region}`;
    reasons.push({ reason, field: "compute_id" });
  }
  // Sent in a form that the schema refused: which of the two it is to be is not known.
  if (call.sent.has("persist_across_boots") && body["persist_across_boots"] === undefined)
    return { region, instance, reasons };
  if (persistent) {
    const selected = selectConfig(call, instance);
    return { ...selected, region, instance, reasons: [...reasons, ...selected.reasons] };
  }
  if (instance.status !== "running")
    reasons.push({ reason: "The instance must be running", field: "persist_across_boots" });
  const room = roomReason(world, instance, false);
  if (room) reasons.push({ reason: room, field: "compute_id" });
  return { region, instance, reasons };
}

/** Why the volume is not what only an active one may be asked for (contract section 3). */
export function inactiveReasons({ status }: Volume): Reason[] {
  return status === "active" ? [] : [{ reason: `Volume must be active, but is ${status}` }];
}

/** Why the volume cannot have that size: it grows, and never shrinks (readings, section 2.10). */
export function sizeReasons(volume: Volume, size: number | undefined): Reason[] {
  return size === undefined || size > volume.size
    ? []
    : [{ reason: `Volumes can only be resized up: it has ${volume.size} GB`, field: "size" }];
}
