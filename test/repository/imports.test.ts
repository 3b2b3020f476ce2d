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
  ["provider/pulumi/", "pulumi"],
  ["provider/engine/", "engine"],
  ["provider/cli/", "cli"],
  ["provider/", "provider"],
  ["emulator/", "emulator"],
  ["schemas/service.openapi.json", "contract"],
  ["schemas/coverage.json", "record"],
] as const;

const mayImport: { [room: string]: readonly string[] } = {
  core: ["core"],
  resources: ["resources", "core"],
  service: ["service"],
  provider: ["provider", "core", "service", "resources"],
  pulumi: ["pulumi", "core", "provider"],
  engine: ["engine", "core", "provider"],
  // Contract and record: what `coverage` holds against each other.
  cli: ["cli", "core", "engine", "emulator", "provider", "contract", "record"],
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
      return targetRoom !== undefined && allowed.includes(targetRoom) ? [] : [`${file}: imports ${target}`];
    }
    if (!pureRooms.has(room)) return [];
    const packageName = name.startsWith("@") ? name.split("/").slice(0, 2).join("/") : name.split("/")[0];
    return packageName !== undefined && purePackages.has(packageName) ? [] : [`${file}: imports ${name}`];
  });
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
    expect(breaches("provider/engine/x.ts", ["../core/value.ts"])).toEqual([]);
  });

  it("keeps every product file within 300 lines, and every resource type within 150", () => {
    const tooLong = files.filter((file) => {
      const limit = /^provider\/resources\/[^/]+\//.test(file) ? 150 : 300;
      return readFileSync(join(root, file), "utf8").trimEnd().split("\n").length > limit;
    });
    expect(tooLong).toEqual([]);
  });
});
