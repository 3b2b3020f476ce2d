import { builtinModules } from "node:module";
import { describe, expect, it } from "vitest";
import { bundlePlugin } from "../../scripts/build.mjs";
import { measureStart } from "../../scripts/measure-start.mjs";

describe("the plugin's bundle", async () => {
  const { metafile, outputFiles } = await bundlePlugin();
  const inputs = Object.keys(metafile.inputs);
  const [code] = outputFiles;

  it("holds of Pulumi's SDK its protocol files alone", () => {
    const ofPulumi = inputs.filter((file) => file.includes("/@pulumi/"));
    expect(ofPulumi.length).toBeGreaterThan(3);
    expect(ofPulumi.filter((file) => !file.startsWith("node_modules/@pulumi/pulumi/proto/"))).toEqual([]);
  });

  it("holds nothing of the other face, the command line or the emulator", () => {
    expect(inputs.filter((file) => /^(provider\/(engine|cli)|emulator)\//.test(file))).toEqual([]);
  });

  it("needs nothing at run time but Node's own modules", () => {
    const outside = Object.values(metafile.outputs).flatMap((output) =>
      output.imports.filter(({ external }) => external).map(({ path }) => path),
    );
    const builtin = new Set(builtinModules);
    expect(outside.length).toBeGreaterThan(5);
    expect(outside.filter((name) => !builtin.has(name) && !name.startsWith("node:"))).toEqual([]);
  });

  it("is ASCII, for the launcher reads it so", () => {
    expect(code?.contents.every((byte) => byte < 128)).toBe(true);
  });
});

describe("the plugin's start", () => {
  it("takes less than three times `node -e 0` to the first answer", {
    timeout: 120_000,
    retry: 2,
  }, async () => {
    const measured = await measureStart(9);
    console.info(`start to first answer: ${measured.ratio} times \`node -e 0\` (${measured.startMs} ms)`);
    expect(measured.ratio).toBeLessThan(3);
  });
});
