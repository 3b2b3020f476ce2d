import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CancelledError, CheckFailedError, ResourceInitFailedError } from "../../provider/core/protocol.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { type Account, checked, openAccount, resourceNamed } from "./deployment.ts";

let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());
beforeEach(() => account.emulator.reset());

const domain = resourceNamed("plumbline:dns/domain:Domain", "zone");
const record = resourceNamed("plumbline:dns/record:Record", "www");
const vpc = resourceNamed("plumbline:vpc/vpc:Vpc", "net");
const subnet = resourceNamed("plumbline:vpc/subnet:Subnet", "web");
const volume = resourceNamed("plumbline:blockstorage/volume:Volume", "disk");

const zone = { domain: "a.example", type: "master", soaEmail: "x@a.example" };
const make = async (path: string, body: object) => String((await account.call("POST", path, body))["id"]);
const makeZone = () => make("/domains", { domain: "a.example", type: "master", soa_email: "x@a.example" });
const count = async (path: string) => Number((await account.call("GET", path))["results"]);

/** One fault on the first POST to the path after which the service has acted, or not. */
const fault = (path: string, kind: "reset-after" | "drop-after" | "reset-before", method = "POST") =>
  account.emulator.setFaults([{ method, path, nth: 1, do: kind }]);

const create = (of: typeof domain, inputs: ValueMap, more: object = {}) =>
  account.during(async (provider) =>
    provider.create({ ...of, inputs: await checked(provider, of, inputs), preview: false, ...more }),
  );

describe("an answer lost after the service acted ends with exactly one object", () => {
  test("Domain", async () => {
    fault("/domains", "reset-after");
    const { id, state } = await create(domain, zone);
    expect(state).toMatchObject({ domain: "a.example" });
    expect((await account.call("GET", `/domains/${id}`))["domain"]).toBe("a.example");
    expect(await count("/domains")).toBe(1);
  });

  test("Record, with a full name, a final dot and a rounded TTL, beside others like it", async () => {
    const domainId = await makeZone();
    await make(`/domains/${domainId}/records`, { type: "CNAME", name: "other", target: "b.example" });
    fault("/domains/{domainId}/records", "reset-after");
    const inputs = { domainId, type: "CNAME", name: "www.a.example.", target: "b.example.", ttlSec: 299 };
    const { state } = await create(record, inputs);
    expect(state).toMatchObject({ name: "www", ttlSec: 300 });
    expect(await count(`/domains/${domainId}/records`)).toBe(2);
  });

  test("Record of a service, whose protocol was left out", async () => {
    const domainId = await makeZone();
    fault("/domains/{domainId}/records", "reset-after");
    await create(record, {
      domainId,
      type: "SRV",
      service: "_sip",
      target: "sip",
      priority: 0,
      weight: 1,
      port: 2,
    });
    expect(await count(`/domains/${domainId}/records`)).toBe(1);
  });

  test("Vpc and Subnet", async () => {
    fault("/vpcs", "reset-after");
    const { id } = await create(vpc, { region: "us-east" });
    fault("/vpcs/{vpcId}/subnets", "reset-after");
    await create(subnet, { vpcId: id, ipv4: "10.0.0.0/24" });
    expect(await count("/vpcs")).toBe(1);
    expect(await count(`/vpcs/${id}/subnets`)).toBe(1);
  });

  test("Volume, its clone, and every verb of it", async () => {
    fault("/volumes", "reset-after");
    const { id } = await create(volume, { region: "us-east" });
    fault("/volumes/{volumeId}/clone", "reset-after");
    await create({ ...volume, name: "copy" }, { cloneOf: id, label: "copy" });
    expect(await count("/volumes")).toBe(2);
    const compute = {
      region: "us-east",
      type: "g6-standard-1",
      image: "compute/debian12",
      root_pass: "pW!aVz2e7HcR",
    };
    const computeId = await make("/compute/instances", compute);
    let saved = await account.during((provider) => provider.read({ ...volume, id }));
    const change = async (path: string, inputs: ValueMap) => {
      fault(path, "reset-after");
      const { state } = await account.during((provider) =>
        provider.update({
          ...volume,
          id,
          oldInputs: saved!.inputs,
          state: saved!.state,
          newInputs: { ...saved!.inputs, ...inputs },
          preview: false,
        }),
      );
      saved = await account.during((provider) => provider.read({ ...volume, id }));
      expect(state).toMatchObject(inputs);
    };
    await change("/volumes/{volumeId}/resize", { size: 40 });
    await change("/volumes/{volumeId}/attach", { computeId });
    await change("/volumes/{volumeId}/detach", { computeId: await make("/compute/instances", compute) });
  });
});

