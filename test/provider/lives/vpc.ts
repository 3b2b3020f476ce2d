/** What the types of the area `vpc` must live through. */

import { expect } from "vitest";
import { life } from "../lifecycle.ts";

const vpc = life({
  type: "plumbline:vpc/vpc:Vpc",
  prepare: async () => ({}),
  steps: [
    {
      does: "create",
      declare: () => ({ region: "us-east" }),
      leaves: { label: expect.stringMatching(/^subject-[0-9a-f]{7}$/) },
    },
    {
      does: "update",
      declare: () => ({ region: "us-east", label: "office", description: "d" }),
      changes: ["label", "description"],
    },
    {
      does: "update",
      declare: () => ({ region: "us-east", label: "office" }),
      changes: ["description"],
      leaves: { description: "" },
    },
    { does: "replace", declare: () => ({ region: "us-southeast", label: "office" }), changes: ["region"] },
    { does: "replace", declare: () => ({ region: "us-east", label: "home" }), changes: ["region", "label"] },
    { does: "update", declare: () => ({ region: "us-east", label: "home", description: "last" }) },
  ],
  naturalName: () => "home",
  drift: {
    label: ({ id }) => ({ method: "PUT", path: `/vpcs/${id}`, body: { label: "theirs" } }),
    description: ({ id }) => ({ method: "PUT", path: `/vpcs/${id}`, body: { description: "theirs" } }),
  },
});

const subnet = life({
  type: "plumbline:vpc/subnet:Subnet",
  prepare: async (account) => {
    const make = async (label: string) =>
      String((await account.call("POST", "/vpcs", { label, region: "us-east" }))["id"]);
    return { one: await make("one"), two: await make("two") };
  },
  steps: [
    { does: "create", declare: ({ one }) => ({ vpcId: Number(one), ipv4: "10.0.0.0/24" }) },
    {
      does: "update",
      declare: ({ one }) => ({ vpcId: one, ipv4: "10.0.0.0/24", label: "web" }),
      changes: ["label"],
    },
    {
      does: "replace",
      declare: ({ one }) => ({ vpcId: one, ipv4: "10.0.0.0/25", label: "web" }),
      changes: ["ipv4"],
    },
    { does: "replace", declare: ({ one }) => ({ vpcId: one, ipv4: "10.9.0.0/25", label: "data" }) },
    {
      does: "replace",
      declare: ({ two }) => ({ vpcId: two, ipv4: "10.9.0.0/25", label: "data" }),
      changes: ["vpcId"],
    },
  ],
  naturalName: () => "two/data",
  drift: {
    label: ({ id }) => ({
      method: "PUT",
      path: `/vpcs/${id.replace("/", "/subnets/")}`,
      body: { label: "theirs" },
    }),
  },
});

export const lives = [vpc, subnet];
