/** What is stored of VPCs and subnets, and how both are answered. It knows nothing of requests. */

import type { Item, World } from "../area.ts";
import { type Interface, interfaces } from "../compute/objects.ts";
import { formatAddress, gatewayOf, storedRange, subnetMask } from "./range.ts";

export interface Vpc extends Item {
  label: string;
  description: string;
  region: string;
  created: string;
  updated: string;
}

export interface Subnet extends Item {
  vpc_id: number;
  label: string;
  ipv4: string;
  created: string;
  updated: string;
}

export const vpcs = (world: World) => world.collection<Vpc>("vpcs");
export const subnets = (world: World) => world.collection<Subnet>("vpcSubnets");

/** Interfaces that hold a subnet, by subnet id. Made once a request, so that a list costs one pass. */
export function holders(world: World): Map<number, Interface[]> {
  const bySubnet = new Map<number, Interface[]>();
  for (const one of interfaces(world).all()) {
    if (one.subnet_id === null) continue;
    const list = bySubnet.get(one.subnet_id);
    if (list) list.push(one);
    else bySubnet.set(one.subnet_id, [one]);
  }
  return bySubnet;
}

/** A subnet as the service answers it (notes, section 9). */
export function showSubnet(subnet: Subnet, held: Map<number, Interface[]>): Record<string, unknown> {
  const byInstance = new Map<number, { id: number; active: boolean }[]>();
  for (const one of held.get(subnet.id) ?? []) {
    const list = byInstance.get(one.compute_id) ?? [];
    list.push({ id: one.id, active: one.active });
    byInstance.set(one.compute_id, list);
  }
  return {
    id: subnet.id,
    label: subnet.label,
    ipv4: subnet.ipv4,
    computes: [...byInstance].map(([id, list]) => ({ id, interfaces: list })),
    created: subnet.created,
    updated: subnet.updated,
  };
}

/** Shows VPCs with their subnets, in the given order, at the cost of one pass over each collection. */
export function showVpcs(world: World, list: readonly Vpc[]): Record<string, unknown>[] {
  const held = holders(world);
  const byVpc = new Map<number, Subnet[]>();
  for (const subnet of subnets(world).all()) {
    const siblings = byVpc.get(subnet.vpc_id);
    if (siblings) siblings.push(subnet);
    else byVpc.set(subnet.vpc_id, [subnet]);
  }
  return list.map((vpc) => ({
    id: vpc.id,
    label: vpc.label,
    description: vpc.description,
    region: vpc.region,
    subnets: (byVpc.get(vpc.id) ?? []).map((subnet) => showSubnet(subnet, held)),
    created: vpc.created,
    updated: vpc.updated,
  }));
}

/**
 * The addresses and ranges in VPCs (contract section 2.9): an entry for the address of each interface and one for each of its ranges.
 * An instance with several profiles is listed once a profile, and VPCs may share address space, so duplicates are no error.
 */
export function showAddresses(world: World, within: (vpcId: number) => boolean): Record<string, unknown>[] {
  const entries: Record<string, unknown>[] = [];
  for (const one of interfaces(world).all()) {
    if (one.subnet_id === null || one.vpc_id === null || one.ipv4 === null || !within(one.vpc_id)) continue;
    const subnet = subnets(world).get(one.subnet_id);
    const vpc = vpcs(world).get(one.vpc_id);
    if (!subnet || !vpc) throw new Error(`interface ${one.id} refers to a subnet or VPC that is gone`);
    const range = storedRange(subnet.ipv4);
    const common = {
      vpc_id: vpc.id,
      subnet_id: subnet.id,
      region: vpc.region,
      compute_id: one.compute_id,
      config_id: one.config_id,
      interface_id: one.id,
      active: one.active,
    };
    entries.push({
      address: one.ipv4.vpc,
      address_range: null,
      ...common,
      nat_1_1: one.ipv4.nat_1_1,
      gateway: gatewayOf(range),
      prefix: range.prefix,
      subnet_mask: subnetMask(range.prefix),
    });
    for (const text of one.ip_ranges) {
      const extra = storedRange(text);
      entries.push({
        address: null,
        address_range: text,
        ...common,
        nat_1_1: null,
        gateway: null,
        prefix: extra.prefix,
        subnet_mask: subnetMask(extra.prefix),
      });
    }
  }
  return entries;
}

/** Numbers as a range of one address, for comparing addresses with ranges. */
export function single(address: number): { first: number; last: number; prefix: number; text: string } {
  return { first: address, last: address, prefix: 32, text: `${formatAddress(address)}/32` };
}
