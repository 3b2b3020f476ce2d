/** Problems of the schema and of the rules are told in one answer, and what does not exist is told first (notes, section 1.1). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeInstance, openSession, type Reason, type Session } from "../session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

const fields = (reasons: readonly Reason[]) => reasons.map(({ field }) => field ?? "").sort();
const refused = async (method: string, path: string, body: unknown) =>
  fields(await on.refused(400, method, path, body));

describe("problems of a volume", () => {
  test("that is made are told together", async () => {
    const sent = { label: "1--data", size: 5, region: "atlantis", config_id: 7, tags: "one" };
    expect(await refused("POST", "/volumes", sent)).toEqual([
      "config_id",
      "label",
      "label",
      "region",
      "size",
      "tags",
    ]);
    expect(await refused("POST", "/volumes", { label: "data", size: 5 })).toEqual(["", "size"]);
  });

  test("do not say that something is missing which was sent in the wrong form", async () => {
    expect(await refused("POST", "/volumes", { label: "data", region: 7 })).toEqual(["region"]);
    const misnamed = { label: "data", compute_id: "vm-1", config_id: 7 };
    expect(await refused("POST", "/volumes", misnamed)).toEqual(["compute_id"]);
  });

  test("that is changed, cloned, resized or attached are told together", async () => {
    const { id: computeId } = await makeInstance(on, { region: "us-iad" });
    const { id } = await on.post("/volumes", { label: "creating", region: "us-east" });
    const path = `/volumes/${id}`;
    expect(await refused("PUT", path, { label: "a b", tags: [7] })).toEqual(["label", "tags[0]"]);
    expect(await refused("POST", `${path}/clone`, { label: "" })).toEqual(["", "label"]);
    expect(await refused("POST", `${path}/clone`, { label: "creating" })).toEqual(["", "label"]);
    expect(await refused("POST", `${path}/resize`, { size: 20_000 })).toEqual(["", "size"]);
    expect(await refused("POST", `${path}/resize`, { size: 10 })).toEqual(["", "size"]);
    const elsewhere = { compute_id: computeId, config_id: "first", persist_across_boots: "no" };
    expect(await refused("POST", `${path}/attach`, elsewhere)).toEqual([
      "compute_id",
      "config_id",
      "persist_across_boots",
    ]);
  });
});

describe("problems of a VPC", () => {
  test("that is made are told together, those of its subnets by place", async () => {
    const subnets = [
      { label: "", ipv4: "8.8.8.0/24" },
      { label: "a b", ipv4: 10 },
      { label: "c", ipv4: "192.168.200.0/24" },
      { label: "c" },
    ];
    const sent = { label: "my--vpc", region: "atlantis", description: "d".repeat(256), subnets };
    expect(await refused("POST", "/vpcs", sent)).toEqual([
      "description",
      "label",
      "region",
      "subnets[0].ipv4",
      "subnets[0].label",
      "subnets[1].ipv4",
      "subnets[1].label",
      "subnets[2].ipv4",
      "subnets[3].ipv4",
      "subnets[3].label",
    ]);
  });

  test("that is changed are told together, and so are a subnet's", async () => {
    const { id } = await on.post("/vpcs", { label: "whole", region: "us-east" });
    const path = `/vpcs/${id}`;
    const sent = { label: "a b", description: "d".repeat(256) };
    expect(await refused("PUT", path, sent)).toEqual(["description", "label"]);
    const subnet = { label: "s".repeat(65), ipv4: "10.0.0.1/24" };
    expect(await refused("POST", `${path}/subnets`, subnet)).toEqual(["ipv4", "label"]);
  });
});

describe("problems of pools", () => {
  test("that are made with a cluster are told together, one of another field of the same pool too", async () => {
    const node_pools = [
      { type: "g6-nanode-1", count: 0, autoscaler: { min: 3 } },
      { type: 7, count: 1, autoscaler: { min: 0, max: 2 } },
    ];
    const sent = { label: "c", region: "us-east", k8s_version: "1.28", node_pools };
    expect(await refused("POST", "/lke/clusters", sent)).toEqual([
      "node_pools[0].autoscaler.max",
      "node_pools[0].count",
      "node_pools[0].type",
      "node_pools[1].autoscaler.min",
      "node_pools[1].type",
    ]);
  });
});

describe("problems of an instance", () => {
  test("that is made are told together, and nothing is missing that was sent in the wrong form", async () => {
    const sent = { label: "-a", region: "us-east", type: 7, image: 8, interfaces: [{ purpose: "vpc" }, {}] };
    expect(await refused("POST", "/compute/instances", sent)).toEqual([
      "image",
      "interfaces[0].subnet_id",
      "interfaces[1].purpose",
      "label",
      "type",
    ]);
  });

  test("that is changed are told together, and so are those of its profiles and disks", async () => {
    const { id } = await makeInstance(on);
    const path = `/compute/instances/${id}`;
    expect(await refused("PUT", path, { label: "-a", tags: 7 })).toEqual(["label", "tags"]);
    const profile = { kernel: "compute/none", devices: { sda: { disk_id: 999_999 } } };
    expect(await refused("POST", `${path}/configs`, profile)).toEqual([
      "devices.sda.disk_id",
      "kernel",
      "label",
    ]);
    const disk = { label: 7, size: 9_999_999 };
    expect(await refused("POST", `${path}/disks`, disk)).toEqual(["label", "size"]);
  });
});

test("a list's page and its filter are told together", async () => {
  const answer = await fetch(`${on.emulator.baseUrl}/volumes?page=0&page_size=24`, {
    headers: { authorization: `Bearer ${on.emulator.token}`, "x-filter": '{"colour":"red"}' },
  });
  expect(answer.status).toBe(400);
  const { errors } = (await answer.json()) as { errors: Reason[] };
  expect(fields(errors)).toEqual(["X-Filter", "page", "page_size"]);
});

describe("what does not exist is told before what is wrong with the request", () => {
  test.each([
    ["PUT", "/volumes/999999", { label: "" }],
    ["POST", "/volumes/999999/attach", {}],
    ["POST", "/volumes/999999/clone", {}],
    ["POST", "/volumes/999999/resize", { size: "big" }],
    ["PUT", "/compute/instances/999999", { label: "" }],
    ["POST", "/compute/instances/999999/disks", {}],
    ["PUT", "/vpcs/999999", { label: "" }],
    ["POST", "/vpcs/999999/subnets", {}],
    ["PUT", "/vpcs/999999/subnets/1", { label: "" }],
  ])("by %s %s", async (method, path, body) => {
    await on.refused(404, method, path, body);
  });
});
