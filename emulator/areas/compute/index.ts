/** Compute instances, as far as volumes and VPCs need them (notes, section 12): no contract area of its own. */

import { type Area, type Call, type Reason, refuseAll, type World } from "../../area.ts";
import { images } from "../../catalogue/images.ts";
import { findPlan } from "../../catalogue/plans.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { mustBeAbleToAdd } from "../access.ts";
import { deploymentReasons, recordDeployment } from "../stackscripts/deployment.ts";
import { showVolume, volumesOf } from "../volumes/attachment.ts";
import { addressHandlers, addressJudges } from "./addresses.ts";
import { configHandlers, configJudges, reachInstance } from "./configs.ts";
import { deploy, insertInstance, nextPublicAddress, planOf, removeInstance } from "./deployment.ts";
import { diskHandlers, diskJudges } from "./disks.ts";
import { type Draft, draftInterfaces, type Wanted } from "./drafts.ts";
import { interfaceHandlers } from "./interfaces.ts";
import { type Instance, instanceEntity, instances } from "./objects.ts";
import { boot, powerJobs, provision, reboot, shutDown } from "./power.ts";

const swapSize = 512;

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

function labelReasons(world: World, label: string | undefined, own?: number): Reason[] {
  if (label === undefined) return [];
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

function judgeNew(call: Call): { drafts: Draft[]; reasons: Reason[] } {
  mustBeAbleToAdd(call, "add_computes");
  const { world, body } = call;
  const wanted: Wanted[] = body["interfaces"] ?? [];
  const place = {
    region: body["region"],
    publicAddress: nextPublicAddress(world),
    computeId: null,
    configId: null,
  };
  const { drafts, reasons } = draftInterfaces(call, place, wanted, (i, name) => `interfaces[${i}].${name}`);
  const others = [...labelReasons(world, body["label"]), ...placeReasons(body), ...deploymentReasons(call)];
  return { drafts, reasons: [...others, ...reasons] };
}

/** What else is wrong when the schema refuses: that another field is missing is not told of what was sent in the wrong form. */
function judgeRest(call: Call): Reason[] {
  const needs = { interfaces: "image", stackscript_data: "stackscript_id" } as const;
  return judgeNew(call).reasons.filter(({ field }) => {
    const needed = needs[field as keyof typeof needs];
    return needed === undefined || !call.sent.has(needed) || call.body[needed] !== undefined;
  });
}

function create(call: Call) {
  const { drafts, reasons } = judgeNew(call);
  refuseAll(reasons);
  const { world, body } = call;
  const instance = insertInstance(world, {
    label: body["label"],
    group: body["group"],
    type: body["type"],
    region: body["region"],
    image: body["image"] ?? null,
    tags: body["tags"] ?? [],
    privateIp: body["private_ip"] ?? false,
  });
  call.caller.grant("compute", instance.id, instance.label);
  recordDeployment(call, instance);
  if (instance.image !== null) deployImage(world, instance, drafts);
  provision(world, instance, instance.image !== null && (body["booted"] ?? true));
  return showInstance(instance);
}

/** An image brings its disk, swap, and the first configuration profile. */
function deployImage(world: World, instance: Instance, drafts: readonly Draft[]): void {
  const label = images.find((one) => one.id === instance.image)?.label ?? "";
  deploy(world, instance, {
    label: `My ${label} Disk Profile`,
    disks: [
      { label: `${label} Disk`, filesystem: "ext4", size: planOf(instance).disk - swapSize },
      { label: `${swapSize} MB Swap Image`, filesystem: "swap", size: swapSize },
    ],
    interfaces: drafts,
  });
}

function judgeChange(call: Call): { instance: Instance; reasons: Reason[] } {
  const instance = reachInstance(call, "read_write");
  return { instance, reasons: labelReasons(call.world, call.body["label"], instance.id) };
}

function update(call: Call) {
  const { world, body } = call;
  const { instance, reasons } = judgeChange(call);
  refuseAll(reasons);
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

function remove(call: Call) {
  removeInstance(call.world, reachInstance(call, "read_write"));
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
    ...addressHandlers,
  },
  judges: {
    [`POST ${base}`]: judgeRest,
    [`PUT ${base}/{computeId}`]: (call) => judgeChange(call).reasons,
    ...configJudges,
    ...diskJudges,
    ...addressJudges,
  },
  shows: {
    "compute.provisioned": (_world, data) => data["instance"] as number,
    "compute.booted": (_world, data) => data["instance"] as number,
    "compute.offline": (_world, data) => data["instance"] as number,
    "compute.disk": (_world, data) => data["disk"] as number,
  },
  jobs: powerJobs,
};
