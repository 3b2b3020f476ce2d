/** The versions of a stack's state: listed, looked at, and brought back, from a folder and from a bucket. */

import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

const file = (...names: string[]): string => `name: shop
runtime: yaml
resources:
${names
  .map(
    (name) =>
      `  ${name}: { type: "plumbline:managed:Credential", properties: { label: ${name}, password: "a long secret" } }`,
  )
  .join("\n")}
`;

describe.each(["a folder", "a bucket"])("in %s", (kind) => {
  const at = () => (kind === "a folder" ? "file://states?keep=4" : store.address("history", "&keep=4"));
  const run = (...args: string[]) => desk.run([...args, "--state", at()], { env: store.environment });

  it("each run that changes the state makes one, with who, when, by what, how it ended and what it did", async () => {
    rmSync(join(desk.folder, "states"), { recursive: true, force: true });
    desk.write("Pulumi.yaml", file("one"));
    expect((await run("stack", "history")).stderr).toBe("no version of dev is kept yet\n");
    expect((await run("stack", "history", "--json")).stdout).toBe("[]\n");
    await run("up", "-y", "--skip-preview");
    await run("up", "-y", "--skip-preview");
    desk.write("Pulumi.yaml", file("one", "two"));
    await run("up", "-y", "--skip-preview");
    await run("state", "mv", "two", "three");
    const told = JSON.parse((await run("stack", "history", "--json")).stdout) as { [key: string]: unknown }[];
    expect(told.map(({ version, operation, result }) => [version, operation, result])).toEqual([
      [3, "state", "succeeded"],
      [2, "up", "succeeded"],
      [1, "up", "succeeded"],
    ]);
    expect(told[1]).toMatchObject({ host: hostname(), counts: { create: 1, same: expect.any(Number) } });
    expect(Math.abs(Date.parse(String(told[1]!["at"])) - Date.now())).toBeLessThan(600_000);
    const lines = (await run("stack", "history")).stdout.trimEnd().split("\n");
    expect(lines[1]).toMatch(/^2 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\S+@\S+ +up +succeeded {2}1 create$/);
    expect(lines[0]).toMatch(/ state +succeeded$/);
  });

  it("one that is kept is exported, for us and for Pulumi, and imported again", async () => {
    const names = (text: string) => [...text.matchAll(/Credential::([a-z]+)"/g)].map(([, name]) => name);
    expect(new Set(names((await run("stack", "export", "--version", "1")).stdout))).toEqual(new Set(["one"]));
    const second = await run("stack", "export", "--version", "2");
    expect(new Set(names(second.stdout))).toEqual(new Set(["one", "two"]));
    const forPulumi = await run("stack", "export", "--version", "2", "--pulumi", "--show-secrets");
    expect(new Set(names(forPulumi.stdout))).toEqual(new Set(["one", "two"]));
    expect(forPulumi.stdout).toContain("a long secret");
    desk.write("second.json", second.stdout);
    expect((await run("stack", "import", "second.json")).code).toBe(0);
    expect((await run("preview", "--expect-no-changes", "--refresh")).code).toBe(0);
    for (const [version, said] of [
      ["9", "There is no version 9 of the state"],
      ["0", "--version needs the number of a version"],
      ["last", "--version needs the number of a version"],
    ] as const) {
      const ran = await run("stack", "export", "--version", version);
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(said)]);
    }
  });

  it("only so many are kept as the address says, and numbers go on", async () => {
    for (const names of [["one"], ["one", "two"]]) {
      desk.write("Pulumi.yaml", file(...names));
      await run("up", "-y", "--skip-preview");
    }
    const told = JSON.parse((await run("stack", "history", "--json")).stdout) as { version: number }[];
    expect(told.map(({ version }) => version)).toEqual([6, 5, 4, 3]);
    expect((await run("stack", "export", "--version", "2")).code).toBe(1);
    expect((await run("destroy", "-y")).code).toBe(0);
  });
});

it("a version that is damaged is named, and the others are there without it", async () => {
  const run = (...args: string[]) => desk.run([...args, "--state", "file://damaged"]);
  for (const name of ["one", "two"]) {
    desk.write("Pulumi.yaml", file(name));
    const ran = await run("up", "-y");
    expect(ran.code, ran.text).toBe(0);
  }
  const damaged = join("damaged", "history", "shop", "dev", "1.version");
  desk.write(damaged, "");
  for (const command of [["history"], ["export", "--version", "1"]]) {
    const told = await run("stack", ...command);
    expect([told.code, told.text]).toEqual([
      1,
      expect.stringMatching(/1\.version is damaged: .* move that file away.* \[PLB-STATE\]/),
    ]);
  }
  rmSync(join(desk.folder, damaged));
  expect((await run("stack", "history")).stdout).toMatch(/^2 .*\n$/);
  expect((await run("destroy", "-y")).code).toBe(0);
});
