/** Vpc: a private network of one region (contract section 2.9). */

import type { WireObject } from "../../core/service-port.ts";
import { optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { times } from "../fields.ts";
import { judgeRegion } from "../offers.ts";
import { label } from "./labels.ts";
import { holders } from "./subnet.ts";

export const Vpc = resource({
  area: "vpc",
  name: "Vpc",
  description:
    "A private network; its subnets are resources of their own. Deleting it needs every subnet to be free. Import by its id or its label.",
  path: "/vpcs/{vpcNumber}",
  phrase: ["{label}", "{region}"],
  nameFormat: "LABEL",
  inputs: {
    label: optional(
      label(
        "Unique among the account's VPCs: letters, digits and single hyphens. Named automatically when left out.",
      ),
    ),
    region: text({ description: "Id of the region (`us-east`).", minLength: 1, immutable: true }),
    description: optional(text({ description: "For display only.", maxLength: 255, default: "" })),
  },
  outputs: {
    ...times,
  },
  lookup: async (context) => {
    if (context.creating) await judgeRegion(context.after.region, context, "VPCs");
  },
  async explainDelete({ service, path, id }) {
    const vpc = await service.getFresh(path);
    const held = ((vpc["subnets"] ?? []) as WireObject[]).flatMap((subnet) => holders(subnet));
    return held.length === 0
      ? undefined
      : `VPC ${id} cannot be deleted: ${held.join("; ")}. Remove these interfaces first`;
  },
});
