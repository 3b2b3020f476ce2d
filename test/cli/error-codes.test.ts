/** The codes of what stops people: each is seen in a message as the command line tells it, and has its section in the guide. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FaultRule, startEmulator } from "../../emulator/index.ts";
import { type ErrorCode, errorCodes } from "../../provider/core/error-code.ts";
import { openSmallS3 } from "../engine/state/backends/small-s3.ts";
import { type Desk, openDesk } from "./plumbline.ts";

const domain = (name: string, options = "") =>
  `  ${name}: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: a@a.example }${options} }`;
const vpc = (name: string, label: string) =>
  `  ${name}: { type: "plumbline:vpc:Vpc", properties: { label: ${label}, region: us-east } }`;
const zone = (records: number) => `${domain("one")}
  all:
    type: plumbline:dns:Zone
    properties:
      domainId: "\${one.id}"
      records:
${Array.from({ length: records }, (_, at) => `        - { type: A, name: "w${at}", target: 192.0.2.1 }`).join("\n")}`;
const database = `  db:
    type: plumbline:databases:MySqlInstance
    properties: { label: slow, engine: mysql/8.0.30, type: g6-nanode-1, region: us-east }
    options: { customTimeouts: { create: 1s, update: 1s } }`;
const credential = `  login: { type: "plumbline:managed:Credential", properties: { label: login, username: me, password: a long secret } }`;

const declare = (desk: Desk, ...resources: string[]) =>
  desk.write("Pulumi.yaml", `name: small\nruntime: yaml\nresources:\n${resources.join("\n")}\n`);

const applied = async (desk: Desk, ...resources: string[]) => {
  declare(desk, ...resources);
  const ran = await desk.run(["up", "-y"]);
  expect(ran.code, ran.text).toBe(0);
};

const stateFile = (desk: Desk, stack = "dev") =>
  join(desk.folder, ".plumbline", "stacks", "small", `${stack}.json`);

const always = (rule: Partial<FaultRule>): FaultRule => ({
  method: "*",
  path: "*",
  do: "status",
  times: 1000,
  ...rule,
});

/** Of a declaration that the service refuses with this status whatever is asked. */
const refusing =
  (status: number, headers = {}) =>
  (desk: Desk) => {
    declare(desk, domain("one"));
    desk.emulator.setFaults([always({ status, headers })]);
  };

/** A slow service, on which a database is not ready in time. */
async function slow(desk: Desk) {
  const service = await startEmulator({ speed: 1 });
  onTestFinished(() => service.close());
  declare(desk, database);
  return { PLUMBLINE_BASE_URL: service.baseUrl, PLUMBLINE_TOKEN: service.token };
}

type Environment = { readonly [name: string]: string | undefined };

/** How people come to it: what was before, and the command that is stopped. */
interface Trouble {
  /** Resolves to what the environment has beside. */
  readonly before: (desk: Desk) => unknown;
  readonly run: readonly string[];
  /** Told by JSON in a form of its own. */
  readonly inJson?: RegExp;
}

