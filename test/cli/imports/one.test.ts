/** `import TYPE NAME ID` and `import --all` declare an object alike, and neither writes a secret or leaves the next preview anything to do. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogue } from "../../../provider/provider.ts";
import { makeByHand } from "../../e2e/hand-made.ts";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
const opened = async () => {
  desk = await openDesk();
};
const closed = () => desk.close();

async function ran(...args: string[]) {
  const done = await desk.run(args);
  expect(done.code, done.text).toBe(0);
  return done;
}

describe("an account with something of everything", { timeout: 120_000 }, () => {
  beforeAll(async () => {
    await opened();
    await makeByHand(desk.emulator);
  });
  afterAll(closed);

  /** What stands under `resources` of the file, without the lines that part its blocks. */
  const blocksIn = (text: string) => text.slice(text.indexOf("\nresources:\n")).replaceAll(/\n+/g, "\n");

  it("is declared the same object by object as all at once", async () => {
    mkdirSync(join(desk.folder, "each"));
    const head = "name: each\nruntime: yaml\n\nresources:\n";
    const { stdout } = await ran("import", "--all", "-y", "--json");
    const imported = JSON.parse(stdout).imported as { type: string; name: string; id: string }[];
    const types = new Set(imported.map(({ type }) => type));
    const declared = [...catalogue.resources.values()].filter(({ leftOut }) => leftOut === undefined);
    // Pools that were there when the cluster was imported are declared within it.
    const within = "plumbline:kubernetes/nodePool:NodePool";
    expect(declared.map(({ token }) => token).filter((type) => !types.has(type))).toEqual([within]);

    let blocks = "";
    for (const { type, name, id } of imported) {
      desk.write("each/Pulumi.yaml", `${head}${blocks}`);
      const one = await ran("import", type, name, id, "-C", "each");
      blocks += one.stdout.slice(one.stdout.indexOf("\nresources:\n") + "\nresources:\n".length);
    }
    desk.write("each/Pulumi.yaml", `${head}${blocks}`);
    const all = readFileSync(join(desk.folder, "Pulumi.yaml"), "utf8");
    expect(blocksIn(`${head}${blocks}`)).toBe(blocksIn(all));
    await ran("preview", "--expect-no-changes", "-C", "each");
    expect(await dependencies("each")).toEqual(await dependencies("."));
  });

  /** What each resource of the state depends on, by name. */
  async function dependencies(folder: string) {
    const { stdout } = await ran("stack", "export", "-C", folder);
    const { resources } = JSON.parse(stdout).deployment as {
      resources: { urn: string; dependencies: string[] }[];
    };
    const nameOf = (urn: string) => urn.split("::").at(-1)!;
    const ours = resources.filter(({ urn }) => urn.includes("::plumbline:"));
    expect(ours.length).toBeGreaterThan(0);
    return new Map(ours.map(({ urn, dependencies = [] }) => [nameOf(urn), dependencies.map(nameOf)]));
  }
});

describe("secrets of a stack whose file was lost", { timeout: 120_000 }, () => {
  beforeAll(opened);
  afterAll(closed);
  const head = "name: mine\nruntime: yaml\n";
  const lost = `resources:
  login: { type: "plumbline:managed:Credential", properties: { label: login, username: root, password: { "fn::secret": open sesame } } }
  zone: { type: "plumbline:dns:Domain", properties: { domain: a.example, type: master, soaEmail: a@a.example, description: { "fn::secret": open sesame } } }
`;

  it("are to be declared again first; the refusal names them, and where they are", async () => {
    desk.write("Pulumi.yaml", head + lost);
    await ran("up", "-y");
    await desk.api("POST", "/volumes", { label: "backup", size: 30, region: "us-east" });
    desk.write("Pulumi.yaml", head);
    const refused = await desk.run(["import", "--all", "-y"]);
    expect([refused.code, refused.text]).toEqual([
      1,
      expect.stringMatching(/login\.password, zone\.description\. .*state show NAME --show-secrets/),
    ]);
    expect(refused.text).not.toContain("sesame");
    expect(readFileSync(join(desk.folder, "Pulumi.yaml"), "utf8")).toBe(head);
    expect((await ran("state", "show", "login", "--show-secrets")).stdout).toContain("open sesame");

    desk.write("Pulumi.yaml", head + lost);
    await ran("import", "--all", "--add", "-y");
    await ran("preview", "--expect-no-changes");
  });
});
