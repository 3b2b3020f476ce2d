/** What a release says of itself. That it is the same each time is held by CI, which makes it twice (`npm run release -- --check`). */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundlePlugin } from "../../scripts/build.mjs";
import { packagesIn } from "../../scripts/bundled.mjs";
import { writeBill } from "../../scripts/release/bill.mjs";

interface Bill {
  readonly components: readonly {
    readonly "bom-ref": string;
    readonly scope: string;
    readonly hashes: object[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

it("the bill of materials names what is bundled, with its sum, and nothing that only builds or tests", async () => {
  const shelf = mkdtempSync(join(tmpdir(), "plumbline-bill-"));
  onTestFinished(() => rmSync(shelf, { recursive: true }));
  const { metafile } = await bundlePlugin();
  writeBill(shelf, packagesIn(metafile));
  const [file] = readdirSync(shelf);
  const text = readFileSync(join(shelf, file!), "utf8");
  const { components, dependencies } = JSON.parse(text) as Bill;
  const names = components.map((component) => component["bom-ref"].replace(/@[^@]*$/, ""));
  expect(names).toEqual(
    expect.arrayContaining(["@grpc/grpc-js", "@pulumi/pulumi", "ajv", "fast-uri", "undici"]),
  );
  expect(names).not.toContain("vitest");
  expect(components.every(({ scope, hashes }) => scope === "required" && hashes.length > 0)).toBe(true);
  const refs = new Set(components.map((component) => component["bom-ref"]));
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
  expect(text).not.toMatch(/timestamp|serialNumber/);
});

it("what is bundled and not locked has no place in the bill", () => {
  const shelf = mkdtempSync(join(tmpdir(), "plumbline-bill-"));
  onTestFinished(() => rmSync(shelf, { recursive: true }));
  expect(() => writeBill(shelf, ["sdk/nodejs"])).toThrow("lacks 1 packages that are bundled");
});
