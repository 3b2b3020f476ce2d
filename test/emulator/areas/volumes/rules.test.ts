import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  emptySlots,
  eventsOf,
  makeInstance,
  onlyConfig,
  openSession,
  type Reason,
  type Session,
} from "../../session.ts";

let on: Session;
let serial = 0;
const fresh = () => `v${++serial}`;
const makeVolume = (fields: object = {}) =>
  on.post("/volumes", { label: fresh(), region: "us-east", ...fields });
const fields = (reasons: readonly Reason[]) => reasons.map(({ field }) => field);

beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

describe("the label of a volume (contract section 2.10; notes, section 10)", () => {
  test.each([
    ["a digit first", "1data", "Must begin with a letter"],
    ["a hyphen first", "-data", "Must begin with a letter"],
    ["one letter", "d", "Must have at least two characters"],
    ["a space", "my data", "Must only use ASCII letters, numbers, underscores, and dashes"],
    ["a letter outside ASCII", "datü", "Must only use ASCII letters, numbers, underscores, and dashes"],
    ["two hyphens in a row", "da--ta", "Must not have two dashes or two underscores in a row"],
    ["two underscores in a row", "da__ta", "Must not have two dashes or two underscores in a row"],
    ["no character", "", "Length must be 1-32 characters"],
    ["33 characters", "d".repeat(33), "Length must be 1-32 characters"],
  ])("with %s is refused in create, update and clone", async (_, label, reason) => {
    const volume = await makeVolume();
    on.wait(5);
    const expected = { reason, field: "label" };
    expect(await on.refused(400, "POST", "/volumes", { label, region: "us-east" })).toContainEqual(expected);
    expect(await on.refused(400, "PUT", `/volumes/${volume.id}`, { label })).toContainEqual(expected);
    expect(await on.refused(400, "POST", `/volumes/${volume.id}/clone`, { label })).toContainEqual(expected);
  });

  test.each([["ab"], ["a-"], ["A_b-C"], ["a".repeat(32)]])(
    "may be %s, and is part of the path",
    async (label) => {
      const volume = await makeVolume({ label });
      expect(volume.filesystem_path).toBe(`/dev/disk/by-id/scsi-0Compute_Volume_${label}`);
    },
  );

  test("is unique on the account, and may stay its own", async () => {
    const [one, two] = [await makeVolume({ label: "only" }), await makeVolume()];
    on.wait(5);
    const taken = [{ reason: "Label must be unique among your volumes", field: "label" }];
    expect(await on.refused(400, "POST", "/volumes", { label: "only", region: "us-iad" })).toEqual(taken);
    expect(await on.refused(400, "PUT", `/volumes/${two.id}`, { label: "only" })).toEqual(taken);
    expect(await on.refused(400, "POST", `/volumes/${two.id}/clone`, { label: "only" })).toEqual(taken);
    expect(await on.put(`/volumes/${one.id}`, { label: "only" })).toMatchObject({ label: "only" });
    await on.remove(`/volumes/${one.id}`);
    expect(await on.put(`/volumes/${two.id}`, { label: "only" })).toMatchObject({ label: "only" });
  });

  test("is required", async () => {
    expect(await on.refused(400, "POST", "/volumes", { region: "us-east" })).toEqual([
      { reason: "label is required", field: "label" },
    ]);
  });
});

