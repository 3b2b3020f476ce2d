import { afterEach, describe, expect, test } from "vitest";
import { eventsOf, makeInstance, onlyConfig, openSession, type Session } from "../../session.ts";

let on: Session;
afterEach(() => on.close());

const vpcWith = (on: Session, ...ranges: string[]) =>
  on.post("/vpcs", {
    label: "net",
    region: "us-east",
    subnets: ranges.map((ipv4, at) => ({ label: `s${at}`, ipv4 })),
  });

describe("events (contract section 6)", () => {
  test("tell of a VPC and of each subnet, whose second entity is the VPC", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24", "10.0.1.0/24");
    const [first, second] = vpc.subnets;
    await on.put(`/vpcs/${vpc.id}`, { label: "renamed" });
    await on.put(`/vpcs/${vpc.id}/subnets/${first.id}`, { label: "front" });
    await on.remove(`/vpcs/${vpc.id}/subnets/${first.id}`);
    await on.remove(`/vpcs/${vpc.id}`);

    const ofVpc = await eventsOf(on, "vpc", vpc.id);
    expect(ofVpc.map(({ action }) => action)).toEqual(["vpc_create", "vpc_update", "vpc_delete"]);
    expect(ofVpc[0]).toMatchObject({
      status: "notification",
      percent_complete: null,
      username: "owner",
      entity: { id: vpc.id, label: "net", type: "vpc", url: `/v4/vpcs/${vpc.id}` },
      secondary_entity: null,
    });
    const ofFirst = await eventsOf(on, "subnet", first.id);
    expect(ofFirst.map(({ action }) => action)).toEqual(["subnet_create", "subnet_update", "subnet_delete"]);
    expect(ofFirst[1]).toMatchObject({
      entity: { label: "front", url: `/v4/vpcs/${vpc.id}/subnets/${first.id}` },
      secondary_entity: { id: vpc.id, label: "renamed", type: "vpc" },
    });
    expect((await eventsOf(on, "subnet", second.id)).map(({ action }) => action)).toEqual([
      "subnet_create",
      "subnet_delete",
    ]);
  });

  test("tell of nothing that was refused", async () => {
    on = await openSession();
    await on.refused(400, "POST", "/vpcs", { label: "a b", region: "us-east" });
    expect(await on.list("/account/events")).toEqual([]);
  });
});

test("`updated` equals `created` at first and moves with a change, that of the subnet for itself", async () => {
  on = await openSession();
  const vpc = await vpcWith(on, "10.0.0.0/24");
  expect(vpc.updated).toBe(vpc.created);
  on.wait(60);
  const { id } = vpc.subnets[0];
  const subnet = await on.put(`/vpcs/${vpc.id}/subnets/${id}`, { label: "later" });
  expect(subnet.updated > subnet.created).toBe(true);
  const after = await on.get(`/vpcs/${vpc.id}`);
  expect(after).toMatchObject({ created: vpc.created, updated: vpc.updated, subnets: [subnet] });
  expect((await on.put(`/vpcs/${vpc.id}`, { description: "x" })).updated).toBe(subnet.updated);
});

describe("lists", () => {
  test("filter VPCs by label and region, and order them", async () => {
    on = await openSession();
    for (const [label, region] of [
      ["b", "us-east"],
      ["a", "us-east"],
      ["c", "us-iad"],
    ])
      await on.post("/vpcs", { label, region });
    const labels = async (filter: unknown) => (await on.list("/vpcs", filter)).map(({ label }) => label);
    expect(await labels({ region: "us-east" })).toEqual(["b", "a"]);
    expect(await labels({ "+order_by": "label", "+order": "desc" })).toEqual(["c", "b", "a"]);
    expect(await labels({ "+or": [{ label: "a" }, { label: "c" }] })).toEqual(["a", "c"]);
    await expect(on.list("/vpcs", { description: "" })).rejects.toThrow("Cannot filter on description");
  });

  test("filter subnets by label, not by range", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24", "10.0.1.0/24");
    expect(await on.list(`/vpcs/${vpc.id}/subnets`, { label: "s1" })).toEqual([vpc.subnets[1]]);
    await expect(on.list(`/vpcs/${vpc.id}/subnets`, { ipv4: "10.0.0.0/24" })).rejects.toThrow(
      "Cannot filter",
    );
  });
});

