/** Functions of the VPC area: networks and their subnets (contract section 4.7). */

import { flag, group, id, list, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import type { ServicePort, WireObject } from "../../core/service-port.ts";
import { viewFields, viewList, viewOf } from "../../core/view.ts";
import { existing, needsOne, theOnly } from "../find.ts";
import { Subnet } from "./subnet.ts";
import { Vpc } from "./vpc.ts";

const vpcId = (description: string) => id({ description, reference: "vpc/vpc" });
const instanceId = (description: string) => id({ description, reference: "compute/instance" });

/** What a Subnet's view has beside the resource's own fields: who uses it. */
const uses = {
  computes: list(
    group(
      {
        id: instanceId("Id of the instance."),
        interfaces: list(
          group(
            {
              id: id({ description: "Id of the interface.", reference: "compute/interface" }),
              active: flag({ description: "True while the instance runs with it." }),
            },
            { description: "An interface.", typeName: "SubnetInterface" },
          ),
          { description: "Its interfaces in the Subnet." },
        ),
      },
      { description: "A compute instance with interfaces in the Subnet.", typeName: "SubnetCompute" },
    ),
    { description: "Compute instances that use the Subnet." },
  ),
};

const subnets = { subnets: viewList(Subnet, "The Vpc's Subnets, by id.", uses) };

function showSubnet(subnet: WireObject, vpc: unknown) {
  return viewOf(Subnet, subnet, { vpcId: String(vpc) }, uses);
}

function showVpc(vpc: WireObject) {
  const own = (vpc["subnets"] ?? []) as readonly WireObject[];
  return { ...viewOf(Vpc, vpc), subnets: own.map((subnet) => showSubnet(subnet, vpc["id"])) };
}

export const getVpc = providerFunction({
  area: "vpc",
  name: "getVpc",
  description: "One Vpc with its Subnets, by its id or its label.",
  args: {
    id: optional(vpcId("Id of the Vpc.")),
    label: optional(text({ description: "Label of the Vpc." })),
  },
  result: viewFields(Vpc, subnets),
  check: (args, refuse) => needsOne(args, "id", "label", refuse),
  async call({ args, service }) {
    if (args.id !== undefined)
      return showVpc(await existing(`Vpc with id ${args.id}`, service.get(`/vpcs/${args.id}`)));
    const found = (await service.list("/vpcs")).filter((vpc) => vpc["label"] === args.label);
    return showVpc(theOnly(found, `Vpc labelled "${args.label}"`));
  },
});

export const getVpcs = providerFunction({
  area: "vpc",
  name: "getVpcs",
  description: "Every Vpc of the account that the arguments match, with its Subnets.",
  args: { region: optional(text({ description: "Only Vpcs of this region." })) },
  result: { vpcs: viewList(Vpc, "The Vpcs, by id.", subnets) },
  async call({ args, service }) {
    const found = (await service.list("/vpcs")).filter(
      (vpc) => args.region === undefined || vpc["region"] === args.region,
    );
    return { vpcs: found.map(showVpc) };
  },
});

const subnetsOf = (service: ServicePort, vpc: string | undefined) =>
  existing(`Vpc with id ${vpc}`, service.list(`/vpcs/${vpc}/subnets`));

export const getSubnet = providerFunction({
  area: "vpc",
  name: "getSubnet",
  description: "One Subnet of a Vpc, by its number or its label.",
  args: {
    vpcId: vpcId("Id of the Vpc."),
    subnetId: optional(
      id({ description: "Number of the Subnet (its `subnetId`).", reference: "vpc/subnet" }),
    ),
    label: optional(text({ description: "Label of the Subnet." })),
  },
  result: viewFields(Subnet, uses),
  check: (args, refuse) => needsOne(args, "subnetId", "label", refuse),
  async call({ args, service }) {
    if (args.subnetId !== undefined) {
      const read = service.get(`/vpcs/${args.vpcId}/subnets/${args.subnetId}`);
      return showSubnet(await existing(`Subnet ${args.vpcId}/${args.subnetId}`, read), args.vpcId);
    }
    const found = (await subnetsOf(service, args.vpcId)).filter((subnet) => subnet["label"] === args.label);
    return showSubnet(theOnly(found, `Subnet labelled "${args.label}" in Vpc ${args.vpcId}`), args.vpcId);
  },
});

export const getSubnets = providerFunction({
  area: "vpc",
  name: "getSubnets",
  description: "Every Subnet of a Vpc.",
  args: { vpcId: vpcId("Id of the Vpc.") },
  result: { subnets: viewList(Subnet, "The Subnets, by id.", uses) },
  async call({ args, service }) {
    const found = await subnetsOf(service, args.vpcId);
    return { subnets: found.map((subnet) => showSubnet(subnet, args.vpcId)) };
  },
});
