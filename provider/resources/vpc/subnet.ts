/** Subnet: an address range of a Vpc (contract section 2.9). */

import type { WireObject } from "../../core/service-port.ts";
import { id, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { times } from "../fields.ts";
import { label } from "./labels.ts";
import { overlaps, parseRange, rangeFault } from "./ranges.ts";

/** What still uses a subnet, in words; empty when it is free. */
export function holders(subnet: WireObject): string[] {
  const computes = (subnet["computes"] ?? []) as {
    id: number;
    interfaces?: { id: number; active?: boolean }[];
  }[];
  return computes.map(({ id: compute, interfaces = [] }) => {
    const list = interfaces.map(
      (each) => `${each.id}${each.active ? " (active: shut the instance down first)" : ""}`,
    );
    return `subnet ${subnet["id"]} (${subnet["label"]}) is used by interface ${list.join(", ")} of compute instance ${compute}`;
  });
}

const overlap = (one: string | undefined, other: unknown) => {
  const [mine, theirs] = [one, other].map((text) =>
    typeof text === "string" ? parseRange(text) : undefined,
  );
  return mine !== undefined && theirs !== undefined && overlaps(mine, theirs);
};

export const Subnet = resource({
  area: "vpc",
  name: "Subnet",
  description:
    "An address range of a Vpc. Deleting it needs every interface that uses it to be gone. Import by `VPC_ID/SUBNET_ID` or `vpc-label/subnet-label`.",
  path: "/vpcs/{vpcId}/subnets/{subnetId}",
  parents: ["vpc/vpc"],
  goesWithParent: true,
  phrase: ["{label}", "{ipv4}"],
  nameFormat: "VPC_LABEL/SUBNET_LABEL",
  inputs: {
    vpcId: id({ description: "Id of the Vpc.", reference: "vpc/vpc", immutable: true }),
    label: optional(
      label(
        "Unique among the Vpc's subnets: letters, digits and single hyphens. Named automatically when left out.",
      ),
    ),
    ipv4: text({
      description:
        "IPv4 range in CIDR form, without host bits (`10.0.1.0/24`): private (RFC 1918), prefix length 1 to 29, clear of 192.168.128.0/17 and of the Vpc's other subnets.",
      immutable: true,
      adoptKey: true,
    }),
  },
  outputs: {
    subnetId: id({ description: "The subnet's own number.", reference: "vpc/subnet", wireName: "id" }),
    ...times,
  },
  check({ values, refuse }) {
    const fault = values.ipv4 === undefined ? undefined : rangeFault(values.ipv4);
    if (fault) refuse("ipv4", fault);
  },
  siblings: {
    groups: () => ["ranges"],
    conflict: (mine, { name, values }) =>
      overlap(mine.ipv4, values.ipv4)
        ? {
            property: "ipv4",
            reason: `${mine.ipv4} overlaps ${values.ipv4} of "${name}" in this plan; change one of them`,
          }
        : undefined,
  },
  async lookup({ after, creating, collection, list, isOurs, refuse }) {
    if (!creating || collection === undefined) return;
    for (const other of await list(collection)) {
      const otherId = `${after.vpcId}/${other["id"]}`;
      if (!isOurs(otherId) && overlap(after.ipv4, other["ipv4"])) {
        refuse(
          "ipv4",
          `${after.ipv4} overlaps ${other["ipv4"]} of subnet ${otherId} (${other["label"]}) on the account`,
        );
      }
    }
  },
  collides: (before, after) => before.label === after.label || overlap(before.ipv4, after.ipv4),
  async explainDelete({ service, path, id: subnet }) {
    const held = holders(await service.getFresh(path));
    return held.length === 0
      ? undefined
      : `subnet ${subnet} cannot be deleted: ${held.join("; ")}. Remove these interfaces first`;
  },
});
