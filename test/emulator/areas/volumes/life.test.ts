import { afterEach, describe, expect, test } from "vitest";
import { durations } from "../../../../emulator/areas/durations.ts";
import { eventsOf, makeInstance, onlyConfig, openSession, type Session, slowness } from "../../session.ts";

let on: Session;
afterEach(() => on.close());

const volume = (id: number) => on.get(`/volumes/${id}`);
const status = async (id: number) => (await volume(id)).status;
const told = async (id: number) =>
  (await eventsOf(on, "volume", id)).map(({ action, status: state }) => `${action} ${state}`);

describe("a volume", () => {
  test("is creating, and active after its time; its event goes from scheduled to finished", async () => {
    on = await openSession();
    const made = await on.post("/volumes", { label: "data", region: "us-east", tags: ["b", "a"] });
    expect(made).toEqual({
      id: made.id,
      label: "data",
      status: "creating",
      size: 20,
      region: "us-east",
      compute_id: null,
      compute_label: null,
      filesystem_path: "/dev/disk/by-id/scsi-0Compute_Volume_data",
      tags: ["b", "a"],
      hardware_type: "nvme",
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      updated: made.created,
    });
    expect(await told(made.id)).toEqual(["volume_create scheduled"]);
    on.wait(durations.eventStarted);
    expect(await status(made.id)).toBe("creating");
    expect(await told(made.id)).toEqual(["volume_create started"]);
    on.wait(durations.volumeCreated - durations.eventStarted);
    expect(await status(made.id)).toBe("active");
    expect(await eventsOf(on, "volume", made.id)).toMatchObject([
      {
        action: "volume_create",
        status: "finished",
        percent_complete: 100,
        duration: durations.volumeCreated * slowness,
        username: "owner",
        entity: { id: made.id, label: "data", type: "volume", url: `/v4/volumes/${made.id}` },
      },
    ]);
  });

  test("moves its path, its events and its tags with an update", async () => {
    on = await openSession();
    const { id } = await on.post("/volumes", { label: "old", region: "us-east", tags: ["x"] });
    on.wait(5);
    expect(await on.put(`/volumes/${id}`, { label: "new" })).toMatchObject({
      filesystem_path: "/dev/disk/by-id/scsi-0Compute_Volume_new",
      tags: ["x"],
      status: "active",
    });
    expect(await on.put(`/volumes/${id}`, { tags: [] })).toMatchObject({ label: "new", tags: [] });
    expect(await told(id)).toEqual([
      "volume_create finished",
      "volume_update notification",
      "volume_update notification",
    ]);
  });

  test("has its new size at once while it is resizing", async () => {
    on = await openSession();
    const { id } = await on.post("/volumes", { label: "grow", region: "us-east" });
    on.wait(5);
    expect(await on.post(`/volumes/${id}/resize`, { size: 21 })).toMatchObject({
      size: 21,
      status: "resizing",
    });
    await on.refused(400, "POST", `/volumes/${id}/resize`, { size: 22 });
    on.wait(durations.volumeResized);
    expect(await volume(id)).toMatchObject({ size: 21, status: "active" });
    expect(await told(id)).toEqual(["volume_create finished", "volume_resize notification"]);
  });

  test("is cloned with size and region, without tags and attachment", async () => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on, { region: "us-iad" });
    const source = await on.post("/volumes", { label: "source", compute_id, size: 50, tags: ["a"] });
    on.wait(5);
    const copy = await on.post(`/volumes/${source.id}/clone`, { label: "copy" });
    expect(copy).toMatchObject({
      label: "copy",
      status: "creating",
      size: 50,
      region: "us-iad",
      tags: [],
      compute_id: null,
    });
    await on.refused(400, "POST", `/volumes/${copy.id}/clone`, { label: "copy-2" });
    on.wait(durations.volumeCloned);
    expect(await status(copy.id)).toBe("active");
    expect((await eventsOf(on, "volume", source.id)).at(-1)).toMatchObject({
      action: "volume_clone",
      status: "notification",
      secondary_entity: { id: copy.id, label: "copy", type: "volume" },
    });
  });

  test("leaves one event when it is deleted, even while it is creating", async () => {
    on = await openSession();
    const { id } = await on.post("/volumes", { label: "short", region: "us-east" });
    expect(await on.remove(`/volumes/${id}`)).toEqual({});
    on.wait(60);
    await on.refused(404, "GET", `/volumes/${id}`);
    expect((await told(id)).at(-1)).toBe("volume_delete notification");
    expect(await on.list("/volumes")).toEqual([]);
  });

  test("goes on with its life when the account is put into another emulator", async () => {
    const first = await openSession();
    const { id } = await first.post("/volumes", { label: "carried", region: "us-east" });
    const data = first.emulator.data();
    await first.close();
    on = await openSession();
    on.emulator.setData(data);
    expect(await status(id)).toBe("creating");
    on.wait(durations.volumeCreated);
    expect(await status(id)).toBe("active");
  });

  test("is active by the next read at speed max", async () => {
    on = await openSession({ speed: "instant" });
    const { id, status: first } = await on.post("/volumes", { label: "fast", region: "us-east" });
    expect(first).toBe("creating");
    expect(await status(id)).toBe("active");
    await on.post(`/volumes/${id}/resize`, { size: 30 });
    expect(await status(id)).toBe("active");
  });
});