describe("the size of a volume", () => {
  test("is 20 GB unless it is given", async () => {
    expect((await makeVolume()).size).toBe(20);
    expect((await makeVolume({ size: 10 })).size).toBe(10);
    expect((await makeVolume({ size: 10240 })).size).toBe(10240);
  });

  test.each([[9], [10241], [0], [-20]])("cannot be %i", async (size) => {
    const refused = [{ reason: "Must be 10-10240", field: "size" }];
    expect(await on.refused(400, "POST", "/volumes", { label: fresh(), region: "us-east", size })).toEqual(
      refused,
    );
    const { id } = await makeVolume();
    on.wait(5);
    expect(await on.refused(400, "POST", `/volumes/${id}/resize`, { size })).toEqual(refused);
  });

  test.each([["20"], [20.5], [true]])("cannot be %j", async (size) => {
    expect(await on.refused(400, "POST", "/volumes", { label: fresh(), region: "us-east", size })).toEqual([
      { reason: "Must be of type Integer", field: "size" },
    ]);
  });

  test.each([
    [40, "Volumes can only be resized up: it has 40 GB"],
    [39, "Volumes can only be resized up: it has 40 GB"],
  ])("of 40 cannot become %i (contract section 7)", async (size, reason) => {
    const { id } = await makeVolume({ size: 40 });
    on.wait(5);
    expect(await on.refused(400, "POST", `/volumes/${id}/resize`, { size })).toEqual([
      { reason, field: "size" },
    ]);
    expect(await on.get(`/volumes/${id}`)).toMatchObject({ size: 40, status: "active" });
  });

  test("and the instance are no part of an update (notes, section 1.4)", async () => {
    const volume = await makeVolume();
    const sent = { ...volume, size: 100, compute_id: 5, region: "us-iad", tags: ["a"] };
    expect(await on.put(`/volumes/${volume.id}`, sent)).toMatchObject({
      size: 20,
      compute_id: null,
      region: "us-east",
      tags: ["a"],
    });
  });
});

describe("where a volume is made", () => {
  test("must be said", async () => {
    expect(await on.refused(400, "POST", "/volumes", { label: fresh() })).toEqual([
      { reason: "Must provide a region or a Compute ID" },
    ]);
  });

  test.each([
    ["atlantis", "region is not valid"],
    ["us-den-edge-1", "Volumes are not available in this region"],
  ])("cannot be %s", async (region, reason) => {
    expect(await on.refused(400, "POST", "/volumes", { label: fresh(), region })).toEqual([
      { reason, field: "region" },
    ]);
  });

  test("decides what it is made of", async () => {
    expect((await makeVolume({ region: "us-east" })).hardware_type).toBe("nvme");
    expect((await makeVolume({ region: "ap-northeast" })).hardware_type).toBe("hdd");
  });

  test("may be the instance's, said or not, and no other", async () => {
    const { id } = await makeInstance(on);
    for (const region of [undefined, "us-east"]) {
      const volume = await on.post("/volumes", { label: fresh(), compute_id: id, region });
      expect(volume).toMatchObject({ region: "us-east", compute_id: id });
    }
    expect(
      await on.refused(400, "POST", "/volumes", { label: fresh(), compute_id: id, region: "us-iad" }),
    ).toEqual([{ reason: "The instance is in us-east", field: "region" }]);
  });
});