describe("a subnet that instances use", () => {
  test("lists them with their interfaces, and neither it nor the VPC can be deleted, active or not", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24", "10.0.1.0/24");
    const [used, free] = vpc.subnets;
    const instance = await makeInstance(on, { interfaces: [{ purpose: "vpc", subnet_id: used.id }] });
    const path = `/vpcs/${vpc.id}/subnets/${used.id}`;
    const { computes } = await on.get(path);
    expect(computes).toEqual([{ id: instance.id, interfaces: [{ id: expect.any(Number), active: true }] }]);
    expect((await on.get(`/vpcs/${vpc.id}`)).subnets[0].computes).toEqual(computes);

    for (const target of [path, `/vpcs/${vpc.id}`]) {
      const [reason] = await on.refused(400, "DELETE", target);
      expect(reason?.reason).toContain(`${computes[0].interfaces[0].id} of instance ${instance.id} (active)`);
    }
    expect((await on.get(`/vpcs/${vpc.id}`)).subnets.map(({ id }: { id: number }) => id)).toEqual([
      used.id,
      free.id,
    ]);

    await on.post(`/compute/instances/${instance.id}/shutdown`);
    on.wait(10);
    const [inactive] = await on.refused(400, "DELETE", path);
    expect(inactive?.reason).not.toContain("active");
    const config = await onlyConfig(on, instance.id);
    const interfaces = `/compute/instances/${instance.id}/configs/${config.id}/interfaces`;
    await on.remove(`${interfaces}/${config.interfaces[0].id}`);
    expect(await on.remove(path)).toEqual({});
    expect(await on.remove(`/vpcs/${vpc.id}`)).toEqual({});
    await on.refused(404, "GET", `/vpcs/${vpc.id}`);
  });

  test("keeps an active interface until the instance is shut down (contract section 3)", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24");
    const wanted = { interfaces: [{ purpose: "vpc", subnet_id: vpc.subnets[0].id }] };
    const { id } = await makeInstance(on, wanted);
    const config = await onlyConfig(on, id);
    const path = `/compute/instances/${id}/configs/${config.id}`;
    for (const [method, target, body] of [
      ["DELETE", `${path}/interfaces/${config.interfaces[0].id}`, undefined],
      ["DELETE", path, undefined],
      ["PUT", path, { interfaces: [] }],
    ] as const) {
      const [reason] = await on.refused(400, method, target, body);
      expect(reason?.reason).toContain("shut down the instance first");
    }
    expect((await on.put(path, wanted)).interfaces).toEqual(config.interfaces);
  });

  test("is free again once the instance is deleted", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24");
    const { id } = await makeInstance(on, { interfaces: [{ purpose: "vpc", subnet_id: vpc.subnets[0].id }] });
    await on.remove(`/compute/instances/${id}`);
    expect(await on.list("/vpcs/ips")).toEqual([]);
    expect(await on.remove(`/vpcs/${vpc.id}`)).toEqual({});
  });
});

describe("the addresses of VPCs (contract section 2.9; notes, section 9)", () => {
  test("are an entry for each interface's address and one for each range", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/25");
    const [subnet] = vpc.subnets;
    const { id, ipv4 } = await makeInstance(on, {
      interfaces: [
        {
          purpose: "vpc",
          subnet_id: subnet.id,
          ipv4: { nat_1_1: "any" },
          ip_ranges: ["10.0.0.64/28", "10.0.0.5"],
        },
      ],
    });
    const config = await onlyConfig(on, id);
    const common = {
      vpc_id: vpc.id,
      subnet_id: subnet.id,
      region: "us-east",
      compute_id: id,
      config_id: config.id,
      interface_id: config.interfaces[0].id,
      active: true,
    };
    const range = { ...common, address: null, nat_1_1: null, gateway: null };
    expect(await on.list(`/vpcs/${vpc.id}/ips`)).toEqual([
      {
        ...common,
        address: "10.0.0.2",
        address_range: null,
        nat_1_1: ipv4[0],
        gateway: "10.0.0.1",
        prefix: 25,
        subnet_mask: "255.255.255.128",
      },
      { ...range, address_range: "10.0.0.64/28", prefix: 28, subnet_mask: "255.255.255.240" },
      { ...range, address_range: "10.0.0.5/32", prefix: 32, subnet_mask: "255.255.255.255" },
    ]);
  });

  test("list an instance once a profile, of which one at most is active", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24");
    const interfaces = [{ purpose: "vpc", subnet_id: vpc.subnets[0].id, ipv4: { vpc: "10.0.0.9" } }];
    const { id } = await makeInstance(on, { interfaces });
    await on.post(`/compute/instances/${id}/configs`, { label: "second", interfaces });
    expect(await on.list("/vpcs/ips")).toMatchObject([
      { address: "10.0.0.9", compute_id: id, active: true },
      { address: "10.0.0.9", compute_id: id, active: false },
    ]);
    expect((await on.get(`/vpcs/${vpc.id}`)).subnets[0].computes).toMatchObject([
      { id, interfaces: [{ active: true }, { active: false }] },
    ]);
  });

  test("show VPCs that share address space side by side, and filter by VPC, instance and activity", async () => {
    on = await openSession();
    const made = [];
    for (const label of ["one", "two"]) {
      const vpc = await on.post("/vpcs", {
        label,
        region: "us-east",
        subnets: [{ label: "s", ipv4: "10.0.0.0/24" }],
      });
      const interfaces = [{ purpose: "vpc", subnet_id: vpc.subnets[0].id }];
      made.push({ vpc, instance: await makeInstance(on, { label: `in-${label}`, interfaces }) });
    }
    const [one, two] = made;
    const vpcIds = async (filter: unknown) =>
      (await on.list("/vpcs/ips", filter)).map(({ vpc_id }) => vpc_id);
    expect(await vpcIds({ active: true })).toEqual([one?.vpc.id, two?.vpc.id]);
    expect(await vpcIds({ vpc_id: two?.vpc.id })).toEqual([two?.vpc.id]);
    expect(await vpcIds({ compute_id: one?.instance.id })).toEqual([one?.vpc.id]);
    expect((await on.list(`/vpcs/${two?.vpc.id}/ips`)).map(({ compute_id }) => compute_id)).toEqual([
      two?.instance.id,
    ]);
    await expect(on.list("/vpcs/ips", { address: "10.0.0.2" })).rejects.toThrow("Cannot filter on address");
  });
});

