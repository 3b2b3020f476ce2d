/** Disks of an instance (notes, section 12): list, create, rename, delete, and the space that they share. */

import { type Call, type Handler, notFound, type Reason, refuse, refuseAll, type World } from "../../area.ts";
import { images } from "../../catalogue/images.ts";
import { findPlan } from "../../catalogue/plans.ts";
import { durations } from "../durations.ts";
import { reachInstance } from "./configs.ts";
import { configs, configsOf, type Disk, disks, type Instance, instanceEntity, slots } from "./objects.ts";
import { mustBeIdle } from "./power.ts";

function showDisk(disk: Disk) {
  const { compute_id: _, ...own } = disk;
  return own;
}

const disksOf = (world: World, instance: Instance) => disks(world).by("compute_id", instance.id);

/** MB of the plan that no disk has yet. */
function freeSpace(world: World, instance: Instance): number {
  const whole = findPlan(instance.type)?.disk ?? 0;
  return disksOf(world, instance).reduce((left, disk) => left - disk.size, whole);
}

export function insertDisk(
  world: World,
  computeId: number,
  fields: { label: string; filesystem: string; size: number },
): Disk {
  const now = world.clock.stamp();
  return disks(world).insert({
    compute_id: computeId,
    status: "not ready",
    ...fields,
    created: now,
    updated: now,
  });
}

function reachDisk(call: Call, permission: "read_only" | "read_write") {
  const instance = reachInstance(call, permission);
  const disk = disks(call.world).get(call.id("diskId"));
  return disk?.compute_id === instance.id ? { instance, disk } : notFound();
}

function emit(
  world: World,
  action: string,
  instance: Instance,
  disk: Disk,
  status: "scheduled" | "finished",
): number {
  const url = `/v4/compute/instances/${instance.id}/disks/${disk.id}`;
  return world.events.emit({
    action,
    status,
    entity: instanceEntity(instance),
    secondaryEntity: { id: disk.id, label: disk.label, type: "disk", url },
  });
}

function judgeNew(call: Call) {
  const { world, body } = call;
  const instance = reachInstance(call, "read_write");
  const reasons: Reason[] = [];
  const free = freeSpace(world, instance);
  if (body["size"] > free)
    reasons.push({ reason: `Only ${free} MB are free on this instance`, field: "size" });
  const image = images.find((one) => one.id === body["image"]);
  if (body["image"] !== undefined) {
    if (!image) reasons.push({ reason: "image is not valid", field: "image" });
    else if (body["size"] < image.size)
      reasons.push({ reason: `The image needs ${image.size} MB`, field: "size" });
    if (body["root_pass"] === undefined)
      reasons.push({ reason: "root_pass is required", field: "root_pass" });
  }
  return { instance, image, reasons };
}

function create(call: Call) {
  const { world, body } = call;
  const { instance, image, reasons } = judgeNew(call);
  refuseAll(reasons);
  const disk = insertDisk(world, instance.id, {
    label: body["label"] ?? `disk ${disksOf(world, instance).length + 1}`,
    filesystem: body["filesystem"] ?? (image ? "ext4" : "raw"),
    size: body["size"],
  });
  const event = emit(world, "disk_create", instance, disk, "scheduled");
  world.jobs.schedule("compute.started", durations.eventStarted, { instance: instance.id, event });
  world.jobs.schedule("compute.disk", durations.diskReady, { instance: instance.id, disk: disk.id, event });
  return showDisk(disk);
}

function update(call: Call) {
  const { disk } = reachDisk(call, "read_write");
  const label = call.body["label"] ?? disk.label;
  return showDisk(disks(call.world).update(disk.id, { label, updated: call.world.clock.stamp() }));
}

function judgeSize(call: Call) {
  const { instance, disk } = reachDisk(call, "read_write");
  const most = freeSpace(call.world, instance) + disk.size;
  const reasons: Reason[] = [];
  if (call.body["size"] > most)
    reasons.push({ reason: `At most ${most} MB are free for this disk on this instance`, field: "size" });
  return { instance, disk, reasons };
}

/** The new size holds at once, and the disk is ready again after a while. */
function resize(call: Call) {
  const { world, body } = call;
  const { instance, disk, reasons } = judgeSize(call);
  mustBeIdle(instance);
  if (instance.status !== "offline") reasons.push({ reason: "Compute must be powered off to resize a disk" });
  if (disk.status !== "ready") reasons.push({ reason: "Disk is not ready: wait until it is" });
  refuseAll(reasons);
  const updated = world.clock.stamp();
  const changed = disks(world).update(disk.id, { size: body["size"], status: "not ready", updated });
  const event = emit(world, "disk_resize", instance, changed, "scheduled");
  world.jobs.schedule("compute.started", durations.eventStarted, { instance: instance.id, event });
  world.jobs.schedule("compute.disk", durations.diskReady, { instance: instance.id, disk: disk.id, event });
  return {};
}

function remove(call: Call) {
  const { world } = call;
  const { instance, disk } = reachDisk(call, "read_write");
  const using = configsOf(world, instance.id).filter((config) =>
    slots.some((slot) => config.devices[slot]?.disk_id === disk.id),
  );
  if (instance.status !== "offline" && using.some((config) => config.id === instance._lastConfig))
    refuse("Disk is in use: shut down the instance first");
  for (const config of using) {
    const devices = { ...config.devices };
    for (const slot of slots) if (devices[slot]?.disk_id === disk.id) devices[slot] = null;
    configs(world).update(config.id, { devices });
  }
  disks(world).delete(disk.id);
  emit(world, "disk_delete", instance, disk, "finished");
  return {};
}

const base = "/compute/instances/{computeId}/disks";

export const diskHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}`]: (call) => disksOf(call.world, reachInstance(call, "read_only")).map(showDisk),
  [`POST ${base}`]: create,
  [`GET ${base}/{diskId}`]: (call) => showDisk(reachDisk(call, "read_only").disk),
  [`PUT ${base}/{diskId}`]: update,
  [`POST ${base}/{diskId}/resize`]: resize,
  [`DELETE ${base}/{diskId}`]: remove,
};

export const diskJudges: { readonly [operation: string]: (call: Call) => readonly Reason[] } = {
  [`POST ${base}`]: (call) => judgeNew(call).reasons,
  [`POST ${base}/{diskId}/resize`]: (call) => judgeSize(call).reasons,
  [`PUT ${base}/{diskId}`]: (call) => {
    reachDisk(call, "read_write");
    return [];
  },
};
