/** A state belongs to one account of one service: any other is refused, in every command, and nothing is written to either. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

const stack = (target = "192.0.2.1") => `name: small
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: small.example, type: master, soaEmail: a@small.example } }
  www: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: www, target: ${target} } }
outputs: { zone: "\${zone.id}" }
`;

let desk: Desk;
let other: Desk;
beforeAll(async () => {
  [desk, other] = await Promise.all([openDesk(), openDesk()]);
  desk.write("Pulumi.yaml", stack());
  const ran = await desk.run(["up", "-y"]);
  expect(ran.code, ran.text).toBe(0);
});
afterAll(() => Promise.all([desk.close(), other.close()]));

const stateFile = () => join(desk.folder, ".plumbline", "stacks", "small", "dev.json");
const state = () => readFileSync(stateFile(), "utf8");
const collections = (of: Desk) => (of.emulator.data() as { collections: object }).collections;
const digest = (of: Desk) => JSON.stringify(collections(of));

/** A door to the account that says it is another customer's for any token but the first. */
async function door(): Promise<{
  readonly baseUrl: string;
  readonly server: Server;
  readonly sent: string[];
}> {
  const sent: string[] = [];
  const server = createServer((incoming, outgoing) => {
    sent.push(`${incoming.method} ${incoming.url}`);
    const { port } = new URL(desk.emulator.baseUrl);
    const { method, url: path, headers } = incoming;
    const passed = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      const isOther = headers.authorization?.includes("somebody-else");
      const customer = isOther ? "OTHER-CUSTOMER" : answer.headers["x-customer-uuid"];
      outgoing.writeHead(answer.statusCode!, { ...answer.headers, "x-customer-uuid": customer });
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v4`, server, sent };
}

const commands = [
  ["preview"],
  ["up", "-y"],
  ["refresh"],
  ["drift"],
  ["destroy", "-y"],
  ["import", "plumbline:dns:Domain", "again", "small.example"],
  ["import", "--all", "--add", "-y"],
  ["stack", "output"],
  ["run", "plumbline:databases:MySqlInstance.patch", "mysql/1", "-y"],
];

describe("a stack that is on one service", () => {
  it.for(commands)("is refused by %j on another, which names both, and nothing is done", async (command) => {
    const before = [state(), digest(desk), digest(other)];
    const ran = await desk.run(command, { env: { PLUMBLINE_BASE_URL: other.emulator.baseUrl } });
    expect(ran.code, ran.text).toBe(4);
    expect(ran.text).toContain(desk.emulator.baseUrl);
    expect(ran.text).toContain(other.emulator.baseUrl);
    expect(ran.text).toContain("plumbline stack retarget");
    expect([state(), digest(desk), digest(other)]).toEqual(before);
  });

  it("is refused in one place: on the standard error, and in JSON where there is a stream to end", async () => {
    const env = { PLUMBLINE_BASE_URL: other.emulator.baseUrl };
    const refusal = /and this run would be about/g;
    for (const command of [...commands, ["preview", "--json"], ["stack", "output", "--json"]]) {
      const ran = await desk.run(command, { env });
      expect(ran.text.match(refusal), command.join(" ")).toHaveLength(1);
      expect(ran.stderr === "", ran.text).toBe(command.join(" ") === "preview --json");
    }
    const page = await desk.run(["preview", "--markdown", "--html", "plan.html"], { env });
    expect(page.stderr).toMatch(refusal);
    expect(page.stdout).toMatch(refusal);
    expect(readFileSync(join(desk.folder, "plan.html"), "utf8")).toMatch(refusal);
  });

  it("is known under any spelling of its address, and the empty preview asks nothing", async () => {
    const { port } = new URL(desk.emulator.baseUrl);
    const env = { PLUMBLINE_BASE_URL: `HTTP://127.0.0.1:${port}/v4/` };
    const [ran, requests] = await desk.counted(() => desk.run(["preview", "--expect-no-changes"], { env }));
    expect([ran.code, requests], ran.text).toEqual([0, 0]);
  });
});

