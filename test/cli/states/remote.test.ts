/** Stacks whose state is in a bucket, as their users see them; on the small server. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSmallS3, type SmallS3 } from "../../engine/state/backends/small-s3.ts";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
let store: SmallS3;
beforeAll(async () => {
  desk = await openDesk();
  store = await openSmallS3();
});
afterAll(async () => {
  await store.close();
  await desk.close();
});
beforeEach(() => {
  store.objects.clear();
  store.before = undefined;
});

const file = (name: string, body: string): string => `name: ${name}
runtime: yaml
backend: { url: "${store.address()}" }
${body}
`;
const zone = (domain: string): string =>
  `resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: ${domain}, type: master, soaEmail: a@b.example } }
  login: { type: "plumbline:managed:Credential", properties: { label: ${domain}, password: { "fn::secret": open sesame } } }
outputs: { domain: "\${zone.domain}", secret: { "fn::secret": hidden-word } }`;
const run = (args: readonly string[], env: { [name: string]: string | undefined } = {}) =>
  desk.run(args, { env: { ...store.environment, ...env } });
const everything = () => [...store.objects.values()].map(({ text }) => text).join("\n");

describe("a stack whose state is in a bucket", () => {
  it("lives as any other: up, nothing to do, drift, another stack's outputs, export, import, rename, destroy, rm", async () => {
    desk.write("Pulumi.yaml", file("shop", zone("shop.example")));
    const up = await run(["up", "-y"]);
    expect(up.code, up.text).toBe(0);
    expect(everything()).not.toMatch(/open sesame|hidden-word/);
    expect((await run(["preview", "--expect-no-changes", "--refresh"])).code).toBe(0);
    expect((await run(["stack", "list"])).stdout).toBe("dev\n");
    const exported = (await run(["stack", "export"])).stdout;
    expect((await run(["stack", "rename", "live"])).text).toContain("renamed dev to live");
    expect((await run(["stack", "list"])).stdout).toBe("live\n");
    expect((await run(["preview", "--expect-no-changes", "-s", "live"])).code).toBe(0);
    desk.write("Pulumi.live.yaml", "config: {}\n");
    desk.write(
      "Pulumi.yaml",
      file(
        "other",
        `resources:
  shop: { type: "pulumi:pulumi:StackReference", properties: { name: organization/shop/live } }
outputs: { domain: "\${shop.outputs.domain}" }`,
      ),
    );
    const other = await run(["up", "-y", "-s", "dev"]);
    expect(other.text).toContain("shop.example");
    desk.write("Pulumi.yaml", file("shop", zone("shop.example")));
    desk.write(
      "state.json",
      exported.replaceAll("urn:pulumi:dev::", "urn:pulumi:live::").replaceAll("shop-dev", "shop-live"),
    );
    expect((await run(["stack", "import", "state.json", "-s", "live"])).text).toContain("imported");
    expect((await run(["preview", "--expect-no-changes", "-s", "live"])).code).toBe(0);
    expect((await run(["destroy", "-y", "-s", "live"])).code).toBe(0);
    expect((await run(["stack", "rm", "live", "-y", "-s", "live"])).text).toContain("ended live");
    expect((await run(["stack", "list"])).stdout).toBe("");
  });

  it("needs a passphrase of its users, which is said before anything is asked of the service", async () => {
    desk.write("Pulumi.yaml", file("keyless", zone("keyless.example")));
    const [ran, requests] = await desk.counted(() =>
      run(["up", "-y", "--skip-preview"], { PLUMBLINE_PASSPHRASE: undefined }),
    );
    expect([ran.code, ran.text]).toEqual([
      1,
      expect.stringMatching(/set PLUMBLINE_PASSPHRASE .* \[PLB-KEY\]/),
    ]);
    expect(requests).toBe(0);
    const opened = await run(["up", "-y"], {
      PLUMBLINE_PASSPHRASE: undefined,
      PLUMBLINE_KEY: "a-key-file-s-text\n",
    });
    expect(opened.code, opened.text).toBe(0);
    const other = await run(["stack", "output", "secret", "--show-secrets"], {
      PLUMBLINE_PASSPHRASE: undefined,
      PLUMBLINE_KEY: "a-key-file-s-text",
    });
    expect(other.stdout).toBe("hidden-word\n");
    expect(
      (await run(["destroy", "-y"], { PLUMBLINE_PASSPHRASE: undefined, PLUMBLINE_KEY: "a-key-file-s-text" }))
        .code,
    ).toBe(0);
  });

  it("says who holds it, and goes on where a killed run stopped once its lease has ended", async () => {
    desk.write("Pulumi.yaml", file("killed", zone("killed.example")));
    // The run dies at its first write to the service, as far as the store ever hears.
    let isDead = false;
    store.before = ({ method, key }) => {
      isDead ||= method === "PUT" && key.includes("/journal/") && key.endsWith("2");
      return isDead ? 403 : undefined;
    };
    expect((await run(["up", "-y", "--skip-preview", "--parallel", "1"])).code).toBe(1);
    store.before = undefined;
    const head = store.objects.get("team/stacks/killed/dev/head.json")!;
    const { owner } = JSON.parse(head.text) as { owner?: object };
    const elsewhere = {
      ...JSON.parse(head.text),
      owner: {
        ...owner,
        user: "eve",
        host: "far-away",
        pid: 7,
        nonce: "1",
        since: new Date().toISOString(),
        operation: "up",
        lease: 60,
      },
    };
    store.objects.set("team/stacks/killed/dev/head.json", {
      text: JSON.stringify(elsewhere),
      at: Date.now() + store.ahead,
    });
    const refused = await run(["up", "-y", "--skip-preview"]);
    expect([refused.code, refused.text]).toEqual([
      1,
      expect.stringMatching(/eve on far-away .* its hold ends by itself 1 min 0 s after .* \[PLB-LOCK\]/s),
    ]);
    store.ahead += 62_000;
    const next = await run(["up", "-y"]);
    expect(next.code, next.text).toBe(0);
    expect(next.text).toContain("taken over from eve on far-away");
    const { results } = await desk.api("GET", "/domains");
    expect(results).toBe(1);
    expect((await run(["preview", "--expect-no-changes", "--refresh"])).code).toBe(0);
    expect((await run(["destroy", "-y"])).code).toBe(0);
  });

  it("is refused in a store that ignores the conditions of writes, such as this emulator's own Object Storage", async () => {
    const key = await desk.api("POST", "/object-storage/keys", { label: "states" });
    await desk.api("POST", "/object-storage/buckets", {
      label: "our-states",
      cluster: "us-east-1",
    });
    desk.write("Pulumi.yaml", file("own", zone("own.example")));
    const origin = new URL(desk.emulator.baseUrl).origin;
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = {
      AWS_ACCESS_KEY_ID: String(key["access_key"]),
      AWS_SECRET_ACCESS_KEY: String(key["secret_key"]),
    };
    const state = `s3://our-states/team?endpoint=${origin}/_objects/us-east-1&region=us-east-1`;
    const ran = await run(["up", "-y", "--state", state], { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
    expect(ran.text).toContain("ignores the condition of a write");
    expect(ran.text).not.toContain(AWS_SECRET_ACCESS_KEY);
  });

  it("is told apart from a store that does not answer, without its credentials", async () => {
    desk.write("Pulumi.yaml", file("nowhere", zone("nowhere.example")));
    const none = await run(["preview"], {
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
      AWS_EC2_METADATA_DISABLED: "true",
    });
    expect([none.code, none.text]).toEqual([
      1,
      expect.stringMatching(/no credentials .* AWS_ACCESS_KEY_ID .* \[PLB-STATE\]/s),
    ]);
    store.before = () => 403;
    const refused = await run(["preview"]);
    expect([refused.code, refused.text]).toEqual([
      1,
      expect.stringMatching(/cannot be kept: s3:\/\/states\/team\/.* 403 /),
    ]);
    expect(refused.text).not.toContain("small-secret-word");
  });
});
