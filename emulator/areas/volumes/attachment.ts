/** What is stored of volumes, and how they hang on instances: slots, limits, attach and detach (contract sections 2.10, 3 and 8). */

import type { Item, World } from "../../area.ts";
import { findPlan } from "../../catalogue/plans.ts";
import {
  type Config,
  configs,
  configsOf,
  type Instance,
  instanceEntity,
  instances,
  type Slot,
  slots,
} from "../compute/objects.ts";
import { durations } from "../durations.ts";

export interface Volume extends Item {
  label: string;
  /** Besides those of the contract, notes section 13 knows the last three, which only stored data can set. */
  status: "creating" | "active" | "resizing" | "migrating" | "offline" | "contact_support";
  /** GB. */
  size: number;
  region: string;
  compute_id: number | null;
  tags: string[];
  hardware_type: "nvme" | "hdd";
  created: string;
  updated: string;
  /** False for an attachment that ends with the next shutdown or reboot (`persist_across_boots`). */
  _persistent?: boolean;
  /** The event of a detach under way; absent or `null` otherwise. */
  _detaching?: number | null;
}

export const volumes = (world: World) => world.collection<Volume>("volumes");

export const volumesOf = (world: World, computeId: number) => volumes(world).by("compute_id", computeId);

export const volumeEntity = (volume: Volume) => ({
  id: volume.id,
  label: volume.label,
  type: "volume",
  url: `/v4/volumes/${volume.id}`,
});

/** A volume as the service answers it (notes, section 10). */
export function showVolume(world: World, volume: Volume) {
  const instance = volume.compute_id === null ? undefined : instances(world).get(volume.compute_id);
  return {
    id: volume.id,
    status: volume.status,
    label: volume.label,
    created: volume.created,
    updated: volume.updated,
    filesystem_path: `/dev/disk/by-id/scsi-0Compute_Volume_${volume.label}`,
    size: volume.size,
    compute_id: volume.compute_id,
    compute_label: instance?.label ?? null,
    region: volume.region,
    tags: volume.tags,
    hardware_type: volume.hardware_type,
  };
}

/** True while an instance runs with the volume, or is on its way into or out of a run. */
export function isInUse(world: World, volume: Volume): boolean {
  const instance = volume.compute_id === null ? undefined : instances(world).get(volume.compute_id);
  return instance !== undefined && instance.status !== "offline" && instance.status !== "provisioning";
}

/** Volumes that persist across boots, by the slots of a profile (contract section 8). */
const mostPersistent = slots.length;
const mostVolumes = 64;
const memoryForMore = 16;

/** How many volumes an instance takes: its memory in GB when that is 16 or more, at most 64; 8 otherwise (contract section 8). */
function volumeLimit(instance: Instance): number {
  const plan = findPlan(instance.type);
  if (!plan) throw new Error(`instance ${instance.id} has the unknown type ${instance.type}`);
  const memory = Math.floor(plan.memory / 1024);
  return memory >= memoryForMore ? Math.min(memory, mostVolumes) : mostPersistent;
}

/** Why an instance cannot take so many more volumes; `undefined` when it can. */
export function roomReason(
  world: World,
  instance: Instance,
  persistent: boolean,
  more = 1,
): string | undefined {
  const attached = volumesOf(world, instance.id);
  const limit = volumeLimit(instance);
  if (attached.length + more > limit)
    return `At most ${limit} volumes can be attached to an instance of type ${instance.type}`;
  if (persistent && attached.filter((volume) => volume._persistent !== false).length + more > mostPersistent)
    return `At most ${mostPersistent} volumes can be attached across boots`;
  return undefined;
}

export function freeSlot(config: Config): Slot | undefined {
  return slots.find((slot) => config.devices[slot] === null);
}

/** The profile that an attachment goes to when none is named: the last booted one, else the only one. */
export function chooseConfig(world: World, instance: Instance): Config | undefined {
  const last = instance._lastConfig == null ? undefined : configs(world).get(instance._lastConfig);
  if (last) return last;
  const all = configsOf(world, instance.id);
  return all.length === 1 ? all[0] : undefined;
}