describe("a stack of one account", () => {
  it("is refused with the token of another one, though nothing would change; a second token of the same is taken", async () => {
    const { baseUrl, server, sent } = await door();
    try {
      const folder = ["--state", "by-door"];
      const own = { PLUMBLINE_BASE_URL: baseUrl };
      desk.write("Pulumi.yaml", stack().replaceAll("small.example", "door.example"));
      const made = await desk.run(["up", "-y", ...folder], { env: own });
      expect(made.code, made.text).toBe(0);
      const again = { ...own, PLUMBLINE_TOKEN: "my-second-token" };
      const taken = await desk.run(["preview", "--expect-no-changes", ...folder], { env: again });
      expect(taken.code, taken.text).toBe(0);
      sent.length = 0;
      const foreign = { ...own, PLUMBLINE_TOKEN: "token-of-somebody-else" };
      for (const command of [["preview"], ["destroy", "-y"]]) {
        const ran = await desk.run([...command, ...folder], { env: foreign });
        expect(ran.code, ran.text).toBe(4);
        expect(ran.text).toContain("OTHER-CUSTOMER");
        expect(ran.text).not.toContain("token-of-somebody-else");
      }
      expect(sent.filter((line) => !line.startsWith("GET"))).toEqual([]);
      const file = readFileSync(join(desk.folder, "by-door", "stacks", "small", "dev.json"), "utf8");
      expect(file).not.toContain(desk.emulator.token);
      const gone = await desk.run(["destroy", "-y", ...folder], { env: again });
      expect(gone.code, gone.text).toBe(0);
      // Nothing is left that could be mixed up, so the stack may begin anew anywhere.
      const anew = await desk.run(["up", "-y", ...folder], {
        env: { PLUMBLINE_BASE_URL: other.emulator.baseUrl },
      });
      expect(anew.code, anew.text).toBe(0);
      expect(digest(other)).toContain("door.example");
      await desk.run(["destroy", "-y", ...folder], { env: { PLUMBLINE_BASE_URL: other.emulator.baseUrl } });
    } finally {
      desk.write("Pulumi.yaml", stack());
      server.close();
    }
  });

  it("is moved on purpose to the address where its objects are, and nowhere else", async () => {
    const { baseUrl, server } = await door();
    try {
      const there = { PLUMBLINE_BASE_URL: baseUrl };
      const before = state();
      const stranger = await desk.run(["stack", "retarget", "-y"], {
        env: { PLUMBLINE_BASE_URL: other.emulator.baseUrl },
      });
      expect(stranger.code, stranger.text).toBe(4);
      expect(stranger.text).toContain("none of the 2 objects");
      expect((await desk.run(["stack", "retarget"], { env: there })).text).toContain("--yes");
      expect(state()).toBe(before);
      const moved = await desk.run(["stack", "retarget", "-y"], { env: there });
      expect(moved.code, moved.text).toBe(0);
      expect(moved.text).toContain("2 of 2 objects are there");
      expect((await desk.run(["preview", "--expect-no-changes"], { env: there })).code).toBe(0);
      expect((await desk.run(["preview"])).code).toBe(4);
      expect((await desk.run(["stack", "retarget", "-y"])).code).toBe(0);
      expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(0);
    } finally {
      server.close();
    }
  });

  it("that was saved before states knew, is bound at the next write, with a notice", async () => {
    const saved = JSON.parse(state()) as { plumbline: { targets?: object } };
    expect(saved.plumbline.targets).toMatchObject({ default: { baseUrl: desk.emulator.baseUrl } });
    const { targets, ...bare } = saved.plumbline;
    writeFileSync(stateFile(), JSON.stringify({ ...saved, plumbline: bare }));
    expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(0);
    desk.write("Pulumi.yaml", stack("192.0.2.2"));
    const ran = await desk.run(["up", "-y"]);
    expect(ran.text).toContain(`from now on it is of account`);
    expect((JSON.parse(state()) as typeof saved).plumbline.targets).toEqual(targets);
  });
});

describe("a state folder", () => {
  it("with a scheme that nobody knows is refused, and no such folder is made", async () => {
    for (const given of [["--state", "gs://bucket/states"], []]) {
      const env = given.length > 0 ? {} : { PLUMBLINE_STATE: "azblob://box" };
      const ran = await desk.run(["up", "-y", ...given], { env });
      expect(ran.code, ran.text).toBe(1);
      expect(ran.text).toMatch(/^error: (--state|PLUMBLINE_STATE): .*(gs|azblob):\/\/.* path of a folder\n$/);
    }
    expect(readdirSync(desk.folder).filter((name) => /gs|azblob/.test(name))).toEqual([]);
  });
});

describe("the emulator", () => {
  it("keeps its stacks beside those of the service, so that neither is taken for the other", async () => {
    const file = "--emulator=account.json";
    const before = [state(), digest(desk)];
    const forgotten = await desk.run(["up", "-y", "--emulator"]);
    expect(forgotten.text).toContain("2 created");
    expect((await desk.run(["up", "-y", file])).text).toContain("2 created");
    expect((await desk.run(["preview", "--expect-no-changes", file])).code).toBe(0);
    // The account of a bare --emulator is gone with it, and so is what was known of it.
    expect((await desk.run(["preview", "--emulator"])).text).toContain("2 to create");
    expect((await desk.run(["refresh", "--emulator"])).code).toBe(0);
    expect((await desk.run(["destroy", "-y", file])).code).toBe(0);
    expect([state(), digest(desk)]).toEqual(before);
    expect((await desk.run(["preview", "--expect-no-changes"])).code).toBe(0);
  });

  it("tells an account's file that was made anew from the one that the stack is on", async () => {
    const file = "--emulator=renewed.json";
    expect((await desk.run(["up", "-y", file])).code).toBe(0);
    rmSync(join(desk.folder, "renewed.json"));
    for (const command of [["up", "-y"], ["refresh"]]) {
      const ran = await desk.run([...command, file]);
      expect(ran.code, ran.text).toBe(4);
      expect(ran.text).toContain("renewed.json");
    }
  });
});
