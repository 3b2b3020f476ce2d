/** Volumes: their verbs, states and refusals (contract sections 2.10, 3, 4.8, 7 and 8; notes, section 10). */

import { type Area, type Call, forbidden, type Reason, refuseAll } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { mustBeAbleToAdd, reach } from "../access.ts";
import { durations } from "../durations.ts";
import {
  attachTo,
  detach,
  detachNow,
  finishDetach,
  isInUse,
  showVolume,
  type Volume,
  volumeEntity,
  volumes,
} from "./attachment.ts";
import {
  inactiveReasons,
  judgeAttachment,
  judgeNew,
  labelReasons,
  type Place,
  sizeReasons,
} from "./rules.ts";

const defaultSize = 20;

function reachVolume(call: Call, permission: "read_only" | "read_write"): Volume {
  return reach(call, "volume", volumes(call.world).get(call.id("volumeId")), permission);
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

function placeOfNew(call: Call): Place {
  mustBeAbleToAdd(call, "add_volumes");
  return judgeNew(call);
}

/** What else is wrong when the schema refuses: that something is missing is not told of what was sent in the wrong form. */
function judgeRest(call: Call): Reason[] {
  const refused = (name: string) => call.sent.has(name) && call.body[name] === undefined;
  const instance = refused("compute_id");
  const either = instance || refused("region");
  return placeOfNew(call).reasons.filter(({ field }) =>
    field === undefined ? !either : !(field === "config_id" && instance),
  );
}

function create(call: Call) {
  const { world, body } = call;
  const { region, instance, config, reasons } = placeOfNew(call);
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

function judgeChange(call: Call): { volume: Volume; reasons: Reason[] } {
  const volume = reachVolume(call, "read_write");
  return { volume, reasons: labelReasons(call.world, call.body["label"], volume.id) };
}

function update(call: Call) {
  const { world, body } = call;
  const { volume, reasons } = judgeChange(call);
  refuseAll(reasons);
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
  if (isInUse(world, volume))
    reasons.push({ reason: `Volume is attached to Compute ${volume.compute_id}: detach it first` });
  if (volume.status === "migrating")
    reasons.push({ reason: "Volume is migrating: it can be deleted when the migration has finished" });
  refuseAll(reasons);
  detachNow(world, volume);
  world.jobs.cancel("volume.active", { volume: volume.id });
  volumes(world).delete(volume.id);
  world.events.emit({ action: "volume_delete", entity: volumeEntity(volume) });
  return {};
}

function judgeAttach(call: Call): Place & { volume: Volume } {
  const volume = reachVolume(call, "read_write");
  return { ...judgeAttachment(call, volume), volume };
}

function attach(call: Call) {
  const { volume, instance, config, reasons } = judgeAttach(call);
  refuseAll(reasons);
  if (!instance) throw new Error("an attachment without reasons against it has an instance");
  const place = config ? { config } : ({ persistent: false } as const);
  return showVolume(call.world, attachTo(call.world, volume, instance, place));
}

function detachVolume(call: Call) {
  const volume = reachVolume(call, "read_write");
  if (volume.compute_id !== null && !call.caller.may("compute", volume.compute_id, "read_write")) forbidden();
  detach(call.world, volume);
  return {};
}

function judgeClone(call: Call): { source: Volume; reasons: Reason[] } {
  mustBeAbleToAdd(call, "add_volumes");
  const source = reachVolume(call, "read_only");
  return { source, reasons: [...inactiveReasons(source), ...labelReasons(call.world, call.body["label"])] };
}

function clone(call: Call) {
  const { world, body } = call;
  const { source, reasons } = judgeClone(call);
  refuseAll(reasons);
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

function judgeSize(call: Call): { volume: Volume; reasons: Reason[] } {
  const volume = reachVolume(call, "read_write");
  return { volume, reasons: [...inactiveReasons(volume), ...sizeReasons(volume, call.body["size"])] };
}

function resize(call: Call) {
  const { world, body } = call;
  const { volume, reasons } = judgeSize(call);
  refuseAll(reasons);
  const changed = volumes(world).update(volume.id, {
    size: body["size"],
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
  judges: {
    "POST /volumes": judgeRest,
    "PUT /volumes/{volumeId}": (call) => judgeChange(call).reasons,
    "POST /volumes/{volumeId}/attach": (call) => judgeAttach(call).reasons,
    "POST /volumes/{volumeId}/clone": (call) => judgeClone(call).reasons,
    "POST /volumes/{volumeId}/resize": (call) => judgeSize(call).reasons,
  },
  shows: {
    "volume.active": (_world, data) => data["volume"] as number,
    "volume.detached": (_world, data) => data["volume"] as number,
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