test("a connection reset before the service acted makes the object at the second attempt", async () => {
  fault("/domains", "reset-before");
  await create(domain, zone);
  expect(await count("/domains")).toBe(1);
});

test("two identical records made at once, one answer lost, are two objects with two ids", async () => {
  const domainId = await makeZone();
  fault("/domains/{domainId}/records", "reset-after");
  const inputs = { domainId, type: "TXT", name: "t", target: "same" };
  const ids = await account.during((provider) =>
    Promise.all(
      ["one", "two", "three"].map(async (name) => {
        const own = resourceNamed(record.type, name);
        return (await provider.create({ ...own, inputs, preview: false })).id;
      }),
    ),
  );
  expect(new Set(ids).size).toBe(3);
  expect(await count(`/domains/${domainId}/records`)).toBe(3);
});

test("an object that was there before, or that another resource has, is never taken over", async () => {
  const domainId = await makeZone();
  const body = { type: "TXT", name: "t", target: "same" };
  const old = `${domainId}/${await make(`/domains/${domainId}/records`, body)}`;
  account.emulator.advance(60);
  const known = `${domainId}/${await make(`/domains/${domainId}/records`, body)}`;
  fault("/domains/{domainId}/records", "reset-after");
  const { id } = await create(record, { domainId, ...body }, { isKnownId: (each: string) => each === known });
  expect([old, known]).not.toContain(id);
  expect(await count(`/domains/${domainId}/records`)).toBe(3);
});

test("two objects that could both be what was made stop the create, with their ids", async () => {
  const domainId = await makeZone();
  const body = { type: "TXT", name: "t", target: "same" };
  const first = await make(`/domains/${domainId}/records`, body);
  fault("/domains/{domainId}/records", "reset-after");
  await expect(create(record, { domainId, ...body })).rejects.toThrow(
    new RegExp(`2 objects could be.*${domainId}/${first}`),
  );
});

describe("an earlier attempt", () => {
  const startedAt = () => new Date(Date.now() - 5000).toISOString();

  test("is found by its adopt key, and taken over instead of made again", async () => {
    const id = await makeZone();
    const early: string[] = [];
    const made = await create(
      domain,
      { ...zone, ttlSec: 300 },
      {
        earlierAttempt: { startedAt: startedAt() },
        onCreated: (each: string) => void early.push(each),
      },
    );
    expect(made).toMatchObject({ id, state: { ttlSec: 300 } });
    expect(early).toEqual([id]);
    expect(account.requests()["POST"]).toBeUndefined();
  });

  test("that made nothing is followed by a create", async () => {
    await create(domain, zone, { earlierAttempt: { startedAt: startedAt() } });
    expect(await count("/domains")).toBe(1);
  });

  test("whose id is known is taken over when the object still is what was declared, else made anew", async () => {
    const id = await makeZone();
    expect((await create(domain, zone, { earlierAttempt: { startedAt: startedAt(), id } })).id).toBe(id);
    const other = { ...zone, domain: "b.example" };
    expect((await create(domain, other, { earlierAttempt: { startedAt: startedAt(), id } })).id).not.toBe(id);
    expect(
      (
        await create(
          domain,
          { ...zone, domain: "c.example" },
          { earlierAttempt: { startedAt: startedAt(), id: "99" } },
        )
      ).id,
    ).not.toBe("99");
  });

  test("is found without making anything", async () => {
    const find = (startedAt: string) =>
      account.during((provider) =>
        provider.find!({ ...domain, inputs: zone, earlierAttempt: { startedAt } }),
      );
    expect(await find(startedAt())).toBeUndefined();
    const id = await makeZone();
    expect(await find(startedAt())).toMatchObject({ id, state: { domain: "a.example" } });
    expect(await find(new Date(Date.now() + 3_600_000).toISOString())).toBeUndefined();
    expect(account.requests()).toEqual({ GET: 1 });
  });
});

test("a name that is taken tells its id and how to import it", async () => {
  const id = await makeZone();
  const refused = create(domain, zone);
  await expect(refused).rejects.toThrow(CheckFailedError);
  await expect(refused).rejects.toThrow(`plumbline import plumbline:dns:Domain zone ${id}`);
});

