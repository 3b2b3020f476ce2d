/** X-Filter: choosing and ordering the items of a list (notes, section 1.6). */

import { Refusal } from "../area.ts";
import type { Shape } from "../contract/shape.ts";
import type { Brand } from "./brand.ts";

export interface Filter {
  readonly matches: (item: unknown) => boolean;
  /** Absent: the list keeps its own order. */
  readonly compare: ((a: unknown, b: unknown) => number) | undefined;
}

type Test = (item: unknown) => boolean;
type Scalar = string | number | boolean | null;

const orderings: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ["+gt", (order: number) => order > 0],
  ["+gte", (order: number) => order >= 0],
  ["+lt", (order: number) => order < 0],
  ["+lte", (order: number) => order <= 0],
]);

function refuseFilter(reason: string): never {
  throw new Refusal(400, [{ reason, field: "X-Filter" }]);
}

type Attributes = ReadonlyMap<string, Shape | undefined>;

/** Reads the header's value; `attributes` are those that may be filtered on. Refuses with 400 on field `X-Filter`. */
export function readFilter(header: string, attributes: Attributes, brand: Brand): Filter {
  let parsed: unknown;
  try {
    parsed = JSON.parse(header);
  } catch {
    refuseFilter("The filter is not valid JSON");
  }
  if (!isObject(parsed)) refuseFilter("The filter must be a JSON object");
  const { "+order_by": asked, "+order": order, ...conditions } = parsed;
  const by = typeof asked === "string" ? brand.swap(asked) : asked;
  if (order !== undefined && order !== "asc" && order !== "desc")
    refuseFilter("+order must be one of asc, desc");
  if (by !== undefined && typeof by !== "string") refuseFilter("+order_by must name an attribute");
  if (by !== undefined && !attributes.has(by)) refuseFilter(`Cannot filter on ${by}`);
  return {
    matches: all(conditions, attributes, brand),
    compare: by === undefined ? undefined : ordering(by, order === "desc" ? -1 : 1),
  };
}

function all(conditions: { [name: string]: unknown }, attributes: Attributes, brand: Brand): Test {
  const tests = Object.entries(conditions).map(([written, condition]): Test => {
    const name = brand.swap(written);
    if (name === "+and" || name === "+or") {
      if (!Array.isArray(condition) || !condition.every(isObject))
        refuseFilter(`${name} must be a list of filter objects`);
      const parts = condition.map((part) => all(part, attributes, brand));
      return name === "+and"
        ? (item) => parts.every((part) => part(item))
        : (item) => parts.some((part) => part(item));
    }
    if (!attributes.has(name)) refuseFilter(`Cannot filter on ${name}`);
    return attribute(name, condition, attributes.get(name), brand);
  });
  return tests.length === 1 ? tests[0]! : (item) => tests.every((test) => test(item));
}

function attribute(name: string, condition: unknown, shape: Shape | undefined, brand: Brand): Test {
  const read = reader(name);
  const scalar = shape?.types.includes("array") ? shape.items : shape;
  const branded = (shape?.brand ?? "no") !== "no" || (scalar?.brand ?? "no") !== "no";
  const operand = (value: unknown) =>
    operandOf(typeof value === "string" && branded ? brand.swap(value) : value, scalar);
  if (!isObject(condition)) {
    const wanted = operand(condition);
    return (item) => some(read(item), (value) => same(value, wanted));
  }
  const operators = Object.entries(condition);
  if (operators.length === 0) refuseFilter("Could not apply filter");
  const tests = operators.map(([operator, argument]): Test => {
    const order = orderings.get(operator);
    if (order) {
      const wanted = operand(argument);
      if (wanted === null) refuseFilter("Could not apply filter");
      return (item) =>
        some(
          read(item),
          (value) => typeof fold(value) === typeof fold(wanted) && order(compare(value, wanted)),
        );
    }
    if (operator === "+neq") {
      const wanted = operand(argument);
      return (item) => !some(read(item), (value) => same(value, wanted));
    }
    if (operator === "+contains") {
      if (typeof argument !== "string") refuseFilter("Could not apply filter");
      const wanted = (branded ? brand.swap(argument) : argument).toLowerCase();
      return (item) =>
        some(read(item), (value) => typeof value === "string" && value.toLowerCase().includes(wanted));
    }
    return refuseFilter(`Could not apply filter: ${operator} is not an operator`);
  });
  return tests.length === 1 ? tests[0]! : (item) => tests.every((test) => test(item));
}

/** The value to compare with, which must be of the attribute's type; digits count as a number. */
function operandOf(value: unknown, shape: Shape | undefined): Scalar {
  if (typeof value === "object" && value !== null) refuseFilter("Could not apply filter");
  if (value === null || shape === undefined || shape.types.length === 0) return value as Scalar;
  const allowed = (type: string) => shape.types.includes(type);
  const numeric = allowed("integer") || allowed("number");
  if (typeof value === "number" && numeric) return value;
  if (typeof value === "string" && allowed("string")) return value;
  if (typeof value === "string" && numeric && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (typeof value === "boolean" && allowed("boolean")) return value;
  return refuseFilter("Could not apply filter");
}

/** An array holds when one of its elements does; an absent attribute is `null`. */
function some(value: unknown, test: (value: unknown) => boolean): boolean {
  return Array.isArray(value) ? value.some(test) : test(value ?? null);
}

function same(value: unknown, wanted: Scalar): boolean {
  return fold(value) === fold(wanted);
}

/** Letters compare without regard to case. */
function fold(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** Numbers come before texts, so that the order is total for ids that may be either. */
function compare(a: unknown, b: unknown): number {
  const [left, right] = [fold(a), fold(b)] as [string | number, string | number];
  if (typeof left !== typeof right) return typeof left === "string" ? 1 : -1;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** By the attribute, `null` before everything; equal ones by id in the same direction. */
function ordering(name: string, direction: 1 | -1): (a: unknown, b: unknown) => number {
  const read = reader(name);
  const id = reader("id");
  return (a, b) => direction * (between(read(a), read(b)) || between(id(a), id(b)));
}

function between(a: unknown, b: unknown): number {
  const [left, right] = [Array.isArray(a) ? a[0] : a, Array.isArray(b) ? b[0] : b];
  if (left === undefined || left === null) return right === undefined || right === null ? 0 : -1;
  if (right === undefined || right === null) return 1;
  return compare(left, right);
}

function reader(name: string): (item: unknown) => unknown {
  if (!name.includes(".")) return (item) => (item as { [name: string]: unknown })[name];
  const parts = name.split(".");
  return (item) => {
    let at: unknown = item;
    for (const part of parts) at = isObject(at) ? at[part] : undefined;
    return at;
  };
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
