/** The function that lists addresses in VPCs (contract section 4.7). */

import { objectFromWire } from "../../core/object/wire.ts";
import { flag, group, id, integer, list, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing } from "../../core/type/getter.ts";

const vpcId = (description: string) => id({ description, reference: "vpc/vpc" });

const addressFields = {
  address: optional(text({ description: "An address; absent where the entry is a range." })),
  addressRange: optional(
    text({ description: "A range in CIDR form; absent where the entry is an address." }),
  ),
  vpcId: vpcId("Id of the Vpc."),
  subnetId: id({ description: "Number of the Subnet.", reference: "vpc/subnet" }),
  region: text({ description: "Id of the region." }),
  computeId: optional(id({ description: "Id of the compute instance.", reference: "compute/instance" })),
  configId: optional(id({ description: "Id of its configuration profile.", reference: "compute/config" })),
  interfaceId: optional(
    id({ description: "Id of the profile's interface.", reference: "compute/interface" }),
  ),
  active: flag({ description: "True while the instance runs with that profile." }),
  natAddress: optional(
    text({ description: "Public address that it is translated to, one to one.", wireName: "nat_1_1" }),
  ),
  gateway: optional(text({ description: "Gateway of the Subnet." })),
  prefix: optional(integer({ description: "Prefix length." })),
  subnetMask: optional(text({ description: "The same as a mask." })),
};

export const getVpcIps = providerFunction({
  area: "vpc",
  name: "getVpcIps",
  description:
    "Addresses and ranges in one Vpc, or in all. An instance with several configuration profiles is listed once for each.",
  args: { vpcId: optional(vpcId("Id of the Vpc; left out for every Vpc of the account.")) },
  result: {
    ips: list(group(addressFields, { description: "An address or a range.", typeName: "VpcIp" }), {
      description: "The addresses and ranges.",
    }),
  },
  async call({ args, service }) {
    const path = args.vpcId === undefined ? "/vpcs/ips" : `/vpcs/${args.vpcId}/ips`;
    const ips = await existing(`Vpc with id ${args.vpcId}`, service.list(path, { fresh: true }));
    return { ips: ips.map((ip) => objectFromWire(addressFields, ip)) };
  },
});
