/** A Zone of 5,000 records (1,000 under Pulumi, which takes five times as long) from a zone file, under each engine: applied, changed, stopped by its guard, refreshed by lists alone, killed half way. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { killTree } from "../resilience/dying.ts";
import { call, kept, writes } from "./account.ts";
import { createDriver, type Driver, type EngineName } from "./engines.ts";
import { type Program, pulumiBin } from "./pulumi.ts";

const cli = resolve(import.meta.dirname, "../../bin/plumbline");
const sizes = { plumbline: 5000, pulumi: 1000 };
const typeName = "plumbline:dns:Zone";

/** A zone file of as many records: hosts, some with several addresses, aliases, mail and text. */
function zoneFile(records: readonly string[]): string {
  return [
    "$ORIGIN big.example.",
    "$TTL 1h",
    "@ IN SOA ns1.old.example. root.big.example. 1 7200 900 1209600 3600",
    "@ IN NS ns1.old.example.",
    ...records,
    "",
  ].join("\n");
}

const linesOf = (size: number) =>
  Array.from({ length: size }, (_, i) => {
    const address = `10.${Math.floor(i / 65536)}.${Math.floor(i / 256) % 256}.${i % 256}`;
    switch (i % 10) {
      case 0:
        return `alias${i} IN CNAME host${i + 1}`;
      case 1:
        return `host${Math.floor(i / 20)}.round IN A ${address}`;
      case 2:
        return `text${i} IN TXT "number ${i}" "; and more"`;
      case 3:
        return `host${i} IN MX 10 mail${i % 7}`;
      default:
        return `host${i} IN A ${address}`;
    }
  });

/** 37 edits, 2 removals, 1 addition. */
const edited = (lines: readonly string[]) =>
  lines
    .map((line, i) => (i % 10 === 4 && i < 370 ? line.replace(" IN A 10.", " IN A 172.") : line))
    .filter((_, i) => i !== 6 && i !== 7)
    .concat("fresh IN AAAA 2001:db8::1");

const program = (more: { [name: string]: unknown } = {}): Program => ({
  resources: {
    domain: {
      type: "plumbline:dns:Domain",
      properties: { domain: "big.example", type: "master", soaEmail: "root@big.example" },
    },
    zone: {
      type: typeName,
      properties: { domainId: "${domain.id}", zoneFile: { "fn::readFile": "./big.zone" }, ...more },
    },
  },
  outputs: { name: "${zone.domain}" },
});

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(
    `a zone of ${sizes[engine]} records under ${engine}`,
    { timeout: 240_000 },
    () => life(engine),
  );
}

