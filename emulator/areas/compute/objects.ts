/** What is stored of instances and what hangs on them. It knows nothing of requests. */

import type { Item, World } from "../../area.ts";

export type InstanceStatus =
  | "provisioning"
  | "booting"
  | "running"
  | "rebooting"
  | "shutting_down"
  | "offline";

export interface Instance extends Item {
  label: string;
  group: string;
  status: InstanceStatus;
  created: string;
  updated: string;
  type: string;
  ipv4: string[];
  ipv6: string;
  image: string | null;
  region: string;
  tags: string[];
  alerts: { cpu: number; network_in: number; network_out: number; transfer_quota: number; io: number };
  watchdog_enabled: boolean;
  host_uuid: string;
  has_user_data: boolean;
  /** The profile that it runs or ran last; absent or `null` before the first boot. */
  _lastConfig?: number | null;
  /** Names of reverse DNS by address. */
  _rdns?: { [address: string]: string };
  /** The script that it was deployed by. */
  _stackscript?: number | null;
}

/** One device of a profile: a disk or a volume, never both. */
export interface Device {
  disk_id: number | null;
  volume_id: number | null;
}

export const slots = ["sda", "sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh"] as const;
export type Slot = (typeof slots)[number];
export type Devices = { [slot in Slot]: Device | null };

export interface Config extends Item {
  compute_id: number;
  label: string;
  helpers: { [name: string]: boolean };
  kernel: string;
  comments: string;
  memory_limit: number;
  created: string;
  updated: string;
  root_device: string;
  devices: Devices;
  initrd: null;
  run_level: string;
  virt_mode: string;
}

export interface Interface extends Item {
  compute_id: number;
  config_id: number;
  /** Place among the interfaces of its profile, from 0. */
  position: number;
  purpose: "public" | "vlan" | "vpc";
  primary: boolean;
  /** True while the instance runs what it was booted with, and this was part of it. */
  active: boolean;
  label: string | null;
  ipam_address: string | null;
  vpc_id: number | null;
  subnet_id: number | null;
  ipv4: { vpc: string; nat_1_1: string | null } | null;
  ip_ranges: string[];
}

export interface Disk extends Item {
  compute_id: number;
  status: "not ready" | "ready";
  label: string;
  created: string;
  updated: string;
  filesystem: string;
  size: number;
}

export const instances = (world: World) => world.collection<Instance>("computeInstances");
export const configs = (world: World) => world.collection<Config>("computeConfigs");
export const interfaces = (world: World) => world.collection<Interface>("computeInterfaces");
export const disks = (world: World) => world.collection<Disk>("computeDisks");

/** The profiles of an instance, by id. */
export function configsOf(world: World, computeId: number): Config[] {
  return configs(world).by("compute_id", computeId);
}

/** The interfaces of a profile, in their order. */
export function interfacesOf(world: World, configId: number): Interface[] {
  return interfaces(world)
    .by("config_id", configId)
    .sort((a, b) => a.position - b.position);
}

/** How an event names an instance. */
export function instanceEntity(instance: Instance) {
  return {
    id: instance.id,
    label: instance.label,
    type: "compute",
    url: `/v4/compute/instances/${instance.id}`,
  };
}

/** How an event names a profile. */
export function configEntity(config: Config) {
  return {
    id: config.id,
    label: config.label,
    type: "compute_config",
    url: `/v4/compute/instances/${config.compute_id}/configs/${config.id}`,
  };
}