/** True when a profile of the instance names the volume. */
export function holdsVolume(world: World, computeId: number, volumeId: number): boolean {
  return configsOf(world, computeId).some((config) =>
    slots.some((slot) => config.devices[slot]?.volume_id === volumeId),
  );
}

/** Attaches at once; the event runs on by itself. With a profile, the volume takes its first free slot, which the caller has made sure of. */
export function attachTo(
  world: World,
  volume: Volume,
  instance: Instance,
  place: { config: Config } | { persistent: false } | null,
): Volume {
  if (place && "config" in place) {
    const slot = freeSlot(place.config);
    if (!slot) throw new Error(`profile ${place.config.id} has no free device slot`);
    configs(world).update(place.config.id, {
      devices: { ...place.config.devices, [slot]: { disk_id: null, volume_id: volume.id } },
    });
  }
  const event = world.events.emit({
    action: "volume_attach",
    status: "scheduled",
    entity: volumeEntity(volume),
    secondaryEntity: instanceEntity(instance),
  });
  world.jobs.schedule("volume.started", durations.eventStarted, { event });
  world.jobs.schedule("volume.attached", durations.volumeAttached, { event });
  return volumes(world).update(volume.id, {
    compute_id: instance.id,
    _persistent: !(place && "persistent" in place),
    updated: world.clock.stamp(),
  });
}

/** Frees the slots that name the volume, in every profile of the instance. */
function freeSlots(world: World, volume: Volume): void {
  if (volume.compute_id === null) return;
  for (const config of configsOf(world, volume.compute_id)) {
    const held = slots.filter((slot) => config.devices[slot]?.volume_id === volume.id);
    if (held.length === 0) continue;
    const devices = { ...config.devices };
    for (const slot of held) devices[slot] = null;
    configs(world).update(config.id, { devices });
  }
}

function release(world: World, volume: Volume): void {
  freeSlots(world, volume);
  volumes(world).update(volume.id, {
    compute_id: null,
    _persistent: true,
    _detaching: null,
    updated: world.clock.stamp(),
  });
}

function detachEvent(world: World, volume: Volume, instance: Instance | undefined, system: boolean): number {
  return world.events.emit({
    action: "volume_detach",
    status: "scheduled",
    entity: volumeEntity(volume),
    secondaryEntity: instance ? instanceEntity(instance) : null,
    ...(system ? { username: null } : {}),
  });
}

/** Detaches by the user's wish: at once from an instance that does not run, a little later from one that does (notes, section 10). */
export function detach(world: World, volume: Volume): void {
  if (volume.compute_id === null || volume._detaching != null) return;
  const instance = instances(world).get(volume.compute_id);
  const event = detachEvent(world, volume, instance, false);
  if (instance && instance.status !== "offline") {
    volumes(world).update(volume.id, { _detaching: event });
    world.jobs.schedule("volume.started", durations.eventStarted, { event });
    world.jobs.schedule("volume.detached", durations.volumeDetached, { volume: volume.id, event });
    return;
  }
  world.events.move(event, "started");
  release(world, volume);
  world.events.move(event, "finished");
}

/** Ends the detach of a running instance, unless something else has ended it before. */
export function finishDetach(world: World, volumeId: number, event: number): void {
  const volume = volumes(world).get(volumeId);
  if (!volume || volume._detaching !== event) return;
  release(world, volume);
  world.events.move(event, "finished");
}

/** Detaches by the system's doing, with no delay: the instance is gone or lets go of what does not persist. */
export function detachNow(world: World, volume: Volume): void {
  if (volume.compute_id === null) return;
  const instance = instances(world).get(volume.compute_id);
  const event = volume._detaching ?? detachEvent(world, volume, instance, true);
  world.jobs.cancel("volume.started", { event });
  world.jobs.cancel("volume.detached", { event });
  world.events.move(event, "started");
  release(world, volume);
  world.events.move(event, "finished");
}