describe("the addresses that interfaces get", () => {
  test("start at .2, are never the two last, and run out", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.8/29");
    const want = { interfaces: [{ purpose: "vpc", subnet_id: vpc.subnets[0].id }] };
    for (let made = 0; made < 4; made++) await makeInstance(on, { label: `node-${made}`, ...want });
    expect((await on.list("/vpcs/ips")).map(({ address }) => address)).toEqual([
      "10.0.0.10",
      "10.0.0.11",
      "10.0.0.12",
      "10.0.0.13",
    ]);
    const more = {
      region: "us-east",
      type: "g6-nanode-1",
      image: "compute/debian12",
      root_pass: "long enough",
      ...want,
    };
    expect(await on.refused(400, "POST", "/compute/instances", more)).toEqual([
      { reason: "No address is free in subnet 10.0.0.8/29", field: "interfaces[0].ipv4.vpc" },
    ]);
  });

  test("leave room for those that are asked for in the same request", async () => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24", "10.0.1.0/24");
    const subnet_id = vpc.subnets[0].id;
    const { id } = await makeInstance(on, {
      interfaces: [
        { purpose: "vpc", subnet_id },
        { purpose: "vpc", subnet_id, ipv4: { vpc: "10.0.0.2" }, ip_ranges: ["10.0.0.4/30"] },
        { purpose: "vpc", subnet_id },
      ],
    });
    const { interfaces } = await onlyConfig(on, id);
    expect(interfaces.map((one: { ipv4: { vpc: string } }) => one.ipv4.vpc)).toEqual([
      "10.0.0.3",
      "10.0.0.2",
      "10.0.0.8",
    ]);
  });

  test.each([
    ["the network", { ipv4: { vpc: "10.0.0.0" } }, "ipv4.vpc"],
    ["the gateway", { ipv4: { vpc: "10.0.0.1" } }, "ipv4.vpc"],
    ["the last but one", { ipv4: { vpc: "10.0.0.254" } }, "ipv4.vpc"],
    ["the broadcast address", { ipv4: { vpc: "10.0.0.255" } }, "ipv4.vpc"],
    ["another subnet's", { ipv4: { vpc: "10.0.1.2" } }, "ipv4.vpc"],
    ["no address", { ipv4: { vpc: "ten" } }, "ipv4.vpc"],
    ["another instance's", { ipv4: { vpc: "10.0.0.2" } }, "ipv4.vpc"],
    ["a range outside the subnet", { ip_ranges: ["10.0.1.0/28"] }, "ip_ranges[0]"],
    ["a range with host bits", { ip_ranges: ["10.0.0.65/28"] }, "ip_ranges[0]"],
    [
      "a range that another instance's address is in",
      { ip_ranges: ["10.0.0.32/28", "10.0.0.2/31"] },
      "ip_ranges[1]",
    ],
    ["a public address of somebody else", { ipv4: { nat_1_1: "203.0.113.9" } }, "ipv4.nat_1_1"],
  ])("cannot be %s", async (_, fields, field) => {
    on = await openSession();
    const vpc = await vpcWith(on, "10.0.0.0/24", "10.0.1.0/24");
    const one = { purpose: "vpc", subnet_id: vpc.subnets[0].id };
    await makeInstance(on, { label: "first", interfaces: [one] });
    const { id } = await makeInstance(on, { label: "second" });
    const config = await onlyConfig(on, id);
    const path = `/compute/instances/${id}/configs/${config.id}/interfaces`;
    expect(await on.refused(400, "POST", path, { ...one, ...fields })).toMatchObject([{ field }]);
    expect(await on.get(path)).toEqual([]);
  });
});

