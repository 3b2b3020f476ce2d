/** Compute instances, as far as volumes and VPCs need them (notes, section 12): no contract area of its own. */

import { type Area, type Call, type Item, type Reason, refuseAll, type World } from "../area.ts";
import { images } from "../catalogue/images.ts";
import { findPlan, type Plan } from "../catalogue/plans.ts";
import { findRegion } from "../catalogue/regions.ts";
import { configHandlers, defaultHelpers, noDevices, reachInstance } from "../compute/configs.ts";
import { diskHandlers, insertDisk } from "../compute/disks.ts";
import { type Draft, draftInterfaces, storeInterfaces, type Wanted } from "../compute/drafts.ts";
import { interfaceHandlers } from "../compute/interfaces.ts";
import {
  configs,
  configsOf,
  disks,
  type Instance,
  instanceEntity,
  instances,
  interfaces,
} from "../compute/objects.ts";
import { boot, cancelJobs, powerJobs, provision, reboot, shutDown } from "../compute/power.ts";
import { detachNow, showVolume, volumesOf } from "../volumes/attachment.ts";
import { formatAddress } from "../vpc/range.ts";
import { mustBeAbleToAdd } from "./access.ts";

const defaultAlerts = { cpu: 90, network_in: 10, network_out: 10, transfer_quota: 80, io: 10000 };
const swapSize = 512;
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

function planOf(instance: Instance): Plan {
  const plan = findPlan(instance.type);
  if (!plan) throw new Error(`instance ${instance.id} has the unknown type ${instance.type}`);
  return plan;
}

function showInstance(instance: Instance) {
  const { _lastConfig: _, ...own } = instance;
  const { disk, memory, vcpus, gpus, transfer } = planOf(instance);
  return {
    ...own,
    specs: { disk, memory, vcpus, gpus, transfer },
    backups: {
      enabled: false,
      available: false,
      schedule: { day: null, window: null },
      last_successful: null,
    },
    hypervisor: "kvm",
  };
}

function labelReasons(world: World, label: string, own?: number): Reason[] {
  const problems: string[] = [];
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9_.-]*[a-zA-Z0-9])?$/.test(label) || /--|__|\.\./.test(label))
    problems.push(
      "Must begin and end with a letter or number, of ASCII letters, numbers, dashes, underscores and periods, none of the last three twice in a row",
    );
  if (
    instances(world)
      .by("label", label)
      .some((other) => other.id !== own)
  )
    problems.push("Label must be unique among your Computes");
  return problems.map((reason) => ({ reason, field: "label" }));
}

function placeReasons(body: Call["body"]): Reason[] {
  const reasons: Reason[] = [];
  const region = findRegion(body["region"]);
  const plan = findPlan(body["type"]);
  if (!region?.capabilities.includes("Computes"))
    reasons.push({ reason: "region is not valid", field: "region" });
  if (!plan) reasons.push({ reason: "type is not valid", field: "type" });
  else if (plan.class === "premium" && region && !region.capabilities.includes("Premium Plans"))
    reasons.push({ reason: "Premium plans are not available in this region", field: "type" });
  const image: string | undefined = body["image"];
  if (image !== undefined && !images.some((one) => one.id === image))
    reasons.push({ reason: "image is not valid", field: "image" });
  if (image !== undefined && body["root_pass"] === undefined)
    reasons.push({ reason: "root_pass is required", field: "root_pass" });
  if (image === undefined && body["interfaces"] !== undefined)
    reasons.push({
      reason: "Needs an image: without one there is no configuration profile",
      field: "interfaces",
    });
  return reasons;
}

function create(call: Call) {
  mustBeAbleToAdd(call, "add_computes");
  const { world, body } = call;
  const publicAddress = nextAddress(world, publicSpace);
  const wanted: Wanted[] = body["interfaces"] ?? [];
  const place = { region: body["region"], publicAddress, computeId: null, configId: null };
  const { drafts, reasons } = draftInterfaces(call, place, wanted, (i, name) => `interfaces[${i}].${name}`);
  refuseAll([
    ...(body["label"] === undefined ? [] : labelReasons(world, body["label"])),
    ...placeReasons(body),
    ...reasons,
  ]);
  const now = world.clock.stamp();
  const inserted = instances(world).insert({
    label: body["label"] ?? "",
    group: body["group"] ?? "",
    status: "provisioning",
    created: now,
    updated: now,
    type: body["type"],
    ipv4: [publicAddress, ...(body["private_ip"] ? [nextAddress(world, privateSpace)] : [])],
    ipv6: "",
    image: body["image"] ?? null,
    region: body["region"],
    tags: body["tags"] ?? [],
    alerts: defaultAlerts,
    watchdog_enabled: true,
    host_uuid: world.hex(40),
    has_user_data: false,
    _lastConfig: null,
  });
  const instance = instances(world).update(inserted.id, {
    label: inserted.label || `compute${inserted.id}`,
    ipv6: `2001:db8::${Math.floor(inserted.id / 65536).toString(16)}:${(inserted.id % 65536).toString(16)}/128`,
  });
  call.caller.grant("compute", instance.id, instance.label);
  if (instance.image !== null) deploy(world, instance, drafts);
  provision(world, instance, instance.image !== null && (body["booted"] ?? true));
  return showInstance(instance);
}

