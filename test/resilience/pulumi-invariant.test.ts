/** The real engine killed between the requests of one resource: the next preview shows what is missing, the next update does it, and then there is nothing to do. */

import { existsSync } from "node:fs";
import { describe, it } from "vitest";
import type { Emulator } from "../../emulator/index.ts";
import { kept } from "../e2e/account.ts";
import { type Program, pulumiBin } from "../e2e/pulumi.ts";
import { killed, openKillable } from "./killed-pulumi.ts";

const canKill = pulumiBin !== undefined && existsSync("/proc/self/stat");

interface Case {
  readonly what: string;
  readonly before?: Program;
  readonly after: Program;
  readonly at: string;
  readonly moment?: "before" | "after";
  /** Whether the account is as declared. */
  readonly isThere: (emulator: Emulator) => boolean;
}

const bucket = {
  type: "plumbline:objectstorage:Bucket",
  properties: { cluster: "us-east-1", label: "site", forceDestroy: true },
};
const page = (content: string): Program => ({
  resources: {
    bucket,
    page: {
      type: "plumbline:objectstorage:Object",
      properties: {
        cluster: "us-east-1",
        bucket: "${bucket.label}",
        name: "index.html",
        content,
      },
    },
    open: {
      type: "plumbline:objectstorage:ObjectAcl",
      properties: {
        cluster: "us-east-1",
        bucket: "${bucket.label}",
        name: "${page.name}",
        acl: "public-read",
      },
    },
  },
});

const zone: Program = {
  resources: {
    domain: {
      type: "plumbline:dns:Domain",
      properties: { domain: "killed.example", type: "master", soaEmail: "a@killed.example" },
    },
    zone: {
      type: "plumbline:dns:Zone",
      properties: {
        domainId: "${domain.id}",
        records: ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((target) => ({
          type: "A",
          name: "www",
          target,
        })),
      },
    },
  },
};

const cases: readonly Case[] = [
  {
    what: "a service that is to be off",
    after: {
      resources: {
        web: {
          type: "plumbline:managed:Service",
          properties: {
            label: "web",
            serviceType: "url",
            address: "https://a.example",
            timeout: 30,
            enabled: false,
          },
        },
      },
    },
    at: "POST /managed/services",
    isThere: (emulator) => {
      const services = kept(emulator, "managedServices");
      return services.length === 1 && services[0]?.["status"] === "disabled";
    },
  },
  ...[
    { at: "POST /domains", moment: "after" as const },
    // Records are made side by side: at the answer to one the others may be there, too.
    { at: "POST /domains/{domainId}/records", moment: "before" as const },
  ].map((when) => ({
    what: `a zone, ${when.moment} ${when.at}`,
    after: zone,
    ...when,
    isThere: (emulator: Emulator) =>
      kept(emulator, "domains").length === 1 && kept(emulator, "domain_records").length === 3,
  })),
  {
    what: "an object whose content changes",
    before: page("one"),
    after: page("two"),
    at: "PUT /object-storage/buckets/{clusterId}/{bucket}/object-acl",
    moment: "before",
    isThere: (emulator) => JSON.stringify(emulator.data()).includes("public-read"),
  },
];

describe.skipIf(!canKill)("an engine killed within one resource", { timeout: 240_000 }, () => {
  it.for(cases)(
    "$what",
    async ({ before, after, at, moment = "after", isThere }, { onTestFinished, expect }) => {
      const stage = await openKillable(before ?? after, onTestFinished);
      const { project, emulator } = stage;
      if (before) await project.up();
      project.write(after);
      await killed(stage, at, { moment });
      expect(isThere(emulator)).toBe(false);
      const preview = await project.preview();
      const { same: _, ...shown } = preview.changes;
      expect(shown).not.toEqual({});
      await project.up();
      expect(isThere(emulator)).toBe(true);
      const declared = Object.keys(after.resources ?? {}).length;
      expect((await project.up()).changes).toEqual({ same: declared });
    },
  );
});
