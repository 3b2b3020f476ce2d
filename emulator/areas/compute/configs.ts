/** Configuration profiles of an instance (notes, section 12): devices, interfaces, and the rules between them. */

import {
  type Call,
  type Handler,
  type Item,
  notFound,
  type Reason,
  refuseAll,
  type World,
} from "../../area.ts";
import { kernels } from "../../catalogue/kernels.ts";
import { reach } from "../access.ts";
import { attachTo, detachNow, holdsVolume, roomReason, volumes } from "../volumes/attachment.ts";
import { draftInterfaces, pair, removalReasons, storeInterfaces, type Wanted } from "./drafts.ts";
import {
  type Config,
  configEntity,
  configs,
  configsOf,
  type Device,
  type Devices,
  disks,
  type Instance,
  type Interface,
  instanceEntity,
  instances,
  interfaces,
  interfacesOf,
  slots,
} from "./objects.ts";

export const defaultHelpers = {
  updatedb_disabled: true,
  distro: true,
  modules_dep: true,
  network: true,
  devtmpfs_automount: true,
};

/** The instance of the path, or 404 or 403. */
export function reachInstance(call: Call, permission: "read_only" | "read_write"): Instance {
  return reach(call, "compute", instances(call.world).get(call.id("computeId")), permission);
}

/** The profile of the path, or 404 or 403. */
export function reachConfig(call: Call, permission: "read_only" | "read_write") {
  const instance = reachInstance(call, permission);
  const config = configs(call.world).get(call.id("configId"));
  return config?.compute_id === instance.id ? { instance, config } : notFound();
}

export function showInterface(one: Interface) {
  const { id, purpose, primary, active, ipam_address, label, vpc_id, subnet_id, ipv4, ip_ranges } = one;
  return { id, purpose, primary, active, ipam_address, label, vpc_id, subnet_id, ipv4, ip_ranges };
}

function showConfig(world: World, config: Config) {
  const { compute_id: _, ...own } = config;
  return { ...own, interfaces: interfacesOf(world, config.id).map(showInterface) };
}

export const noDevices = (): Devices => Object.fromEntries(slots.map((slot) => [slot, null])) as Devices;

/** Devices as they will be stored: `{}` and a device of nothing count as an empty slot. */
function readDevices(
  requested: { [slot: string]: Partial<Device> | null } | undefined,
  present: Devices,
): Devices {
  if (requested === undefined) return present;
  const devices = noDevices();
  for (const slot of slots) {
    const device = requested[slot];
    if (device?.disk_id != null || device?.volume_id != null)
      devices[slot] = { disk_id: device.disk_id ?? null, volume_id: device.volume_id ?? null };
  }
  return devices;
}

function deviceReasons(call: Call, instance: Instance, devices: Devices): Reason[] {
  const reasons: Reason[] = [];
  const seen = new Set<string>();
  let joining = 0;
  for (const slot of slots) {
    const device = devices[slot];
    if (!device) continue;
    const fail = (name: string, reason: string) => reasons.push({ reason, field: `devices.${slot}.${name}` });
    const { disk_id, volume_id } = device;
    if (disk_id !== null && volume_id !== null) fail("volume_id", "A device is a disk or a volume, not both");
    if (disk_id !== null && disks(call.world).get(disk_id)?.compute_id !== instance.id)
      fail("disk_id", "disk_id is not valid");
    if (volume_id !== null) {
      const volume = volumes(call.world).get(volume_id);
      if (!volume || !call.caller.may("volume", volume_id, "read_write"))
        fail("volume_id", "volume_id is not valid");
      else if (volume.compute_id === null && volume.region !== instance.region)
        fail("volume_id", `The volume is in ${volume.region}, but the instance is in ${instance.region}`);
      else if (volume.compute_id === null) joining += 1;
      else if (volume.compute_id !== instance.id)
        fail("volume_id", `Volume ${volume_id} is already attached`);
    }
    const key = `${disk_id} ${volume_id}`;
    if (seen.has(key)) fail(disk_id === null ? "volume_id" : "disk_id", "Must be unique among the devices");
    seen.add(key);
  }
  const room = joining > 0 ? roomReason(call.world, instance, true, joining) : undefined;
  if (room) reasons.push({ reason: room, field: "devices" });
  return reasons;
}

/** Attaches volumes that a profile names for the first time, and detaches those that no profile of a stopped instance names any more. */
function settleVolumes(call: Call, instance: Instance, config: Config, before: Devices): void {
  const { world } = call;
  for (const slot of slots) {
    const now = config.devices[slot]?.volume_id;
    if (now != null) {
      const volume = volumes(world).get(now);
      if (volume && volume.compute_id === null) attachTo(world, volume, instance, null);
    }
    const was = before[slot]?.volume_id;
    if (was != null && instance.status === "offline" && !holdsVolume(world, instance.id, was)) {
      const volume = volumes(world).get(was);
      if (volume?.compute_id === instance.id) detachNow(world, volume);
    }
  }
}

