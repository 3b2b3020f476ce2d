/** What a stack file may make the engine read: regular files, and nothing behind a link that leaves the project. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadProgram } from "../../../provider/engine/language/program.ts";
import { bytesOf } from "../../../provider/verbs/values/content.ts";
import { catalogue, fakeHost, head } from "./fixture.ts";

let base: string;
let folder: string;
let server: Server;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "files-"));
  folder = join(base, "project");
  mkdirSync(join(folder, "inside"), { recursive: true });
  writeFileSync(join(base, "secret.txt"), "outside");
  writeFileSync(join(folder, "inside", "a.txt"), "inside");
  symlinkSync("../secret.txt", join(folder, "link-out"));
  symlinkSync("..", join(folder, "folder-out"));
  symlinkSync("inside/a.txt", join(folder, "link-in"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  symlinkSync("/dev/zero", join(folder, "device-link"));
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(base, { recursive: true });
});

const open = (file = join(folder, "Pulumi.yaml")) =>
  loadProgram({ file, stack: "dev", catalogue, environment: {} });

/** What comes of a value in a stack file: the outputs, or the messages. */
async function outcomeOf(value: string): Promise<unknown> {
  writeFileSync(join(folder, "Pulumi.yaml"), `${head}outputs:\n  a: ${value}\n`);
  const program = await open();
  return program
    .run(fakeHost())
    .catch((error: { diagnostics: { message: string }[] }) =>
      error.diagnostics.map(({ message }) => message).join("\n"),
    );
}

describe("a stack file that is no regular file", () => {
  it.each([
    ["pipe", "a named pipe (FIFO)"],
    ["socket", "a socket"],
    ["inside", "a folder"],
    ["device-link", "a device"],
  ])("is refused at once with its path: %s", async (name, kind) => {
    const { diagnostics } = await open(join(folder, name));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      `cannot read ${join(folder, name)}: it is ${kind}, and only a regular file is read`,
    ]);
  });

  it("is refused as the settings of a stack, too", async () => {
    writeFileSync(join(folder, "Pulumi.yaml"), head);
    execFileSync("mkfifo", [join(folder, "Pulumi.dev.yaml")]);
    const { diagnostics } = await open();
    expect(diagnostics).toEqual([
      expect.objectContaining({
        severity: "error",
        message: expect.stringContaining("Pulumi.dev.yaml: it is a named"),
      }),
    ]);
  });
});

describe.each(["fn::readFile", "fn::fileAsset", "fn::fileArchive"])("%s", (call) => {
  it.each(["pipe", "socket", "device-link"])(
    "refuses what is no file, at once and by name: %s",
    async (name) => {
      expect(await outcomeOf(`{ ${call}: ./${name} }`)).toMatch(
        new RegExp(`cannot read ./${name}: it is (a|reached through a link)`),
      );
    },
  );

  it.each(["link-out", "folder-out/secret.txt"])(
    "refuses a link that leaves the project's folder: %s",
    async (name) => {
      expect(await outcomeOf(`{ ${call}: ./${name} }`)).toContain(
        `./${name}: it is reached through a link out of`,
      );
      expect(await outcomeOf(`{ ${call}: "\${pulumi.cwd}/${name}" }`)).toContain("through a link out of");
    },
  );

  it("follows a link within the folder, and reads what is named openly elsewhere", async () => {
    expect(await outcomeOf(`{ ${call}: ./link-in }`)).toHaveProperty("a");
    expect(await outcomeOf(`{ ${call}: "${join(base, "secret.txt")}" }`)).toHaveProperty("a");
  });
});

describe("the content of an asset", () => {
  it.each(["pipe", "socket", "device-link", "inside"])(
    "is never read from what is no file: %s",
    async (name) => {
      const path = join(folder, name);
      await expect(bytesOf({ path } as never)).rejects.toThrow(`${path} cannot be read: it is a`);
    },
  );

  it("is not read through a link out of the folder of the run", async () => {
    const link = join(process.cwd(), "node_modules", `.link-out-${process.pid}`);
    symlinkSync(join(base, "secret.txt"), link);
    try {
      await expect(bytesOf({ path: link } as never)).rejects.toThrow("through a link out of the folder");
    } finally {
      rmSync(link);
    }
    expect(Buffer.from(await bytesOf({ path: join(base, "secret.txt") } as never)).toString()).toBe(
      "outside",
    );
  });
});
