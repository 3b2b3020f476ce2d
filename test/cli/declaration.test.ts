/** Blocks as text: whatever they hold, the stack file and the program that are written declare exactly that. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  type Block,
  type BlockValue,
  type BlockValues,
  Reference,
} from "../../provider/cli/declaration/block.ts";
import { programText } from "../../provider/cli/declaration/program.ts";
import { fillStackFile, newStackFile } from "../../provider/cli/declaration/stack-file.ts";
import { nameAll } from "../../provider/engine/operations/account/naming.ts";
import { oddTexts } from "../e2e/hand-made.ts";
import { fakeHost, load, told } from "../engine/language/fixture.ts";

const type = "plumbline:dns:Domain";

const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "$",
        "{",
        "}",
        "a.id",
        "\n",
        "\r",
        " ",
        "\t",
        '"',
        "'",
        "#",
        ":",
        "-",
        "1",
        "_",
        "\\",
        "`",
      ),
    )
    .map((parts) => parts.join("")),
);
const { term } = fc.letrec<{ term: BlockValue }>((tie) => ({
  term: fc.oneof(
    { depthSize: "small" },
    text,
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((value) => value + 0),
    fc.array(tie("term"), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z0-9_.-]{0,8}$/), tie("term"), { maxKeys: 4 }),
  ),
}));

/** Two blocks, of which the second also refers to the first. */
const blocks = fc
  .tuple(fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,12}$/), { minLength: 2, maxLength: 2 }), term, term)
  .map(([keys, one, two]): Block[] => {
    const names = nameAll(
      keys.map((proposed, i) => ({ type, id: String(i + 1), proposed })),
      new Set(),
    );
    const [first, second] = names as [string, string];
    const rest = { type, options: {}, untold: [] };
    return [
      { ...rest, key: first, properties: { domain: first, type: "master", refreshTrigger: one } },
      {
        ...rest,
        key: second,
        properties: { domain: second, type: "master", refreshTrigger: [two, new Reference(first, "id")] },
      },
    ];
  });

/** The properties with what `idOf` says in place of references. */
function plain(value: BlockValue, idOf: (key: string) => string): unknown {
  if (value instanceof Reference) return idOf(value.key);
  if (Array.isArray(value)) return value.map((item) => plain(item as BlockValue, idOf));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as BlockValues).map(([name, item]) => [name, plain(item, idOf)]),
  );
}

/** What the stack file declares, by name. */
async function declared(file: string) {
  const program = await load(file);
  expect(told(program.diagnostics)).toEqual([]);
  const host = fakeHost();
  await program.run(host);
  return Object.fromEntries(host.goals.map(({ name, inputs }) => [name, inputs]));
}

/** What the program declares, by name. */
function run(program: string) {
  const found: { [name: string]: unknown } = {};
  const class_ = class {
    readonly id: string;
    constructor(name: string, args: unknown) {
      this.id = `id-${name}`;
      found[name] = args;
    }
  };
  const body = program.replace(/^import .*$/m, "");
  new Function("plumbline", `"use strict";${body}`)({ dns: { Domain: class_ } });
  return found;
}

const wanted = (all: readonly Block[]) =>
  Object.fromEntries(all.map(({ key, properties }) => [key, plain(properties, (name) => `id-${name}`)]));

describe("blocks as text", () => {
  it("are read from a stack file as they were", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async (all) => {
        const file = newStackFile("p", all);
        expect(await declared(file)).toEqual(wanted(all));
        expect(await declared(fillStackFile(newStackFile("p", all.slice(0, 1)), all.slice(1)))).toEqual(
          wanted(all),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("keep the empty lines that a text ends with, whatever follows", async () => {
    const rest = { type, options: {}, untold: [] };
    const [first, second] = ["a", "b"].map(
      (key): Block => ({
        ...rest,
        key,
        properties: { domain: key, type: "master", refreshTrigger: ["text\n\n"] },
      }),
    ) as [Block, Block];
    const file = fillStackFile(newStackFile("p", [first]), [second]);
    expect(await declared(file)).toEqual(wanted([first, second]));
  });

  it("are the same to a reader of YAML 1.1 as to one of 1.2", () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const file = newStackFile("p", all);
        expect(parse(file, { version: "1.1" })).toEqual(parse(file, { version: "1.2" }));
      }),
      { numRuns: 300 },
    );
  });

  it("are declared by the program as they were", () => {
    fc.assert(
      fc.property(blocks, (all) => {
        expect(run(programText(all))).toEqual(wanted(all));
      }),
      { numRuns: 300 },
    );
  });

  it("have variables that the language allows, each its own", () => {
    const keys = ["new", "class", "a-b", "aB", "a--b", "0-day", "plumbline", "await", "exports"];
    const rest = { type, options: {}, untold: [] };
    const all: Block[] = keys.map((key, i) => ({
      ...rest,
      key,
      properties: { before: i === 0 ? "" : new Reference(keys[i - 1]!, "id") },
    }));
    expect(run(programText(all))).toEqual(wanted(all));
  });
});

describe("names of what nobody named", () => {
  const of = (proposed: string, more: object = {}) => ({ type, id: "1", proposed, ...more });

  it("are legal, each once, whatever is proposed and taken", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: "grapheme" }),
            fc.constantFrom("a", "a-2", "A", "pulumi", "12", "1 2", "2001-12-14"),
          ),
        ),
        fc.array(fc.string()),
        (all, taken) => {
          const names = nameAll(
            all.map((proposed, i) => of(proposed, { id: String(i) })),
            new Set(taken),
          );
          expect(new Set([...names, ...taken, "pulumi"]).size).toBe(
            new Set(taken).add("pulumi").size + all.length,
          );
          for (const name of names) expect(name).toMatch(/^(?=.*[a-z])[a-z0-9][a-z0-9-]*$/);
        },
      ),
    );
  });

  it("say what is what where several things are called the same", () => {
    const key = "plumbline:objectstorage/key:Key";
    const parent = { type, id: "7" };
    expect(
      nameAll(
        [
          of("shop", { id: "7" }),
          of("shop", { id: "8" }),
          of("shop", { type: key }),
          of("shop", { type: key, id: "2" }),
          of("www-a", { type: "plumbline:dns/record:Record", parent }),
          of("www-a", { type: "plumbline:dns/record:Record", id: "2", parent }),
          of("8080"),
          of("日本"),
        ],
        new Set(["pulumi"]),
      ),
    ).toEqual([
      "shop",
      "shop-2",
      "shop-key",
      "shop-key-2",
      "shop-www-a",
      "shop-www-a-2",
      "object-8080",
      "object",
    ]);
  });
});
