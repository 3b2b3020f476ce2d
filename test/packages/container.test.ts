/**
 * The emulator's container file, followed line by line without a container runtime: each stage has a folder for its root, and what is
 * made there runs as the user that the file names. Base images and `npm ci` alone are taken on trust.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../emulator/client.ts";

const root = resolve(import.meta.dirname, "../..");
const isRoot = process.getuid?.() === 0;
const packages = "npm ci --ignore-scripts --no-audit --no-fund";

/** The instructions, each with its word and the rest of its line. */
const lines = readFileSync(join(root, "deploy/emulator/Containerfile"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
const last = (word: string) => lines.filter(([each]) => each === word).at(-1)![1];
const listOf = (word: string): string[] => JSON.parse(/\[.*\]$/.exec(last(word))![0]);

/** Where the build happens: within the clone, so that its packages are found. */
const shed = join(root, "test-results", `container-${process.pid}`);
let image: string;
let work = "/";

const stageRoot = (name: string | undefined) => (name === "build" ? shed : image);
/** A text whose absolute paths lead into the stage. */
const within = (stage: string, text: string) =>
  text.replace(/(?<![\w./:])\/(?=(?:source|opt|data)\b)/g, () => `${stage}/`);

function run(stage: string, command: string): void {
  if (command === packages) {
    expect(existsSync(join(stage, work, "package-lock.json"))).toBe(true);
    return;
  }
  const allowed = isRoot ? command : command.replace(/chown \S+ \S+/, "true");
  const ran = spawnSync("sh", ["-c", within(stage, allowed)], { cwd: join(stage, work), encoding: "utf8" });
  expect(ran.status, `${command}: ${ran.stderr}`).toBe(0);
}

function copy(stage: string, words: string): void {
  const from = /^--from=(\w+) /.exec(words);
  const paths = words.replace(/^--\S+ /, "").split(" ");
  const target = join(stage, work, paths.pop()!);
  for (const path of paths) {
    const source = join(from ? stageRoot(from[1]) : root, path);
    const isFolder = statSync(source).isDirectory();
    cpSync(source, isFolder ? target : join(target, basename(path)), { recursive: true });
  }
}

beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), "plumbline-image-"));
  chmodSync(image, 0o755);
  mkdirSync(shed, { recursive: true });
  let stage = image;
  for (const [word, rest] of lines) {
    if (word === "FROM") {
      stage = stageRoot(/ AS (\w+)$/.exec(rest)?.[1]);
      work = "/";
    } else if (word === "WORKDIR") {
      work = rest;
      mkdirSync(join(stage, work), { recursive: true });
    } else if (word === "COPY") copy(stage, rest);
    else if (word === "RUN") run(stage, rest);
  }
});
afterAll(() => {
  rmSync(shed, { recursive: true, force: true });
  rmSync(image, { recursive: true, force: true });
});

describe("the emulator's container", () => {
  it("follows a file of known instructions", () => {
    const known = [
      "FROM",
      "WORKDIR",
      "COPY",
      "RUN",
      "USER",
      "VOLUME",
      "EXPOSE",
      "HEALTHCHECK",
      "ENTRYPOINT",
      "CMD",
    ];
    expect(lines.map(([word]) => word).filter((word) => !known.includes(word))).toEqual([]);
    expect(lines.filter(([word]) => word === "RUN").map(([, rest]) => rest)).toContain(packages);
  });

  it("runs as nobody's root, holds no sources and no packages", () => {
    expect(last("USER")).toBe("1000:1000");
    expect(existsSync(join(image, "opt/plumbline/dist/cli/public/index.html"))).toBe(true);
    expect(existsSync(join(image, "source"))).toBe(false);
    expect(existsSync(join(image, "opt/plumbline/node_modules"))).toBe(false);
    expect(readFileSync(join(image, "opt/plumbline/third-party-licences.txt"), "utf8")).toContain("ajv 8.");
    expect(existsSync(join(image, "opt/plumbline/LICENSE"))).toBe(true);
  });

  it("serves, is found healthy, keeps its account in the volume, and ends when it is told to", async () => {
    const command = [...listOf("ENTRYPOINT"), ...listOf("CMD"), "--port", "0"].map((text) =>
      within(image, text),
    );
    const [user, group] = last("USER").split(":");
    const asUser = isRoot ? ["setpriv", "--reuid", user!, "--regid", group!, "--clear-groups"] : [];
    const [program, ...args] = [...asUser, ...command];
    const emulator = spawn(program!, args, { cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = await once(emulator.stdout, "data");
      const port = /^listening on http:\/\/0\.0\.0\.0:(\d+)\/v4$/m.exec(String(line))![1]!;
      const check = (at: string) => {
        const [node, ...rest] = listOf("HEALTHCHECK").map((text) => text.replace("4747", at));
        return spawnSync(node!, rest).status;
      };
      expect([check(port), check("1")]).toEqual([0, 1]);
      expect((await ask(Number(port), "GET", "/_emulator/")).status).toBe(200);
      await ask(Number(port), "POST", "/v4/profile/tokens", {
        body: { label: "kept in the volume" },
        headers: { "content-type": "application/json" },
      });
      const account = join(image, "data/account.json");
      expect(readFileSync(account, "utf8")).toContain("kept in the volume");
      if (isRoot) expect(statSync(account).uid).toBe(1000);
    } finally {
      emulator.kill("SIGTERM");
    }
    expect((await once(emulator, "exit"))[0]).toBe(0);
    expect(last("EXPOSE")).toBe("4747");
  });
});
