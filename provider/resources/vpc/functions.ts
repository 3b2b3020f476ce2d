/** Functions of the VPC area: networks and their subnets (contract section 4.7). */

import { viewList, viewOf } from "../../core/object/view.ts";
import type { WireObject } from "../../core/service-port.ts";
import { flag, group, id, list, text } from "../../core/type/field.ts";
import { getAll, getOne, shown } from "../../core/type/getter.ts";
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

const subnet = shown(Subnet, {
  more: uses,
  within: { vpcId: vpcId("Id of the Vpc.") },
  holder: "Vpc",
});

const vpc = shown(Vpc, {
  more: subnets,
  show: (object) => ({
    ...viewOf(Vpc, object),
    subnets: ((object["subnets"] ?? []) as readonly WireObject[]).map((one) =>
      viewOf(Subnet, one, { vpcId: String(object["id"]) }, uses),
    ),
  }),
});

export const getVpc = getOne(vpc, {
  description: "One Vpc with its Subnets, by its id or its label.",
  by: { label: text({ description: "Label of the Vpc." }) },
});

export const getVpcs = getAll(vpc, {
  description: "Every Vpc of the account that the arguments match, with its Subnets.",
  filters: { region: text({ description: "Only Vpcs of this region." }) },
});

export const getSubnet = getOne(subnet, {
  description: "One Subnet of a Vpc, by its number or its label.",
  id: {
    subnetId: id({ description: "Number of the Subnet (its `subnetId`).", reference: "vpc/subnet" }),
  },
  by: { label: text({ description: "Label of the Subnet." }) },
});

export const getSubnets = getAll(subnet, { description: "Every Subnet of a Vpc." });