test("a refusal of the service names the user's own property", async () => {
  const refused = create(vpc, { region: "nowhere" });
  await expect(refused).rejects.toMatchObject({
    failures: [{ property: "region", reason: expect.stringContaining("not valid") }],
  });
});

describe("what exists but is not finished is kept", () => {
  test("as whole only where making it was all that there was to do, and then it is not looked at again", async () => {
    const told: unknown[] = [];
    const onCreated = (id: string, state: ValueMap, applied: ValueMap, isWhole: boolean) =>
      void told.push({ id, state, applied, isWhole });
    const { id, state } = await create(domain, zone, { onCreated });
    expect(told).toEqual([{ id, state, applied: expect.objectContaining(zone), isWhole: true }]);
    expect(account.requests()).toEqual({ POST: 1 });
    // A disk is made first, and ready later.
    const disk = await create(volume, { label: "disk", region: "us-east" }, { onCreated });
    expect(told[1]).toMatchObject({ id: disk.id, isWhole: false });
    // Of one that an earlier attempt made nobody knows what is left to do.
    const again = { onCreated, earlierAttempt: { startedAt: new Date().toISOString(), id } };
    expect((await create(domain, zone, again)).id).toBe(id);
    expect(told[2]).toMatchObject({ id, isWhole: false });
  });

  test("a failing save of the id is told with the id and the state", async () => {
    const failed = create(domain, zone, { onCreated: () => Promise.reject(new Error("disk full")) });
    await expect(failed).rejects.toMatchObject({
      name: "ResourceInitFailedError",
      id: expect.stringMatching(/\d+/),
      state: { domain: "a.example" },
      reasons: ["disk full"],
    });
  });

  test("a wait that takes too long keeps id, real state and inputs; the next update finishes it", async () => {
    const slow = await openAccount({ speed: 1 });
    const failed = await slow
      .during((provider) =>
        provider.create({
          ...volume,
          inputs: { label: "disk", region: "us-east" },
          preview: false,
          timeoutSeconds: 1,
        }),
      )
      .catch((error: unknown) => error as ResourceInitFailedError);
    expect(failed).toBeInstanceOf(ResourceInitFailedError);
    const { id, state, inputs } = failed as ResourceInitFailedError;
    expect(state).toMatchObject({ status: "creating", label: "disk" });
    slow.emulator.advance(3600);
    const finished = await slow.during((provider) =>
      provider.update({ ...volume, id, oldInputs: inputs!, state, newInputs: inputs!, preview: false }),
    );
    expect(finished.state["status"]).toBe("active");
    await slow.close();
  });

  test("a step that fails is left out of the inputs that apply, so that the next diff shows it", async () => {
    const source = await create(volume, { region: "us-east", label: "source" });
    account.emulator.setFaults([
      { method: "POST", path: "/volumes/{volumeId}/resize", do: "status", status: 400, times: 9 },
    ]);
    const inputs = { label: "copy", cloneOf: source.id, size: 50 };
    const failed = (await create(volume, inputs).catch((error: unknown) => error)) as ResourceInitFailedError;
    expect(failed).toBeInstanceOf(ResourceInitFailedError);
    expect(failed.inputs).toEqual({ label: "copy", cloneOf: source.id });
    expect(failed.state).toMatchObject({ size: 20 });
    account.emulator.setFaults([]);
    const { id, state, inputs: applied = {} } = failed;
    const provider = await account.open();
    const own = { ...volume, id, oldInputs: applied, state, newInputs: inputs };
    expect(Object.keys((await provider.diff(own)).detailedDiff)).toEqual(["size"]);
    expect((await provider.update({ ...own, preview: false })).state).toMatchObject({
      size: 50,
      status: "active",
    });
  });

  test("an update that wrote nothing fails plainly; one that wrote a part keeps the real state", async () => {
    const { id, state } = await create(volume, { region: "us-east", label: "disk" });
    const own = { ...volume, id, oldInputs: { region: "us-east", label: "disk" }, state, preview: false };
    const newInputs = { region: "us-east", label: "other", size: 50 };
    account.emulator.setFaults([
      { method: "PUT", path: "/volumes/{volumeId}", do: "status", status: 400, times: 9 },
    ]);
    const plain = await account
      .during((provider) => provider.update({ ...own, newInputs }))
      .catch((error: unknown) => error);
    expect(plain).not.toBeInstanceOf(ResourceInitFailedError);
    account.emulator.setFaults([
      { method: "POST", path: "/volumes/{volumeId}/resize", do: "status", status: 400, times: 9 },
    ]);
    const partial = await account
      .during((provider) => provider.update({ ...own, newInputs }))
      .catch((error: unknown) => error);
    expect(partial).toMatchObject({
      id,
      state: { label: "other", size: 20 },
      inputs: { region: "us-east", label: "other" },
    });
  });

  test("a cancel ends the wait with what exists, and no write starts afterwards", async () => {
    const slow = await openAccount({ speed: 1 });
    const provider = await slow.open();
    const failed = await provider
      .create({
        ...volume,
        inputs: { label: "disk", region: "us-east" },
        preview: false,
        onCreated: () => provider.cancel(),
      })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: "ResourceInitFailedError", state: { label: "disk" } });
    await expect(
      provider.create({ ...vpc, inputs: { label: "x", region: "us-east" }, preview: false }),
    ).rejects.toThrow(CancelledError);
    expect(slow.emulator.stats().requests["POST /vpcs"]).toBeUndefined();
    await slow.close();
  });

  test("a request's own signal stops that request only", async () => {
    const stop = AbortSignal.abort();
    const provider = await account.open();
    await expect(provider.create({ ...domain, inputs: zone, preview: false, signal: stop })).rejects.toThrow(
      CancelledError,
    );
    expect((await provider.create({ ...domain, inputs: zone, preview: false })).id).toMatch(/\d+/);
  });
});