describe("an attachment", () => {
  test("shows at once in the volume, the profile and the instance's list, and follows the instance's label", async () => {
    on = await openSession();
    const instance = await makeInstance(on, { label: "web-1" });
    const { id } = await on.post("/volumes", { label: "data", region: "us-east" });
    on.wait(5);
    const attached = await on.post(`/volumes/${id}/attach`, { compute_id: instance.id });
    expect(attached).toMatchObject({ compute_id: instance.id, compute_label: "web-1", status: "active" });
    expect((await onlyConfig(on, instance.id)).devices).toMatchObject({
      sdc: { disk_id: null, volume_id: id },
      sdd: null,
    });
    expect(await on.list(`/compute/instances/${instance.id}/volumes`)).toEqual([attached]);
    await on.put(`/compute/instances/${instance.id}`, { label: "web-2" });
    expect(await volume(id)).toMatchObject({ compute_label: "web-2" });

    expect(await told(id)).toEqual(["volume_create finished", "volume_attach scheduled"]);
    on.wait(durations.volumeAttached);
    expect((await eventsOf(on, "volume", id))[1]).toMatchObject({
      action: "volume_attach",
      status: "finished",
      secondary_entity: { id: instance.id, type: "compute", url: `/v4/compute/instances/${instance.id}` },
    });
  });

  test("of a volume made with it tells of both", async () => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on);
    const { id } = await on.post("/volumes", { label: "data", compute_id });
    on.wait(5);
    expect(await told(id)).toEqual(["volume_create finished", "volume_attach finished"]);
  });

  test("to a running instance ends a little after the detach (notes, section 10)", async () => {
    on = await openSession();
    const instance = await makeInstance(on);
    const { id } = await on.post("/volumes", { label: "data", compute_id: instance.id });
    on.wait(5);
    expect(await on.post(`/volumes/${id}/detach`)).toEqual({});
    expect(await on.post(`/volumes/${id}/detach`)).toEqual({});
    on.wait(durations.volumeDetached - 1);
    expect(await volume(id)).toMatchObject({ compute_id: instance.id, compute_label: instance.label });
    on.wait(1);
    expect(await volume(id)).toMatchObject({ compute_id: null, compute_label: null, status: "active" });
    expect((await onlyConfig(on, instance.id)).devices.sdc).toBeNull();
    expect(await told(id)).toEqual([
      "volume_create finished",
      "volume_attach finished",
      "volume_detach finished",
    ]);
    expect(await on.post(`/volumes/${id}/attach`, { compute_id: instance.id })).toMatchObject({
      compute_id: instance.id,
    });
  });

  test("to a stopped instance ends at once", async () => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on, { booted: false });
    const { id } = await on.post("/volumes", { label: "data", compute_id });
    await on.post(`/volumes/${id}/detach`, {});
    expect(await volume(id)).toMatchObject({ compute_id: null });
    expect((await told(id)).at(-1)).toBe("volume_detach finished");
  });

  test("that there is none of is detached without a word (readings)", async () => {
    on = await openSession();
    const { id } = await on.post("/volumes", { label: "loose", region: "us-east" });
    on.wait(5);
    expect(await on.post(`/volumes/${id}/detach`)).toEqual({});
    expect(await told(id)).toEqual(["volume_create finished"]);
  });

  test("lasts across a reboot and a shutdown", async () => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on);
    const { id } = await on.post("/volumes", { label: "lasting", compute_id });
    for (const verb of ["reboot", "shutdown", "boot"]) {
      await on.post(`/compute/instances/${compute_id}/${verb}`);
      on.wait(30);
      expect(await volume(id)).toMatchObject({ compute_id });
    }
  });

  test.each([["reboot"], ["shutdown"]])("that does not persist ends with a %s", async (verb) => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on);
    const { id } = await on.post("/volumes", { label: "passing", region: "us-east" });
    await on.post(`/volumes/${id}/attach`, { compute_id, persist_across_boots: false });
    on.wait(30);
    expect(await volume(id)).toMatchObject({ compute_id });
    await on.post(`/compute/instances/${compute_id}/${verb}`);
    on.wait(30);
    expect(await volume(id)).toMatchObject({ compute_id: null });
    expect((await eventsOf(on, "volume", id)).at(-1)).toMatchObject({
      action: "volume_detach",
      username: null,
    });
  });

  test("ends with the instance, also while a detach is under way (contract section 3)", async () => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on);
    const ids = [];
    for (const label of ["v1", "v2"]) ids.push((await on.post("/volumes", { label, compute_id })).id);
    await on.post(`/volumes/${ids[0]}/detach`);
    await on.remove(`/compute/instances/${compute_id}`);
    for (const id of ids) {
      expect(await volume(id)).toMatchObject({ compute_id: null, compute_label: null });
      expect((await told(id)).at(-1)).toBe("volume_detach finished");
    }
    on.wait(60);
    expect((await told(ids[0])).filter((line) => line.startsWith("volume_detach"))).toHaveLength(1);
  });
});

