/** Reads plain YAML scalars as Pulumi's YAML library does (a mixture of YAML 1.1 and 1.2); knows no nodes and no positions. */

const fixed: ReadonlyMap<string, null | boolean | number> = new Map<string, null | boolean | number>([
  ["", null],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["NULL", null],
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);

const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const prefixed = /^([-+]?)0([xXoObB]?)([0-9a-fA-F]+)$/;
const bases: { readonly [letter: string]: number } = { x: 16, o: 8, b: 2, "": 8 };
const digits: { readonly [base: number]: RegExp } = { 16: /^[0-9a-f]+$/i, 8: /^[0-7]+$/, 2: /^[01]+$/ };

/**
 * What an unquoted scalar means: null, boolean, number or text. `yes`, `no`, `on` and dates are text; `0x1F`, `0o17`, `017` and
 * `0b11` are numbers, underscores between digits are left out. Infinity and NaN, which no property can hold, come back as they are.
 */
export function readPlainScalar(text: string): null | boolean | number | string {
  const known = fixed.get(text);
  if (known !== undefined) return known;
  if (/^[-+]?\.(inf|Inf|INF)$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^\.(nan|NaN|NAN)$/.test(text)) return Number.NaN;
  if (!/^[-+.0-9]/.test(text)) return text;
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  const based = prefixed.exec(plain);
  if (based) {
    const base = bases[based[2]!.toLowerCase()]!;
    if (digits[base]!.test(based[3]!)) return (based[1] === "-" ? -1 : 1) * Number.parseInt(based[3]!, base);
  }
  if (decimal.test(plain)) {
    const value = Number(plain);
    return Number.isFinite(value) ? value : text;
  }
  return text;
}
