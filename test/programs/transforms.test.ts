/** Transforms that the engine calls back: in Pulumi's order, on properties, options and calls, and when they fail. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../provider/machine/process.ts";
import { kept, writes } from "../e2e/account.ts";
import { killNow } from "../kill.ts";
import { openNodeProjects, type TestProject, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

const plumbline = join(import.meta.dirname, "../../bin/plumbline");

/** Adds a mark to the description of networks. */
const marking = (mark: string) =>
  `async ({ type, props, opts }) => type.includes(":Vpc") ? { props: { ...props, description: pulumi.interpolate\`\${props.description}${mark}\` }, opts } : undefined`;

const network = (name: string, options = "{}") =>
  `new plumbline.vpc.Vpc("${name}", { label: "${name}", region: "us-east", description: "0" }, ${options});`;

/** A component `net` in another, which holds the network `v`. */
const nested = (ofResource: string, ofComponent: string, ofOuter: string) => `
class Net extends pulumi.ComponentResource {
  constructor(name, opts, fill) {
    super("test:net:Net", name, {}, opts);
    fill(this);
  }
}
new Net("outer", { transforms: [${ofOuter}] }, (outer) =>
  new Net("net", { parent: outer, transforms: [${ofComponent}] }, (net) =>
    { ${network("v", `{ parent: net, transforms: [${ofResource}] }`)} }));
`;

const targets = (p: TestProject) =>
  Object.fromEntries(
    kept(p.emulator, "domain_records")
      .filter(({ type }) => type === "A")
      .map(({ name, target }) => [name, target]),
  );

describe("a transform", { timeout: 60_000 }, () => {
  it("of a resource goes before those of its parents, and these before those of the stack", async () => {
    const ofStack = ["s", "t"].map((mark) => `pulumi.runtime.registerResourceTransform(${marking(mark)});`);
    const source = `${ofStack.join("\n")}${nested(marking("r"), marking("c"), marking("o"))}${network("w")}`;
    const p = await projects.project(source);
    await p.succeed("up", "-y");
    const found = kept(p.emulator, "vpcs").map(({ label, description }) => [label, description]);
    expect(Object.fromEntries(found)).toMatchObject({ v: "0rcost", w: "0st" });
    expect(await p.succeed("preview", "--expect-no-changes")).toContain("unchanged");
  });

  it("changes what is registered after it", async () => {
    const p = await projects.project(`module.exports = async () => {
  const first = ${network("v")}
  await new Promise((settle) => first.urn.apply(settle));
  pulumi.runtime.registerResourceTransform(${marking("s")});
  ${network("w")}
};`);
    await p.succeed("up", "-y");
    const found = kept(p.emulator, "vpcs").map(({ label, description }) => [label, description]);
    expect(Object.fromEntries(found)).toMatchObject({ v: "0", w: "0s" });
  });

  it("may make a value unknown or secret, and is told what is", async () => {
    const p = await projects.project(`
const zone = new plumbline.dns.Domain("zone", { domain: "shop.example", type: "master", soaEmail: pulumi.secret("admin@shop.example") }, {
  transforms: [async ({ props, opts }) => {
    if (!pulumi.Output.isInstance(props.soaEmail) || !(await pulumi.isSecret(props.soaEmail))) throw new Error("soaEmail is no secret");
    if (props.domain !== "shop.example") throw new Error("domain is no text");
    return { props: { ...props, description: pulumi.secret("within") }, opts };
  }],
});
new plumbline.dns.Record("a", { domainId: zone.id, type: "A", name: "a", target: "203.0.113.10" }, {
  transforms: [({ props, opts }) => {
    if (!pulumi.Output.isInstance(props.domainId)) throw new Error("domainId is no output");
    return { props: { ...props, name: pulumi.interpolate\`z\${props.domainId}\` }, opts };
  }],
});`);
    const preview = await p.succeed("preview");
    expect(preview).toContain("2 to create");
    await p.succeed("up", "-y");
    const [zone] = kept(p.emulator, "domains").filter(({ domain }) => domain === "shop.example");
    expect(zone).toMatchObject({ soa_email: "admin@shop.example", description: "within" });
    expect(targets(p)).toEqual({ [`z${zone?.["id"]}`]: "203.0.113.10" });
    const { a, zone: saved } = await p.state();
    expect(JSON.stringify(saved?.inputs?.["description"])).toContain("1b47061264138c4ac30d75fd1eb44270");
    expect(a?.["dependencies"]).toEqual([saved?.urn]);
    expect(await p.succeed("preview", "--expect-no-changes")).toContain("unchanged");
    await p.succeed("destroy", "-y");
  });

  it("of the stack may add a dependency and protect", async () => {
    const p = await projects.project(`
const first = ${network("v")}
pulumi.runtime.registerResourceTransform(({ name, props, opts }) => name === "w" ? { props, opts: { ...opts, dependsOn: [first], protect: true } } : undefined);
${network("w")}`);
    await p.succeed("up", "-y");
    const { v, w } = await p.state();
    expect(w).toMatchObject({ dependencies: [v?.urn], protect: true });
  });

  it("that leaves the options of a child alone keeps what its parent says", async () => {
    const keeping = `{ retainOnDelete: true, transforms: [({ props, opts }) => ({ props, opts: { ...opts } })] }`;
    const p = await projects.project(`
class Net extends pulumi.ComponentResource {}
const net = new Net("test:net:Net", "net", {}, ${keeping});
${network("v", "{ parent: net }")}`);
    await p.succeed("up", "-y");
    await p.succeed("destroy", "-y");
    expect(kept(p.emulator, "vpcs").map(({ label }) => label)).toContain("v");
  });

  it.each(["grpc_proxy", "https_proxy"])("is called past the proxy that %s names", async (name) => {
    const p = await projects.project(
      `pulumi.runtime.registerResourceTransform(${marking("s")});${network("v")}`,
    );
    p.env[name] = "http://127.0.0.1:9";
    await p.succeed("validate");
  });

  it("of functions changes their arguments, also to what a preview does not know", async () => {
    const p = await projects.project(`${zoneOf("a")}
pulumi.runtime.registerInvokeTransform(({ token, args, opts }) => token.includes("getDomain") ? { args: { ...args, id: zone.id }, opts } : undefined);
exports.found = plumbline.dns.getDomainOutput({ id: "1" }).domain;`);
    await p.succeed("up", "-y");
    expect(await p.succeed("stack", "output", "found")).toContain("shop.example");
  });
});