test("a subnet in use is not deleted, and the error names what holds it", async () => {
  const vpcId = await make("/vpcs", { label: "net", region: "us-east" });
  const { id, state } = await create(subnet, { vpcId, ipv4: "10.0.0.0/24", label: "web" });
  const compute = await make("/compute/instances", {
    region: "us-east",
    type: "g6-standard-1",
    image: "compute/debian12",
    root_pass: "pW!aVz2e7HcR",
    interfaces: [{ purpose: "vpc", subnet_id: Number(state["subnetId"]) }],
  });
  const remove = (of: typeof subnet, gone: string) =>
    account.during((provider) => provider.delete({ ...of, id: gone, oldInputs: {}, state: {} }));
  await expect(remove(subnet, id)).rejects.toThrow(
    new RegExp(`interface \\d+.* of compute instance ${compute}`),
  );
  await expect(remove(vpc, vpcId)).rejects.toThrow(`compute instance ${compute}`);
});

test("an object that is gone is not updated, and the error says what to do", async () => {
  const provider = await account.open();
  const update = provider.update({
    ...domain,
    id: "99",
    oldInputs: zone,
    state: zone,
    newInputs: { ...zone, ttlSec: 300 },
    preview: false,
  });
  await expect(update).rejects.toThrow("run a refresh");
});

test("only a 404 means gone: a refusal of the token is an error", async () => {
  const id = await makeZone();
  account.emulator.setFaults([
    { method: "GET", path: "/domains/{domainId}", do: "status", status: 401, times: 9 },
  ]);
  await expect(
    account.during((provider) => provider.read({ ...domain, id, inputs: zone, state: zone })),
  ).rejects.toThrow("401");
});

test("an id of the wrong form tells the right one", async () => {
  const provider = await account.open();
  await expect(provider.read({ ...record, id: "abc" })).rejects.toThrow("DOMAIN_ID/RECORD_ID");
  await expect(provider.read({ ...domain, id: "" })).rejects.toThrow("DOMAIN_NAME");
});

test("a natural name that several records have is refused with their ids", async () => {
  const domainId = await makeZone();
  const ids = [
    await make(`/domains/${domainId}/records`, { type: "A", name: "www", target: "192.0.2.1" }),
    await make(`/domains/${domainId}/records`, { type: "A", name: "www", target: "192.0.2.2" }),
    await make(`/domains/${domainId}/records`, { type: "MX", target: "m.example", priority: 1 }),
  ];
  const read = (id: string) => account.during((provider) => provider.read({ ...record, id }));
  await expect(read("a.example/www/A")).rejects.toThrow(`${domainId}/${ids[0]}, ${domainId}/${ids[1]}`);
  expect(await read("a.example/@/MX")).toMatchObject({
    id: `${domainId}/${ids[2]}`,
    inputs: { type: "MX", priority: 1 },
  });
  expect(await read(`${domainId}/@/MX`)).toMatchObject({ id: `${domainId}/${ids[2]}` });
  expect(await read("a.example/none/A")).toBeUndefined();
  expect(await read("b.example/www/A")).toBeUndefined();
});
