/** Finds where a property stands in a stack file, for findings that come later than parsing. */

import { type PathStep, parsePath } from "../../../core/property-path.ts";
import type { Position } from "../../host.ts";
import type { Expression } from "../syntax/expression.ts";
import type { ResourceDeclaration } from "./resource.ts";

/** The place of what a path names, or of the nearest thing around it that the file holds; the empty path is the resource itself. */
export function placeOfProperty(resource: ResourceDeclaration, path: string): Position {
  let steps: readonly PathStep[];
  try {
    steps = parsePath(path);
  } catch {
    return resource.at;
  }
  const [first, ...rest] = steps;
  const { properties, get } = resource;
  const entries = [...(properties.kind === "map" ? properties.entries : []), ...(get?.state ?? [])];
  const entry = entries.find((candidate) => candidate.name === first);
  if (entry !== undefined) return within(entry.value, rest, placeOfValue(entry.value, entry.at));
  if (first === undefined) return resource.at;
  if (properties.kind === "expression") return properties.expression.at;
  return first === "id" && get?.id ? get.id.at : resource.at;
}

function within(value: Expression, path: readonly PathStep[], around: Position): Position {
  const [step, ...rest] = path;
  if (step === undefined) return around;
  if (value.kind === "list" && typeof step === "number") {
    const item = value.items[step];
    return item === undefined ? around : within(item, rest, item.at);
  }
  if (value.kind !== "object") return around;
  const entry = value.entries.find(({ key }) => key.kind === "literal" && key.value === step);
  return entry === undefined ? around : within(entry.value, rest, placeOfValue(entry.value, entry.at));
}

/** Scalars are pointed at themselves, whatever spans lines at its key. */
function placeOfValue(value: Expression, key: Position): Position {
  return value.at.line === key.line ? value.at : key;
}
