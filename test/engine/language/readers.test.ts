/** What is read from the parser's events is what the other YAML library makes of the same text, wherever both take it. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { createReport } from "../../../provider/engine/language/syntax/report.ts";
import { type Node, parseSyntax } from "../../../provider/engine/language/syntax/yaml.ts";

const examples = resolve(import.meta.dirname, "../../../examples");
const texts = readdirSync(examples)
  .map((name) => join(examples, name, "Pulumi.yaml"))
  .flatMap((file) => {
    try {
      return [readFileSync(file, "utf8")];
    } catch {
      return [];
    }
  });
/** Of each kind of value one. */
const odd = `a: |

  x \${b}
   y
b: >-  # c | d
  t

  u
c: [1, 'x''y', "a\\nb", {d: e, "f": }, ~]
? k
: v
e: !!str 5
f: &x y
g:
- a
-   b: c
    d: e
- - x
  - y
- # nothing
h: x
  y
`;
const bits = [..."\n :-#'\"{}[],|>%@`\\0~", ...["  ", "&a ", "!!str ", "? ", "\t", "\r\n", "é", "😀"]];
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat(3),
  bit: fc.option(fc.constantFrom(...bits), { nil: "" }),
});

/** As text, for that is what both have in common. */
function plain(node: Node | undefined): unknown {
  if (node === undefined) return "";
  if (node.kind === "scalar") return node.text;
  if (node.kind === "text") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key.value, plain(value)]));
}

/** What is left out is null where it has no mark of its own (`{a}`), and empty where it has one. */
function withoutNulls(value: unknown): unknown {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutNulls(item)]));
}

it("means the same to both readers, whatever is edited in it", () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(odd, ...texts),
      fc.array(edit, { minLength: 0, maxLength: 3 }),
      (whole, edits) => {
        const text = edits.reduce((now, { at, drop, bit }) => {
          const from = Math.floor(at * now.length);
          return now.slice(0, from) + bit + now.slice(from + drop);
        }, whole);
        const report = createReport();
        const node = parseSyntax(report, "Pulumi.yaml", text);
        if (report.hasErrors()) return;
        let other: unknown;
        try {
          other = parse(text, { schema: "failsafe", logLevel: "silent" });
        } catch {
          // Oddities such as keys without a name: the reader of stack files takes a few more of them.
          return;
        }
        read += 1;
        expect(plain(node)).toEqual(withoutNulls(other));
      },
    ),
    { numRuns: 1500 },
  );
  expect(read).toBeGreaterThan(300);
});