describe("the list of volumes", () => {
  test("filters by label, tag, region, size and instance, not by status", async () => {
    on = await openSession();
    const { id: compute_id } = await makeInstance(on);
    await on.post("/volumes", { label: "big", region: "us-iad", size: 100, tags: ["db", "Prod"] });
    await on.post("/volumes", { label: "small", compute_id, tags: ["db"] });
    const labels = async (filter: unknown) => (await on.list("/volumes", filter)).map(({ label }) => label);
    expect(await labels({ label: "big" })).toEqual(["big"]);
    expect(await labels({ tags: "db" })).toEqual(["big", "small"]);
    expect(await labels({ tags: "prod" })).toEqual(["big"]);
    expect(await labels({ region: "us-east" })).toEqual(["small"]);
    expect(await labels({ size: { "+gt": 20 } })).toEqual(["big"]);
    expect(await labels({ compute_id })).toEqual(["small"]);
    await expect(labels({ status: "active" })).rejects.toThrow("Cannot filter on status");
  });

  test("and the account's tags show what carries a tag", async () => {
    on = await openSession();
    const { id, tags } = await makeInstance(on, { tags: ["db", "web"] });
    expect(tags).toEqual(["db", "web"]);
    const made = await on.post("/volumes", { label: "tagged", region: "us-east", tags: ["db"] });
    expect(await on.list("/tags")).toEqual([{ label: "db" }, { label: "web" }]);
    expect(await on.list("/tags/db")).toMatchObject([
      { type: "compute", data: { id } },
      { type: "volume", data: { id: made.id, label: "tagged" } },
    ]);
    await on.refused(404, "GET", "/tags/unknown");
  });
});

test("the brand word stands in the path of the file system, in keys and in reasons", async () => {
  on = await openSession({ brand: "acme" });
  const made = await on.post("/volumes", { label: "compute-data", region: "us-east" });
  expect(made).toMatchObject({
    label: "compute-data",
    filesystem_path: "/dev/disk/by-id/scsi-0Acme_Volume_compute-data",
    acme_id: null,
    acme_label: null,
  });
  expect(await on.refused(400, "POST", "/volumes", { label: "other" })).toEqual([
    { reason: "Must provide a region or a Acme ID" },
  ]);
  expect(await on.refused(400, "POST", `/volumes/${made.id}/attach`, { acme_id: 1 })).toEqual([
    { reason: "acme_id is not valid", field: "acme_id" },
  ]);
  const image = await on.get("/images/acme%2Fdebian12");
  expect(image).toMatchObject({ id: "acme/debian12", created_by: "acme" });
  expect((await on.get("/regions/us-east")).capabilities).toContain("Acmes");
});

