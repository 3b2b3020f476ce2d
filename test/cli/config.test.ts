/** `plumbline config`: values of a stack are set, shown and removed, sealed where they are secrets, comments kept. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPassphraseCrypter } from "../../provider/engine/state/passphrase.ts";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.write(
    "Pulumi.yaml",
    `name: shop
runtime: yaml
config:
  domain: { type: string, default: shop.example }
  size: { type: integer, default: 20 }
  hosts: { type: array, items: { type: string }, default: [] }
  password: { type: string, secret: true }
outputs: { domain: "\${domain}", size: "\${size}", hosts: "\${hosts}", password: "\${password}" }
`,
  );
});
afterAll(() => desk.close());

const comments = `# Values of the first shop.
config:
  # Ours since 2019.
  shop:domain: old.example # soon to go
  size: "40"
`;
beforeEach(() => desk.write("Pulumi.dev.yaml", comments));
const settings = () => readFileSync(join(desk.folder, "Pulumi.dev.yaml"), "utf8");
const outputs = async (env = {}) => {
  const ran = await desk.run(["up", "-y", "--skip-preview"], { env });
  expect(ran.code, ran.text).toBe(0);
  return JSON.parse((await desk.run(["stack", "output", "--json", "--show-secrets"], { env })).stdout);
};

describe("config", () => {
  it("is set, shown and removed, and comments and spelling stay", async () => {
    const set = await desk.run(["config", "set", "domain", "new.example"]);
    expect([set.code, set.stdout]).toEqual([0, "set domain in Pulumi.dev.yaml\n"]);
    expect(settings()).toBe(comments.replace("old.example", "new.example"));
    await desk.run(["config", "set", "size", "41"]);
    expect(settings()).toContain('  size: "41"\n');
    expect((await desk.run(["config", "get", "domain"])).stdout).toBe("new.example\n");
    expect((await desk.run(["config", "rm", "size"])).code).toBe(0);
    expect(settings()).not.toContain("size");
    expect((await desk.run(["config", "get", "size"])).stdout).toBe("20\n");
    const missing = await desk.run(["config", "rm", "size"]);
    expect([missing.code, missing.stderr]).toEqual([1, "error: Pulumi.dev.yaml gives size no value\n"]);
  });

  it("of a list is given as JSON, or item by item, and reaches the program", async () => {
    await desk.run(["config", "set", "password", "nothing-of-note"]);
    const text = await desk.run(["config", "set", "hosts", "web.example"]);
    expect([text.code, text.stderr]).toEqual([1, expect.stringContaining("give it as JSON")]);
    expect((await desk.run(["config", "set", "hosts", '["a.example"]'])).code).toBe(0);
    expect((await desk.run(["config", "set", "--path", "hosts[1]", "b.example"])).code).toBe(0);
    expect(await outputs()).toMatchObject({
      domain: "old.example",
      size: 40,
      hosts: ["a.example", "b.example"],
    });
  });

  it("of the wrong type, and a key that the provider does not have, are refused with the file as it was", async () => {
    const ran = await desk.run(["config", "set", "size", "big"]);
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringContaining('config "size" must be of type integer'),
    ]);
    const key = await desk.run(["config", "set", "plumbline:tokn", "x"]);
    expect([key.code, key.stderr]).toEqual([1, expect.stringContaining("plumbline:token")]);
    expect(settings()).toBe(comments);
  });

  it("of another stack stands in a file of its own, which is made", async () => {
    await desk.run(["config", "set", "-s", "live", "domain", "live.example"]);
    expect(readFileSync(join(desk.folder, "Pulumi.live.yaml"), "utf8")).toBe(
      "config:\n  shop:domain: live.example\n",
    );
  });
});

describe("a secret", () => {
  it("is read from standard input, sealed as Pulumi seals, and shown only when asked", async () => {
    const ran = await desk.run(["config", "set", "password"], { input: "open sesame\n" });
    expect([ran.code, ran.text]).toEqual([0, "set password in Pulumi.dev.yaml, sealed\n"]);
    expect(settings()).not.toContain("sesame");
    const [, salt] = /^encryptionsalt: (.+)$/m.exec(settings())!;
    const [, sealed] = /shop:password:\n {4}secure: (.+)$/m.exec(settings())!;
    const pulumi = await createPassphraseCrypter("correct horse", salt);
    expect(pulumi.decrypt(sealed!)).toBe("open sesame");
    expect((await desk.run(["config", "get", "password"])).stdout).toBe("[secret]\n");
    expect((await desk.run(["config", "get"])).stdout).toMatch(/^password +\[secret\]$/m);
    expect((await desk.run(["config", "get", "password", "--show-secrets"])).stdout).toBe("open sesame\n");
    expect((await outputs()).password).toBe("open sesame");
  });

  it("may come slowly, as from a command that asks a vault first", async () => {
    const ran = await desk.run(["config", "set", "password"], { input: ["open ", "sesame", "\n"] });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect((await desk.run(["config", "get", "password", "--show-secrets"])).stdout).toBe("open sesame\n");
  });

  it("that does not open is not told as missing, and what is not secret still is", async () => {
    await desk.run(["config", "set", "password", "open sesame"]);
    const under = (...args: string[]) => desk.run(args, { env: { PLUMBLINE_PASSPHRASE: "another" } });
    for (const args of [
      ["config", "get"],
      ["config", "get", "password"],
      ["config", "get", "--json"],
    ]) {
      const ran = await under(...args);
      expect(ran.code, ran.text).toBe(1);
      expect(ran.text).toMatch(/PLB-KEY/);
      expect(ran.text).not.toContain("config set");
    }
    expect((await under("config", "get", "size")).stdout).toBe("40\n");
  });

  it("that does not open hinders no check of the rest, as of what comes from a fork", async () => {
    await desk.run(["config", "set", "password", "open sesame"]);
    await desk.run(["config", "set", "--secret", "--path", "hosts[0]", "hidden.example"]);
    const without = { env: { PLUMBLINE_PASSPHRASE: undefined } };
    const sound = await desk.run(["validate"], without);
    expect([sound.code, sound.text]).toEqual([
      0,
      expect.stringMatching(/^warning: .*is not checked.*PLB-KEY\]\nvalid: no problem found\n$/),
    ]);
    await desk.run(["config", "set", "size", "many"]);
    desk.write("Pulumi.dev.yaml", settings().replace(/size: .*/, "size: many"));
    const wrong = await desk.run(["validate"], without);
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("must be of type integer")]);
    expect((await desk.run(["preview"], without)).code).toBe(1);
  });

  it("is sealed under Pulumi's passphrase where there is one, and under the key file where there is none", async () => {
    const shared = { PULUMI_CONFIG_PASSPHRASE: "theirs" };
    await desk.run(["config", "set", "password", "one-secret"], { env: shared });
    const [, salt] = /^encryptionsalt: (.+)$/m.exec(settings())!;
    await expect(createPassphraseCrypter("theirs", salt)).resolves.toHaveProperty("state", salt);

    const none = { PLUMBLINE_PASSPHRASE: undefined };
    const refused = await desk.run(["config", "set", "password", "another"], { env: none });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("PULUMI_CONFIG_PASSPHRASE")]);
    desk.write("Pulumi.dev.yaml", comments);
    const ran = await desk.run(["config", "set", "password", "two-secrets", "--state", "keys"], {
      env: none,
    });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("key file")]);
    const key = readFileSync(join(desk.folder, "keys/key"), "utf8").trim();
    const [, made] = /^encryptionsalt: (.+)$/m.exec(settings())!;
    await expect(createPassphraseCrypter(key, made)).resolves.toHaveProperty("state", made);
    const shown = await desk.run(["config", "get", "password", "--show-secrets", "--state", "keys"], {
      env: none,
    });
    expect(shown.stdout).toBe("two-secrets\n");
  });

  it("of the provider is sealed without being told to, and used", async () => {
    await desk.run(["config", "set", "plumbline:baseUrl", desk.emulator.baseUrl]);
    await desk.run(["config", "set", "plumbline:token", desk.emulator.token]);
    expect(settings()).toMatch(/plumbline:token:\n {4}secure: v1:/);
    const env = { PLUMBLINE_BASE_URL: undefined, PLUMBLINE_TOKEN: undefined };
    const ran = await desk.run(["invoke", "plumbline:dns:getDomains"], { env });
    expect(ran.code, ran.text).toBe(0);
  });

  it("that is missing is told with the command that sets it", async () => {
    const env = { PLUMBLINE_BASE_URL: undefined, PLUMBLINE_TOKEN: undefined };
    const ran = await desk.run(["invoke", "plumbline:dns:getDomains"], { env });
    expect(ran.text).toContain("plumbline config set plumbline:baseUrl VALUE");
    expect(ran.text).not.toContain("pulumi config");
  });
});
