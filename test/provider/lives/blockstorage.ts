/** What the types of the area `blockstorage` must live through. */

import type { Account } from "../deployment.ts";
import { life } from "../lifecycle.ts";

async function instance(account: Account): Promise<string> {
  const body = {
    region: "us-east",
    type: "g6-standard-1",
    image: "compute/debian12",
    root_pass: "pW!aVz2e7HcR",
  };
  return String((await account.call("POST", "/compute/instances", body))["id"]);
}

const profileOf = async (account: Account, computeId: string) => {
  const configs = await account.call("GET", `/compute/instances/${computeId}/configs`);
  return String((configs["data"] as { id: number }[])[0]!.id);
};

const volume = life({
  type: "plumbline:blockstorage/volume:Volume",
  prepare: async (account) => {
    const [one, two] = [await instance(account), await instance(account)];
    await account.call("GET", `/compute/instances/${two}`);
    const source = await account.call("POST", "/volumes", { label: "source", region: "us-east", size: 30 });
    await account.call("GET", `/volumes/${source["id"]}`);
    return { one, two, profile: await profileOf(account, two), source: String(source["id"]) };
  },
  steps: [
    { does: "create", declare: () => ({ region: "us-east" }), leaves: { size: 20, status: "active" } },
    {
      does: "update",
      declare: () => ({ region: "us-east", label: "disk", tags: ["b", "a"], size: 40 }),
      changes: ["label", "tags", "size"],
      leaves: { size: 40, status: "active" },
    },
    {
      does: "update",
      declare: ({ one }) => ({ region: "us-east", label: "disk", size: 40, computeId: one }),
      changes: ["tags", "computeId"],
    },
    {
      does: "update",
      declare: ({ two, profile }) => ({ label: "disk", size: 50, computeId: two, configId: profile }),
      changes: ["size", "computeId", "configId"],
    },
    {
      does: "update",
      declare: ({ two }) => ({ label: "disk", size: 50, computeId: two, persistAcrossBoots: false }),
      changes: ["persistAcrossBoots"],
    },
    {
      does: "update",
      declare: () => ({ region: "us-east", label: "disk", size: 50 }),
      changes: ["computeId", "persistAcrossBoots"],
    },
    {
      does: "replace",
      declare: ({ source }) => ({ label: "disk", cloneOf: source }),
      changes: ["cloneOf"],
      leaves: { size: 30, region: "us-east" },
    },
    {
      does: "replace",
      declare: () => ({ label: "disk", region: "us-southeast" }),
      changes: ["region"],
      leaves: { size: 20 },
    },
    {
      does: "replace",
      declare: ({ one }) => ({
        label: "beside",
        region: "us-east",
        computeId: one,
        persistAcrossBoots: false,
      }),
      changes: ["label", "region", "computeId", "persistAcrossBoots"],
    },
    { does: "update", declare: ({ one }) => ({ label: "beside", computeId: one, size: 60, tags: ["x"] }) },
  ],
  naturalName: () => "beside",
  unreadable: ["cloneOf", "configId", "persistAcrossBoots"],
  drift: {
    label: ({ id }) => ({ method: "PUT", path: `/volumes/${id}`, body: { label: "theirs" } }),
    tags: ({ id }) => ({ method: "PUT", path: `/volumes/${id}`, body: { tags: [] } }),
    computeId: ({ id }) => ({ method: "POST", path: `/volumes/${id}/detach`, body: {} }),
  },
});

export const lives = [volume];
