/** Managed monitoring under each engine on an emulator of its own: secrets that stay so, what is switched off and on, and what every instance has. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { call, comparable, type Kept, kept, writes } from "./account.ts";
import { createDriver, type Driver, type EngineName } from "./engines.ts";
import { pulumiBin } from "./pulumi.ts";

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(
    `managed monitoring under ${engine}`,
    { timeout: 120_000 },
    () => life(engine),
  );
}

const [first, second] = ["Gannet-4411-first", "Plover-9027-second"];
const login = { username: "deploy", password: first };
const shop = {
  label: "shop",
  serviceType: "url",
  address: "https://shop.example/health",
  timeout: 10,
  consultationGroup: "on-call",
};

interface Declared {
  readonly login?: object;
  readonly service?: object;
  readonly ssh?: object;
}

const program = ({
  login: given = login,
  service = {},
  ssh = { user: "support", port: 2222 },
}: Declared = {}) => ({
  resources: {
    lead: {
      type: "plumbline:managed:Contact",
      properties: { name: "Ada Pope", email: "ada@shop.example", group: "on-call" },
    },
    key: { type: "plumbline:managed:Credential", properties: { label: "shop-key", ...given } },
    shop: {
      type: "plumbline:managed:Service",
      properties: { ...shop, credentials: ["${key.id}"], ...service },
    },
    web: { type: "plumbline:managed:InstanceSettings", properties: { computeId: "1001", ssh } },
  },
  outputs: { status: "${shop.status}", key: "${key.label}" },
});

/** Every file that the engine keeps or wrote, but the program itself. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "Pulumi.yaml")
    .map((entry) => join(entry.parentPath, entry.name));
}

function life(engine: EngineName): void {
  let emulator: Emulator;
  let untouched: unknown;
  let stack: Driver;
  const printed: string[] = [];
  const runs = async (...args: string[]) => {
    const { code, stdout, stderr } = await stack.command(...args);
    printed.push(stdout, stderr);
    expect(code, `${stdout}${stderr}`).toBe(0);
  };
  beforeAll(async () => {
    emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
    untouched = comparable(emulator);
    const { baseUrl, token } = emulator;
    stack = await createDriver(engine, program(), { baseUrl, token });
  });
  afterAll(async () => {
    stack?.remove();
    await emulator?.close();
  });

  const one = (collection: string): Kept => {
    const [found, ...more] = kept(emulator, collection);
    if (found === undefined || more.length > 0) throw new Error(`${collection}: ${more.length}`);
    return found;
  };
  const settings = async () =>
    (await call<{ ssh: object }>(emulator, "GET", "/managed/compute-settings/1001")).ssh;
  /** The writes that the work makes, by operation. */
  const sent = async (work: () => Promise<unknown>) => {
    const before = writes(emulator);
    await work();
    const counts = Object.entries(writes(emulator)).map(
      ([operation, count]) => [operation, count - (before[operation] ?? 0)] as const,
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  };
  const update = "POST /managed/credentials/{credentialId}/update";

  it("is made as declared, one request each, and settings that were there are taken over", async () => {
    const theirs = { ssh: { access: false, user: "theirs", ip: "203.0.113.9", port: 22 } };
    await call(emulator, "PUT", "/managed/compute-settings/1001", theirs);
    expect(await sent(() => stack.up())).toEqual({
      "POST /managed/contacts": 1,
      "POST /managed/credentials": 1,
      "POST /managed/services": 1,
      "PUT /managed/compute-settings/{computeId}": 1,
    });
    expect(await settings()).toEqual({ access: true, user: "support", ip: "any", port: 2222 });
    expect(one("managedServices")["credentials"]).toEqual([one("managedCredentials").id]);
    expect(await stack.outputs()).toEqual({ status: "pending", key: "shop-key" });
    expect(await sent(() => stack.up("--refresh"))).toEqual({});
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 4 });
  });

  it("rotates a password by one update call, and nothing of either is readable anywhere", async () => {
    stack.write(program({ login: { ...login, password: second } }));
    const ofEngine = {
      plumbline: [
        ["preview", "--diff", "--save-plan", "plan.json"],
        ["up", "--yes", "--diff", "--plan", "plan.json"],
      ],
      pulumi: [
        ["preview", "--diff", "--save-plan", "plan.json"],
        ["up", "--yes", "--skip-preview", "--diff", "--plan", "plan.json", "--debug"],
      ],
    } as const;
    const requests = await sent(async () => {
      for (const args of ofEngine[engine]) await runs(...args, "--stack", "dev");
    });
    expect(requests).toEqual({ [update]: 1 });
    expect(one("managedCredentials")).toMatchObject({ _username: "deploy", _password: second });

    const again = await stack.up();
    expect(again.changes).toEqual({ same: 4 });
    printed.push(again.printed, (await stack.refresh()).printed);
    await runs("stack", "export", "--stack", "dev");
    await runs("stack", "output", "--stack", "dev");
    const files = filesUnder(dirname(stack.folder));
    // The state and the plan are among what is looked through.
    expect(files.filter((file) => readFileSync(file, "latin1").includes("shop-key")).length).toBeGreaterThan(
      1,
    );
    expect(files.some((file) => file.endsWith("plan.json"))).toBe(true);
    for (const password of [first, second]) {
      const forms = [password, Buffer.from(password).toString("base64"), encodeURIComponent(password)];
      for (const form of forms) {
        expect(printed.flatMap((text) => text.split("\n").filter((line) => line.includes(form)))).toEqual([]);
        expect(files.filter((file) => readFileSync(file, "latin1").includes(form))).toEqual([]);
      }
    }
  });

  it("changes a user name with the password that it has, by one call as well", async () => {
    stack.write(program({ login: { username: "operations", password: second } }));
    expect(await sent(() => stack.up())).toEqual({ [update]: 1 });
    expect(one("managedCredentials")).toMatchObject({ _username: "operations", _password: second });
  });

  it("stops watching a service and goes on again, by one call each", async () => {
    const kind = { username: "operations", password: second };
    for (const [enabled, verb, status] of [
      [false, "disable", "disabled"],
      [true, "enable", "ok"],
    ] as const) {
      stack.write(program({ login: kind, service: enabled ? {} : { enabled } }));
      let paths: unknown;
      const requests = await sent(async () => {
        paths = (await stack.up()).plan["shop"]?.paths;
      });
      expect(requests).toEqual({ [`POST /managed/services/{serviceId}/${verb}`]: 1 });
      expect(Object.keys(paths as object)).toEqual(["enabled"]);
      await call(emulator, "GET", "/managed/services");
      expect(one("managedServices")["status"]).toBe(status);
      expect((await stack.up("--refresh")).changes).toMatchObject({ same: 4 });
    }
  });

  it("puts right what others changed, and makes again what they took away", async () => {
    const { id } = one("managedServices");
    await call(emulator, "PUT", `/managed/services/${id}`, {
      service_type: "tcp",
      address: "shop.example:25",
      notes: "mine now",
    });
    await call(emulator, "PUT", "/managed/compute-settings/1001", { ssh: { access: false } });
    await call(emulator, "DELETE", `/managed/contacts/${one("managedContacts").id}`);
    const { plan } = await stack.up("--refresh");
    expect(plan).toMatchObject({
      lead: { op: "create" },
      key: { op: "same" },
      shop: { op: "update" },
      web: { op: "update" },
    });
    expect(Object.keys(plan["shop"]!.paths).sort()).toEqual(["address", "notes", "serviceType"]);
    expect(one("managedServices")).toMatchObject({ service_type: "url", address: shop.address, notes: "" });
    expect(await settings()).toEqual({ access: true, user: "support", ip: "any", port: 2222 });
  });

  it("is adopted elsewhere by names, and then needs no change and no password", async () => {
    const { resources } = program();
    const { credentials: _, ...properties } = resources.shop.properties;
    const declared = {
      ...resources,
      key: { ...resources.key, properties: { label: "shop-key" } },
      shop: { ...resources.shop, properties: { ...properties, credentials: ["${key.id}"] } },
    };
    const { baseUrl, token } = emulator;
    const other = await createDriver(engine, { resources: declared }, { baseUrl, token });
    try {
      const requests = await sent(async () => {
        await other.import({
          lead: ["plumbline:managed/contact:Contact", "Ada Pope"],
          key: ["plumbline:managed/credential:Credential", "shop-key"],
          shop: ["plumbline:managed/service:Service", "shop"],
          web: ["plumbline:managed/instanceSettings:InstanceSettings", "web-1"],
        });
        expect((await other.preview("--expect-no-changes")).changes).toEqual({ same: 4 });
      });
      expect(requests).toEqual({});
    } finally {
      other.remove();
    }
  });

  it("refuses what the declaration alone shows, before any request", async () => {
    const before = emulator.stats().total;
    stack.write(program({ service: { address: "http://10.0.0.8/" } }));
    const refused = await stack.attempt("preview");
    expect(refused.code).toBe(1);
    expect(`${refused.said.join("\n")}${refused.printed}`).toMatch(
      /region[\s\S]*is required for the private address 10\.0\.0\.8/,
    );
    expect(emulator.stats().total).toBe(before);
  });

  it("does not repeat a password that it refuses", async () => {
    stack.write(program({ login: { username: "deploy", password: 7_734_402_718 } }));
    const refused = await stack.attempt("preview");
    expect(refused.code).toBe(1);
    const text = `${refused.said.join("\n")}${refused.printed}`;
    expect(text).toMatch(/password[\s\S]*must be text/);
    expect(text).not.toMatch(/7734402718|7\.7344/);
  });

  it("is taken down without a trace: the settings have their defaults, the credential is revoked", async () => {
    stack.write(program({ login: { username: "operations", password: second } }));
    expect(await sent(() => stack.destroy())).toEqual({
      "DELETE /managed/contacts/{contactId}": 1,
      "POST /managed/credentials/{credentialId}/revoke": 1,
      "DELETE /managed/services/{serviceId}": 1,
      "PUT /managed/compute-settings/{computeId}": 1,
    });
    expect(await settings()).toEqual({ access: true, user: null, ip: "any", port: null });
    expect(comparable(emulator)).toEqual(untouched);
    expect(emulator.mismatches).toEqual([]);
  });
}
