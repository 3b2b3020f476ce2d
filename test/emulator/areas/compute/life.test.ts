import { afterEach, describe, expect, test } from "vitest";
import { durations } from "../../../../emulator/areas/durations.ts";
import { eventsOf, makeInstance, onlyConfig, openSession, type Session } from "../../session.ts";

let on: Session;
afterEach(() => on.close());

const create = {
  region: "us-east",
  type: "g6-standard-2",
  image: "compute/debian12",
  root_pass: "correct horse battery",
};
const instance = (id: number) => on.get(`/compute/instances/${id}`);
const status = async (id: number) => (await instance(id)).status;

describe("an instance (notes, section 12)", () => {
  test("with an image is provisioned, booted and running, and tells so", async () => {
    on = await openSession();
    const made = await on.post("/compute/instances", { ...create, label: "web-1", tags: ["web"] });
    expect(made).toMatchObject({
      label: "web-1",
      status: "provisioning",
      image: "compute/debian12",
      specs: { disk: 81920, memory: 4096, vcpus: 2, gpus: 0, transfer: 4000 },
      tags: ["web"],
      ipv4: [expect.stringMatching(/^198\.(18|19)\.\d+\.\d+$/)],
      host_uuid: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    on.wait(durations.instanceProvisioned);
    expect(await status(made.id)).toBe("booting");
    on.wait(durations.instanceBooted);
    expect(await status(made.id)).toBe("running");
    const events = await eventsOf(on, "compute", made.id);
    expect(events.map((event) => `${event.action} ${event.status}`)).toEqual([
      "compute_create finished",
      "compute_boot finished",
    ]);
    expect(events[1].secondary_entity).toMatchObject({ type: "compute_config" });
    expect(JSON.stringify(on.emulator.data())).not.toContain(create.root_pass);
  });

  test("without an image, or not to be booted, ends offline", async () => {
    on = await openSession();
    const { region, type } = create;
    const bare = await on.post("/compute/instances", { region, type });
    const unbooted = await on.post("/compute/instances", { ...create, booted: false });
    on.wait(60);
    expect(await instance(bare.id)).toMatchObject({
      status: "offline",
      image: null,
      label: `compute${bare.id}`,
    });
    expect(await status(unbooted.id)).toBe("offline");
    expect(await on.list(`/compute/instances/${bare.id}/configs`)).toEqual([]);
    expect(await on.list(`/compute/instances/${bare.id}/disks`)).toEqual([]);
  });

  test("brings the disks and the configuration profile of its image", async () => {
    on = await openSession();
    const { id } = await makeInstance(on);
    const disks = await on.list(`/compute/instances/${id}/disks`);
    expect(disks).toMatchObject([
      { status: "ready", filesystem: "ext4", size: 81408 },
      { status: "ready", filesystem: "swap", size: 512 },
    ]);
    const config = await onlyConfig(on, id);
    expect(config).toMatchObject({
      root_device: "/dev/sda",
      devices: {
        sda: { disk_id: disks[0].id, volume_id: null },
        sdb: { disk_id: disks[1].id },
        sdc: null,
        sdh: null,
      },
      helpers: { network: true },
      interfaces: [],
    });
  });

  test("is busy between states, with the text that clients repeat on", async () => {
    on = await openSession();
    const { id } = await on.post("/compute/instances", create);
    const busy = [{ reason: "Compute busy." }];
    for (const verb of ["boot", "reboot", "shutdown"])
      expect(await on.refused(400, "POST", `/compute/instances/${id}/${verb}`)).toEqual(busy);
    on.wait(60);
    await on.post(`/compute/instances/${id}/shutdown`);
    expect(await status(id)).toBe("shutting_down");
    expect(await on.refused(400, "POST", `/compute/instances/${id}/boot`, {})).toEqual(busy);
    on.wait(durations.instanceShutDown);
    expect(await status(id)).toBe("offline");
    expect(await on.post(`/compute/instances/${id}/shutdown`)).toEqual({});
    await on.refused(400, "POST", `/compute/instances/${id}/reboot`);
    await on.post(`/compute/instances/${id}/boot`, { config_id: null });
    on.wait(durations.instanceBooted);
    expect(await status(id)).toBe("running");
    await on.refused(400, "POST", `/compute/instances/${id}/boot`);
    await on.post(`/compute/instances/${id}/reboot`);
    expect(await status(id)).toBe("rebooting");
    on.wait(durations.instanceRebooted);
    expect(await status(id)).toBe("running");
  });

  test("takes everything with it when it is deleted, whatever it was doing, but volumes", async () => {
    on = await openSession();
    const { id } = await on.post("/compute/instances", create);
    const { id: volume } = await on.post("/volumes", { label: "data", compute_id: id });
    expect(await on.remove(`/compute/instances/${id}`)).toEqual({});
    on.wait(100);
    await on.refused(404, "GET", `/compute/instances/${id}`);
    expect(await on.get(`/volumes/${volume}`)).toMatchObject({ compute_id: null, status: "active" });
    const { collections, jobs } = on.emulator.data() as {
      collections: { [name: string]: unknown[] };
      jobs: unknown[];
    };
    for (const name of ["computeInstances", "computeConfigs", "computeDisks", "computeInterfaces"])
      expect(collections[name] ?? []).toEqual([]);
    expect(jobs).toEqual([]);
  });

  test("has an address of its own, and a private one when asked", async () => {
    on = await openSession();
    const made = [];
    for (let at = 0; at < 3; at++)
      made.push(await on.post("/compute/instances", { ...create, private_ip: true }));
    const all = made.flatMap(({ ipv4 }) => ipv4);
    expect(new Set(all).size).toBe(6);
    expect(made[0].ipv4[1]).toMatch(/^192\.168\.128\./);
    expect((await on.list("/compute/instances", { ipv4: made[1].ipv4[0] })).map(({ id }) => id)).toEqual([
      made[1].id,
    ]);
  });

  test("changes label, tags and alerts", async () => {
    on = await openSession();
    const { id, alerts } = await makeInstance(on);
    const after = await on.put(`/compute/instances/${id}`, {
      label: "new.name",
      tags: ["a"],
      alerts: { cpu: 0 },
    });
    expect(after).toMatchObject({ label: "new.name", tags: ["a"], alerts: { ...alerts, cpu: 0 } });
  });
});

test.each([
  ["an unknown region", { region: "atlantis" }, ["region"]],
  ["an unknown type", { type: "g6-huge" }, ["type"]],
  ["a premium type where there are none", { type: "g7-premium-2", region: "us-west" }, ["type"]],
  ["an unknown image", { image: "compute/beos" }, ["image"]],
  ["an image without password", { root_pass: undefined }, ["root_pass"]],
  ["interfaces without image", { image: undefined, interfaces: [{ purpose: "public" }] }, ["interfaces"]],
  ["a label with a space", { label: "my web" }, ["label"]],
  ["a label that ends with a hyphen", { label: "web-" }, ["label"]],
  ["a label of two characters", { label: "ab" }, ["label"]],
  ["a label in use", { label: "taken" }, ["label"]],
  ["neither region nor type", { region: undefined, type: undefined }, ["region", "type"]],
])("an instance with %s is refused", async (_, fields, expected) => {
  on = await openSession();
  await on.post("/compute/instances", { ...create, label: "taken" });
  const reasons = await on.refused(400, "POST", "/compute/instances", { ...create, ...fields });
  expect(reasons.map(({ field }) => field).sort()).toEqual(expected);
  expect(await on.list("/compute/instances")).toHaveLength(1);
});

describe("a configuration profile", () => {
  test("is made, changed in parts and deleted", async () => {
    on = await openSession();
    const { id } = await makeInstance(on);
    const path = `/compute/instances/${id}/configs`;
    const made = await on.post(path, { label: "rescue", run_level: "single", helpers: { network: false } });
    expect(made).toMatchObject({
      label: "rescue",
      kernel: "compute/latest-64bit",
      run_level: "single",
      helpers: { network: false, distro: true },
      devices: { sda: null },
      interfaces: [],
    });
    const changed = await on.put(`${path}/${made.id}`, { comments: "by hand", kernel: "compute/grub2" });
    expect(changed).toEqual({
      ...made,
      comments: "by hand",
      kernel: "compute/grub2",
      updated: changed.updated,
    });
    expect(await on.refused(400, "PUT", `${path}/${made.id}`, { kernel: "compute/0.1" })).toEqual([
      { reason: "kernel is not valid", field: "kernel" },
    ]);
    expect(await on.remove(`${path}/${made.id}`)).toEqual({});
    await on.refused(404, "GET", `${path}/${made.id}`);
  });

  test("is reached through its own instance only", async () => {
    on = await openSession();
    const [one, two] = [await makeInstance(on), await makeInstance(on)];
    const { id } = await onlyConfig(on, one.id);
    for (const method of ["GET", "PUT", "DELETE"])
      await on.refused(
        404,
        method,
        `/compute/instances/${two.id}/configs/${id}`,
        method === "PUT" ? {} : undefined,
      );
  });

  test("attaches the volumes that its devices name, and a stopped instance lets go of those it names no more", async () => {
    on = await openSession();
    const { id } = await makeInstance(on, { booted: false });
    const { id: volume } = await on.post("/volumes", { label: "data", region: "us-east" });
    const path = `/compute/instances/${id}/configs/${(await onlyConfig(on, id)).id}`;
    const devices = { sda: { volume_id: volume }, sdb: {}, sdc: null };
    expect((await on.put(path, { devices })).devices).toMatchObject({
      sda: { volume_id: volume },
      sdb: null,
    });
    expect(await on.get(`/volumes/${volume}`)).toMatchObject({ compute_id: id });
    await on.put(path, { devices: {} });
    expect(await on.get(`/volumes/${volume}`)).toMatchObject({ compute_id: null });
  });

  test("refuses devices that it cannot have", async () => {
    on = await openSession();
    const [own, other] = [await makeInstance(on), await makeInstance(on)];
    const foreignDisk = (await on.list(`/compute/instances/${other.id}/disks`))[0].id;
    const ownDisk = (await on.list(`/compute/instances/${own.id}/disks`))[0].id;
    const attached = (await on.post("/volumes", { label: "attached", compute_id: other.id })).id;
    const far = (await on.post("/volumes", { label: "far", region: "us-iad" })).id;
    const near = (await on.post("/volumes", { label: "near", region: "us-east" })).id;
    const path = `/compute/instances/${own.id}/configs/${(await onlyConfig(on, own.id)).id}`;
    const devices = {
      sda: { disk_id: foreignDisk },
      sdb: { volume_id: attached },
      sdc: { volume_id: far },
      sdd: { volume_id: 1 },
      sde: { disk_id: ownDisk, volume_id: near },
      sdf: { disk_id: ownDisk },
      sdg: { disk_id: ownDisk },
    };
    const reasons = await on.refused(400, "PUT", path, { devices });
    expect(reasons.map(({ field }) => field).sort()).toEqual([
      "devices.sda.disk_id",
      "devices.sdb.volume_id",
      "devices.sdc.volume_id",
      "devices.sdd.volume_id",
      "devices.sde.volume_id",
      "devices.sdg.disk_id",
    ]);
    expect(await on.get(`/volumes/${near}`)).toMatchObject({ compute_id: null });
  });
});

describe("the interfaces of a profile", () => {
  async function place(fields: object = {}) {
    const vpc = await on.post("/vpcs", {
      label: "net",
      region: "us-east",
      subnets: [{ label: "s", ipv4: "10.0.0.0/24" }],
    });
    const made = await makeInstance(on, fields);
    const config = await onlyConfig(on, made.id);
    const path = `/compute/instances/${made.id}/configs/${config.id}`;
    return { vpc, subnet_id: vpc.subnets[0].id as number, made, path };
  }

  test("are added, changed, ordered and removed", async () => {
    on = await openSession();
    const { vpc, subnet_id, made, path } = await place();
    const first = await on.post(`${path}/interfaces`, { purpose: "public", primary: true });
    const second = await on.post(`${path}/interfaces`, { purpose: "vpc", subnet_id });
    const third = await on.post(`${path}/interfaces`, {
      purpose: "vlan",
      label: "lan",
      ipam_address: "10.9.0.1/24",
    });
    expect(first).toEqual({
      id: first.id,
      purpose: "public",
      primary: true,
      active: false,
      ipam_address: null,
      label: null,
      vpc_id: null,
      subnet_id: null,
      ipv4: null,
      ip_ranges: [],
    });
    expect(second).toMatchObject({ vpc_id: vpc.id, subnet_id, ipv4: { vpc: "10.0.0.2", nat_1_1: null } });
    expect(third).toMatchObject({ label: "lan", ipam_address: "10.9.0.1/24" });

    await on.post(`${path}/interfaces/order`, { ids: [third.id, first.id, second.id] });
    expect((await on.get(`${path}/interfaces`)).map(({ id }: { id: number }) => id)).toEqual([
      third.id,
      first.id,
      second.id,
    ]);
    for (const ids of [[], [first.id], [first.id, first.id, second.id], [first.id, second.id, 1]])
      await on.refused(400, "POST", `${path}/interfaces/order`, { ids });

    const item = `${path}/interfaces/${second.id}`;
    expect(await on.put(item, { ipv4: { nat_1_1: "any" }, ip_ranges: ["10.0.0.64/28"] })).toMatchObject({
      ipv4: { vpc: "10.0.0.2", nat_1_1: made.ipv4[0] },
      ip_ranges: ["10.0.0.64/28"],
    });
    expect(await on.put(item, { ipv4: { vpc: "10.0.0.7" } })).toMatchObject({
      ipv4: { vpc: "10.0.0.7", nat_1_1: made.ipv4[0] },
      ip_ranges: ["10.0.0.64/28"],
    });
    expect(await on.put(item, { ipv4: { nat_1_1: null }, ip_ranges: [] })).toMatchObject({
      ipv4: { vpc: "10.0.0.7", nat_1_1: null },
      ip_ranges: [],
    });
    expect(await on.remove(item)).toEqual({});
    expect((await on.get(`${path}/interfaces`)).map(({ id }: { id: number }) => id)).toEqual([
      third.id,
      first.id,
    ]);
  });

  test.each([
    ["a fourth", {}, [{}, {}, {}], { purpose: "vpc" }, "interfaces"],
    ["a second public one", {}, ["public"], { purpose: "public" }, "purpose"],
    ["a primary VLAN", {}, [], { purpose: "vlan", label: "lan", primary: true }, "primary"],
    ["a second primary one", {}, ["primary"], { purpose: "vpc", primary: true }, "primary"],
    ["a VLAN without label", {}, [], { purpose: "vlan", subnet_id: undefined }, "label"],
    ["a VLAN where there are none", { region: "us-west" }, [], { purpose: "vlan", label: "lan" }, "purpose"],
    ["a subnet on a public one", {}, [], { purpose: "public", subnet_id: 1 }, "subnet_id"],
    ["a label on a VPC one", {}, [], { purpose: "vpc", label: "x" }, "label"],
    ["a VPC one without subnet", {}, [], { purpose: "vpc", subnet_id: null }, "subnet_id"],
    ["an unknown subnet", {}, [], { purpose: "vpc", subnet_id: 1 }, "subnet_id"],
    ["a subnet of another region", { region: "us-iad" }, [], { purpose: "vpc" }, "subnet_id"],
    ["an unknown purpose", {}, [], { purpose: "bridge" }, "purpose"],
    ["no purpose", {}, [], { purpose: undefined }, "purpose"],
  ])("cannot be %s", async (_, fields, before, body, field) => {
    on = await openSession();
    const { subnet_id, path } = await place(fields);
    for (const one of before)
      await on.post(
        `${path}/interfaces`,
        one === "public"
          ? { purpose: "public" }
          : { purpose: "vpc", subnet_id, ...(one === "primary" ? { primary: true } : {}) },
      );
    const wanted = body.purpose === "vpc" ? { subnet_id, ...body } : body;
    const reasons = await on.refused(400, "POST", `${path}/interfaces`, wanted);
    expect(reasons.map((reason) => reason.field)).toEqual([field]);
    expect(await on.get(`${path}/interfaces`)).toHaveLength(before.length);
  });

  test("become active with the boot of their profile, and inactive with the shutdown", async () => {
    on = await openSession();
    const { subnet_id, made, path } = await place();
    const { id } = await on.post(`${path}/interfaces`, { purpose: "vpc", subnet_id });
    const active = async () => (await on.get(`${path}/interfaces/${id}`)).active;
    expect(await active()).toBe(false);
    for (const [verb, after] of [
      ["reboot", true],
      ["shutdown", false],
      ["boot", true],
    ] as const) {
      await on.post(`/compute/instances/${made.id}/${verb}`);
      on.wait(30);
      expect(await active()).toBe(after);
    }
  });

  test("given anew with a profile keep id and address where they are alike", async () => {
    on = await openSession();
    const { subnet_id, path } = await place({ booted: false });
    const wanted = [{ purpose: "public" }, { purpose: "vpc", subnet_id }];
    const { interfaces } = await on.put(path, { interfaces: wanted });
    const turned = await on.put(path, { interfaces: [...wanted].reverse() });
    expect(turned.interfaces).toEqual([...interfaces].reverse());
    expect((await on.put(path, { label: "same" })).interfaces).toEqual(turned.interfaces);
    expect((await on.put(path, { interfaces: [] })).interfaces).toEqual([]);
  });
});

describe("disks", () => {
  test("share the space of the plan", async () => {
    on = await openSession();
    const { id } = await makeInstance(on, { image: undefined, root_pass: undefined });
    const path = `/compute/instances/${id}/disks`;
    const made = await on.post(path, {
      size: 80000,
      label: "big",
      image: "compute/debian12",
      root_pass: "long enough",
    });
    expect(made).toMatchObject({ status: "not ready", size: 80000, filesystem: "ext4" });
    on.wait(durations.diskReady);
    expect(await on.get(`${path}/${made.id}`)).toMatchObject({ status: "ready" });
    expect(await on.refused(400, "POST", path, { size: 1921 })).toEqual([
      { reason: "Only 1920 MB are free on this instance", field: "size" },
    ]);
    await on.post(path, { size: 1920 });
    const reasons = await on.refused(400, "POST", path, { size: 1, image: "compute/debian12" });
    expect(reasons.map(({ field }) => field).sort()).toEqual(["root_pass", "size", "size"]);
    expect(await on.put(`${path}/${made.id}`, { label: "renamed" })).toMatchObject({ label: "renamed" });
  });

  test("of the running profile stay; others go, out of every slot", async () => {
    on = await openSession();
    const { id } = await makeInstance(on);
    const [system] = await on.list(`/compute/instances/${id}/disks`);
    await on.refused(400, "DELETE", `/compute/instances/${id}/disks/${system.id}`);
    await on.post(`/compute/instances/${id}/shutdown`);
    on.wait(30);
    expect(await on.remove(`/compute/instances/${id}/disks/${system.id}`)).toEqual({});
    expect((await onlyConfig(on, id)).devices.sda).toBeNull();
  });
});
