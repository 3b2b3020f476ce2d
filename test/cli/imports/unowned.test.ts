/** `plumbline drift --unowned`: what the account has and no stack of the backend owns, judged against accounts that hold more than one stack's. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { startEmulator, starterAccount } from "../../../emulator/index.ts";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
/** Each test has a backend of its own. */
let count = 0;
beforeEach(() => {
  desk.emulator.reset();
  count += 1;
});

const run = (args: readonly string[], env = {}) => desk.run([...args, "--state", `state${count}`], { env });
const domain = (name: string) =>
  `  ${name}: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: a@a.example } }`;
/** Applies a project's stack file. */
async function apply(project: string, resources: string, args: string[] = [], env = {}): Promise<void> {
  desk.write(`${project}.yaml`, `name: ${project}\nruntime: yaml\nresources:\n${resources}\n`);
  const ran = await run(["up", "-y", "-f", `${project}.yaml`, ...args], env);
  expect(ran.code, ran.text).toBe(0);
}
const byHand = (name: string) =>
  desk.api("POST", "/domains", { domain: name, type: "master", soa_email: "a@a.example" });

interface Found {
  readonly unowned: readonly { type: string; id: string; name: string; import: string }[];
  readonly leftOut: readonly { type: string; reason: string }[];
  readonly stacks: readonly string[];
  readonly open?: readonly string[];
}
async function unowned(args: string[] = [], env = {}): Promise<[Found, number | null]> {
  const ran = await run(["drift", "--unowned", "--json", "-f", "shop.yaml", ...args], env);
  return [JSON.parse(ran.stdout) as Found, ran.code];
}

it("counts every stack of every project, and finds what none of them has, in the order of an import", async () => {
  await apply("shop", domain("one"));
  await apply("shop", domain("two"), ["--stack", "prod"]);
  await apply("blog", domain("three"));
  expect(await unowned()).toMatchObject([
    { unowned: [], stacks: expect.arrayContaining(["shop/dev", "shop/prod", "blog/dev"]) },
    0,
  ]);
  const { id } = (await byHand("four.example")) as unknown as { id: number };
  await desk.api("POST", `/domains/${id}/records`, { type: "A", name: "www", target: "192.0.2.1" });
  await desk.api("POST", "/vpcs", { label: "net", region: "us-east" });
  const [{ unowned: found }, code] = await unowned();
  expect(code).toBe(3);
  expect(found.map(({ name }) => name)).toEqual(["four-example", "four-example-www-a", "net"]);
  expect((await unowned(["--area", "vpc"]))[0].unowned.map(({ name }) => name)).toEqual(["net"]);
});

it("its commands, typed as they are shown, take over everything, so that nothing is left", async () => {
  await apply("shop", domain("one"));
  const { id } = (await byHand("two.example")) as unknown as { id: number };
  await desk.api("POST", `/domains/${id}/records`, { type: "TXT", name: "", target: "it's $(here)" });
  const [{ unowned: found }] = await unowned();
  expect(found).toHaveLength(2);
  for (const { import: command } of found) {
    const words = execFileSync("sh", ["-c", command.replace(/^plumbline/, "printf '%s\\n'")], {
      encoding: "utf8",
    });
    const ran = await run([...words.trimEnd().split("\n"), "-f", "shop.yaml"]);
    expect(ran.code, ran.text).toBe(0);
  }
  expect(await unowned()).toMatchObject([{ unowned: [] }, 0]);
});

it("records of a Zone are owned by it, whoever has it", async () => {
  await apply(
    "blog",
    `${domain("one")}\n  all: { type: "plumbline:dns:Zone", properties: { domainId: "\${one.id}", records: [{ type: A, name: www, target: 192.0.2.1 }] } }`,
  );
  await apply("shop", domain("two"));
  expect((await unowned())[0].unowned).toEqual([]);
});

it("a stack on another account owns nothing here, though its ids are the same", async () => {
  const other = await startEmulator({
    speed: "instant",
    seed: { ...starterAccount, account: { ...starterAccount.account, euuid: "0123-OTHER" } },
  });
  onTestFinished(() => other.close());
  await apply("blog", domain("one"), [], { PLUMBLINE_BASE_URL: other.baseUrl, PLUMBLINE_TOKEN: other.token });
  desk.write("shop.yaml", "name: shop\nruntime: yaml\n");
  await byHand("one.example");
  const [{ unowned: found, stacks }] = await unowned();
  expect([found.map(({ name }) => name), stacks]).toEqual([["one-example"], []]);
});

