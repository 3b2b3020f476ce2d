/** The law of imports: which room may import which. Reads the import lines of the product's own files. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Rooms by path prefix, the most telling first. */
const rooms = [
  ["provider/core/", "core"],
  ["provider/resources/", "resources"],
  ["provider/service/", "service"],
  ["provider/wire/", "wire"],
  ["provider/pulumi/", "pulumi"],
  ["provider/engine/", "engine"],
  ["provider/kubernetes/", "kubernetes"],
  ["provider/cli/", "cli"],
  ["provider/", "provider"],
  ["emulator/", "emulator"],
  ["schemas/service.openapi.json", "contract"],
  ["schemas/coverage.json", "record"],
] as const;

/** By room: the rooms, and single files of others, that it may import. */
const mayImport: { [room: string]: readonly string[] } = {
  core: ["core"],
  resources: ["resources", "core"],
  // The port and its errors alone (decision 025).
  service: [
    "service",
    "provider/core/service-port.ts",
    "provider/core/error-code.ts",
    "provider/core/protocol/failures.ts",
    "provider/core/duration.ts",
  ],
  provider: ["provider", "core", "service", "resources"],
  wire: ["wire", "core"],
  pulumi: ["pulumi", "core", "provider", "wire"],
  engine: ["engine", "core", "provider", "wire"],
  // Contract and record: what `coverage` holds against each other.
  cli: ["cli", "core", "engine", "kubernetes", "emulator", "provider", "contract", "record"],
  kubernetes: ["kubernetes", "core", "provider"],
  emulator: ["emulator", "contract"],
};

/** The rooms that never see a clock, a file or the network: no `node:` module, no package that does input or output. */
const pureRooms = new Set(["core", "resources"]);
const purePackages = new Set(["typebox", "ajv", "ajv-formats", "ipaddr.js"]);

function roomOf(path: string): string | undefined {
  return rooms.find(([prefix]) => path.startsWith(prefix))?.[1];
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name).split(sep).join("/"));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^;"']*?from\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\b(?:import|require)\(\s*["']([^"']+)["']\s*\)/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** What a file breaks; empty when it keeps the law. */
function breaches(file: string, imports: readonly string[]): string[] {
  const room = roomOf(file);
  if (room === undefined) return [`${file}: belongs to no room`];
  const allowed = mayImport[room] ?? [];
  return imports.flatMap((name) => {
    if (name.startsWith(".")) {
      const target = relative(root, resolve(root, dirname(file), name))
        .split(sep)
        .join("/");
      const targetRoom = roomOf(target);
      const isAllowed =
        targetRoom !== undefined && (allowed.includes(targetRoom) || allowed.includes(target));
      return isAllowed ? [] : [`${file}: imports ${target}`];
    }
    if (!pureRooms.has(room)) return [];
    const packageName = name.startsWith("@") ? name.split("/").slice(0, 2).join("/") : name.split("/")[0];
    return packageName !== undefined && purePackages.has(packageName) ? [] : [`${file}: imports ${name}`];
  });
}

/** The product files that a file imports, by their paths from the root. */
function targetsOf(file: string, imports: readonly string[]): string[] {
  return imports
    .filter((name) => name.startsWith("."))
    .map((name) =>
      relative(root, resolve(root, dirname(file), name))
        .split(sep)
        .join("/"),
    );
}

/** Each circle of imports once, as the files on it in order; types count, too. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const follow = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) return void circles.push([...path.slice(at), file]);
    if (done.has(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) follow(next);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) follow(file);
  return circles;
}

/** The floors of the stack-file language, the lowest first. */
const floors = ["syntax", "program", "evaluation"];

/** True when a file of one floor imports from a higher one. */
function climbs(file: string, target: string): boolean {
  const floor = (path: string) =>
    floors.findIndex((name) => path.startsWith(`provider/engine/language/${name}/`));
  return floor(file) >= 0 && floor(target) > floor(file);
}

/** What the state may know of the engine: what happened, and how to fail. */
const ofState = new Set(["provider/engine/event.ts", "provider/engine/failure.ts"]);

function leavesState(file: string, target: string): boolean {
  if (!file.startsWith("provider/engine/state/") || target.startsWith("provider/engine/state/")) return false;
  return target.startsWith("provider/engine/") && !ofState.has(target);
}

/** A folder with more files of its own wants rooms. */
const MOST_FILES = 20;

function fullFolders(all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of all) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) => (count > MOST_FILES ? [folder] : []));
}

