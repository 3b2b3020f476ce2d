/** Stack files that are too large, too deep or too wrong, or grow without end when they are evaluated. */

import { describe, expect, it } from "vitest";
import { fakeHost, head, load, told } from "./fixture.ts";

const doubling = (first: string, more: (name: string) => string) => {
  const lines = [`  v0: ${first}`];
  for (let at = 1; at <= 60; at++) lines.push(`  v${at}: ${more(`\${v${at - 1}}`)}`);
  return `name: bomb\nruntime: yaml\nvariables:\n${lines.join("\n")}\noutputs:\n  all: \${v60}\n`;
};

it.each([
  ["lists", doubling("[a, b]", (name) => `["${name}", "${name}"]`)],
  ["objects", doubling("{ a: b }", (name) => `{ x: "${name}", y: "${name}" }`)],
  ["texts", doubling("ab", (name) => `"${name}${name}"`)],
  ["JSON", doubling("ab", (name) => `{ fn::toJSON: ["${name}", "${name}"] }`)],
])("%s that double sixty times are refused where they grow too large", async (_what, text) => {
  const program = await load(text);
  const error = await program.run(fakeHost()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    diagnostics: expect.arrayContaining([
      expect.objectContaining({ message: expect.stringContaining("larger than any declaration needs") }),
    ]),
  });
});

it("one large value used in a thousand places is counted at each of them", async () => {
  const uses = Array.from({ length: 1000 }, (_, at) => `  v${at}: \${large}`).join("\n");
  const text = `${head}variables:\n  large: ${"x".repeat(1_000_000)}\n${uses}\n`;
  const error = await (await load(text)).run(fakeHost()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    diagnostics: expect.arrayContaining([
      expect.objectContaining({ message: expect.stringContaining("256 million in all") }),
    ]),
  });
});

it("a value that variables nest ever deeper is refused", async () => {
  const lines = Array.from({ length: 5000 }, (_, at) => `  v${at + 1}: ["\${v${at}}"]`).join("\n");
  const program = await load(`${head}variables:\n  v0: a\n${lines}\n`);
  const error = await program.run(fakeHost()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    diagnostics: [expect.objectContaining({ message: expect.stringContaining("100 lists or objects") })],
  });
});

describe("a stack file", () => {
  const megabytes = 10 * 1024 * 1024;

  it.each([
    ["quotes", '"'],
    ["line ends", "\n"],
    ["opening brackets", "["],
    ["closing brackets", "]"],
    ["dashes", "- "],
    ["keys in keys", "a: "],
    ["aliases", "*a "],
  ])("of ten megabytes of %s is one finding", async (_what, part) => {
    const { diagnostics } = await load(`${head}variables:\n  a: ${part.repeat(megabytes / part.length)}`);
    expect(diagnostics).toEqual([expect.objectContaining({ message: expect.stringContaining("YAML: ") })]);
  });

  it("of more than sixteen megabytes is refused with its name and the limit", async () => {
    const { diagnostics } = await load(`${head}${"# nothing\n".repeat(2_000_000)}`);
    expect(told(diagnostics)).toEqual(["1:1 error cannot read Pulumi.yaml: it is larger than 16 MiB"]);
  });

  it("and its settings file are bounded alike", async () => {
    const { diagnostics } = await load({
      "Pulumi.yaml": head,
      "Pulumi.dev.yaml": `config: ${"[".repeat(5000)}`,
    });
    expect(diagnostics).toEqual([
      expect.objectContaining({
        file: "Pulumi.dev.yaml",
        message: "YAML: values are nested more than 100 deep, and no declaration needs that",
      }),
    ]);
  });

  it("may nest ninety deep", async () => {
    const text = `${head}variables:\n  a: ${"[".repeat(90)}${"]".repeat(90)}\n`;
    expect((await load(text)).diagnostics).toEqual([]);
  });

  it("with thousands of errors shows a hundred of them and how many more there are", async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `  v${at}: \${nobody.at}`).join("\n");
    const { diagnostics } = await load(`${head}variables:\n${lines}\n`);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)).toEqual({
      severity: "error",
      message: "… and 2900 more: they are told once these are mended",
    });
  });

  it("with thousands of warnings before its errors shows the errors", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `  c${at}: { type: number, default: 1 }`).join("\n");
    const { diagnostics } = await load(`${head}config:\n${lines}\nvariables:\n  a: \${nobody}\n`);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)?.severity).toBe("warning");
    expect(diagnostics.filter(({ severity }) => severity === "error")).toHaveLength(1);
  });
});
