/** The addresses of an instance (notes, section 12): list, another one, names of reverse DNS, and taking one away. */

import { type Call, type Handler, notFound, type Reason, refuse, refuseAll, type World } from "../../area.ts";
import { showAddresses } from "../vpc/network.ts";
import { reachInstance } from "./configs.ts";
import { nextPrivateAddress, nextPublicAddress } from "./deployment.ts";
import { type Instance, instanceEntity, instances, interfaces } from "./objects.ts";

const isPrivate = (address: string) => address.startsWith("192.168.");

/** The VPC interface that an address stands for. */
const natOf = (world: World, instance: Instance, address: string) =>
  interfaces(world)
    .by("compute_id", instance.id)
    .find((one) => one.ipv4?.nat_1_1 === address);

function showAddress(world: World, instance: Instance, address: string) {
  const inside = isPrivate(address);
  const nat = natOf(world, instance, address);
  return {
    address,
    gateway: inside ? null : address.replace(/\d+$/, "1"),
    subnet_mask: inside ? "255.255.128.0" : "255.255.255.0",
    prefix: inside ? 17 : 24,
    type: "ipv4",
    public: !inside,
    rdns: instance._rdns?.[address] ?? null,
    compute_id: instance.id,
    region: instance.region,
    vpc_nat_1_1:
      nat?.ipv4 == null ? null : { address: nat.ipv4.vpc, subnet_id: nat.subnet_id, vpc_id: nat.vpc_id },
  };
}

function list(call: Call) {
  const { world } = call;
  const instance = reachInstance(call, "read_only");
  const { id: compute_id, region } = instance;
  const show = (address: string) => showAddress(world, instance, address);
  const six = {
    subnet_mask: "ffff:ffff:ffff:ffff::",
    prefix: 64,
    type: "ipv6",
    rdns: null,
    compute_id,
    region,
  };
  const mine = (vpcId: number) => call.caller.may("vpc", vpcId, "read_only");
  return {
    ipv4: {
      public: instance.ipv4.filter((address) => !isPrivate(address)).map(show),
      private: instance.ipv4.filter(isPrivate).map(show),
      shared: [],
      reserved: [],
      vpc: showAddresses(world, mine).filter((one) => one["compute_id"] === compute_id),
    },
    ipv6: {
      slaac: { ...six, address: instance.ipv6.replace(/\/.*$/, ""), gateway: "fe80::1", public: true },
      link_local: {
        ...six,
        address: `fe80::${(compute_id >>> 16).toString(16)}:${(compute_id & 0xffff).toString(16)}`,
        gateway: "fe80::1",
        public: false,
      },
      global: [],
    },
  };
}

function create(call: Call) {
  const { world, body } = call;
  const instance = reachInstance(call, "read_write");
  if (!body["public"] && instance.ipv4.some(isPrivate))
    refuse("An instance has one private address at most", "public");
  const address = body["public"] ? nextPublicAddress(world) : nextPrivateAddress(world);
  const ipv4 = [...instance.ipv4, address].sort((a, b) => Number(isPrivate(a)) - Number(isPrivate(b)));
  const changed = instances(world).update(instance.id, { ipv4, updated: world.clock.stamp() });
  world.events.emit({ action: "compute_addip", entity: instanceEntity(changed) });
  return showAddress(world, changed, address);
}

function reachAddress(call: Call, permission: "read_only" | "read_write") {
  const instance = reachInstance(call, permission);
  const address = call.params["address"] ?? "";
  return instance.ipv4.includes(address) ? { instance, address } : notFound();
}

const nameForm = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;

function nameReasons(call: Call): Reason[] {
  const { address } = reachAddress(call, "read_write");
  const { rdns } = call.body;
  if (rdns === undefined || rdns === null) return [];
  if (isPrivate(address)) return [{ reason: "A private address has no reverse DNS", field: "rdns" }];
  return nameForm.test(rdns) ? [] : [{ reason: "Must be a domain name", field: "rdns" }];
}

function update(call: Call) {
  const { world, body } = call;
  const { instance, address } = reachAddress(call, "read_write");
  refuseAll(nameReasons(call));
  if (body["rdns"] === undefined) return showAddress(world, instance, address);
  const { [address]: _, ...others } = instance._rdns ?? {};
  const _rdns = body["rdns"] === null ? others : { ...others, [address]: body["rdns"] };
  return showAddress(world, instances(world).update(instance.id, { _rdns }), address);
}

function remove(call: Call) {
  const { world } = call;
  const { instance, address } = reachAddress(call, "read_write");
  if (isPrivate(address)) refuse("A private address stays with its instance");
  if (instance.ipv4.filter((one) => !isPrivate(one)).length === 1)
    refuse("The only public address stays with its instance");
  const nat = natOf(world, instance, address);
  if (nat) refuse(`Interface ${nat.id} of a VPC stands behind this address: change its nat_1_1 first`);
  const { [address]: _, ..._rdns } = instance._rdns ?? {};
  const ipv4 = instance.ipv4.filter((one) => one !== address);
  instances(world).update(instance.id, { ipv4, _rdns, updated: world.clock.stamp() });
  world.events.emit({ action: "compute_deleteip", entity: instanceEntity(instance) });
  return {};
}

const base = "/compute/instances/{computeId}/ips";

export const addressHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}`]: list,
  [`POST ${base}`]: create,
  [`GET ${base}/{address}`]: (call) => {
    const { instance, address } = reachAddress(call, "read_only");
    return showAddress(call.world, instance, address);
  },
  [`PUT ${base}/{address}`]: update,
  [`DELETE ${base}/{address}`]: remove,
};

export const addressJudges: { readonly [operation: string]: (call: Call) => readonly Reason[] } = {
  [`POST ${base}`]: (call) => {
    reachInstance(call, "read_write");
    return [];
  },
  [`PUT ${base}/{address}`]: nameReasons,
};