describe("the law of imports", () => {
  const files = [...sourceFiles("provider"), ...sourceFiles("emulator")];

  it("finds files and imports to judge", () => {
    expect(files.length).toBeGreaterThan(10);
    expect(importsOf("emulator/index.ts")).toContain("./server.ts");
  });

  it("is kept by every product file", () => {
    expect(files.flatMap((file) => breaches(file, importsOf(file)))).toEqual([]);
  });

  it("would notice a breach", () => {
    expect(breaches("provider/core/x.ts", ["node:fs"])).toEqual(["provider/core/x.ts: imports node:fs"]);
    expect(breaches("emulator/x.ts", ["../provider/core/value.ts"])).toHaveLength(1);
    expect(breaches("provider/pulumi/x.ts", ["../engine/host.ts"])).toHaveLength(1);
    expect(breaches("provider/wire/x.ts", ["../engine/host.ts"])).toHaveLength(1);
    expect(breaches("provider/service/x.ts", ["../core/service-port.ts", "../core/value.ts"])).toHaveLength(
      1,
    );
    expect(breaches("provider/engine/x.ts", ["../core/value.ts"])).toEqual([]);
  });

  const graph = new Map(files.map((file) => [file, targetsOf(file, importsOf(file))]));
  const arrows = [...graph].flatMap(([file, targets]) => targets.map((target) => [file, target] as const));

  it("knows no circle, in provider and emulator", () => {
    expect(circlesIn(graph).map((circle) => circle.join(" → "))).toEqual([]);
  });

  it("would notice a circle, of two files and of one", () => {
    const circle = new Map([
      ["a", ["b", "d"]],
      ["b", ["c"]],
      ["c", ["a"]],
      ["d", ["d"]],
    ]);
    expect(circlesIn(circle)).toEqual([
      ["a", "b", "c", "a"],
      ["d", "d"],
    ]);
  });

  it("lets each floor of the language import lower ones only, and would notice another", () => {
    expect(arrows.filter(([file, target]) => climbs(file, target))).toEqual([]);
    const floor = (name: string) => `provider/engine/language/${name}/x.ts`;
    expect(climbs(floor("syntax"), floor("program"))).toBe(true);
    expect(climbs(floor("program"), floor("evaluation"))).toBe(true);
    expect(climbs(floor("evaluation"), floor("syntax"))).toBe(false);
  });

  it("keeps the state apart from the rest of the engine, and would notice a breach", () => {
    expect(arrows.filter(([file, target]) => leavesState(file, target))).toEqual([]);
    expect(leavesState("provider/engine/state/x.ts", "provider/engine/deployment/run.ts")).toBe(true);
    expect(leavesState("provider/engine/state/x.ts", "provider/engine/failure.ts")).toBe(false);
  });

  it("keeps folders small, and would notice a full one", () => {
    expect(fullFolders(files)).toEqual([]);
    expect(fullFolders(Array.from({ length: 21 }, (_, at) => `emulator/x/${at}.ts`))).toEqual(["emulator/x"]);
  });

  it("keeps every product file within 300 lines, and every resource type within 150", () => {
    const tooLong = files.filter((file) => {
      const limit = /^provider\/resources\/[^/]+\//.test(file) ? 150 : 300;
      return readFileSync(join(root, file), "utf8").trimEnd().split("\n").length > limit;
    });
    expect(tooLong).toEqual([]);
  });
});
