/** Where the state of a stack is kept: what a user writes of it, and which word counts. */

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(() => {
  for (const folder of ["byflag", "byvariable", "byfile", ".plumbline"])
    rmSync(join(desk.folder, folder), { recursive: true, force: true });
});

const project = (backend: string): string => `name: kept
runtime: yaml
${backend}
variables: { text: hello }
outputs: { text: "\${text}" }
`;
const isIn = (folder: string): boolean => existsSync(join(desk.folder, folder, "stacks", "kept", "dev.json"));
const up = (args: readonly string[], env = {}) => desk.run(["up", "-y", ...args], { env });

describe("the place of the states", () => {
  it("is what --state says, else PLUMBLINE_STATE, else the stack file, else beside it", async () => {
    desk.write("Pulumi.yaml", project("backend: { url: file://byfile }"));
    const variable = { PLUMBLINE_STATE: "file://byvariable" };
    expect(await up(["--state", "byflag"], variable)).toMatchObject({ code: 0 });
    expect([isIn("byflag"), isIn("byvariable"), isIn("byfile")]).toEqual([true, false, false]);
    expect(await up([], variable)).toMatchObject({ code: 0 });
    expect([isIn("byvariable"), isIn("byfile")]).toEqual([true, false]);
    expect(await up([])).toMatchObject({ code: 0 });
    expect([isIn("byfile"), isIn(".plumbline")]).toEqual([true, false]);
    desk.write("Pulumi.yaml", project(""));
    expect(await up([])).toMatchObject({ code: 0 });
    expect(isIn(".plumbline")).toBe(true);
  });

  it("is not asked for what is about the file alone", async () => {
    const state = "s3://nowhere?endpoint=http://127.0.0.1:9&region=x";
    const ran = await desk.run(["validate", "--state", state], { env: { PLUMBLINE_PASSPHRASE: undefined } });
    expect([ran.code, ran.text]).toEqual([0, expect.stringContaining("valid")]);
  });

  it("in a stack file is found from wherever the command is started, as the file is", async () => {
    desk.write("Pulumi.yaml", project("backend:\n  url: file://./byfile"));
    mkdirSync(join(desk.folder, "deeper"), { recursive: true });
    const ran = await desk.run(["up", "-y", "-C", "deeper", "-f", "../Pulumi.yaml"]);
    expect(ran.code, ran.text).toBe(0);
    expect(isIn("byfile")).toBe(true);
  });

  it("that nobody knows is refused with what there is, whoever names it, and nothing is made", async () => {
    desk.write("Pulumi.yaml", project("backend: { url: 'https://anna:hidden-word@api.example.com' }"));
    const ran = await up([]);
    expect([ran.code, ran.text]).toEqual([
      1,
      expect.stringMatching(/^error: backend\.url in Pulumi\.yaml: .*"https:\/\/".*file:\/\/.*a folder\n$/),
    ]);
    expect(ran.text).not.toContain("hidden-word");
    expect(await up(["--state", "byflag"])).toMatchObject({ code: 0 });
    expect(isIn("byflag")).toBe(true);
  });

  it("with a password in the stack file is advised against, and the password is not shown", async () => {
    desk.write(
      "Pulumi.yaml",
      project("backend: { url: 'postgres://anna:hidden-word@db.example.com/states' }"),
    );
    const ran = await desk.run(["validate", "--state", "byflag"]);
    expect(ran.text).toContain("a password stands in the address of the backend");
    expect(ran.text).not.toContain("hidden-word");
  });

  it("never shows its password, wherever it fails", async () => {
    desk.write("Pulumi.yaml", project(""));
    for (const [args, env] of [
      [["--state", "postgres://anna:hidden-word@127.0.0.1:1/states"], {}],
      [[], { PLUMBLINE_STATE: "postgres://127.0.0.1:1/states?user=anna&password=hidden-word" }],
      [["--state", "postgres://anna@127.0.0.1:1/states"], { PGPASSWORD: "hidden-word" }],
      [["--state", "postgres://anna:hidden-word@127.0.0.1:1/states?sslmod=x"], { PLUMBLINE_DEBUG: "1" }],
    ] as const) {
      const ran = await desk.run(
        ["preview", "--state", "postgres://anna:hidden-word@127.0.0.1:no/x", ...args],
        { env },
      );
      expect(ran.code).toBe(1);
      expect(ran.text).not.toContain("hidden-word");
    }
  });

  it("has to be text, and nothing else is a key of backend", async () => {
    desk.write("Pulumi.yaml", project("backend: { uri: file://x }"));
    expect((await desk.run(["validate"])).text).toContain('did you mean "url"');
    desk.write("Pulumi.yaml", project("backend: { url: [x] }"));
    expect((await desk.run(["validate"])).code).toBe(1);
  });
});
