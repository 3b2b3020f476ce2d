import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDuration } from "../../../provider/core/duration.ts";
import { nearest } from "../../../provider/core/nearest.ts";
import { writeJson, writeNumber } from "../../../provider/engine/language/evaluation/written.ts";
import {
  formatReference,
  type InterpolationParts,
  parseInterpolation,
} from "../../../provider/engine/language/syntax/interpolation.ts";
import { readPlainScalar } from "../../../provider/engine/language/syntax/scalar.ts";
import { fakeHost, head, load, told } from "./fixture.ts";

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/);
const step = fc.oneof(
  name,
  fc.nat(99),
  fc.string({ minLength: 1, maxLength: 6 }).filter((text) => !text.includes("\\")),
);
const reference = fc.record({
  root: fc.oneof(
    name,
    fc.string({ minLength: 1, maxLength: 6 }).filter((t) => !t.includes("\\")),
  ),
  path: fc.array(step, { maxLength: 4 }),
});

/** Writes parts as a stack file has them. */
function write(
  parts: readonly (string | { readonly root: string; readonly path: readonly (string | number)[] })[],
): string {
  return parts
    .map((part) =>
      typeof part === "string"
        ? part.replaceAll("$", "$$$$")
        : `\${${formatReference(part.root, part.path)}}`,
    )
    .join("");
}

function plain(parts: InterpolationParts): (string | { root: string; path: readonly (string | number)[] })[] {
  return parts.map((part) => (typeof part === "string" ? part : { root: part.root, path: part.path }));
}

describe("interpolated text", () => {
  test("reads back what was written, whatever the texts and names", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), reference), { maxLength: 6 }), (parts) => {
        const joined: (string | { root: string; path: readonly (string | number)[] })[] = [];
        for (const part of parts) {
          const last = joined.at(-1);
          if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
          else joined.push(part);
        }
        const expected = joined.filter((part) => part !== "");
        const parsed = parseInterpolation(write(expected));
        expect("parts" in parsed ? plain(parsed.parts) : parsed).toEqual(expected);
      }),
    );
  });

  test("either parses or says where it is wrong, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("$", "{", "}", "[", "]", '"', "\\", ".", "a", "0", " ") }),
        (text) => {
          const parsed = parseInterpolation(text);
          if ("fault" in parsed) {
            expect(text.startsWith("${", parsed.fault.index)).toBe(true);
          } else {
            for (const part of parsed.parts) {
              if (typeof part !== "string")
                expect(text.slice(part.index, part.index + part.length)).toMatch(/^\$\{[\s\S]*\}$/);
            }
          }
        },
      ),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(pairs.map(([key, item]) => [key, sorted(item)]));
}

describe("numbers and JSON", () => {
  test("a number in text reads back as itself", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(writeNumber(value))).toBe(value);
      }),
    );
  });

  test("a value as JSON reads back as itself, with its names sorted", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = writeJson(value as never)!;
        // A negative zero is kept, as Go keeps it; JavaScript's own writer drops its sign.
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(sorted(value)));
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
  });

  test("whole numbers in any base mean what they say", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (value) => {
        for (const text of [
          `0x${value.toString(16)}`,
          `0o${value.toString(8)}`,
          `0b${value.toString(2)}`,
          String(value),
        ]) {
          expect(readPlainScalar(text)).toBe(value);
        }
      }),
    );
  });
});

test("durations add up", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(59), fc.nat(59), (h, m, s) => {
      expect(parseDuration(`${h}h${m}m${s}s`)).toBe(h * 3600 + m * 60 + s);
    }),
  );
  for (const wrong of ["", "5", "5x", "m", "-5m", "1.2.3s", "5 m"])
    expect(parseDuration(wrong)).toBeUndefined();
  expect(parseDuration("1.5h")).toBe(5400);
  expect(parseDuration("500ms")).toBe(0.5);
  expect(parseDuration("0")).toBe(0);
});