describe("the configuration profile of an attachment", () => {
  test("cannot be named without an instance, except as 0, which clients send for none", async () => {
    const body = { label: fresh(), region: "us-east" };
    expect(await on.refused(400, "POST", "/volumes", { ...body, config_id: 7 })).toEqual([
      { reason: "Must not be sent without compute_id", field: "config_id" },
    ]);
    expect(await on.post("/volumes", { ...body, config_id: 0 })).toMatchObject({ compute_id: null });
  });

  test("must be the instance's own, in create and in attach", async () => {
    const [one, two] = [await makeInstance(on), await makeInstance(on)];
    const foreign = (await onlyConfig(on, two.id)).id;
    const volume = await makeVolume();
    const refused = [{ reason: "config_id is not valid", field: "config_id" }];
    for (const config_id of [foreign, 1]) {
      const target = { compute_id: one.id, config_id };
      expect(await on.refused(400, "POST", "/volumes", { label: fresh(), ...target })).toEqual(refused);
      expect(await on.refused(400, "POST", `/volumes/${volume.id}/attach`, target)).toEqual(refused);
    }
  });

  test("is the only one of an instance that never booted, and must be named when there are two", async () => {
    const { id } = await makeInstance(on, { booted: false });
    const first = await onlyConfig(on, id);
    const attached = await makeVolume();
    await on.post(`/volumes/${attached.id}/attach`, { compute_id: id, config_id: 0 });
    const second = await on.post(`/compute/instances/${id}/configs`, { label: "second" });
    const volume = await makeVolume();
    for (const [path, body] of [
      ["/volumes", { label: fresh(), compute_id: id }],
      [`/volumes/${volume.id}/attach`, { compute_id: id }],
    ] as const)
      expect(fields(await on.refused(400, "POST", path, body))).toEqual(["config_id"]);
    await on.post(`/volumes/${volume.id}/attach`, { compute_id: id, config_id: second.id });
    const [one, two] = await on.list(`/compute/instances/${id}/configs`);
    expect(one).toMatchObject({ id: first.id, devices: { sdc: { disk_id: null, volume_id: attached.id } } });
    expect(two).toMatchObject({ id: second.id, devices: { sda: { disk_id: null, volume_id: volume.id } } });
  });

  test("is the one booted last", async () => {
    const { id } = await makeInstance(on);
    const { id: second } = await on.post(`/compute/instances/${id}/configs`, { label: "second" });
    await on.post(`/compute/instances/${id}/reboot`, { config_id: second });
    on.wait(30);
    const volume = await makeVolume();
    await on.post(`/volumes/${volume.id}/attach`, { compute_id: id });
    const [one, two] = await on.list(`/compute/instances/${id}/configs`);
    expect(one.devices.sdc).toBeNull();
    expect(two.devices.sda).toEqual({ disk_id: null, volume_id: volume.id });
  });

  test("cannot be chosen on an instance without any", async () => {
    const { id } = await makeInstance(on, { image: undefined, root_pass: undefined });
    const volume = await makeVolume();
    for (const [path, body] of [
      ["/volumes", { label: fresh(), compute_id: id }],
      [`/volumes/${volume.id}/attach`, { compute_id: id }],
    ] as const)
      expect(fields(await on.refused(400, "POST", path, body))).toEqual(["config_id"]);
  });

  test("needs a free slot, which a detach frees", async () => {
    const { id } = await makeInstance(on, { booted: false });
    const attached = [];
    for (let slot = 0; slot < 6; slot++)
      attached.push(await on.post("/volumes", { label: fresh(), compute_id: id }));
    expect(fields(await on.refused(400, "POST", "/volumes", { label: fresh(), compute_id: id }))).toEqual([
      "config_id",
    ]);
    await on.post(`/volumes/${attached[2]?.id}/detach`);
    const next = await on.post("/volumes", { label: fresh(), compute_id: id });
    expect((await onlyConfig(on, id)).devices.sde).toEqual({ disk_id: null, volume_id: next.id });
  });
});