/** An image brings its disk, swap, and the first configuration profile. */
function deploy(world: World, instance: Instance, drafts: readonly Draft[]): void {
  const label = images.find((one) => one.id === instance.image)?.label ?? "";
  const system = insertDisk(world, instance.id, {
    label: `${label} Disk`,
    filesystem: "ext4",
    size: planOf(instance).disk - swapSize,
  });
  const swap = insertDisk(world, instance.id, {
    label: `${swapSize} MB Swap Image`,
    filesystem: "swap",
    size: swapSize,
  });
  const config = configs(world).insert({
    compute_id: instance.id,
    label: `My ${label} Disk Profile`,
    helpers: defaultHelpers,
    kernel: "compute/grub2",
    comments: "",
    memory_limit: 0,
    created: instance.created,
    updated: instance.created,
    root_device: "/dev/sda",
    devices: {
      ...noDevices(),
      sda: { disk_id: system.id, volume_id: null },
      sdb: { disk_id: swap.id, volume_id: null },
    },
    initrd: null,
    run_level: "default",
    virt_mode: "paravirt",
  } as Omit<Item, "id">);
  storeInterfaces(world, instance.id, config.id, drafts);
}

function update(call: Call) {
  const { world, body } = call;
  const instance = reachInstance(call, "read_write");
  if (body["label"] !== undefined) refuseAll(labelReasons(world, body["label"], instance.id));
  const changed = instances(world).update(instance.id, {
    label: body["label"] ?? instance.label,
    group: body["group"] ?? instance.group,
    tags: body["tags"] ?? instance.tags,
    alerts: { ...instance.alerts, ...body["alerts"] },
    watchdog_enabled: body["watchdog_enabled"] ?? instance.watchdog_enabled,
    updated: world.clock.stamp(),
  });
  world.events.emit({ action: "compute_update", entity: instanceEntity(changed) });
  return showInstance(changed);
}

/** Volumes stay, detached (contract section 3); profiles, interfaces and disks go with the instance. */
function remove(call: Call) {
  const { world } = call;
  const instance = reachInstance(call, "read_write");
  for (const volume of volumesOf(world, instance.id)) detachNow(world, volume);
  for (const one of interfaces(world).by("compute_id", instance.id)) interfaces(world).delete(one.id);
  for (const config of configsOf(world, instance.id)) configs(world).delete(config.id);
  for (const disk of disks(world).by("compute_id", instance.id)) disks(world).delete(disk.id);
  cancelJobs(world, instance);
  instances(world).delete(instance.id);
  world.events.emit({ action: "compute_delete", entity: instanceEntity(instance), status: "finished" });
  return {};
}

const power =
  (act: (world: World, instance: Instance, config: number | undefined) => void) => (call: Call) => {
    act(call.world, reachInstance(call, "read_write"), call.body["config_id"] || undefined);
    return {};
  };

const base = "/compute/instances";

export const computeArea: Area = {
  name: "compute",
  handlers: {
    [`GET ${base}`]: (call) =>
      instances(call.world)
        .filter((instance) => call.caller.may("compute", instance.id, "read_only"))
        .map(showInstance),
    [`POST ${base}`]: create,
    [`GET ${base}/{computeId}`]: (call) => showInstance(reachInstance(call, "read_only")),
    [`PUT ${base}/{computeId}`]: update,
    [`DELETE ${base}/{computeId}`]: remove,
    [`POST ${base}/{computeId}/boot`]: power(boot),
    [`POST ${base}/{computeId}/reboot`]: power(reboot),
    [`POST ${base}/{computeId}/shutdown`]: power(shutDown),
    [`GET ${base}/{computeId}/volumes`]: (call) =>
      volumesOf(call.world, reachInstance(call, "read_only").id)
        .filter((volume) => call.caller.may("volume", volume.id, "read_only"))
        .map((volume) => showVolume(call.world, volume)),
    ...configHandlers,
    ...interfaceHandlers,
    ...diskHandlers,
  },
  jobs: powerJobs,
};
