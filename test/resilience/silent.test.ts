/** A run that is killed between two requests of one resource is never called finished: preview and drift name what is missing, and the next run does it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { startEmulator, type Watched } from "../../emulator/index.ts";
import { kept } from "../e2e/account.ts";
import { createEmbedded } from "../e2e/embedded.ts";
import { stackText } from "../e2e/pulumi.ts";

const cli = resolve(import.meta.dirname, "../../bin/plumbline");

const zone = {
  one: {
    type: "plumbline:dns:Domain",
    properties: { domain: "one.example", type: "master", soaEmail: "root@one.example" },
  },
  all: {
    type: "plumbline:dns:Zone",
    properties: {
      domainId: "${one.id}",
      records: ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((target) => ({ type: "A", name: "www", target })),
    },
  },
};
const service = (more: object) => ({
  shop: {
    type: "plumbline:managed:Service",
    properties: { label: "shop", serviceType: "url", address: "https://shop.example", timeout: 5, ...more },
  },
});
const bucket = (acl: string) => ({
  photos: {
    type: "plumbline:objectstorage:Bucket",
    properties: { cluster: "us-east-1", label: "photos", acl },
  },
});

/** A stack whose `up` is killed when a request of that kind comes in, before or after it is carried out. */
async function open({ onTestFinished }: TestContext) {
  let strike: ((moment: "before" | "after", request: Watched) => boolean) | undefined;
  let kill = async () => {};
  const emulator = await startEmulator({
    speed: "max",
    watch: async (moment, request) => {
      if (!strike?.(moment, request)) return undefined;
      strike = undefined;
      await kill();
      return "cut";
    },
  });
  const stack = createEmbedded(stackText({ resources: {} }), {
    baseUrl: emulator.baseUrl,
    token: emulator.token,
  });
  onTestFinished(async () => {
    stack.remove();
    await emulator.close();
  });
  return {
    emulator,
    stack,
    async killedUp(resources: object, moment: "before" | "after", method: string, path: RegExp) {
      stack.write(stackText({ resources } as never));
      const child = spawn(process.execPath, [cli, "up", "--yes", "--skip-preview"], {
        ...{ cwd: stack.folder, env: stack.env, stdio: "ignore" },
      });
      const dead = once(child, "exit");
      kill = async () => {
        child.kill("SIGKILL");
        await dead;
      };
      strike = (now, request) => now === moment && request.method === method && path.test(request.path);
      await dead;
      expect(child.signalCode).toBe("SIGKILL");
    },
    /** What a preview would change, by resource. */
    async previewed() {
      const { steps } = await stack.preview();
      const changed = steps.filter(({ op }) => op === "update");
      return Object.fromEntries(changed.map(({ name, detailedDiff }) => [name, Object.keys(detailedDiff)]));
    },
  };
}

it("a Zone without its records: the preview names them, and the next run makes them", async (context) => {
  const { emulator, stack, killedUp, previewed } = await open(context);
  await killedUp(zone, "before", "POST", /records$/);
  expect(kept(emulator, "domain_records").length).toBeLessThan(3);
  expect((await previewed())["all"]?.length).toBeGreaterThan(0);
  await stack.up();
  expect(kept(emulator, "domain_records")).toHaveLength(3);
  expect(await previewed()).toEqual({});
});

it("a Service that is still to be disabled, or was and is not to be any more", async (context) => {
  const { emulator, stack, killedUp, previewed } = await open(context);
  await killedUp(service({ enabled: false }), "before", "POST", /disable$/);
  expect(await previewed()).toEqual({ shop: ["enabled"] });
  await stack.up();
  expect(kept(emulator, "managedServices")).toMatchObject([{ status: "disabled" }]);
  await killedUp(service({ enabled: true }), "after", "POST", /enable$/);
  stack.write(stackText({ resources: service({ enabled: false }) } as never));
  await stack.up();
  expect(kept(emulator, "managedServices")).toMatchObject([{ status: "disabled" }]);
  expect(await previewed()).toEqual({});
});

it("a Bucket's access, which nothing answers: turned back after a kill it is set again, and drift names it until then", async (context) => {
  const { emulator, stack, killedUp, previewed } = await open(context);
  stack.write(stackText({ resources: bucket("private") } as never));
  await stack.up();
  await killedUp(bucket("public-read"), "after", "POST", /access$/);
  stack.write(stackText({ resources: bucket("private") } as never));
  const drift = await stack.command("drift", "--stack", "dev");
  expect(drift.stdout).toContain("acl");
  expect(await previewed()).toEqual({ photos: ["acl"] });
  await stack.up();
  expect(JSON.stringify(kept(emulator, "objectStorageBuckets"))).not.toContain("public-read");
  expect(await previewed()).toEqual({});
  expect((await stack.command("drift", "--stack", "dev")).code).toBe(0);
});