it("needs no key for other stacks' secrets, and shows none", async () => {
  const login = `  login: { type: "plumbline:managed:Credential", properties: { label: login, username: me, password: a long secret } }`;
  await apply("blog", login, [], { PLUMBLINE_PASSPHRASE: "another one" });
  await apply("shop", domain("one"));
  const [found, code] = await unowned();
  expect([found.unowned, code]).toEqual([[], 0]);
  expect(JSON.stringify(found)).not.toContain("a long secret");
});

it("refuses to judge beside a state that it cannot read", async () => {
  await apply("shop", domain("one"));
  await apply("blog", domain("two"));
  writeFileSync(join(desk.folder, `state${count}`, "stacks/blog/dev.json"), "{ torn");
  const refused = await run(["drift", "--unowned", "-f", "shop.yaml"]);
  expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("blog/dev.json")]);
});

it("says which stacks were left in the middle of something, whose objects may be among those found", async () => {
  await apply("shop", domain("one"));
  desk.write("blog.yaml", `name: blog\nruntime: yaml\nresources:\n${domain("two")}\n`);
  const delay = { method: "POST", path: "/domains", do: "delay", seconds: 1, times: 1 } as const;
  desk.emulator.setFaults([delay]);
  const before = desk.emulator.stats().requests["POST /domains"] ?? 0;
  const program = resolve(import.meta.dirname, "../../../bin/plumbline");
  const killed = spawn(
    process.execPath,
    [program, "up", "-y", "-f", "blog.yaml", "--state", `state${count}`],
    {
      cwd: desk.folder,
      stdio: "ignore",
      env: {
        HOME: desk.folder,
        PLUMBLINE_BASE_URL: desk.emulator.baseUrl,
        PLUMBLINE_TOKEN: desk.emulator.token,
        PLUMBLINE_PASSPHRASE: "correct horse",
      },
    },
  );
  while ((desk.emulator.stats().requests["POST /domains"] ?? 0) === before) await setTimeout(20);
  killed.kill("SIGKILL");
  await once(killed, "close");
  while (Number((await desk.api("GET", "/domains"))["results"]) < 2) await setTimeout(100);
  const [{ unowned: found, open }] = await unowned();
  expect([found.map(({ name }) => name), open]).toEqual([["two-example"], ["blog/dev"]]);
});

it("what the token may not list is left out, with the reason", async () => {
  await apply("shop", domain("one"));
  desk.emulator.setFaults([{ method: "GET", path: "/vpcs", do: "status", status: 403, times: 100 }]);
  const [{ leftOut }] = await unowned();
  expect(leftOut).toContainEqual(
    expect.objectContaining({
      type: "plumbline:vpc/vpc:Vpc",
      reason: expect.stringContaining("does not list"),
    }),
  );
});

it("tells it as text and as Markdown, whose table an object's name cannot break", async () => {
  await apply("shop", domain("one"));
  await desk.api("POST", "/vpcs", { label: "net", region: "us-east" });
  const text = await run(["drift", "--unowned", "-f", "shop.yaml"]);
  expect(text.stdout).toMatch(
    /^unowned vpc:Vpc net \(\d+\)\n {4}plumbline import --stack dev plumbline:vpc:Vpc net \d+$/m,
  );
  expect(text.stdout).toContain("1 on the account that no stack owns (shop/dev)");
  const markdown = await run(["drift", "--unowned", "--markdown", "-f", "shop.yaml"]);
  expect(markdown.stdout).toMatch(/^\| \*\*net\*\* \| vpc:Vpc \| \d+ \| `plumbline import /m);
  const asked = await run(["drift", "--area", "vpc", "-f", "shop.yaml"]);
  expect([asked.code, asked.text]).toEqual([1, expect.stringContaining("--area goes with --unowned")]);
});

it("drift is told as Markdown, too", async () => {
  await apply("shop", domain("one"));
  const { data } = (await desk.api("GET", "/domains")) as unknown as { data: { id: number }[] };
  await desk.api("PUT", `/domains/${data[0]!.id}`, { description: "a | `b`" });
  const ran = await run(["drift", "--markdown", "-f", "shop.yaml"]);
  expect(ran.code).toBe(3);
  expect(ran.stdout).toContain("### Drift of `dev`: 1 drifted\n");
  expect(ran.stdout).toContain(`now "a \\| 'b'"`);
});