describe("attach", () => {
  test("needs an instance that exists", async () => {
    const { id } = await makeVolume();
    expect(await on.refused(400, "POST", `/volumes/${id}/attach`, { compute_id: 1 })).toEqual([
      { reason: "compute_id is not valid", field: "compute_id" },
    ]);
    expect(await on.refused(400, "POST", `/volumes/${id}/attach`, {})).toEqual([
      { reason: "compute_id is required", field: "compute_id" },
    ]);
    expect(fields(await on.refused(400, "POST", "/volumes", { label: fresh(), compute_id: 1 }))).toEqual([
      "compute_id",
    ]);
  });

  test("needs the volume and the instance in one region (contract section 3)", async () => {
    const { id } = await makeInstance(on, { region: "us-iad" });
    const volume = await makeVolume({ region: "us-east" });
    for (const persist_across_boots of [true, false]) {
      const body = { compute_id: id, persist_across_boots };
      expect(await on.refused(400, "POST", `/volumes/${volume.id}/attach`, body)).toEqual([
        { reason: "The volume is in us-east, but the instance is in us-iad", field: "compute_id" },
      ]);
    }
  });

  test("of an attached volume is refused, to the same instance too", async () => {
    const [one, two] = [await makeInstance(on), await makeInstance(on)];
    const volume = await on.post("/volumes", { label: fresh(), compute_id: one.id });
    for (const { id } of [one, two]) {
      const [reason] = await on.refused(400, "POST", `/volumes/${volume.id}/attach`, { compute_id: id });
      expect(reason?.reason).toContain("is already attached");
    }
  });

  test("that does not persist needs a running instance and no profile (contract section 2.10)", async () => {
    const running = await makeInstance(on);
    const offline = await makeInstance(on, { booted: false });
    const { id: config_id } = await onlyConfig(on, running.id);
    const { id } = await makeVolume();
    const path = `/volumes/${id}/attach`;
    const off = { persist_across_boots: false };
    expect(await on.refused(400, "POST", path, { ...off, compute_id: running.id, config_id })).toEqual([
      { reason: "Must not be sent when persist_across_boots is false", field: "config_id" },
    ]);
    expect(await on.refused(400, "POST", path, { ...off, compute_id: offline.id })).toEqual([
      { reason: "The instance must be running", field: "persist_across_boots" },
    ]);
    expect(await on.post(path, { ...off, compute_id: running.id, config_id: 0 })).toMatchObject({
      compute_id: running.id,
    });
    expect(JSON.stringify((await onlyConfig(on, running.id)).devices)).not.toContain(`"volume_id":${id}`);
  });
});

describe("how many volumes an instance takes (contract section 8)", () => {
  /** Attaches without persistence until it is refused; returns how many there were. */
  async function fill(computeId: number): Promise<number> {
    for (let attached = 0; ; attached++) {
      const { id } = await makeVolume();
      const answer = await fetch(`${on.emulator.baseUrl}/volumes/${id}/attach`, {
        method: "POST",
        headers: { authorization: `Bearer ${on.emulator.token}`, "content-type": "application/json" },
        body: JSON.stringify({ compute_id: computeId, persist_across_boots: false }),
      });
      if (answer.status === 200) continue;
      expect(await answer.json()).toMatchObject({ errors: [{ field: "compute_id" }] });
      return attached;
    }
  }

  test.each([
    ["g6-nanode-1", 1, 8],
    ["g6-standard-1", 2, 8],
    ["g6-standard-4", 8, 8],
    ["g6-standard-6", 16, 16],
    ["g7-highmem-1", 24, 24],
    ["g6-standard-16", 64, 64],
    ["g6-standard-20", 96, 64],
  ])("%s with %i GB takes %i", async (type, memory, most) => {
    const instance = await makeInstance(on, { type });
    expect(instance.specs.memory).toBe(memory * 1024);
    expect(await fill(instance.id)).toBe(most);
    expect(await on.list(`/compute/instances/${instance.id}/volumes`)).toHaveLength(most);
  });

  test("across boots is 8 whatever its memory, and lasting ones count among all", async () => {
    const { id } = await makeInstance(on, { type: "g6-standard-6" });
    await emptySlots(on, id);
    for (let slot = 0; slot < 8; slot++) await on.post("/volumes", { label: fresh(), compute_id: id });
    await on.post(`/compute/instances/${id}/configs`, { label: "second" });
    const [, second] = await on.list(`/compute/instances/${id}/configs`);
    const ninth = { label: fresh(), compute_id: id, config_id: second.id };
    expect(await on.refused(400, "POST", "/volumes", ninth)).toEqual([
      { reason: "At most 8 volumes can be attached across boots", field: "compute_id" },
    ]);
    expect(await fill(id)).toBe(8);
  });
});