test("a name with one slip is found again among others", () => {
  const names = ["soaEmail", "retrySec", "expireSec", "masterIps", "description", "importFrom"];
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(20),
      fc.constantFrom("drop", "swap", "double"),
      (wanted, place, slip) => {
        const at = place % (wanted.length - 1);
        const wrong = {
          drop: wanted.slice(0, at) + wanted.slice(at + 1),
          swap: wanted.slice(0, at) + wanted[at + 1] + wanted[at] + wanted.slice(at + 2),
          double: wanted.slice(0, at + 1) + wanted.slice(at),
        }[slip];
        expect(nearest(wrong, names)).toBe(wanted);
      },
    ),
  );
  expect(nearest("x", names)).toBeUndefined();
  expect(nearest("completelyOther", names)).toBeUndefined();
});

/** A random program: node i may refer to any node before it in a shuffled naming, so that file order says nothing. */
const graph = fc.integer({ min: 1, max: 14 }).chain((size) =>
  fc.record({
    edges: fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
    isVariable: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
    failing: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
  }),
);

describe("a run", () => {
  test("registers everything after what it needs, and nothing that needs a failure", async () => {
    await fc.assert(
      fc.asyncProperty(graph, async ({ edges, isVariable, order, failing }) => {
        const needs = edges.map((targets, index) => [...new Set(targets.filter((target) => target < index))]);
        const text = (index: number) =>
          needs[index]!.map((target) => (isVariable[target] ? `\${n${target}}` : `\${n${target}.id}`)).join(
            " ",
          ) || "none";
        const of = (wanted: boolean) => order.filter((index) => isVariable[index] === wanted);
        const program = await load(
          `${head}variables:\n${of(true)
            .map((index) => `  n${index}: "${text(index)}"\n`)
            .join("")}resources:\n${of(false)
            .map(
              (index) =>
                `  n${index}: {type: plumbline:dns:Record, properties: {domainId: "${text(index)}", type: A}}\n`,
            )
            .join("")}`,
        );
        expect(told(program.diagnostics)).toEqual([]);
        const outputs = Object.fromEntries(
          failing.flatMap((fails, index) => (fails ? [[`n${index}`, new Error("no")]] : [])),
        );
        const host = fakeHost({ outputs });
        const isDead = needs.map(() => false);
        for (const [index, targets] of needs.entries()) {
          isDead[index] = targets.some(
            (target) => isDead[target] || (failing[target]! && !isVariable[target]),
          );
        }
        const anyFails = failing.some((fails, index) => fails && !isVariable[index] && !isDead[index]);
        const result = await program.run(host).then(
          () => "done",
          () => "failed",
        );
        expect(result).toBe(anyFails ? "failed" : "done");
        for (const index of of(false)) {
          const began = host.events.indexOf(`+n${index}`);
          expect(began >= 0).toBe(!isDead[index]);
          const behind = (from: number): number[] =>
            needs[from]!.flatMap((target) => (isVariable[target] ? behind(target) : [target]));
          for (const target of behind(index))
            if (began >= 0) expect(host.events.indexOf(`-n${target}`)).toBeLessThan(began);
        }
        const position = new Map(program.graph!.map((node, index) => [node.key, index]));
        for (const node of program.graph!) {
          for (const key of node.dependsOn) expect(position.get(key)).toBeLessThan(position.get(node.key)!);
        }
      }),
      { numRuns: 60 },
    );
  });
});

test("five thousand resources, and a chain of five thousand variables, are no work", async () => {
  const count = 5000;
  let text = `${head}variables:\n  v0: x\n`;
  for (let i = 1; i < count; i++) text += `  v${i}: \${v${i - 1}}\n`;
  text += "resources:\n  zone: {type: plumbline:dns:Domain, properties: {domain: a, type: master}}\n";
  for (let i = 0; i < count; i++) {
    text += `  r${i}:\n    type: plumbline:dns:Record\n    properties: { domainId: "\${zone.id}", type: A, name: h${i}, target: "\${v${count - 1}}" }\n`;
  }
  const began = performance.now();
  const program = await load(text);
  expect(told(program.diagnostics)).toEqual([]);
  const host = fakeHost();
  await program.run(host);
  expect(host.goals).toHaveLength(count + 1);
  expect(host.goals.at(-1)!.inputs.target).toBe("x");
  // About two seconds on two idle cores; a quadratic step would take minutes.
  expect(performance.now() - began).toBeLessThan(20_000);
});
