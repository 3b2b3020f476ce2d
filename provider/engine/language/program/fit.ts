/** Checks written-out values against the shapes that are wanted of them, each finding at its own place. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import { formatPath, type PathStep } from "../../../core/property-path.ts";
import type { Catalogue } from "../../../core/protocol.ts";
import type { Expression } from "../syntax/expression.ts";
import type { Report } from "../syntax/report.ts";
import type { Inference } from "./inference.ts";
import type { PropertyEntry } from "./resource.ts";
import { describeShape, fits, type ObjectShape, type Shape } from "./shape.ts";

/** What checks stand on. */
export interface Checking {
  readonly report: Report;
  readonly catalogue: Catalogue;
  readonly inference: Inference;
}

/** Checks properties by their names; `what` is what they are properties of. Says nothing of those that are missing. */
export function checkEntries(
  context: Checking,
  what: string,
  entries: readonly PropertyEntry[],
  wanted: ObjectShape,
): void {
  for (const entry of entries) {
    const to = wanted.properties.get(entry.name) ?? wanted.rest;
    if (to === undefined) {
      const hint = didYouMeanOrOneOf(entry.name, wanted.properties.keys());
      context.report.error(entry.at, `${what} has no property ${JSON.stringify(entry.name)}${hint}`, {
        property: formatPath([entry.name]),
      });
    } else checkFits(context, entry.value, to, [entry.name]);
  }
}

/** Checks a value where `to` is wanted, as deep as it is written out. */
export function checkFits(
  context: Checking,
  value: Expression,
  to: Shape,
  path: readonly PathStep[],
  whole = "",
): void {
  const property = formatPath(path);
  const what = property === "" ? whole : property;
  if (value.kind === "object" && to.kind === "object") {
    for (const entry of value.entries) {
      if (entry.key.kind !== "literal") continue;
      const name = String(entry.key.value);
      const next = to.properties.get(name) ?? to.rest;
      if (next === undefined) {
        context.report.error(
          entry.at,
          `${what} has no property ${JSON.stringify(name)}${didYouMeanOrOneOf(name, to.properties.keys())}`,
          {
            property: formatPath([...path, name]),
          },
        );
      } else checkFits(context, entry.value, next, [...path, name]);
    }
    const names = value.entries.map((entry) =>
      entry.key.kind === "literal" ? String(entry.key.value) : undefined,
    );
    if (names.includes(undefined)) return;
    for (const name of to.required) {
      if (!names.includes(name))
        context.report.error(value.at, `${what} needs the property ${JSON.stringify(name)}`, {
          property: formatPath([...path, name]),
        });
    }
    return;
  }
  if (value.kind === "list" && to.kind === "list") {
    for (const [index, item] of value.items.entries()) checkFits(context, item, to.item, [...path, index]);
    return;
  }
  const found = context.inference.shapeOf(value);
  if (fits(found, to)) return;
  context.report.error(
    value.at,
    `property ${JSON.stringify(property)} must be ${describeShape(to)}, and this is ${describeShape(found)}`,
    { property },
  );
}
