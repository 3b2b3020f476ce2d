/** Booting and stopping instances: who holds what while, and the jobs that end each transition (notes, section 12). */

import { type JsonObject, refuse, type World } from "../../area.ts";
import { durations } from "../durations.ts";
import { detachNow, volumesOf } from "../volumes/attachment.ts";
import {
  type Config,
  configEntity,
  configs,
  configsOf,
  disks,
  type Instance,
  instanceEntity,
  instances,
  interfaces,
} from "./objects.ts";

/** Refuses while another job runs on the instance; clients repeat on exactly this text (notes, section 1.2). */
export function mustBeIdle(instance: Instance): void {
  if (instance.status !== "running" && instance.status !== "offline") refuse("Compute busy.");
}

/** The profile to boot: the named one, else the last one, else the only one. */
function bootConfig(world: World, instance: Instance, named: number | undefined): Config {
  if (named !== undefined) {
    const config = configs(world).get(named);
    return config?.compute_id === instance.id ? config : refuse("config_id is not valid", "config_id");
  }
  const last = instance._lastConfig == null ? undefined : configs(world).get(instance._lastConfig);
  const all = configsOf(world, instance.id);
  return (
    last ?? (all.length === 1 ? all[0]! : refuse("Could not choose a configuration profile", "config_id"))
  );
}

/** Ends what belonged to the run that is over: active interfaces, and volumes that do not persist or were being detached. */
function endRun(world: World, instance: Instance): void {
  for (const one of interfaces(world).by("compute_id", instance.id))
    if (one.active) interfaces(world).update(one.id, { active: false });
  for (const volume of volumesOf(world, instance.id))
    if (volume._persistent === false || volume._detaching != null) detachNow(world, volume);
}

function start(
  world: World,
  instance: Instance,
  config: Config,
  action: "boot" | "reboot",
  byUser: boolean,
): void {
  const event = world.events.emit({
    action: `compute_${action}`,
    status: "scheduled",
    entity: instanceEntity(instance),
    secondaryEntity: configEntity(config),
    ...(byUser ? {} : { username: null }),
  });
  const status = action === "boot" ? "booting" : "rebooting";
  instances(world).update(instance.id, { status, _lastConfig: config.id, updated: world.clock.stamp() });
  world.jobs.schedule("compute.started", durations.eventStarted, { instance: instance.id, event });
  const seconds = action === "boot" ? durations.instanceBooted : durations.instanceRebooted;
  world.jobs.schedule("compute.booted", seconds, { instance: instance.id, config: config.id, event });
}

export function boot(world: World, instance: Instance, named: number | undefined): void {
  mustBeIdle(instance);
  if (instance.status === "running") refuse(`Compute ${instance.id} is already running`);
  start(world, instance, bootConfig(world, instance, named), "boot", true);
}

export function reboot(world: World, instance: Instance, named: number | undefined): void {
  mustBeIdle(instance);
  if (instance.status !== "running") refuse(`Compute ${instance.id} is not running`);
  const config = bootConfig(world, instance, named);
  endRun(world, instance);
  start(world, instance, config, "reboot", true);
}

/** Stopping what is stopped is answered like a stop that worked. */
export function shutDown(world: World, instance: Instance): void {
  mustBeIdle(instance);
  if (instance.status === "offline") return;
  const event = world.events.emit({
    action: "compute_shutdown",
    status: "scheduled",
    entity: instanceEntity(instance),
  });
  instances(world).update(instance.id, { status: "shutting_down", updated: world.clock.stamp() });
  world.jobs.schedule("compute.started", durations.eventStarted, { instance: instance.id, event });
  world.jobs.schedule("compute.offline", durations.instanceShutDown, { instance: instance.id, event });
}

/** Schedules the end of provisioning; with `booted`, the boot follows by itself. */
export function provision(world: World, instance: Instance, booted: boolean): void {
  const event = world.events.emit({
    action: "compute_create",
    status: "scheduled",
    entity: instanceEntity(instance),
  });
  world.jobs.schedule("compute.started", durations.eventStarted, { instance: instance.id, event });
  world.jobs.schedule("compute.provisioned", durations.instanceProvisioned, {
    instance: instance.id,
    booted,
    event,
  });
}

/** Forgets every job of an instance that is being deleted. */
export function cancelJobs(world: World, instance: Instance): void {
  for (const kind of Object.keys(powerJobs)) world.jobs.cancel(kind, { instance: instance.id });
}

const eventOf = (data: JsonObject) => data["event"] as number;

/** The instance of a job; a job outlives its instance only in edited data. */
const instanceOf = (world: World, data: JsonObject) => instances(world).get(data["instance"] as number);

export const powerJobs: { readonly [kind: string]: (world: World, data: JsonObject) => void } = {
  "compute.started": (world, data) => world.events.move(eventOf(data), "started"),
  "compute.provisioned": (world, data) => {
    const instance = instanceOf(world, data);
    if (!instance) return;
    for (const disk of disks(world).by("compute_id", instance.id))
      disks(world).update(disk.id, { status: "ready" });
    world.events.move(eventOf(data), "finished");
    const config = configsOf(world, instance.id)[0];
    if (data["booted"] && config) start(world, instance, config, "boot", false);
    else instances(world).update(instance.id, { status: "offline", updated: world.clock.stamp() });
  },
  "compute.booted": (world, data) => {
    const instance = instanceOf(world, data);
    if (!instance) return;
    instances(world).update(instance.id, { status: "running", updated: world.clock.stamp() });
    for (const one of interfaces(world).by("config_id", data["config"] as number))
      interfaces(world).update(one.id, { active: true });
    world.events.move(eventOf(data), "finished");
  },
  "compute.offline": (world, data) => {
    const instance = instanceOf(world, data);
    if (!instance) return;
    endRun(world, instance);
    instances(world).update(instance.id, { status: "offline", updated: world.clock.stamp() });
    world.events.move(eventOf(data), "finished");
  },
  "compute.disk": (world, data) => {
    const disk = disks(world).get(data["disk"] as number);
    if (disk) disks(world).update(disk.id, { status: "ready", updated: world.clock.stamp() });
    world.events.move(eventOf(data), "finished");
  },
};
