/** The addresses of an instance and the size of its disks, which clients ask for beside the contract (notes, section 12). */

import { afterEach, describe, expect, test } from "vitest";
import { eventsOf, makeInstance, openSession, type Session } from "../../session.ts";

let on: Session;
afterEach(() => on.close());

describe("the addresses of an instance", () => {
  test("are told by kind, with what they stand for in a VPC", async () => {
    on = await openSession();
    const vpc = await on.post("/vpcs", {
      label: "net",
      region: "us-east",
      subnets: [{ label: "a", ipv4: "10.0.0.0/24" }],
    });
    const [subnet] = vpc.subnets;
    const interfaces = [{ purpose: "vpc", subnet_id: subnet.id, ipv4: { nat_1_1: "any" } }];
    const { id, ipv4, ipv6 } = await makeInstance(on, { private_ip: true, interfaces });
    const told = await on.get(`/compute/instances/${id}/ips`);
    const [address, inside] = ipv4;
    expect(told.ipv4.public).toEqual([
      {
        ...{
          address,
          gateway: address.replace(/\d+$/, "1"),
          subnet_mask: "255.255.255.0",
          prefix: 24,
          type: "ipv4",
        },
        ...{ public: true, rdns: null, compute_id: id, region: "us-east" },
        vpc_nat_1_1: { address: "10.0.0.2", subnet_id: subnet.id, vpc_id: vpc.id },
      },
    ]);
    expect(told.ipv4.private).toMatchObject([
      { address: inside, public: false, gateway: null, vpc_nat_1_1: null },
    ]);
    expect(told.ipv4.vpc).toEqual(await on.list(`/vpcs/${vpc.id}/ips`));
    expect(told.ipv6.slaac).toMatchObject({ address: ipv6.replace("/128", ""), prefix: 64, compute_id: id });
    expect(told.ipv6.link_local.address).toMatch(/^fe80::/);
  });

  test("are added, named and taken away", async () => {
    on = await openSession();
    const { id, ipv4 } = await makeInstance(on);
    const path = `/compute/instances/${id}/ips`;
    const second = await on.post(path, { type: "ipv4", public: true });
    const inside = await on.post(path, { type: "ipv4", public: false });
    expect((await on.get(`/compute/instances/${id}`)).ipv4).toEqual([
      ...ipv4,
      second.address,
      inside.address,
    ]);
    expect(await on.put(`${path}/${second.address}`, { rdns: "www.ours.test" })).toEqual({
      ...second,
      rdns: "www.ours.test",
    });
    expect((await on.get(path)).ipv4.public[1].rdns).toBe("www.ours.test");
    expect(await on.put(`${path}/${second.address}`, {})).toMatchObject({ rdns: "www.ours.test" });
    expect(await on.put(`${path}/${second.address}`, { rdns: null })).toEqual(second);
    expect(await on.remove(`${path}/${second.address}`)).toEqual({});
    await on.refused(404, "GET", `${path}/${second.address}`);
    expect((await on.get(`/compute/instances/${id}`)).ipv4).toEqual([...ipv4, inside.address]);
    expect((await eventsOf(on, "compute", id)).map(({ action }) => action)).toContain("compute_deleteip");
  });

  test("are refused what would leave the instance or a VPC without one", async () => {
    on = await openSession();
    const vpc = await on.post("/vpcs", {
      label: "net",
      region: "us-east",
      subnets: [{ label: "a", ipv4: "10.0.0.0/24" }],
    });
    const interfaces = [{ purpose: "vpc", subnet_id: vpc.subnets[0].id, ipv4: { nat_1_1: "any" } }];
    const { id, ipv4 } = await makeInstance(on, { private_ip: true, interfaces });
    const path = `/compute/instances/${id}/ips`;
    const reason = async (method: string, at: string, body?: object) =>
      (await on.refused(400, method, `${path}${at}`, body)).map(({ reason }) => reason).join();
    expect(await reason("DELETE", `/${ipv4[0]}`)).toContain("only public");
    expect(await reason("DELETE", `/${ipv4[1]}`)).toContain("private address stays");
    await on.post(path, { type: "ipv4", public: true });
    expect(await reason("DELETE", `/${ipv4[0]}`)).toContain("nat_1_1");
    expect(await reason("POST", "", { type: "ipv4", public: false })).toContain("one private");
    expect(await reason("POST", "", { type: "ipv6", public: true })).toContain("ipv4");
    for (const rdns of ["", "no name", "one", "-a.test", `${"a".repeat(64)}.test`])
      expect(await reason("PUT", `/${ipv4[0]}`, { rdns })).toContain("domain name");
    expect(await reason("PUT", `/${ipv4[1]}`, { rdns: "in.ours.test" })).toContain("private");
    const other = await makeInstance(on);
    for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const)
      await on.refused(404, method, `${path}/${other.ipv4[0]}`, body);
  });
});

describe("a disk is resized", () => {
  async function stopped() {
    on = await openSession();
    const { id } = await makeInstance(on);
    await on.post(`/compute/instances/${id}/shutdown`);
    on.wait(10);
    const [disk] = await on.list(`/compute/instances/${id}/disks`);
    return { id, disk, path: `/compute/instances/${id}/disks/${disk.id}` };
  }

  test("within what the plan has, and is ready after a while", async () => {
    const { id, disk, path } = await stopped();
    expect(await on.post(`${path}/resize`, { size: 10_000 })).toEqual({});
    expect(await on.get(path)).toMatchObject({ size: 10_000, status: "not ready" });
    await on.refused(400, "POST", `${path}/resize`, { size: 9_000 });
    on.wait(10);
    expect(await on.get(path)).toMatchObject({ size: 10_000, status: "ready" });
    expect(await on.post(`${path}/resize`, { size: disk.size })).toEqual({});
    on.wait(10);
    expect(await on.get(path)).toMatchObject({ size: disk.size, status: "ready" });
    const events = (await eventsOf(on, "compute", id)).filter(({ action }) => action === "disk_resize");
    expect(events.map(({ status }) => status)).toEqual(["finished", "finished"]);
  });

  test("not beyond the plan, not to nothing, and not while the instance runs", async () => {
    const { id, disk, path } = await stopped();
    for (const size of [disk.size + 1, 0, -1, "big"]) {
      const [reason] = await on.refused(400, "POST", `${path}/resize`, { size });
      expect(reason?.field).toBe("size");
    }
    await on.refused(400, "POST", `${path}/resize`, {});
    await on.post(`/compute/instances/${id}/boot`);
    expect(await on.refused(400, "POST", `${path}/resize`, { size: 5_000 })).toEqual([
      { reason: "Compute busy." },
    ]);
    on.wait(20);
    const [running] = await on.refused(400, "POST", `${path}/resize`, { size: 5_000 });
    expect(running?.reason).toContain("powered off");
    expect(await on.get(path)).toMatchObject({ size: disk.size });
  });
});
