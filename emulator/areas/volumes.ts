/** Volumes: their verbs, states and refusals (contract sections 2.10, 3, 4.8, 7 and 8; notes, section 10). */

import {
  type Area,
  type Call,
  forbidden,
  type Reason,
  Refusal,
  refuse,
  refuseAll,
  type World,
} from "../area.ts";
import { findRegion } from "../catalogue/regions.ts";
import { type Config, configs, type Instance, instances } from "../compute/objects.ts";
import {
  attachTo,
  chooseConfig,
  detach,
  finishDetach,
  freeSlot,
  roomReason,
  showVolume,
  type Volume,
  volumeEntity,
  volumes,
} from "../volumes/attachment.ts";
import { mustBeAbleToAdd, reach } from "./access.ts";
import { durations } from "./durations.ts";

const defaultSize = 20;

/** The label's rules but its length, which is the schema's: it is part of a device path. */
function labelReasons(world: World, label: string, own?: number): Reason[] {
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

function reachVolume(call: Call, permission: "read_only" | "read_write"): Volume {
  return reach(call, "volume", volumes(call.world).get(call.id("volumeId")), permission);
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

/** Stores a volume that becomes active after a while, and grants it to its maker. */
function make(call: Call, fields: { label: string; size: number; region: string; tags: string[] }): Volume {
  const now = call.world.clock.stamp();
  const volume = volumes(call.world).insert({
    ...fields,
    status: "creating",
    compute_id: null,
    hardware_type: findRegion(fields.region)?.volumeHardware ?? "nvme",
    created: now,
    updated: now,
    _persistent: true,
    _detaching: null,
  });
  call.caller.grant("volume", volume.id, volume.label);
  return volume;
}

function create(call: Call) {
  mustBeAbleToAdd(call, "add_volumes");
  const { world, body } = call;
  const reasons = labelReasons(world, body["label"]);
  const asked: string | undefined = body["region"];
  const attaching = body["compute_id"] !== undefined;
  const instance = attaching ? namedInstance(call) : undefined;
  let config: Config | undefined;
  if (!attaching) {
    if (asked === undefined) reasons.push({ reason: "Must provide a region or a Compute ID" });
    if (namedConfig(call) !== undefined)
      reasons.push({ reason: "Must not be sent without compute_id", field: "config_id" });
  } else if (!instance) {
    reasons.push({ reason: "compute_id is not valid", field: "compute_id" });
  } else {
    const selected = selectConfig(call, instance);
    reasons.push(...selected.reasons);
    config = selected.config;
    if (asked !== undefined && asked !== instance.region)
      reasons.push({ reason: `The instance is in ${instance.region}`, field: "region" });
  }
  const region = asked ?? instance?.region;
  const known = region === undefined ? undefined : findRegion(region);
  if (region !== undefined && !known) reasons.push({ reason: "region is not valid", field: "region" });
  if (known && !known.capabilities.includes("Block Storage"))
    reasons.push({ reason: "Volumes are not available in this region", field: "region" });
  refuseAll(reasons);

  const volume = make(call, {
    label: body["label"],
    size: body["size"] ?? defaultSize,
    region: region as string,
    tags: body["tags"] ?? [],
  });
  const event = world.events.emit({
    action: "volume_create",
    status: "scheduled",
    entity: volumeEntity(volume),
  });
  world.jobs.schedule("volume.started", durations.eventStarted, { event });
  world.jobs.schedule("volume.active", durations.volumeCreated, { volume: volume.id, event });
  if (instance && config) attachTo(world, volume, instance, { config });
  return showVolume(world, volume);
}

function update(call: Call) {
  const { world, body } = call;
  const volume = reachVolume(call, "read_write");
  if (body["label"] !== undefined) refuseAll(labelReasons(world, body["label"], volume.id));
  const changed = volumes(world).update(volume.id, {
    label: body["label"] ?? volume.label,
    tags: body["tags"] ?? volume.tags,
    updated: world.clock.stamp(),
  });
  world.events.emit({ action: "volume_update", entity: volumeEntity(changed) });
  return showVolume(world, changed);
}

function remove(call: Call) {
  const { world } = call;
  const volume = reachVolume(call, "read_write");
  const reasons: Reason[] = [];
  if (volume.compute_id !== null)
    reasons.push({ reason: `Volume is attached to Compute ${volume.compute_id}: detach it first` });
  if (volume.status === "migrating")
    reasons.push({ reason: "Volume is migrating: it can be deleted when the migration has finished" });
  refuseAll(reasons);
  world.jobs.cancel("volume.active", { volume: volume.id });
  volumes(world).delete(volume.id);
  world.events.emit({ action: "volume_delete", entity: volumeEntity(volume) });
  return {};
}

function attach(call: Call) {
  const { world, body } = call;
  const volume = reachVolume(call, "read_write");
  const instance = namedInstance(call);
  const persistent: boolean = body["persist_across_boots"] ?? true;
  if (volume.compute_id !== null)
    refuse(`Volume ${volume.id} is already attached to Compute ${volume.compute_id}`);
  const reasons: Reason[] = [];
  if (!persistent && namedConfig(call) !== undefined)
    reasons.push({ reason: "Must not be sent when persist_across_boots is false", field: "config_id" });
  if (!instance)
    throw new Refusal(400, [...reasons, { reason: "compute_id is not valid", field: "compute_id" }]);
  if (volume.region !== instance.region)
    reasons.push({
      reason: `The volume is in ${volume.region}, but the instance is in ${instance.region}`,
      field: "compute_id",
    });
  if (!persistent) {
    if (instance.status !== "running")
      reasons.push({ reason: "The instance must be running", field: "persist_across_boots" });
    const room = roomReason(world, instance, false);
    if (room) reasons.push({ reason: room, field: "compute_id" });
    refuseAll(reasons);
    return showVolume(world, attachTo(world, volume, instance, { persistent: false }));
  }
  const selected = selectConfig(call, instance);
  refuseAll([...reasons, ...selected.reasons]);
  return showVolume(world, attachTo(world, volume, instance, { config: selected.config as Config }));
}

function detachVolume(call: Call) {
  const volume = reachVolume(call, "read_write");
  if (volume.compute_id !== null && !call.caller.may("compute", volume.compute_id, "read_write")) forbidden();
  detach(call.world, volume);
  return {};
}

/** Refuses what only an active volume allows (contract section 3). */
function mustBeActive(volume: Volume): void {
  if (volume.status !== "active") refuse(`Volume must be active, but is ${volume.status}`);
}

function clone(call: Call) {
  mustBeAbleToAdd(call, "add_volumes");
  const { world, body } = call;
  const source = reachVolume(call, "read_only");
  mustBeActive(source);
  refuseAll(labelReasons(world, body["label"]));
  const { size, region } = source;
  const volume = make(call, { label: body["label"], size, region, tags: [] });
  world.jobs.schedule("volume.active", durations.volumeCloned, { volume: volume.id });
  world.events.emit({
    action: "volume_clone",
    entity: volumeEntity(source),
    secondaryEntity: volumeEntity(volume),
  });
  return showVolume(world, volume);
}

function resize(call: Call) {
  const { world, body } = call;
  const volume = reachVolume(call, "read_write");
  mustBeActive(volume);
  const size: number = body["size"];
  if (size <= volume.size) refuse(`Volumes can only be resized up: it has ${volume.size} GB`, "size");
  const changed = volumes(world).update(volume.id, {
    size,
    status: "resizing",
    updated: world.clock.stamp(),
  });
  world.jobs.schedule("volume.active", durations.volumeResized, { volume: volume.id });
  world.events.emit({ action: "volume_resize", entity: volumeEntity(changed) });
  return showVolume(world, changed);
}

export const volumeArea: Area = {
  name: "volumes",
  handlers: {
    "GET /volumes": (call) =>
      volumes(call.world)
        .filter((volume) => call.caller.may("volume", volume.id, "read_only"))
        .map((volume) => showVolume(call.world, volume)),
    "POST /volumes": create,
    "GET /volumes/{volumeId}": (call) => showVolume(call.world, reachVolume(call, "read_only")),
    "PUT /volumes/{volumeId}": update,
    "DELETE /volumes/{volumeId}": remove,
    "POST /volumes/{volumeId}/attach": attach,
    "POST /volumes/{volumeId}/clone": clone,
    "POST /volumes/{volumeId}/detach": detachVolume,
    "POST /volumes/{volumeId}/resize": resize,
  },
  jobs: {
    "volume.started": (world, data) => world.events.move(data["event"] as number, "started"),
    "volume.attached": (world, data) => world.events.move(data["event"] as number, "finished"),
    "volume.detached": (world, data) =>
      finishDetach(world, data["volume"] as number, data["event"] as number),
    /** Ends `creating` and `resizing`; a status set from outside meanwhile stays. */
    "volume.active": (world, data) => {
      const volume = volumes(world).get(data["volume"] as number);
      if (volume && (volume.status === "creating" || volume.status === "resizing"))
        volumes(world).update(volume.id, { status: "active", updated: world.clock.stamp() });
      if (typeof data["event"] === "number") world.events.move(data["event"], "finished");
    },
  },
};
