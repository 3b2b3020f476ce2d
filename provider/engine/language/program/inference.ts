/** Finds out before a run what an expression will be, and which steps of a reference cannot be taken. Reports those; judges no property. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import type { Catalogue, FunctionInfo } from "../../../core/protocol.ts";
import type { Expression, Reference } from "../syntax/expression.ts";
import { formatReference } from "../syntax/interpolation.ts";
import type { Report } from "../syntax/report.ts";
import type { ResourceDeclaration } from "./resource.ts";
import {
  anyShape,
  describeShape,
  type Shape,
  shapeOfProperties,
  shapeOfSchema,
  shapeOfValue,
  stringShape,
  unionOf,
} from "./shape.ts";
import type { Template } from "./template.ts";
import { typeOf } from "./token.ts";

/** Shapes of a template's names and expressions, each worked out once. */
export interface Inference {
  readonly shapeOf: (expression: Expression) => Shape;
}

const pulumi: Shape = {
  kind: "object",
  properties: new Map(
    ["cwd", "organization", "project", "rootDirectory", "stack"].map((name) => [name, stringShape]),
  ),
  required: new Set(),
};

/** Variables must be given in the order of their dependencies (`order`), so that no chain of them is followed at once. */
export function createInference(
  report: Report,
  template: Template,
  catalogue: Catalogue,
  order: readonly string[],
): Inference {
  const names = new Map<string, Shape>([["pulumi", pulumi]]);
  const shapes = new Map<Expression, Shape>();
  const shapeOf = (expression: Expression): Shape => {
    const known = shapes.get(expression);
    if (known !== undefined) return known;
    const shape = infer(expression);
    shapes.set(expression, shape);
    return shape;
  };
  const follow = (reference: Reference): Shape => {
    const root = names.get(reference.root);
    return root === undefined ? anyShape : walk(report, reference, root);
  };
  const infer = (expression: Expression): Shape => {
    switch (expression.kind) {
      case "literal":
        return shapeOfValue(expression.value);
      case "reference":
        return follow(expression.reference);
      case "text":
        for (const part of expression.parts) {
          if (typeof part !== "string" && follow(part).kind === "resource") {
            report.error(
              part.at,
              `\${${formatReference(part.root, part.path)}} is a whole resource, which has no text: name one of its properties, for example .id`,
            );
          }
        }
        return stringShape;
      case "list":
        return { kind: "list", item: unionOf(expression.items.map(shapeOf)) };
      case "object": {
        const properties = new Map<string, Shape>();
        let isOpen = false;
        for (const entry of expression.entries) {
          const shape = shapeOf(entry.value);
          shapeOf(entry.key);
          if (entry.key.kind === "literal") properties.set(String(entry.key.value), shape);
          else isOpen = true;
        }
        return { kind: "object", properties, required: new Set(), ...(isOpen ? { rest: anyShape } : {}) };
      }
      case "call":
        return inferCall(expression);
      case "invoke":
        return inferInvoke(expression);
      case "invalid":
        return anyShape;
    }
  };
  const inferCall = (call: Expression & { kind: "call" }): Shape => {
    const args = call.args.map(shapeOf);
    switch (call.name) {
      case "secret":
        return args[0] ?? anyShape;
      case "select":
        return args[1]?.kind === "list" ? args[1].item : anyShape;
      case "split":
        return { kind: "list", item: stringShape };
      case "stackReference":
        return anyShape;
      case "stringAsset":
      case "fileAsset":
      case "remoteAsset":
        return { kind: "asset" };
      case "assetArchive":
      case "fileArchive":
      case "remoteArchive":
        return { kind: "archive" };
      default:
        return stringShape;
    }
  };
  const inferInvoke = (call: Expression & { kind: "invoke" }): Shape => {
    for (const entry of call.args.entries) shapeOf(entry.value);
    for (const option of [call.options.parent, call.options.provider, call.options.dependsOn])
      if (option) shapeOf(option);
    const token = catalogue.resolveFunction(call.token);
    const info = token === undefined ? undefined : catalogue.functions.get(token);
    if (info === undefined) return anyShape;
    return call.returns?.name
      ? returned(report, call, info)
      : { ...shapeOfProperties(info.outputs), required: new Set() };
  };
  for (const [name, value] of template.config.values) names.set(name, shapeOfValue(value));
  const ofTypes = new Map<string, Shape>();
  for (const { key, type } of template.resources.values()) {
    const shape = ofTypes.get(type?.value ?? "") ?? shapeOfResource(type, catalogue);
    ofTypes.set(type?.value ?? "", shape);
    names.set(key, shape);
  }
  for (const name of order) {
    const variable = template.variables.get(name);
    if (variable) names.set(name, shapeOf(variable.value));
  }
  return { shapeOf };
}

function returned(report: Report, call: Expression & { kind: "invoke" }, info: FunctionInfo): Shape {
  const { name, at } = call.returns!;
  const output = info.outputs[name];
  if (output !== undefined) return shapeOfSchema(output.schema);
  report.error(
    at,
    `${call.token} returns no ${JSON.stringify(name)}${didYouMeanOrOneOf(name, Object.keys(info.outputs))}`,
  );
  return anyShape;
}

function shapeOfResource(written: ResourceDeclaration["type"], catalogue: Catalogue): Shape {
  const type = written && typeOf(written.value, catalogue);
  if (type === undefined || type.kind === "wrong") return anyShape;
  const properties = new Map<string, Shape>();
  if (type.kind === "resource") {
    for (const infos of [type.info.inputs, type.info.outputs]) {
      for (const [name, info] of Object.entries(infos)) properties.set(name, shapeOfSchema(info.schema));
    }
  } else if (type.kind === "provider") {
    for (const [name, info] of Object.entries(catalogue.config))
      properties.set(name, shapeOfSchema(info.schema));
  } else {
    properties.set("name", stringShape);
    properties.set("outputs", { kind: "object", properties: new Map(), required: new Set(), rest: anyShape });
    properties.set("secretOutputNames", { kind: "list", item: stringShape });
  }
  return {
    kind: "resource",
    type: type.token,
    properties: properties.set("id", stringShape).set("urn", stringShape),
  };
}

/** Follows a reference through shapes; a step that can never be taken is reported, once, where the reference stands. */
function walk(report: Report, reference: Reference, root: Shape): Shape {
  let here = root;
  for (const [index, step] of reference.path.entries()) {
    const so = formatReference(reference.root, reference.path.slice(0, index));
    const fail = (reason: string): Shape => {
      report.error(reference.at, reason);
      return anyShape;
    };
    if (here.kind === "any" || here.kind === "union") return anyShape;
    if (here.kind === "list") {
      if (typeof step !== "number")
        return fail(
          `${so} is a list, which has no property ${JSON.stringify(step)}: give an index, like ${so}[0]`,
        );
      here = here.item;
    } else if (here.kind === "object" || here.kind === "resource") {
      if (typeof step === "number")
        return fail(`${so} is ${describeShape(here)}, which has no index ${step}: name a property`);
      const next: Shape | undefined =
        here.properties.get(step) ?? (here.kind === "object" ? here.rest : undefined);
      if (next === undefined)
        return fail(
          `${so} has no property ${JSON.stringify(step)}${didYouMeanOrOneOf(step, here.properties.keys())}`,
        );
      here = next;
    } else {
      const what = typeof step === "number" ? `index ${step}` : `property ${JSON.stringify(step)}`;
      return fail(`${so} is ${describeShape(here)}, which has no ${what}`);
    }
  }
  return here;
}
