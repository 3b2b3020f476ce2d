/** Makes and removes instances with all that belongs to them, for a user's request or for the nodes of a cluster. */

import type { Item, World } from "../../area.ts";
import { findPlan, type Plan } from "../../catalogue/plans.ts";
import { detachNow, volumesOf } from "../volumes/attachment.ts";
import { formatAddress } from "../vpc/range.ts";
import { defaultHelpers, noDevices } from "./configs.ts";
import { insertDisk } from "./disks.ts";
import { type Draft, storeInterfaces } from "./drafts.ts";
import {
  configs,
  configsOf,
  type Devices,
  disks,
  type Instance,
  instanceEntity,
  instances,
  interfaces,
  slots,
} from "./objects.ts";
import { cancelJobs } from "./power.ts";

const defaultAlerts = { cpu: 90, network_in: 10, network_out: 10, transfer_quota: 80, io: 10000 };
/** Public addresses are from the range for tests (198.18.0.0/15), private ones from the platform's own (192.168.128.0/17). */
const publicSpace = { first: 0xc6120000, size: 2 ** 17 };
const privateSpace = { first: 0xc0a88000, size: 2 ** 15 };

/** The lowest address of a space that no instance has. */
function nextAddress(world: World, space: { first: number; size: number }): string {
  const used = new Set(
    instances(world)
      .all()
      .flatMap((instance) => instance.ipv4),
  );
  for (let step = 1; step < space.size - 1; step++) {
    const address = formatAddress(space.first + step);
    if (!used.has(address)) return address;
  }
  throw new Error("the emulator has no address left for another instance");
}

/** The public address of the next instance. */
export function nextPublicAddress(world: World): string {
  return nextAddress(world, publicSpace);
}

export function nextPrivateAddress(world: World): string {
  return nextAddress(world, privateSpace);
}

export function planOf(instance: Instance): Plan {
  const plan = findPlan(instance.type);
  if (!plan) throw new Error(`instance ${instance.id} has the unknown type ${instance.type}`);
  return plan;
}

export interface NewInstance {
  /** Absent or empty: made of the number. */
  readonly label?: string;
  readonly group?: string;
  readonly type: string;
  readonly region: string;
  readonly image: string | null;
  readonly tags: readonly string[];
  readonly privateIp: boolean;
}

/** Stores an instance in `provisioning`, without disks and jobs. */
export function insertInstance(world: World, fields: NewInstance): Instance {
  const now = world.clock.stamp();
  const { id } = instances(world).insert({
    label: "",
    group: fields.group ?? "",
    status: "provisioning",
    created: now,
    updated: now,
    type: fields.type,
    ipv4: [nextPublicAddress(world), ...(fields.privateIp ? [nextPrivateAddress(world)] : [])],
    ipv6: "",
    image: fields.image,
    region: fields.region,
    tags: [...fields.tags],
    alerts: defaultAlerts,
    watchdog_enabled: true,
    host_uuid: world.hex(40),
    has_user_data: false,
    _lastConfig: null,
  });
  return instances(world).update(id, {
    label: fields.label || `compute${id}`,
    ipv6: `2001:db8::${Math.floor(id / 65536).toString(16)}:${(id % 65536).toString(16)}/128`,
  });
}

export interface Deployment {
  /** Of the configuration profile. */
  readonly label: string;
  /** In the order of the device slots, at most eight; sizes in MB. */
  readonly disks: readonly { label: string; filesystem: string; size: number }[];
  readonly interfaces: readonly Draft[];
}

/** Gives an instance its disks and the configuration profile that boots them. */
export function deploy(world: World, instance: Instance, deployment: Deployment): void {
  const devices: Devices = noDevices();
  deployment.disks.forEach((disk, index) => {
    devices[slots[index]!] = { disk_id: insertDisk(world, instance.id, disk).id, volume_id: null };
  });
  const config = configs(world).insert({
    compute_id: instance.id,
    label: deployment.label,
    helpers: defaultHelpers,
    kernel: "compute/grub2",
    comments: "",
    memory_limit: 0,
    created: instance.created,
    updated: instance.created,
    root_device: "/dev/sda",
    devices,
    initrd: null,
    run_level: "default",
    virt_mode: "paravirt",
  } as Omit<Item, "id">);
  storeInterfaces(world, instance.id, config.id, deployment.interfaces);
}

/** Volumes stay, detached (contract section 3); profiles, interfaces and disks go with the instance. */
export function removeInstance(world: World, instance: Instance): void {
  for (const volume of volumesOf(world, instance.id)) detachNow(world, volume);
  for (const one of interfaces(world).by("compute_id", instance.id)) interfaces(world).delete(one.id);
  for (const config of configsOf(world, instance.id)) configs(world).delete(config.id);
  for (const disk of disks(world).by("compute_id", instance.id)) disks(world).delete(disk.id);
  cancelJobs(world, instance);
  instances(world).delete(instance.id);
  world.events.emit({ action: "compute_delete", entity: instanceEntity(instance), status: "finished" });
}
