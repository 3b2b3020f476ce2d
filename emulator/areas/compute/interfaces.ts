/** The interfaces of a configuration profile (notes, section 12): list, add, change, order, remove. */

import { type Call, type Handler, notFound, refuse, refuseAll } from "../../area.ts";
import { reachConfig, showInterface } from "./configs.ts";
import { draftInterfaces, removalReasons, storeInterfaces, unchanged, type Wanted } from "./drafts.ts";
import { type Config, type Instance, type Interface, interfaces, interfacesOf } from "./objects.ts";

function reachInterface(call: Call, permission: "read_only" | "read_write") {
  const { instance, config } = reachConfig(call, permission);
  const found = interfaces(call.world).get(call.id("interfaceId"));
  return found?.config_id === config.id ? { instance, config, found } : notFound();
}

/** Checks and stores the whole list of a profile; reasons about the one at `index` name its bare fields. */
function rewrite(
  call: Call,
  instance: Instance,
  config: Config,
  wanted: readonly Wanted[],
  index: number,
): void {
  const place = {
    region: instance.region,
    publicAddress: instance.ipv4[0] as string,
    computeId: instance.id,
    configId: config.id,
  };
  const { drafts, reasons } = draftInterfaces(call, place, wanted, (at, name) =>
    at === index ? name : `interfaces[${at}].${name}`,
  );
  refuseAll([...reasons, ...removalReasons(call.world, config.id, drafts)]);
  storeInterfaces(call.world, instance.id, config.id, drafts);
}

function create(call: Call) {
  const { instance, config } = reachConfig(call, "read_write");
  const present = interfacesOf(call.world, config.id);
  rewrite(
    call,
    instance,
    config,
    [...present.map(unchanged), call.body as Wanted & typeof call.body],
    present.length,
  );
  return showInterface(interfacesOf(call.world, config.id).at(-1) as Interface);
}

function update(call: Call) {
  const { instance, config, found } = reachInterface(call, "read_write");
  const present = interfacesOf(call.world, config.id);
  const { primary, ipv4, ip_ranges } = call.body;
  const wanted = present.map((one): Wanted => {
    const same = unchanged(one);
    if (one.id !== found.id) return same;
    return {
      ...same,
      primary: primary ?? same.primary,
      ipv4: one.purpose === "vpc" ? { ...same.ipv4, ...ipv4 } : ipv4,
      ip_ranges: ip_ranges ?? same.ip_ranges,
    };
  });
  rewrite(call, instance, config, wanted, present.indexOf(found));
  return showInterface(interfaces(call.world).get(found.id) as Interface);
}

function remove(call: Call) {
  const { instance, config, found } = reachInterface(call, "read_write");
  const rest = interfacesOf(call.world, config.id).filter((one) => one.id !== found.id);
  rewrite(call, instance, config, rest.map(unchanged), -1);
  return {};
}

function order(call: Call) {
  const { config } = reachConfig(call, "read_write");
  const present = interfacesOf(call.world, config.id).map((one) => one.id);
  const ids: number[] = call.body["ids"];
  if (ids.length !== present.length || present.some((id) => !ids.includes(id)))
    refuse("Must name every interface of the configuration profile once", "ids");
  ids.forEach((id, position) => {
    interfaces(call.world).update(id, { position });
  });
  return {};
}

const base = "/compute/instances/{computeId}/configs/{configId}/interfaces";

export const interfaceHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}`]: (call) =>
    interfacesOf(call.world, reachConfig(call, "read_only").config.id).map((one) => showInterface(one)),
  [`POST ${base}`]: create,
  [`POST ${base}/order`]: order,
  [`GET ${base}/{interfaceId}`]: (call) => showInterface(reachInterface(call, "read_only").found),
  [`PUT ${base}/{interfaceId}`]: update,
  [`DELETE ${base}/{interfaceId}`]: remove,
};
