/** The zone file of a domain: when it is rendered, and what it says. */

import { afterEach, describe, expect, it } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../../emulator/index.ts";
import { call, made } from "./client.ts";

const zone = "example.com";
const master = { domain: zone, type: "master", soa_email: "first.last@example.com" };

describe("the zone file of a domain", () => {
  let emulator: Emulator;
  afterEach(() => emulator.close());
  const start = async (options: EmulatorOptions = {}) => {
    emulator = await startEmulator({ checkAnswers: true, ...options });
    return made(emulator, "POST", "/domains", master);
  };
  const lines = async (id: number): Promise<string[]> =>
    (await made(emulator, "GET", `/domains/${id}/zone-file`)).zone_file;
  const serial = (text: string[]) => Number(/SOA +\S+ +\S+ +(\d+)/.exec(text.join("\n"))?.[1]);

  it("is empty until it is rendered, and follows changes after a while", async () => {
    const { id } = await start();
    expect(await lines(id)).toEqual([]);
    emulator.advance(59);
    expect(await lines(id)).toEqual([]);
    emulator.advance(1);
    const first = await lines(id);
    const year = new Date().getUTCFullYear();
    expect(first).toEqual([
      `; example.com [${id}]`,
      "$TTL 86400",
      `@  IN  SOA  ns1.compute.com. first\\.last.example.com. ${year}000001 14400 14400 1209600 86400`,
      ...[1, 2, 3, 4, 5].map((number) => `@    NS  ns${number}.compute.com.`),
    ]);
    const record = await made(emulator, "POST", `/domains/${id}/records`, {
      type: "A",
      name: "www",
      target: "192.0.2.1",
      ttl_sec: 300,
    });
    expect(await lines(id)).toEqual(first);
    emulator.advance(60);
    const second = await lines(id);
    expect(second.slice(8)).toEqual(["www  300  A  192.0.2.1"]);
    expect(serial(second)).toBe(serial(first) + 1);
    await made(emulator, "DELETE", `/domains/${id}/records/${record.id}`);
    emulator.advance(60);
    const third = await lines(id);
    expect(third.slice(8)).toEqual([]);
    expect(serial(third)).toBe(serial(second) + 1);
    emulator.advance(3600);
    expect(await lines(id)).toEqual(third);
  });

  it("is rendered by the next request at full speed", async () => {
    const { id } = await start({ speed: "instant" });
    expect(await lines(id)).toHaveLength(8);
    await made(emulator, "POST", `/domains/${id}/records`, { type: "TXT", target: "x" });
    expect((await lines(id)).slice(8)).toEqual(['@    TXT  "x"']);
    await made(emulator, "PUT", `/domains/${id}`, {
      ttl_sec: 300,
      refresh_sec: 3600,
      retry_sec: 300,
      expire_sec: 604800,
    });
    const changed = await lines(id);
    expect(changed[1]).toBe("$TTL 300");
    expect(changed[2]).toMatch(/ 3600 300 604800 300$/);
  });

  it("names the brand's nameservers and leaves users' words alone", async () => {
    emulator = await startEmulator({ speed: "instant", brand: "acme" });
    const { id } = await made(emulator, "POST", "/domains", master);
    await made(emulator, "POST", `/domains/${id}/records`, {
      type: "TXT",
      name: "compute",
      target: "acme or compute",
    });
    const text = await lines(id);
    expect(text[3]).toBe("@    NS  ns1.acme.com.");
    expect(text.at(-1)).toBe('compute    TXT  "acme or compute"');
  });

  it("stays as last rendered while the domain is disabled (3), and has nothing for a slave", async () => {
    const { id } = await start({ speed: "instant" });
    const first = await lines(id);
    await made(emulator, "PUT", `/domains/${id}`, { status: "disabled", ttl_sec: 300 });
    expect(await lines(id)).toEqual(first);
    await made(emulator, "PUT", `/domains/${id}`, { status: "active" });
    expect((await lines(id))[1]).toBe("$TTL 300");
    const never = await made(emulator, "POST", "/domains", {
      ...master,
      domain: "off.example.com",
      status: "disabled",
    });
    const slave = await made(emulator, "POST", "/domains", {
      domain: "s.example.com",
      type: "slave",
      master_ips: ["192.0.2.1"],
    });
    expect(await lines(never.id)).toEqual([]);
    expect(await lines(slave.id)).toEqual([]);
    expect((await call(emulator, "GET", "/domains/x/zone-file")).status).toBe(404);
  });

  it("is still awaited by an account that is put into another emulator", async () => {
    const { id } = await start();
    const data = emulator.data();
    await emulator.close();
    emulator = await startEmulator();
    emulator.setData(data);
    expect(await lines(id)).toEqual([]);
    emulator.advance(60);
    expect(await lines(id)).toHaveLength(8);
  });
});
