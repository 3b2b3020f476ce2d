import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Reason, type Session } from "../../session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

const fields = (reasons: readonly Reason[]) => reasons.map(({ field }) => field).sort();

describe("the label of a VPC (contract section 2.9)", () => {
  test.each([
    ["a space", "my vpc", "Label must include only ASCII letters, numbers, and dashes"],
    ["an underscore", "my_vpc", "Label must include only ASCII letters, numbers, and dashes"],
    ["a letter outside ASCII", "für", "Label must include only ASCII letters, numbers, and dashes"],
    ["two hyphens in a row", "my--vpc", "Label must not have two dashes in a row"],
    ["no character", "", "Length must be 1-64 characters"],
    ["65 characters", "a".repeat(65), "Length must be 1-64 characters"],
  ])("with %s is refused", async (_, label, reason) => {
    expect(await on.refused(400, "POST", "/vpcs", { label, region: "us-east" })).toContainEqual({
      reason,
      field: "label",
    });
  });

  test.each([["a"], ["-"], ["1"], ["Web-1"], ["a".repeat(64)]])("may be %s", async (label) => {
    expect(await on.post("/vpcs", { label, region: "us-east" })).toMatchObject({ label, subnets: [] });
  });

  test("is required, and so is the region", async () => {
    expect(await on.refused(400, "POST", "/vpcs", {})).toEqual(
      expect.arrayContaining([
        { reason: "label is required", field: "label" },
        { reason: "region is required", field: "region" },
      ]),
    );
  });

  test("is unique on the account, in create and in update, and may stay its own", async () => {
    const first = await on.post("/vpcs", { label: "unique-1", region: "us-east" });
    const second = await on.post("/vpcs", { label: "unique-2", region: "us-iad" });
    const taken = [{ reason: "Label must be unique among your VPCs", field: "label" }];
    expect(await on.refused(400, "POST", "/vpcs", { label: "unique-1", region: "us-iad" })).toEqual(taken);
    expect(await on.refused(400, "PUT", `/vpcs/${second.id}`, { label: "unique-1" })).toEqual(taken);
    expect(await on.put(`/vpcs/${first.id}`, { label: "unique-1" })).toMatchObject({ label: "unique-1" });
  });
});

describe("a VPC", () => {
  test.each([
    ["unknown", "atlantis", "region is not valid"],
    ["without VPCs", "us-west", "VPCs are not available in this region"],
  ])("in a region that is %s is refused", async (_, region, reason) => {
    expect(await on.refused(400, "POST", "/vpcs", { label: "nowhere", region })).toEqual([
      { reason, field: "region" },
    ]);
  });

  test("takes a description of 255 characters, not of 256 (contract section 8)", async () => {
    const make = (length: number) => ({
      label: `described-${length}`,
      region: "us-east",
      description: "d".repeat(length),
    });
    expect((await on.post("/vpcs", make(255))).description).toHaveLength(255);
    expect(fields(await on.refused(400, "POST", "/vpcs", make(256)))).toEqual(["description"]);
  });

  test("tells all its problems at once, those of its subnets by place", async () => {
    const reasons = await on.refused(400, "POST", "/vpcs", {
      label: "a--b",
      region: "us-west",
      subnets: [
        { label: "ok", ipv4: "10.0.0.0/24" },
        { label: "ok", ipv4: "10.0.0.128/25" },
        { label: "b_d", ipv4: "8.8.8.0/24" },
      ],
    });
    expect(fields(reasons)).toEqual([
      "label",
      "region",
      "subnets[1].ipv4",
      "subnets[1].label",
      "subnets[2].ipv4",
      "subnets[2].label",
    ]);
    expect(await on.list("/vpcs", { label: "a--b" })).toEqual([]);
  });

  test("names a subnet without label or range by its place", async () => {
    const reasons = await on.refused(400, "POST", "/vpcs", { label: "v", region: "us-east", subnets: [{}] });
    expect(fields(reasons)).toEqual(["subnets[0].ipv4", "subnets[0].label"]);
  });

  test("takes null for what is optional as absent (notes, section 1.4)", async () => {
    expect(
      await on.post("/vpcs", { label: "nulls", region: "us-east", description: null, subnets: null }),
    ).toMatchObject({ description: "", subnets: [] });
  });

  test("keeps its region and id whatever an update sends", async () => {
    const vpc = await on.post("/vpcs", { label: "fixed", region: "us-east" });
    const after = await on.put(`/vpcs/${vpc.id}`, { ...vpc, id: 1, region: "us-iad", description: "new" });
    expect(after).toMatchObject({ id: vpc.id, region: "us-east", description: "new", label: "fixed" });
  });
});

