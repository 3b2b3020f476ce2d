/** A stack that makes every POST of the five types, in two steps and its end; for tests that lose their answers. */

import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { call } from "../e2e/account.ts";
import { type Program, stackText } from "../e2e/pulumi.ts";

/** The paths that it posts to. */
export const posts = {
  make: [
    "/domains",
    "/domains/import",
    "/domains/{domainId}/clone",
    "/domains/{domainId}/records",
    "/vpcs",
    "/vpcs/{vpcId}/subnets",
    "/volumes",
    "/volumes/{volumeId}/clone",
    "/volumes/{volumeId}/attach",
  ],
  change: ["/volumes/{volumeId}/resize", "/volumes/{volumeId}/attach", "/volumes/{volumeId}/detach"],
  destroy: ["/volumes/{volumeId}/detach"],
} as const;

export const everyPost: readonly string[] = [...new Set(Object.values(posts).flat())];

/** The zone that `/domains/import` transfers is on another account, whose nameserver answers at `host:port`. */
export async function startOtherNameserver(): Promise<{ address: string; close: () => Promise<void> }> {
  const other: Emulator = await startEmulator({ dns: 0 });
  const { id } = await call(other, "POST", "/domains", {
    domain: "moved.example",
    type: "master",
    soa_email: "hostmaster@moved.example",
    axfr_ips: ["127.0.0.1"],
  });
  await call(other, "POST", `/domains/${id}/records`, { type: "A", name: "www", target: "203.0.113.7" });
  return { address: `127.0.0.1:${other.dnsPort}`, close: () => other.close() };
}

/** The stack at its first step, or changed. */
export function program(nameserver: string, step: "make" | "change"): string {
  const isChanged = step === "change";
  const soaEmail = "hostmaster@first.example";
  const resources: Program["resources"] = {
    zone: {
      type: "plumbline:dns:Domain",
      properties: { domain: "first.example", type: "master", soaEmail },
    },
    www: {
      type: "plumbline:dns:Record",
      properties: { domainId: "${zone.id}", type: "A", name: "www", target: "203.0.113.1" },
    },
    copy: {
      type: "plumbline:dns:Domain",
      properties: { domain: "copy.example", type: "master", cloneOf: "${zone.id}" },
      options: { dependsOn: ["${www}"] },
    },
    moved: {
      type: "plumbline:dns:Domain",
      properties: {
        domain: "moved.example",
        type: "master",
        importFrom: { remoteNameserver: nameserver },
      },
    },
    network: { type: "plumbline:vpc:Vpc", properties: { label: "network", region: "us-east" } },
    subnet: {
      type: "plumbline:vpc:Subnet",
      properties: { vpcId: "${network.id}", label: "web", ipv4: "10.0.1.0/24" },
    },
    disk: {
      type: "plumbline:blockstorage:Volume",
      properties: { label: "disk", size: isChanged ? 40 : 20, region: "us-east" },
    },
    twin: {
      type: "plumbline:blockstorage:Volume",
      properties: { label: "twin", cloneOf: "${disk.id}", ...(isChanged ? { computeId: "1001" } : {}) },
    },
    // A volume that comes to its instance after it is made, outside the configuration profile.
    guest: {
      type: "plumbline:blockstorage:Volume",
      properties: {
        label: "guest",
        region: "us-east",
        ...(isChanged ? {} : { computeId: "1001", persistAcrossBoots: false }),
      },
    },
  };
  return stackText({ resources });
}
