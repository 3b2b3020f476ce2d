/**
 * A container file, followed line by line without a container runtime: each stage has a folder for its root. Base images and what comes from a
 * registry (`npm ci`, packages of the distribution) alone are taken on trust.
 */

import { spawnSync } from "node:child_process";
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
import { expect } from "vitest";

const root = resolve(import.meta.dirname, "../..");
export const isRoot = process.getuid?.() === 0;
export const packages = "npm ci --ignore-scripts --no-audit --no-fund";
const known = [
  "FROM",
  "WORKDIR",
  "COPY",
  "RUN",
  "ENV",
  "USER",
  "VOLUME",
  "EXPOSE",
  "HEALTHCHECK",
  "ENTRYPOINT",
  "CMD",
];

export interface Image {
  /** Its root. */
  readonly folder: string;
  /** What is on the line of this word; its last one. */
  readonly last: (word: string) => string;
  /** Every line of this word. */
  readonly all: (word: string) => string[];
  /** The JSON list on it. */
  readonly list: (word: string) => string[];
  /** A text whose absolute paths lead into the image. */
  readonly within: (text: string) => string;
  /** Words before a program that make it run as the image's user. */
  readonly asUser: readonly string[];
  readonly remove: () => void;
}

/** Follows the file; fails for an instruction that is none of those above. */
export function buildImage(file: string): Image {
  const lines = readFileSync(join(root, file), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
  expect(lines.map(([word]) => word).filter((word) => !known.includes(word))).toEqual([]);
  // The build happens within the clone, so that its packages are found.
  const shed = mkdtempSync(join(prepared(join(root, "test-results")), "container-"));
  const folder = mkdtempSync(join(tmpdir(), "plumbline-image-"));
  chmodSync(folder, 0o755);
  const stageRoot = (name: string | undefined) => (name === "build" ? shed : folder);
  const within = (stage: string, text: string) =>
    text.replace(/(?<![\w./:])\/(?=(?:source|opt|data)\b)/g, () => `${stage}/`);
  let [stage, work] = [folder, "/"];
  for (const [word, rest] of lines) {
    if (word === "FROM") [stage, work] = [stageRoot(/ AS (\w+)$/.exec(rest)?.[1]), "/"];
    else if (word === "WORKDIR") {
      work = rest;
      mkdirSync(join(stage, work), { recursive: true });
    } else if (word === "COPY") copy(join(stage, work), rest, stageRoot);
    else if (word === "RUN") run(join(stage, work), rest, (text) => within(stage, text));
  }
  const all = (word: string) => lines.filter(([each]) => each === word).map(([, rest]) => rest);
  const last = (word: string) => all(word).at(-1)!;
  const [user, group] = last("USER").split(":");
  return {
    folder,
    last,
    all,
    list: (word) => JSON.parse(/\[.*\]$/.exec(last(word))![0]),
    within: (text) => within(folder, text),
    asUser: isRoot ? ["setpriv", "--reuid", user!, "--regid", group!, "--clear-groups"] : [],
    remove() {
      rmSync(shed, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function prepared(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function run(cwd: string, command: string, within: (text: string) => string): void {
  if (command === packages) {
    expect(existsSync(join(cwd, "package-lock.json"))).toBe(true);
    return;
  }
  if (command.startsWith("apt-get ")) return;
  const allowed = isRoot ? command : command.replace(/chown \S+ \S+/, "true");
  const ran = spawnSync("sh", ["-c", within(allowed)], { cwd, encoding: "utf8" });
  expect(ran.status, `${command}: ${ran.stderr}`).toBe(0);
}

function copy(cwd: string, words: string, stageRoot: (name: string | undefined) => string): void {
  const from = /^--from=(\w+) /.exec(words);
  const paths = words.replace(/^--\S+ /, "").split(" ");
  const target = join(cwd, paths.pop()!);
  for (const path of paths) {
    const source = join(from ? stageRoot(from[1]) : root, path);
    const isFolder = statSync(source).isDirectory();
    cpSync(source, isFolder ? target : join(target, basename(path)), { recursive: true });
  }
}