describe("a stack of three records", { timeout: 60_000 }, () => {
  let p: TestProject;
  beforeAll(async () => {
    p = await projects.project(zoneOf("a", "b", "c"));
    await p.succeed("up", "-y", "--skip-preview");
  }, 60_000);

  const ofStack = (body: string) =>
    `pulumi.runtime.registerResourceTransform(async ({ name, props, opts }) => { if (name === "a") { ${body} } });\n${zoneOf("a", "b")}`;

  it.each([
    ["that throws", ofStack('throw new Error("no such luck");'), /index\.js:\d+:\d+.*no such luck/s],
    ["that answers no properties", ofStack("return { opts };"), /transform failed/],
    ["that kills its process", ofStack('process.kill(process.pid, "SIGKILL");'), /ended by SIGKILL/],
    ["that exits", ofStack("process.exit(0);"), /before it was done|the program ended before/],
    [
      "of a function that throws",
      `pulumi.runtime.registerInvokeTransform(() => { throw new Error("no such luck"); });\n${zoneOf("a", "b")}\nexports.found = plumbline.dns.getDomain({ id: "1" });`,
      /no such luck/,
    ],
  ])("is left as it is by a transform %s", async (_, source, told) => {
    const before = writes(p.emulator);
    p.write(source);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(told);
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual(before);
  });

  it.each([
    ["a kill", "SIGKILL"],
    ["Ctrl-C", "SIGINT"],
  ] as const)(
    "is left as it is by %s while a transform is awaited, and no process stays",
    async (_, signal) => {
      const before = writes(p.emulator);
      const note = join(p.folder, "pid");
      rmSync(note, { force: true });
      p.write(
        ofStack(
          'require("node:fs").writeFileSync(__dirname + "/pid", String(process.pid)); await new Promise(() => {});',
        ),
      );
      const child = spawn(process.execPath, [plumbline, "up", "-y", "--skip-preview"], {
        ...{ cwd: p.folder, env: p.env, stdio: "ignore" },
      });
      const ended = once(child, "close");
      for (let tries = 0; tries < 400 && !existsSync(note); tries += 1) await setTimeout(50);
      const pid = Number(readFileSync(note, "utf8"));
      if (signal === "SIGKILL") killNow(child.pid!);
      else process.kill(child.pid!, signal);
      await ended;
      for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await setTimeout(50);
      expect(isAlive(pid)).toBe(false);
      expect(writes(p.emulator)).toEqual(before);
      p.write(zoneOf("a", "b", "c"));
      expect(await p.succeed("preview", "--expect-no-changes")).toContain("unchanged");
    },
  );
});