/** Every field of a profile that is neither devices nor interfaces, from the body where sent. */
function plainFields(call: Call, present: Partial<Config>) {
  const { body } = call;
  return {
    label: body["label"] ?? present.label,
    helpers: { ...(present.helpers ?? defaultHelpers), ...body["helpers"] },
    kernel: body["kernel"] ?? present.kernel ?? "compute/latest-64bit",
    comments: body["comments"] ?? present.comments ?? "",
    memory_limit: body["memory_limit"] ?? present.memory_limit ?? 0,
    root_device: body["root_device"] ?? present.root_device ?? "/dev/sda",
    run_level: body["run_level"] ?? present.run_level ?? "default",
    virt_mode: body["virt_mode"] ?? present.virt_mode ?? "paravirt",
  };
}

/** What a create or update would make of the profile, with every reason why it cannot. */
function judge(call: Call, instance: Instance, present: Config | undefined) {
  const { body, world } = call;
  const devices = readDevices(body["devices"], present?.devices ?? noDevices());
  const requested = body["interfaces"] as Wanted[] | undefined;
  const place = {
    region: instance.region,
    publicAddress: instance.ipv4[0] as string,
    computeId: instance.id,
    configId: present?.id ?? null,
  };
  const stored = present ? interfacesOf(world, present.id) : [];
  const drafted =
    requested &&
    draftInterfaces(call, place, pair(requested, stored), (i, name) => `interfaces[${i}].${name}`);
  const kernel: string | undefined = body["kernel"];
  const reasons: Reason[] = [
    ...(kernel !== undefined && !kernels.some((one) => one.id === kernel)
      ? [{ reason: "kernel is not valid", field: "kernel" }]
      : []),
    ...(body["devices"] === undefined ? [] : deviceReasons(call, instance, devices)),
    ...(drafted?.reasons ?? []),
    ...(drafted && present ? removalReasons(world, present.id, drafted.drafts) : []),
  ];
  return { devices, drafts: drafted?.drafts, reasons };
}

function emit(world: World, action: string, instance: Instance, config: Config): void {
  world.events.emit({ action, entity: instanceEntity(instance), secondaryEntity: configEntity(config) });
}

function create(call: Call) {
  const { world } = call;
  const instance = reachInstance(call, "read_write");
  const { devices, drafts, reasons } = judge(call, instance, undefined);
  refuseAll(reasons);
  const now = world.clock.stamp();
  const config = configs(world).insert({
    compute_id: instance.id,
    ...plainFields(call, {}),
    devices,
    initrd: null,
    created: now,
    updated: now,
  } as Omit<Item, "id">);
  storeInterfaces(world, instance.id, config.id, drafts ?? []);
  settleVolumes(call, instance, config, noDevices());
  emit(world, "compute_config_create", instance, config);
  return showConfig(world, config);
}

function update(call: Call) {
  const { world } = call;
  const { instance, config } = reachConfig(call, "read_write");
  const before = config.devices;
  const { devices, drafts, reasons } = judge(call, instance, config);
  refuseAll(reasons);
  const changed = configs(world).update(config.id, {
    ...plainFields(call, config),
    devices,
    updated: world.clock.stamp(),
  });
  if (drafts) storeInterfaces(world, instance.id, config.id, drafts);
  settleVolumes(call, instance, changed, before);
  emit(world, "compute_config_update", instance, changed);
  return showConfig(world, changed);
}

/** Removes a profile with its interfaces. Its volumes stay attached only while another profile names them or the instance runs. */
function remove(call: Call) {
  const { world } = call;
  const { instance, config } = reachConfig(call, "read_write");
  refuseAll(removalReasons(world, config.id, []));
  for (const one of interfacesOf(world, config.id)) interfaces(world).delete(one.id);
  configs(world).delete(config.id);
  if (instance._lastConfig === config.id) instances(world).update(instance.id, { _lastConfig: null });
  settleVolumes(call, instance, { ...config, devices: noDevices() }, config.devices);
  emit(world, "compute_config_delete", instance, config);
  return {};
}

const base = "/compute/instances/{computeId}/configs";

export const configHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}`]: (call) =>
    configsOf(call.world, reachInstance(call, "read_only").id).map((config) =>
      showConfig(call.world, config),
    ),
  [`POST ${base}`]: create,
  [`GET ${base}/{configId}`]: (call) => showConfig(call.world, reachConfig(call, "read_only").config),
  [`PUT ${base}/{configId}`]: update,
  [`DELETE ${base}/{configId}`]: remove,
};

export const configJudges: { readonly [operation: string]: (call: Call) => readonly Reason[] } = {
  [`POST ${base}`]: (call) => judge(call, reachInstance(call, "read_write"), undefined).reasons,
  [`PUT ${base}/{configId}`]: (call) => {
    const { instance, config } = reachConfig(call, "read_write");
    return judge(call, instance, config).reasons;
  },
};