function life(engine: EngineName): void {
  const size = sizes[engine];
  const lines = linesOf(size);
  const changed = edited(lines);
  let emulator: Emulator;
  let stack: Driver;

  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant" });
    stack = await createDriver(engine, program(), {
      baseUrl: emulator.baseUrl,
      token: emulator.token,
      plugin: "own",
    });
    write(lines);
  });
  afterAll(async () => {
    stack?.remove();
    await emulator?.close();
  });

  let present = lines;
  const write = (records: readonly string[]) => {
    present = [...records];
    writeFileSync(join(stack.folder, "big.zone"), zoneFile(records));
  };
  const domainId = () => kept(emulator, "domains")[0]!.id;
  const records = () => kept(emulator, "domain_records");
  const named = (name: string) => records().find((record) => record["name"] === name);
  /** Requests that the work made, by operation. */
  const during = async (work: () => Promise<unknown>) => {
    const before = emulator.stats().requests;
    await work();
    const after = Object.entries(emulator.stats().requests);
    return Object.fromEntries(
      after.flatMap(([operation, count]) => {
        const made = count - (before[operation] ?? 0);
        return made > 0 ? [[operation, made]] : [];
      }),
    );
  };
  const list = "GET /domains/{domainId}/records";
  const post = "POST /domains/{domainId}/records";
  const put = "PUT /domains/{domainId}/records/{recordId}";
  const remove = "DELETE /domains/{domainId}/records/{recordId}";

  it("is applied with one request a record, and a second run changes nothing", async () => {
    const requests = await during(async () => expect((await stack.up()).changes).toEqual({ create: 2 }));
    expect(records()).toHaveLength(size);
    expect(requests[post]).toBe(size);
    expect(requests[put]).toBeUndefined();
    expect(named("text2")).toMatchObject({ type: "TXT", target: "number 2; and more", ttl_sec: 3600 });
    expect(named("alias0")).toMatchObject({ type: "CNAME", target: "host1.big.example" });
    expect(await stack.outputs()).toEqual({ name: "big.example" });
    const again = await during(async () => expect((await stack.up()).changes).toEqual({ same: 2 }));
    expect(again).toEqual({});
  });

  it("is refreshed by the pages of its list and nothing else", async () => {
    const requests = await during(async () => expect((await stack.refresh()).changes).toEqual({ same: 2 }));
    const { [list]: lists, ...others } = requests;
    expect(lists).toBe(size / 500);
    expect(others).toEqual({ "GET /domains/{domainId}": 1 }); // of the Domain
    expect((await stack.preview()).changes).toEqual({ same: 2 });
  });

  it("is changed by 40 records with 40 writes, and the plan names those 40", async () => {
    write(changed);
    const planned = await stack.preview();
    const paths = planned.plan["zone"]!.paths;
    expect(Object.keys(paths)).toHaveLength(40);
    expect(paths["records.fresh/AAAA"]).toBe("add");
    expect(paths["records.host4/A.target"]).toBe("update");
    expect(paths["records.host6/A"]).toBe("delete");
    expect(planned.printed).toContain("1 to add, 37 to change, 2 to remove");
    const requests = await during(async () =>
      expect((await stack.up()).changes).toEqual({ same: 1, update: 1 }),
    );
    expect([requests[post], requests[put], requests[remove]]).toEqual([1, 37, 2]);
    expect(requests[list]).toBe(size / 500);
    expect(named("host4")).toMatchObject({ target: "172.0.0.4" });
    expect(records()).toHaveLength(size - 1);
    expect((await stack.preview()).changes).toEqual({ same: 2 });
  });

  it("is not changed when it would lose a third, neither by a preview nor by an apply, unless that is allowed", async () => {
    write(changed.filter((_, i) => i % 3 !== 0));
    const before = writes(emulator);
    for (const verb of ["preview", "up"] as const) {
      const refused = await stack.attempt(verb);
      expect(refused.code).toBe(engine === "plumbline" ? 4 : 1);
      expect(refused.said.join("\n")).toContain(
        `${Math.ceil((size - 1) / 3)} of the ${size - 1} records of big.example would be removed`,
      );
      expect(refused.said.join("\n")).toContain("allowMassChange: true");
    }
    expect(writes(emulator)).toEqual(before);
    stack.write(program({ allowMassChange: true }));
    expect((await stack.preview()).changes).toEqual({ same: 1, update: 1 });
    stack.write(program());
    write(changed);
    expect((await stack.preview()).changes).toEqual({ same: 2 });
  });

  it("shows on refresh what moved behind its back, and puts only that right", async () => {
    const host = named("host8")!;
    await call(emulator, "PUT", `/domains/${domainId()}/records/${host.id}`, { target: "192.0.2.8" });
    await call(emulator, "POST", `/domains/${domainId()}/records`, {
      type: "A",
      name: "stray",
      target: "192.0.2.9",
    });
    expect((await stack.refresh()).changes).toEqual({ same: 1, update: 1 });
    const planned = await stack.preview();
    expect(planned.plan["zone"]!.paths).toEqual({
      "records.host8/A.target": "update",
      "records.stray/A": "delete",
    });
    const requests = await during(() => stack.up());
    expect([requests[post], requests[put], requests[remove]]).toEqual([undefined, 1, 1]);
    expect(named("host8")).toMatchObject({ target: "10.0.0.8" });
    expect((await stack.preview()).changes).toEqual({ same: 2 });
  });

  it("is killed half way, and the next run does the rest", async () => {
    const next = changed
      .map((line) => line.replace(" IN A 172.", " IN A 192."))
      .concat(Array.from({ length: 400 }, (_, i) => `late${i} IN A 192.0.2.${i % 250}`));
    write(next);
    const before = writes(emulator);
    const sent = (operation: string) => (writes(emulator)[operation] ?? 0) - (before[operation] ?? 0);
    await killedOnce(() => sent(post) >= 150);
    const half = sent(post);
    expect(half).toBeGreaterThanOrEqual(150);
    expect(half).toBeLessThan(400);
    expect((await stack.up()).changes).toEqual({ same: 1, update: 1 });
    expect(sent(post)).toBe(400);
    expect(records()).toHaveLength(size - 1 + 400);
    expect(new Set(records().map(({ name, type, target }) => `${name} ${type} ${target}`)).size).toBe(
      records().length,
    );
    expect((await stack.preview()).changes).toEqual({ same: 2 });
  });

  it("is taken over by an import of its domain's name, whose next preview is empty", async () => {
    const second = await createDriver(engine, program(), {
      baseUrl: emulator.baseUrl,
      token: emulator.token,
    });
    try {
      writeFileSync(join(second.folder, "big.zone"), zoneFile(present));
      await second.import({
        domain: ["plumbline:dns/domain:Domain", "big.example"],
        zone: ["plumbline:dns/zone:Zone", "big.example"],
      });
      const { resources } = await second.state();
      expect((resources["zone"]!.inputs as { records: unknown[] }).records).toHaveLength(size - 1 + 400);
      expect((await second.preview()).changes).toEqual({ same: 2 });
    } finally {
      second.remove();
    }
  });

  it("is removed record by record before its domain, or with its domain by the domain's one request", async () => {
    const count = records().length;
    if (engine === "plumbline") {
      const { domain } = program().resources as { readonly domain: object };
      stack.write({ resources: { domain } });
      expect((await stack.preview()).printed).toContain(`${count} plumbline:dns:Record are deleted with it`);
    }
    const requests = await during(async () => expect((await stack.destroy()).changes).toEqual({ delete: 2 }));
    // Pulumi asks for each resource's deletion; the embedded engine leaves to the service what goes with its domain.
    expect(requests[remove] ?? 0).toBe(engine === "plumbline" ? 0 : count);
    expect(kept(emulator, "domains")).toEqual([]);
    expect(kept(emulator, "domain_records")).toEqual([]);
  });

  /** Runs `up` in a process of its own, and kills it with all that it started as soon as `isTime`. */
  async function killedOnce(isTime: () => boolean): Promise<void> {
    const flags = ["up", "--yes", "--skip-preview", "--stack", "dev", "--non-interactive"];
    const [file, args] =
      engine === "plumbline" ? [process.execPath, [cli, ...flags]] : [join(pulumiBin!, "pulumi"), flags];
    emulator.setFaults([{ method: "POST", path: "*", probability: 1, do: "delay", seconds: 0.1 }]);
    const child = spawn(file, args, { cwd: stack.folder, env: stack.env, stdio: "ignore" });
    const dead = once(child, "exit");
    while (!isTime() && child.exitCode === null) await setTimeout(2);
    killTree(child.pid ?? 0);
    await dead;
    expect(child.signalCode).toBe("SIGKILL");
    emulator.setFaults([]);
    if (engine === "pulumi") await stack.command("cancel", "--yes", "--stack", "dev");
  }
}
