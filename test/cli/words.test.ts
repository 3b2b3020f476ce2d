/** What helps to write: explanations of types, completion in a shell, and one layout for stack files. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
const text = `name:   shop   # the project
runtime: yaml
resources:
    # The zone of the shop.
    zone:
        type: plumbline:dns:Domain
        properties: {domain:   words.example, type: master, soaEmail: a@words.example}
    www: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: www, target: 192.0.2.1 } }
    login: { type: "plumbline:managed:Credential", properties: { label: words, password: { "fn::secret": open sesame } } }
`;
beforeAll(async () => {
  desk = await openDesk();
  desk.write("Pulumi.yaml", text);
});
afterAll(() => desk.close());

const words = async (...given: string[]) =>
  (await desk.run(["completion", "words", "--", ...given])).stdout.trim().split("\n");

describe("explain", () => {
  it("tells what a type is, and what a property may hold", async () => {
    const type = await desk.run(["explain", "dns:Record"]);
    expect(type.code, type.text).toBe(0);
    expect(type.stdout).toMatch(/^plumbline:dns:Record\n/);
    expect(type.stdout).toMatch(/^ {2}target +string.*/m);
    expect((await desk.run(["explain", "plumbline:dns:Record"])).stdout).toBe(type.stdout);
    expect((await desk.run(["explain", "dns:Record.ttlSec"])).stdout).toMatch(/^dns:Record.ttlSec: /);
    const within = await desk.run(["explain", "kubernetes:Cluster.nodePools.count"]);
    expect(within.stdout).toMatch(/count: (integer|number)/);
    expect((await desk.run(["explain", "dns:getDomain"])).stdout).toContain("Outputs:");
  });

  it("names what is near to a word that is none", async () => {
    expect((await desk.run(["explain", "dns:Recrd"])).stderr).toContain("dns:Record");
    expect((await desk.run(["explain", "dns:Record.targt"])).stderr).toContain("target");
    const none = await desk.run(["explain", "Machine"]);
    expect(none.stderr).toContain("the types are: dns:Domain");
    expect(none.stderr).not.toContain("getDomain");
  });

  it("needs no area where one alone is called so, and names them where several are", async () => {
    expect((await desk.run(["explain", "Record"])).stdout).toMatch(/^plumbline:dns:Record\n/);
    expect((await desk.run(["explain", "record.target"])).stdout).toMatch(/^record.target: /);
    const several = await desk.run(["explain", "getCluster"]);
    expect(several.code).toBe(1);
    expect(several.stderr).toContain("objectstorage:getCluster and kubernetes:getCluster");
  });
});

describe("completion", () => {
  it("knows commands, options, types, functions, templates and the resources of the file", async () => {
    expect(await words("st")).toEqual(["state", "stack"]);
    expect(await words("stack", "gr")).toEqual(["graph"]);
    expect(await words("up", "--ref")).toEqual(["--refresh"]);
    expect(await words("stack", "graph", "--emu")).toEqual(["--emulator"]);
    expect(await words("up", "--target", "w")).toEqual(["www"]);
    expect(await words("state", "show", "z")).toEqual(["zone"]);
    expect(await words("import", "plumbline:dns:D")).toEqual(["plumbline:dns:Domain"]);
    expect(await words("invoke", "plumbline:dns:getDomain")).toContain("plumbline:dns:getDomains");
    expect(await words("new", "kub")).toEqual(["kubernetes"]);
    expect(await words("explain", "PLB-LO")).toEqual(["PLB-LOCK", "PLB-LOST"]);
  });

  it("is there for zsh and fish, and for no other", async () => {
    for (const shell of ["zsh", "fish"])
      expect((await desk.run(["completion", shell])).stdout).toContain("plumbline completion words --");
    expect((await desk.run(["completion", "tcsh"])).code).toBe(1);
  });
});

describe("a plan in Markdown", () => {
  it("shows the properties of what is made, without secrets", async () => {
    const ran = await desk.run(["preview", "--markdown"]);
    expect(ran.stdout).toMatch(/\| create \| \*\*www\*\* .*`target: "192.0.2.1"`/);
    expect(ran.stdout).not.toContain("sesame");
  });
});

describe("fmt", () => {
  it("lays the file out once, and comments and meaning stay", async () => {
    expect((await desk.run(["fmt", "--check"])).code).toBe(1);
    const before = (await desk.run(["preview", "--json"])).stdout;
    expect((await desk.run(["fmt"])).code).toBe(0);
    const next = readFileSync(join(desk.folder, "Pulumi.yaml"), "utf8");
    expect(next).toContain("name: shop # the project\n");
    expect(next).toContain("\n  # The zone of the shop.\n  zone:\n    type: plumbline:dns:Domain\n");
    expect((await desk.run(["preview", "--json"])).stdout).toBe(before);
    expect((await desk.run(["fmt", "--check"])).text).toContain("is as it should be");
  });

  it("refuses what is no YAML, with the file as it was", async () => {
    desk.write("broken.yaml", "name: [\n");
    expect((await desk.run(["fmt", "-f", "broken.yaml"])).code).toBe(1);
    expect(readFileSync(join(desk.folder, "broken.yaml"), "utf8")).toBe("name: [\n");
  });
});