describe("restricted users (contract sections 4.8 and 5)", () => {
  const users = {
    users: [
      { username: "boss" },
      {
        username: "maker",
        restricted: true,
        grants: { global: { add_volumes: true } },
      },
      { username: "none", restricted: true, grants: { global: {} } },
    ],
    tokens: [
      { token: "boss-token", username: "boss", scopes: "*" },
      { token: "maker-token", username: "maker", scopes: "*" },
      { token: "none-token", username: "none", scopes: "*" },
      { token: "volumes-token", username: "boss", scopes: "volumes:read_write" },
      { token: "reader-token", username: "boss", scopes: "volumes:read_only" },
    ],
  };

  test("need add_volumes to create and to clone, and have read_write on what they made", async () => {
    on = await openSession({ users });
    const [boss, maker, none] = [on.as("boss-token"), on.as("maker-token"), on.as("none-token")];
    const foreign = await boss.post("/volumes", { label: "foreign", region: "us-east" });
    await none.refused(403, "POST", "/volumes", { label: "refused", region: "us-east" });
    const mine = await maker.post("/volumes", { label: "mine", region: "us-east" });
    on.wait(5);
    expect((await maker.list("/volumes")).map(({ id }) => id)).toEqual([mine.id]);
    const copy = await maker.post(`/volumes/${mine.id}/clone`, { label: "copy" });
    expect(await maker.put(`/volumes/${copy.id}`, { tags: ["t"] })).toMatchObject({ tags: ["t"] });
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PUT", "", { tags: [] }],
      ["DELETE", "", undefined],
      ["POST", "/clone", { label: "copy-2" }],
      ["POST", "/resize", { size: 30 }],
      ["POST", "/detach", {}],
      ["POST", "/attach", { compute_id: 1 }],
    ] as const)
      expect(await maker.refused(403, method, `/volumes/${foreign.id}${path}`, body)).toEqual([
        { reason: "Unauthorized" },
      ]);
    expect(await maker.remove(`/volumes/${copy.id}`)).toEqual({});
  });

  test("need read_write on the instance too, to attach and to detach", async () => {
    on = await openSession({ users });
    const [boss, maker] = [on.as("boss-token"), on.as("maker-token")];
    const { id: compute_id } = await makeInstance(boss);
    const { id } = await maker.post("/volumes", { label: "mine", region: "us-east" });
    await maker.refused(403, "POST", `/volumes/${id}/attach`, { compute_id });
    await maker.refused(403, "POST", "/volumes", { label: "attached", compute_id });
    await boss.post(`/volumes/${id}/attach`, { compute_id });
    await maker.refused(403, "POST", `/volumes/${id}/detach`);

    const grant = (permissions: string) =>
      boss.put("/account/users/maker/grants", { compute: [{ id: compute_id, permissions }] });
    await grant("read_only");
    await maker.refused(403, "POST", `/volumes/${id}/detach`);
    await grant("read_write");
    expect(await maker.post(`/volumes/${id}/detach`)).toEqual({});
    on.wait(10);
    expect(await maker.post(`/volumes/${id}/attach`, { compute_id })).toMatchObject({ compute_id });
  });

  test("a token needs both scopes to attach and to detach", async () => {
    on = await openSession({ users });
    const [boss, token, reader] = [on.as("boss-token"), on.as("volumes-token"), on.as("reader-token")];
    const { id: compute_id } = await makeInstance(boss);
    const { id } = await token.post("/volumes", { label: "mine", region: "us-east" });
    await token.refused(401, "POST", `/volumes/${id}/attach`, { compute_id });
    await token.refused(401, "POST", `/volumes/${id}/detach`);
    expect(await reader.get(`/volumes/${id}`)).toMatchObject({ id });
    await reader.refused(401, "DELETE", `/volumes/${id}`);
  });
});

test("creating volumes has a limit of its own: 25 a minute (notes, section 1.7)", async () => {
  on = await openSession({ rateLimit: "standard" });
  for (let made = 0; made < 25; made++) await on.post("/volumes", { label: `v${made}`, region: "us-east" });
  expect(await on.refused(429, "POST", "/volumes", { label: "more", region: "us-east" })).toEqual([
    { reason: "Too many requests" },
  ]);
  expect(await on.list("/volumes")).toHaveLength(25);
  on.wait(60);
  await on.post("/volumes", { label: "more", region: "us-east" });
});
