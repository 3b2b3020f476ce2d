/** VPCs, subnets and the addresses in them (contract sections 2.9, 3, 4.7, 6 and 7). */

import type { Area, Call, Reason, World } from "../../area.ts";
import { notFound, refuseAll } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { mustBeAbleToAdd, reach } from "../access.ts";
import {
  holdersOf,
  type Subnet,
  showAddresses,
  showSubnet,
  showVpc,
  subnets,
  subnetsOf,
  type Vpc,
  vpcs,
} from "./network.ts";
import { parseRange, type Range, storedRange, subnetRangeProblems } from "./range.ts";

const vpcEntity = (vpc: Vpc) => ({ id: vpc.id, label: vpc.label, type: "vpc", url: `/v4/vpcs/${vpc.id}` });

const subnetEntity = (subnet: Subnet) => ({
  id: subnet.id,
  label: subnet.label,
  type: "subnet",
  url: `/v4/vpcs/${subnet.vpc_id}/subnets/${subnet.id}`,
});

/** What the characters of a label break (notes, section 1.3); its length is the schema's. */
function labelProblems(label: string): string[] {
  const problems: string[] = [];
  if (!/^[A-Za-z0-9-]*$/.test(label))
    problems.push("Label must include only ASCII letters, numbers, and dashes");
  if (label.includes("--")) problems.push("Label must not have two dashes in a row");
  return problems;
}

const because = (field: string, problems: readonly string[]): Reason[] =>
  problems.map((reason) => ({ reason, field }));

function vpcLabelReasons(world: World, label: string | undefined, own?: number): Reason[] {
  if (label === undefined) return [];
  const problems = labelProblems(label);
  if (
    vpcs(world)
      .by("label", label)
      .some((other) => other.id !== own)
  )
    problems.push("Label must be unique among your VPCs");
  return because("label", problems);
}

function regionReasons(region: string | undefined): Reason[] {
  if (region === undefined) return [];
  const known = findRegion(region);
  if (known === undefined) return because("region", ["region is not valid"]);
  return known.capabilities.includes("VPCs")
    ? []
    : because("region", ["VPCs are not available in this region"]);
}

interface SubnetRequest {
  label: string;
  ipv4: string;
}

/** A subnet of a request whose schema may be refused: what was refused is absent. */
type SubnetDraft = Partial<SubnetRequest>;

/** Why the requested subnets cannot stand beside the present ones and beside each other; `field` places the reasons of the i-th. */
function subnetReasons(
  requested: readonly SubnetDraft[],
  present: readonly Subnet[],
  field: (index: number, name: string) => string,
): Reason[] {
  const reasons: Reason[] = [];
  const labels = new Set(present.map((subnet) => subnet.label));
  const ranges: { label: string; range: Range }[] = present.map((subnet) => ({
    label: subnet.label,
    range: storedRange(subnet.ipv4),
  }));
  requested.forEach(({ label, ipv4 }, index) => {
    if (label !== undefined) {
      const problems = labelProblems(label);
      if (labels.has(label)) problems.push("Label must be unique among the VPC's subnets");
      labels.add(label);
      reasons.push(...because(field(index, "label"), problems));
    }
    if (ipv4 === undefined) return;
    reasons.push(...because(field(index, "ipv4"), subnetRangeProblems(ipv4, ranges)));
    const range = parseRange(ipv4);
    if (range) ranges.push({ label: label ?? "of the same request", range });
  });
  return reasons;
}

function reachVpc(call: Call, permission: "read_only" | "read_write"): Vpc {
  return reach(call, "vpc", vpcs(call.world).get(call.id("vpcId")), permission);
}

function reachSubnet(call: Call, permission: "read_only" | "read_write"): { vpc: Vpc; subnet: Subnet } {
  const vpc = reachVpc(call, permission);
  const subnet = subnets(call.world).get(call.id("vpcSubnetId"));
  return subnet?.vpc_id === vpc.id ? { vpc, subnet } : notFound();
}

function insertSubnet(world: World, vpc: Vpc, requested: SubnetRequest): Subnet {
  const now = world.clock.stamp();
  const { label, ipv4 } = requested;
  const subnet = subnets(world).insert({ vpc_id: vpc.id, label, ipv4, created: now, updated: now });
  world.events.emit({
    action: "subnet_create",
    entity: subnetEntity(subnet),
    secondaryEntity: vpcEntity(vpc),
  });
  return subnet;
}

function judgeNewVpc(call: Call): Reason[] {
  mustBeAbleToAdd(call, "add_vpcs", "add_vpc");
  const { world, body } = call;
  const requested: readonly SubnetDraft[] = body["subnets"] ?? [];
  return [
    ...vpcLabelReasons(world, body["label"]),
    ...regionReasons(body["region"]),
    ...subnetReasons(requested, [], (index, name) => `subnets[${index}].${name}`),
  ];
}

function createVpc(call: Call) {
  refuseAll(judgeNewVpc(call));
  const { world, body } = call;
  const requested: SubnetRequest[] = body["subnets"] ?? [];
  const now = world.clock.stamp();
  const vpc = vpcs(world).insert({
    label: body["label"],
    description: body["description"] ?? "",
    region: body["region"],
    created: now,
    updated: now,
  });
  call.caller.grant("vpc", vpc.id, vpc.label);
  world.events.emit({ action: "vpc_create", entity: vpcEntity(vpc) });
  for (const subnet of requested) insertSubnet(world, vpc, subnet);
  return showVpc(world, vpc);
}

function judgeVpcChange(call: Call): { vpc: Vpc; reasons: Reason[] } {
  const vpc = reachVpc(call, "read_write");
  return { vpc, reasons: vpcLabelReasons(call.world, call.body["label"], vpc.id) };
}