describe("states that refuse (contract section 3)", () => {
  /** Sets what only the platform can set, by editing the account. */
  function setStatus(id: number, status: string): void {
    const data = on.emulator.data() as { collections: { volumes: { id: number; status: string }[] } };
    const stored = data.collections.volumes.find((volume) => volume.id === id);
    if (!stored) throw new Error(`no volume ${id}`);
    stored.status = status;
    on.emulator.setData(data);
  }

  test.each([["creating"], ["resizing"], ["migrating"], ["offline"], ["contact_support"]])(
    "%s refuses clone and resize",
    async (status) => {
      const { id } = await makeVolume();
      on.wait(5);
      setStatus(id, status);
      for (const [verb, body] of [
        ["clone", { label: fresh() }],
        ["resize", { size: 100 }],
      ] as const)
        expect(await on.refused(400, "POST", `/volumes/${id}/${verb}`, body)).toEqual([
          { reason: `Volume must be active, but is ${status}` },
        ]);
    },
  );

  test("migrating refuses delete, until it has ended", async () => {
    const { id } = await makeVolume();
    on.wait(5);
    setStatus(id, "migrating");
    const [reason] = await on.refused(400, "DELETE", `/volumes/${id}`);
    expect(reason?.reason).toContain("migrating");
    on.wait(3600);
    expect((await on.get(`/volumes/${id}`)).status).toBe("migrating");
    setStatus(id, "active");
    expect(await on.remove(`/volumes/${id}`)).toEqual({});
  });

  test("creating allows update, attach and delete", async () => {
    const { id: compute_id } = await makeInstance(on);
    const { id } = await makeVolume();
    expect(await on.put(`/volumes/${id}`, { label: fresh() })).toMatchObject({ status: "creating" });
    expect(await on.post(`/volumes/${id}/attach`, { compute_id })).toMatchObject({
      status: "creating",
      compute_id,
    });
    expect(await on.remove(`/volumes/${(await makeVolume()).id}`)).toEqual({});
  });

  test("attached to an instance that is not running takes delete, and frees its slot", async () => {
    const { id: compute_id } = await makeInstance(on);
    const { id } = await makeVolume({ compute_id });
    await on.post(`/compute/instances/${compute_id}/shutdown`);
    on.wait(10);
    expect(await on.get(`/volumes/${id}`)).toMatchObject({ compute_id });
    expect(await on.remove(`/volumes/${id}`)).toEqual({});
    await on.refused(404, "GET", `/volumes/${id}`);
    const { devices } = await onlyConfig(on, compute_id);
    expect(Object.values(devices)).not.toContainEqual({ disk_id: null, volume_id: id });
    expect(await on.list(`/compute/instances/${compute_id}/volumes`)).toEqual([]);
    const events = await eventsOf(on, "volume", id);
    expect(events.at(-1)).toMatchObject({ action: "volume_delete" });
    expect(events.filter(({ status }) => status !== "finished" && status !== "notification")).toEqual([]);
  });

  test("attached to a running instance refuses delete, until the detach has taken effect", async () => {
    const { id: compute_id } = await makeInstance(on);
    const { id } = await makeVolume({ compute_id });
    for (const before of [false, true]) {
      if (before) await on.post(`/volumes/${id}/detach`);
      const [reason] = await on.refused(400, "DELETE", `/volumes/${id}`);
      expect(reason?.reason).toContain("attached");
    }
    on.wait(10);
    expect(await on.remove(`/volumes/${id}`)).toEqual({});
    await on.refused(404, "GET", `/volumes/${id}`);
  });
});

test("an unknown volume is 404 for every operation", async () => {
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PUT", "", {}],
    ["DELETE", "", undefined],
    ["POST", "/attach", { compute_id: 1 }],
    ["POST", "/detach", {}],
    ["POST", "/clone", { label: "copy" }],
    ["POST", "/resize", { size: 30 }],
  ] as const)
    expect(await on.refused(404, method, `/volumes/1${path}`, body)).toEqual([{ reason: "Not found" }]);
});
