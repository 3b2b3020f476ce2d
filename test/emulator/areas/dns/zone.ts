/** A domain on an emulator that answers over DNS, for tests of the DNS server. */

import type { Answer, Packet } from "dns-packet";
import { expect, onTestFinished } from "vitest";
import { type Emulator, startEmulator } from "../../../../emulator/index.ts";
import { made, type Type } from "./client.ts";

/** The domain's name. */
export const zone = "example.com";

export interface ServedZone {
  readonly emulator: Emulator;
  /** Where it answers over DNS. */
  readonly port: number;
  /** The domain's id. */
  readonly id: number;
  add(record: object): Promise<{ id: number }>;
}

/** Starts an emulator with the domain and no record in it. It ends with the test, which fails when the emulator complained of anything. */
export async function openZone(): Promise<ServedZone> {
  const logged: string[] = [];
  const emulator = await startEmulator({ dns: 0, log: (line) => logged.push(line) });
  onTestFinished(async () => {
    await emulator.close();
    expect(logged).toEqual([]);
  });
  const { id } = await made(emulator, "POST", "/domains", {
    domain: zone,
    type: "master",
    soa_email: "admin@example.com",
    ttl_sec: 7200,
  });
  const add = (record: object) => made(emulator, "POST", `/domains/${id}/records`, record);
  return { emulator, port: emulator.dnsPort!, id, add };
}

/** What a question says beside itself to be answered at length over UDP. */
export const edns: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 4096,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** The data of the answers, of one type or all. */
export function data(packet: Packet, type?: Type): unknown[] {
  return (packet.answers ?? [])
    .filter((answer) => !type || answer.type === type)
    .map((answer) => ("data" in answer ? answer.data : undefined));
}