describe("the range of a subnet (contract sections 2.9 and 7)", () => {
  let vpcId: number;
  beforeAll(async () => {
    const subnets = [{ label: "present", ipv4: "10.5.0.0/16" }];
    vpcId = (await on.post("/vpcs", { label: "ranges", region: "us-east", subnets })).id;
  });

  test.each([
    ["no range", "10.0.0.0", "CIDR form"],
    ["an IPv6 range", "fd00::/64", "CIDR form"],
    ["short octets", "10.0/16", "CIDR form"],
    ["hexadecimal octets", "0xa.0.0.0/24", "CIDR form"],
    ["a leading zero", "10.00.0.0/24", "CIDR form"],
    ["a padded prefix length", "10.0.0.0/024", "CIDR form"],
    ["a space", " 10.0.0.0/24", "CIDR form"],
    ["a prefix length over 32", "10.0.0.0/33", "CIDR form"],
    ["host bits", "10.0.0.1/24", "10.0.0.0/24"],
    ["prefix length 30", "10.0.0.0/30", "1-29"],
    ["prefix length 0", "0.0.0.0/0", "1-29"],
    ["prefix length 7, in no private space", "10.0.0.0/7", "RFC 1918"],
    ["prefix length 1, in no private space", "0.0.0.0/1", "RFC 1918"],
    ["a public range", "8.8.8.0/24", "RFC 1918"],
    ["172.32, next to the private space", "172.32.0.0/16", "RFC 1918"],
    ["172.16.0.0/11, which reaches over it", "172.0.0.0/11", "RFC 1918"],
    ["carrier-grade NAT space", "100.64.0.0/10", "RFC 1918"],
    ["the platform's own range", "192.168.128.0/17", "192.168.128.0/17"],
    ["a part of it", "192.168.200.0/24", "192.168.128.0/17"],
    ["what contains it", "192.168.0.0/16", "192.168.128.0/17"],
    ["the same range as a sibling", "10.5.0.0/16", "subnet present"],
    ["a part of a sibling", "10.5.7.0/24", "subnet present"],
    ["what contains a sibling", "10.0.0.0/8", "subnet present"],
  ])("with %s is refused", async (_, ipv4, hint) => {
    const reasons = await on.refused(400, "POST", `/vpcs/${vpcId}/subnets`, { label: "s", ipv4 });
    expect(fields(reasons)).toContain("ipv4");
    expect(new Set(fields(reasons))).toEqual(new Set(["ipv4"]));
    expect(reasons.map(({ reason }) => reason).join("; ")).toContain(hint);
  });

  test.each([["10.4.0.0/16"], ["10.6.0.0/29"], ["172.16.0.0/12"], ["192.168.0.0/17"], ["10.128.0.0/9"]])(
    "may be %s",
    async (ipv4) => {
      const label = `s-${ipv4.replaceAll(/[./]/g, "-")}`;
      expect(await on.post(`/vpcs/${vpcId}/subnets`, { label, ipv4 })).toMatchObject({ ipv4, computes: [] });
    },
  );

  test("may be that of a subnet of another VPC", async () => {
    const subnets = [{ label: "present", ipv4: "10.5.0.0/16" }];
    expect(await on.post("/vpcs", { label: "ranges-2", region: "us-east", subnets })).toMatchObject({
      subnets,
    });
  });

  test("is not changed by an update", async () => {
    const { id } = (await on.get(`/vpcs/${vpcId}`)).subnets[0];
    const after = await on.put(`/vpcs/${vpcId}/subnets/${id}`, { label: "renamed", ipv4: "10.99.0.0/16" });
    expect(after).toMatchObject({ label: "renamed", ipv4: "10.5.0.0/16" });
    await on.put(`/vpcs/${vpcId}/subnets/${id}`, { label: "present" });
  });
});

describe("the label of a subnet", () => {
  test("is unique in its VPC only, in create and in update", async () => {
    const vpc = await on.post("/vpcs", {
      label: "labels",
      region: "us-east",
      subnets: [
        { label: "one", ipv4: "10.0.0.0/24" },
        { label: "two", ipv4: "10.0.1.0/24" },
      ],
    });
    const path = `/vpcs/${vpc.id}/subnets`;
    const taken = [{ reason: "Label must be unique among the VPC's subnets", field: "label" }];
    expect(await on.refused(400, "POST", path, { label: "one", ipv4: "10.0.2.0/24" })).toEqual(taken);
    expect(await on.refused(400, "PUT", `${path}/${vpc.subnets[1].id}`, { label: "one" })).toEqual(taken);
    expect(await on.put(`${path}/${vpc.subnets[0].id}`, { label: "one" })).toMatchObject({ label: "one" });
    const other = await on.post("/vpcs", { label: "labels-2", region: "us-east" });
    await on.post(`/vpcs/${other.id}/subnets`, { label: "one", ipv4: "10.0.0.0/24" });
  });

  test("follows the rules of a VPC's", async () => {
    const vpc = await on.post("/vpcs", { label: "rules", region: "us-east" });
    for (const label of ["a_b", "a--b", "", "x".repeat(65)])
      expect(
        fields(await on.refused(400, "POST", `/vpcs/${vpc.id}/subnets`, { label, ipv4: "10.0.0.0/24" })),
      ).toEqual(["label"]);
  });
});

test("an unknown VPC or subnet is 404 everywhere, and so is a subnet by another VPC", async () => {
  const one = await on.post("/vpcs", {
    label: "here",
    region: "us-east",
    subnets: [{ label: "s", ipv4: "10.0.0.0/24" }],
  });
  const two = await on.post("/vpcs", { label: "there", region: "us-east" });
  const body = { label: "x", ipv4: "10.1.0.0/24" };
  for (const [method, path] of [
    ["GET", "/vpcs/1"],
    ["PUT", "/vpcs/1"],
    ["DELETE", "/vpcs/1"],
    ["GET", "/vpcs/1/ips"],
    ["GET", "/vpcs/1/subnets"],
    ["POST", "/vpcs/1/subnets"],
    ["GET", `/vpcs/${two.id}/subnets/${one.subnets[0].id}`],
    ["PUT", `/vpcs/${two.id}/subnets/${one.subnets[0].id}`],
    ["DELETE", `/vpcs/${two.id}/subnets/${one.subnets[0].id}`],
  ] as const)
    expect(await on.refused(404, method, path, method === "GET" ? undefined : body)).toEqual([
      { reason: "Not found" },
    ]);
  expect((await on.get(`/vpcs/${one.id}`)).subnets).toHaveLength(1);
});
