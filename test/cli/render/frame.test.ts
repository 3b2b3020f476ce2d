/** The place of an error in a stack file, as it is shown, and advice for slips. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const head = [
  "name: shop",
  "runtime: yaml",
  "resources:",
  "  zone:",
  "    type: plumbline:dns:Domain",
  "    properties: { domain: shop.example, type: master, soaEmail: a@shop.example }",
];

async function said(...lines: string[]): Promise<string[]> {
  desk.write("Pulumi.yaml", `${[...head, ...lines].join("\n")}\n`);
  const { code, stdout } = await desk.run(["validate"]);
  expect(code).toBe(1);
  return stdout.trimEnd().split("\n");
}

describe("a slip in a stack file is shown with its place, and what was meant", () => {
  it.each([
    [
      "a reference in a flow map",
      ["  www:", "    type: plumbline:dns:Record", "    properties: { domainId: ${zone.id}, type: A }"],
      'within { } and [ ] a reference has to stand in quotes: "${zone.id}"',
    ],
    [
      "a reference in a flow list",
      ["  www:", "    type: plumbline:dns:Record", "    options: { dependsOn: [${zone}] }"],
      'within { } and [ ] a reference has to stand in quotes: "${zone}"',
    ],
    [
      "a key that stands too far to the left",
      ["  www:", "    type: plumbline:dns:Record", "   properties:", "      type: A"],
      "this key is indented by 3, and those above it by 0 or 2 or 4",
    ],
    [
      "a key that stands too far to the right",
      ["  www:", "    type: plumbline:dns:Record", "     properties:", "      type: A"],
      "the next line is indented by 5, and this one by 4",
    ],
    ["a tab", ["  www:", "\ttype: plumbline:dns:Record"], "indent with spaces"],
    [
      "a key without a colon",
      ["  www:", "    type plumbline:dns:Record", "    properties:"],
      'a key is followed by ":"',
    ],
    [
      "properties that are not under their key",
      ["  www:", "    type: plumbline:dns:Record", "    properties:", "    target: 192.0.2.1"],
      'if it is a property, it belongs under "properties": indent it by two more',
    ],
  ])("%s", async (_, lines, advice) => {
    const text = (await said(...lines)).join("\n");
    expect(text).toContain(advice);
    expect(text).toMatch(/\n +\d+ \| .*\n +\| *\^/);
  });

  it("the caret stands under the place", async () => {
    const lines = await said("  www:", "    type: plumbline:dns:Rekord", "    properties: { type: A }");
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^error: Pulumi.yaml:8:11: there is no resource type/),
      "     8 |     type: plumbline:dns:Rekord",
      "       |           ^",
    ]);
  });

  it("no secret is shown, neither a value nor key material", async () => {
    const text = (
      await said(
        "  login:",
        "    type: plumbline:managed:Credential",
        '    properties: { label: "a", pasword: 1, password: hunter2hunter2, x: }',
        "  key:",
        "    type: plumbline:objectstorage:BucketCertificate",
        "    properties:",
        "      privateKey: |",
        `        ${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ".repeat(1)}`,
        "       tokenX: abc",
      )
    ).join("\n");
    expect(text).not.toMatch(/hunter2|MIIEvQ/);
  });

  it("of a hundred errors the first ten have a frame", async () => {
    const lines = await said(
      ...Array.from({ length: 100 }, (_, n) => [`  r${n}:`, "    type: plumbline:dns:Rekord"]).flat(),
    );
    expect(lines.filter((line) => line.trimEnd().endsWith("^"))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith("error:"))).toHaveLength(100);
  });
});