const troubles: { readonly [code in ErrorCode]: Trouble } = {
  "PLB-LOCK": {
    async before(desk) {
      await applied(desk, domain("one"));
      const owner = { user: "eve", host: `not-${hostname()}`, pid: 7, since: "2026-01-01T00:00:00Z" };
      const lock = { ...owner, operation: "up", nonce: "1" };
      writeFileSync(stateFile(desk).replace(/json$/, "lock"), JSON.stringify(lock));
      declare(desk, domain("one"), domain("two"));
    },
    run: ["up", "-y"],
  },
  "PLB-LEASE": {
    async before(desk) {
      const store = await openSmallS3();
      onTestFinished(store.close);
      // Another run has the numbers that this one would write.
      store.before = ({ method, key, body }) =>
        method === "PUT" && key.includes("/journal/") && body !== "" ? 412 : undefined;
      declare(desk, domain("one"));
      return { ...store.environment, PLUMBLINE_STATE: store.address() };
    },
    run: ["up", "-y"],
  },
  "PLB-TARGET": {
    async before(desk) {
      await applied(desk, domain("one"));
      return { PLUMBLINE_BASE_URL: "https://elsewhere.example/v4" };
    },
    run: ["preview"],
  },
  "PLB-STACK": {
    async before(desk) {
      await applied(desk, domain("one"));
      cpSync(stateFile(desk), stateFile(desk, "prod"));
    },
    run: ["preview", "--stack", "prod"],
  },
  "PLB-PLAN": {
    async before(desk) {
      declare(desk, domain("one"));
      await desk.run(["preview", "--save-plan", "plan.json"]);
      declare(desk, domain("two"));
    },
    run: ["up", "--plan", "plan.json"],
  },
  "PLB-PROTECT": {
    before: (desk) => applied(desk, domain("one", ", options: { protect: true }")),
    run: ["destroy", "-y"],
  },
  "PLB-POLICY": {
    before: (desk) =>
      desk.write(
        "Pulumi.yaml",
        `name: small\nruntime: yaml\npolicies: { rules: { naming: { pattern: shop } } }\nresources:\n${domain("one")}\n`,
      ),
    run: ["preview"],
  },
  "PLB-GONE": {
    async before(desk) {
      await applied(desk, domain("one"), domain("two"));
      const { data = [] as { id: number }[] } = await desk.api("GET", "/domains");
      for (const { id } of data) await desk.api("DELETE", `/domains/${id}`);
    },
    run: ["refresh"],
  },
  "PLB-MASS": {
    async before(desk) {
      await applied(desk, zone(12));
      declare(desk, zone(2));
    },
    run: ["preview"],
  },
  "PLB-NAME": {
    async before(desk) {
      await desk.api("POST", "/domains", { domain: "one.example", type: "master", soa_email: "a@a.example" });
      declare(desk, domain("one"));
    },
    run: ["preview"],
  },
  "PLB-SWAP": {
    async before(desk) {
      await applied(desk, vpc("left", "blue"), vpc("right", "red"));
      declare(desk, vpc("left", "red"), vpc("right", "blue"));
    },
    run: ["preview"],
  },
  "PLB-KEY": {
    async before(desk) {
      await applied(desk, credential);
      return { PLUMBLINE_PASSPHRASE: "another one" };
    },
    run: ["preview"],
  },
  "PLB-STATE": {
    before(desk) {
      declare(desk, domain("one"));
      mkdirSync(dirname(stateFile(desk)), { recursive: true });
      writeFileSync(stateFile(desk), "{ torn");
    },
    run: ["preview"],
  },
  "PLB-NEWER": {
    async before(desk) {
      await applied(desk, domain("one"));
      const state = JSON.parse(readFileSync(stateFile(desk), "utf8")) as { plumbline: { format: number } };
      state.plumbline.format = 2;
      writeFileSync(stateFile(desk), JSON.stringify(state));
    },
    run: ["preview"],
  },
  "PLB-NOFILE": { before: () => {}, run: ["preview"] },
  "PLB-SETTING": {
    before(desk) {
      declare(desk, domain("one"));
      return { PLUMBLINE_TOKEN: undefined };
    },
    run: ["preview"],
  },
  "PLB-TOKEN": { before: refusing(401), run: ["preview"] },
  "PLB-GRANT": { before: refusing(403), run: ["preview"] },
  "PLB-LIMIT": { before: refusing(429, { "Retry-After": "5000" }), run: ["preview"] },
  "PLB-REACH": {
    before(desk) {
      declare(desk, domain("one"));
      return { PLUMBLINE_BASE_URL: "http://127.0.0.1:9/v4" };
    },
    run: ["preview"],
  },
  "PLB-PROXY": {
    async before(desk) {
      declare(desk, domain("one"));
      const server = createServer((_, answer) => answer.end("<html>Sign in</html>"));
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      onTestFinished(() => void server.close());
      return { PLUMBLINE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4` };
    },
    run: ["preview"],
  },
  "PLB-LOST": {
    before(desk) {
      declare(desk, domain("one"));
      desk.emulator.setFaults([always({ method: "POST", path: "/domains", do: "reset-before" })]);
    },
    run: ["up", "-y"],
  },
  "PLB-WAIT": { before: slow, run: ["up", "-y"] },
  "PLB-PENDING": {
    async before(desk) {
      const env = await slow(desk);
      const ran = await desk.run(["up", "-y"], { env });
      expect(ran.code, ran.text).toBe(1);
      return env;
    },
    run: ["drift"],
    inJson: /"pending": \[/,
  },
};

/** Its own for each, and closed after it. */
async function ownDesk(): Promise<Desk> {
  const desk = await openDesk();
  onTestFinished(() => desk.close());
  return desk;
}

describe("what stops people names its code", () => {
  it.for(Object.entries(troubles))("%s, in text and in JSON", async ([code, { before, run, inJson }]) => {
    const desk = await ownDesk();
    const env = ((await before(desk)) ?? {}) as Environment;
    const text = await desk.run(run, { env });
    expect(text.code, text.text).toBeGreaterThan(0);
    expect(text.text).toMatch(new RegExp(`(^|\\n)[^\\n]*[^\\n ] \\[${code}\\](\\n|$)`));
    const json = await desk.run([...run, "--json"], { env });
    expect(json.code, json.text).toBe(text.code);
    expect(json.text).toMatch(inJson ?? new RegExp(`"code": ?"${code}"`));
    // `up` ends with what its preview came to where that stops it.
    const told = [...json.stdout.matchAll(/^\{"event":"summary","operation":"([a-z]+)"/gm)].map(
      ([, one]) => one,
    );
    expect(["preview", run[0]]).toEqual(expect.arrayContaining(told));
  });
});

it("a name that only the service knows to be taken is told so by its refusal", async () => {
  const desk = await ownDesk();
  const elsewhere = { id: 1, domain: "one.example" };
  const data = structuredClone(desk.emulator.data()) as { collections: { [name: string]: object[] } };
  data.collections["foreign_domains"] = [elsewhere];
  desk.emulator.setData(data);
  declare(desk, domain("one"));
  const ran = await desk.run(["up", "-y"]);
  expect(ran.code, ran.text).toBe(1);
  expect(ran.text).toMatch(/The DNS zone already exists \(POST \/domains\) \[PLB-NAME\]\n/);
});

describe("the guide to what stops people", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/guides/troubleshooting.md"), "utf8");
  const sections = page.split(/^## /m).slice(1);
  const told = Object.fromEntries(
    sections.map((section) => {
      const [title = "", ...lines] = section.split("\n");
      return [title, lines.join(" ").replace(/\s+/g, " ")];
    }),
  );

  it("has a section for each code, and none for anything else", () => {
    expect(Object.keys(told)).toEqual(Object.keys(errorCodes));
  });

  it.for(Object.entries(errorCodes))("opens that of %s as `explain` does", ([code, { title, advice }]) => {
    expect(told[code]).toMatch(/^ \*\*/);
    expect(told[code]!.startsWith(` **${title}.** ${advice} `)).toBe(true);
    expect(page).toContain(`| [\`${code}\`](#${code.toLowerCase()}) | ${title} |`);
  });

  it("says what `explain` prints offline", async () => {
    const desk = await ownDesk();
    const { title, advice } = errorCodes["PLB-LOCK"];
    for (const word of ["PLB-LOCK", "plb-lock"]) {
      const ran = await desk.run(["explain", word], { env: { PLUMBLINE_BASE_URL: undefined } });
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      expect(ran.stdout).toContain(`PLB-LOCK: ${title}\n\n${advice}\n`);
    }
    const json = await desk.run(["explain", "PLB-LOCK", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ code: "PLB-LOCK", title, advice });
    const none = await desk.run(["explain", "PLB-LOKC"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('did you mean "PLB-LOCK"?')]);
  });
});