function updateVpc(call: Call) {
  const { world, body } = call;
  const { vpc, reasons } = judgeVpcChange(call);
  refuseAll(reasons);
  const changed = vpcs(world).update(vpc.id, {
    label: body["label"] ?? vpc.label,
    description: body["description"] ?? vpc.description,
    updated: world.clock.stamp(),
  });
  world.events.emit({ action: "vpc_update", entity: vpcEntity(changed) });
  return showVpc(world, changed);
}

/** Why subnets cannot be deleted: the interfaces that still use them, active ones needing a shutdown first (contract section 3). */
function holderReasons(world: World, list: readonly Subnet[]): Reason[] {
  return list.flatMap((subnet) => {
    const using = holdersOf(world, subnet);
    if (using.length === 0) return [];
    const named = using.map(
      (one) => `${one.id} of instance ${one.compute_id}${one.active ? " (active)" : ""}`,
    );
    const first = using.some((one) => one.active)
      ? "Shut down the instances of active ones and delete"
      : "Delete";
    return [
      {
        reason: `Subnet ${subnet.label} is used by interfaces: ${named.join(", ")}. ${first} these interfaces first`,
      },
    ];
  });
}

function removeSubnet(world: World, vpc: Vpc, subnet: Subnet): void {
  subnets(world).delete(subnet.id);
  world.events.emit({
    action: "subnet_delete",
    entity: subnetEntity(subnet),
    secondaryEntity: vpcEntity(vpc),
  });
}

function deleteVpc(call: Call) {
  const { world } = call;
  const vpc = reachVpc(call, "read_write");
  const list = subnetsOf(world, vpc.id);
  refuseAll(holderReasons(world, list));
  for (const subnet of list) removeSubnet(world, vpc, subnet);
  vpcs(world).delete(vpc.id);
  world.events.emit({ action: "vpc_delete", entity: vpcEntity(vpc) });
  return {};
}

function judgeNewSubnet(call: Call): { vpc: Vpc; reasons: Reason[] } {
  const vpc = reachVpc(call, "read_write");
  const present = subnetsOf(call.world, vpc.id);
  return { vpc, reasons: subnetReasons([call.body as SubnetDraft], present, (_, name) => name) };
}

function createSubnet(call: Call) {
  const { world, body } = call;
  const { vpc, reasons } = judgeNewSubnet(call);
  refuseAll(reasons);
  return showSubnet(world, insertSubnet(world, vpc, { label: body["label"], ipv4: body["ipv4"] }));
}

function judgeSubnetChange(call: Call) {
  const { vpc, subnet } = reachSubnet(call, "read_write");
  const others = subnetsOf(call.world, vpc.id).filter(({ id }) => id !== subnet.id);
  const { label } = call.body as SubnetDraft;
  return {
    vpc,
    subnet,
    reasons: subnetReasons(label === undefined ? [] : [{ label }], others, (_, name) => name),
  };
}

function updateSubnet(call: Call) {
  const { world, body } = call;
  const { vpc, subnet, reasons } = judgeSubnetChange(call);
  refuseAll(reasons);
  const label: string = body["label"] ?? subnet.label;
  const changed = subnets(world).update(subnet.id, { label, updated: world.clock.stamp() });
  world.events.emit({
    action: "subnet_update",
    entity: subnetEntity(changed),
    secondaryEntity: vpcEntity(vpc),
  });
  return showSubnet(world, changed);
}

function deleteSubnet(call: Call) {
  const { vpc, subnet } = reachSubnet(call, "read_write");
  refuseAll(holderReasons(call.world, [subnet]));
  removeSubnet(call.world, vpc, subnet);
  return {};
}

export const vpcArea: Area = {
  name: "vpc",
  handlers: {
    "GET /vpcs": (call) =>
      vpcs(call.world)
        .filter((vpc) => call.caller.may("vpc", vpc.id, "read_only"))
        .map((vpc) => showVpc(call.world, vpc)),
    "POST /vpcs": createVpc,
    "GET /vpcs/ips": (call) => showAddresses(call.world, (id) => call.caller.may("vpc", id, "read_only")),
    "GET /vpcs/{vpcId}": (call) => showVpc(call.world, reachVpc(call, "read_only")),
    "PUT /vpcs/{vpcId}": updateVpc,
    "DELETE /vpcs/{vpcId}": deleteVpc,
    "GET /vpcs/{vpcId}/ips": (call) => {
      const vpc = reachVpc(call, "read_only");
      return showAddresses(call.world, (id) => id === vpc.id);
    },
    "GET /vpcs/{vpcId}/subnets": (call) => {
      const vpc = reachVpc(call, "read_only");
      return subnetsOf(call.world, vpc.id).map((subnet) => showSubnet(call.world, subnet));
    },
    "POST /vpcs/{vpcId}/subnets": createSubnet,
    "GET /vpcs/{vpcId}/subnets/{vpcSubnetId}": (call) =>
      showSubnet(call.world, reachSubnet(call, "read_only").subnet),
    "PUT /vpcs/{vpcId}/subnets/{vpcSubnetId}": updateSubnet,
    "DELETE /vpcs/{vpcId}/subnets/{vpcSubnetId}": deleteSubnet,
  },
  judges: {
    "POST /vpcs": judgeNewVpc,
    "PUT /vpcs/{vpcId}": (call) => judgeVpcChange(call).reasons,
    "POST /vpcs/{vpcId}/subnets": (call) => judgeNewSubnet(call).reasons,
    "PUT /vpcs/{vpcId}/subnets/{vpcSubnetId}": (call) => judgeSubnetChange(call).reasons,
  },
};