describe("restricted users (contract section 5)", () => {
  const users = {
    users: [
      { username: "boss" },
      { username: "maker", restricted: true, grants: { global: { add_vpcs: true } } },
      { username: "none", restricted: true, grants: { global: {} } },
    ],
    tokens: [
      { token: "boss-token", username: "boss", scopes: "*" },
      { token: "maker-token", username: "maker", scopes: "*" },
      { token: "none-token", username: "none", scopes: "*" },
      { token: "reader-token", username: "boss", scopes: "vpc:read_only" },
    ],
  };

  test("need add_vpcs to create, and then have read_write on what they made", async () => {
    on = await openSession({ users });
    const [maker, none, boss] = [on.as("maker-token"), on.as("none-token"), on.as("boss-token")];
    const body = { label: "mine", region: "us-east", subnets: [{ label: "s", ipv4: "10.0.0.0/24" }] };
    expect(await none.refused(403, "POST", "/vpcs", body)).toEqual([{ reason: "Unauthorized" }]);
    const mine = await maker.post("/vpcs", body);
    const other = await boss.post("/vpcs", { ...body, label: "other" });
    expect(await maker.list("/vpcs")).toEqual([mine]);
    expect(await none.list("/vpcs")).toEqual([]);
    expect(await boss.list("/vpcs")).toEqual([mine, other]);

    expect(await maker.put(`/vpcs/${mine.id}`, { label: "renamed" })).toMatchObject({ label: "renamed" });
    await maker.post(`/vpcs/${mine.id}/subnets`, { label: "t", ipv4: "10.0.1.0/24" });
    for (const [method, path, sent] of [
      ["GET", "", undefined],
      ["GET", "/ips", undefined],
      ["PUT", "", {}],
      ["DELETE", "", undefined],
      ["POST", "/subnets", { label: "t", ipv4: "10.0.1.0/24" }],
      ["PUT", `/subnets/${other.subnets[0].id}`, {}],
      ["DELETE", `/subnets/${other.subnets[0].id}`, undefined],
    ] as const)
      expect(await maker.refused(403, method, `/vpcs/${other.id}${path}`, sent)).toEqual([
        { reason: "Unauthorized" },
      ]);
    expect(await maker.remove(`/vpcs/${mine.id}`)).toEqual({});
  });

  test("with read_only on a VPC see it and cannot change it", async () => {
    on = await openSession({ users });
    const boss = on.as("boss-token");
    const vpc = await boss.post("/vpcs", {
      label: "seen",
      region: "us-east",
      subnets: [{ label: "s", ipv4: "10.0.0.0/24" }],
    });
    await boss.put("/account/users/none/grants", { vpc: [{ id: vpc.id, permissions: "read_only" }] });
    const none = on.as("none-token");
    expect(await none.list("/vpcs")).toEqual([vpc]);
    expect(await none.get(`/vpcs/${vpc.id}/subnets/${vpc.subnets[0].id}`)).toEqual(vpc.subnets[0]);
    await none.refused(403, "PUT", `/vpcs/${vpc.id}`, { label: "x" });
    await none.refused(403, "DELETE", `/vpcs/${vpc.id}`);
    await none.refused(403, "POST", `/vpcs/${vpc.id}/subnets`, { label: "t", ipv4: "10.0.1.0/24" });
    await none.refused(403, "DELETE", `/vpcs/${vpc.id}/subnets/${vpc.subnets[0].id}`);
  });

  test("reading needs no scope, writing needs vpc:read_write, addresses need ips:read_only", async () => {
    on = await openSession({ users });
    const reader = on.as("reader-token");
    expect(await reader.list("/vpcs")).toEqual([]);
    await reader.refused(401, "POST", "/vpcs", { label: "x", region: "us-east" });
    await reader.refused(401, "GET", "/vpcs/ips");
  });
});
