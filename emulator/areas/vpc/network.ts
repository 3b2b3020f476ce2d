/** What is stored of VPCs and subnets, and how both are answered. It knows nothing of requests. */

import type { Item, World } from "../../area.ts";
import { interfaces } from "../compute/objects.ts";
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

export const subnetsOf = (world: World, vpcId: number) => subnets(world).by("vpc_id", vpcId);

/** The interfaces that use a subnet: while there is one, the subnet cannot be deleted. */
export const holdersOf = (world: World, subnet: Subnet) => interfaces(world).by("subnet_id", subnet.id);

/** A subnet as the service answers it (notes, section 9). */
export function showSubnet(world: World, subnet: Subnet) {
  const byInstance = new Map<number, { id: number; active: boolean }[]>();
  for (const { id, active, compute_id } of holdersOf(world, subnet)) {
    const list = byInstance.get(compute_id);
    if (list) list.push({ id, active });
    else byInstance.set(compute_id, [{ id, active }]);
  }
  const { id, label, ipv4, created, updated } = subnet;
  const computes = [...byInstance].map(([computeId, list]) => ({ id: computeId, interfaces: list }));
  return { id, label, ipv4, computes, created, updated };
}

/** A VPC as the service answers it, its subnets whole (notes, section 9). */
export function showVpc(world: World, vpc: Vpc) {
  const { id, label, description, region, created, updated } = vpc;
  const list = subnetsOf(world, id).map((subnet) => showSubnet(world, subnet));
  return { id, label, description, region, subnets: list, created, updated };
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
