/** Checks a linked template against the catalogue: types, property names, what is required, plain types, options. Leaves values to the provider. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import type { Catalogue } from "../../../core/protocol.ts";
import type { Expression } from "../syntax/expression.ts";
import type { Report } from "../syntax/report.ts";
import { checkResourceList, checkResourceOption, checkWithin } from "./check-call.ts";
import { type Checking, checkEntries, checkFits } from "./fit.ts";
import type { Inference } from "./inference.ts";
import type { ResourceDeclaration } from "./resource.ts";
import { describeShape, fits, type ObjectShape, type Shape, shapeOfProperties } from "./shape.ts";
import { expressionsOf, type Template } from "./template.ts";
import { typeOf } from "./token.ts";

/** Checks everything; findings are reported with their places. */
export function checkTemplate(
  report: Report,
  template: Template,
  catalogue: Catalogue,
  inference: Inference,
): void {
  const context = { report, catalogue, inference };
  for (const variable of template.variables.values()) checkWithin(context, variable.value);
  for (const resource of template.resources.values()) checkResource(context, resource);
  checkTwins(context, template);
  for (const output of template.outputs) checkWithin(context, output.value);
}

/** Two resources of one type and name would have one URN. Under a parent the engine tells, which knows the whole URN. */
function checkTwins(context: Checking, template: Template): void {
  const seen = new Map<string, ResourceDeclaration>();
  for (const resource of template.resources.values()) {
    if (resource.type === undefined || resource.options.parent) continue;
    const type = typeOf(resource.type.value, context.catalogue);
    const identity = `${type.kind === "wrong" ? resource.type.value : type.token} ${resource.name}`;
    const twin = seen.get(identity);
    if (twin === undefined) seen.set(identity, resource);
    else {
      context.report.error(
        resource.at,
        `the resource ${JSON.stringify(resource.key)} has type and name of ${JSON.stringify(twin.key)}: give it another "name"`,
      );
    }
  }
}

function checkResource(context: Checking, resource: ResourceDeclaration): void {
  const { report, catalogue, inference } = context;
  for (const expression of expressionsOf(resource)) checkWithin(context, expression);
  checkOptions(context, resource);
  const type = resource.type && typeOf(resource.type.value, catalogue);
  if (type === undefined) return;
  if (type.kind === "wrong") {
    report.error(resource.type!.at, type.reason);
    return;
  }
  const what = `${JSON.stringify(resource.key)} (${resource.type!.value})`;
  const { properties, get } = resource;
  if (type.kind === "stack-reference") {
    checkEntries(context, what, properties.kind === "map" ? properties.entries : [], {
      kind: "object",
      properties: new Map([["name", { kind: "string" }]]),
      required: new Set(),
    });
    if (get) report.error(get.at, 'another stack is read as it is: leave "get" out');
    return;
  }
  if (type.kind === "provider") {
    if (get) report.error(get.at, 'a provider cannot be read: leave "get" out');
    const config = shapeOfProperties(catalogue.config);
    if (properties.kind === "map")
      checkEntries(context, what, properties.entries, { ...config, required: new Set() });
    return;
  }
  if (get) {
    if (get.id) checkFits(context, get.id, { kind: "string" }, ["id"]);
    const readable = shapeOfProperties({ ...type.info.inputs, ...type.info.outputs });
    checkEntries(context, what, get.state, { ...readable, required: new Set() });
    return;
  }
  const wanted = shapeOfProperties(type.info.inputs);
  if (properties.kind === "expression") {
    const shape = inference.shapeOf(properties.expression);
    if (shape.kind !== "any" && shape.kind !== "object" && shape.kind !== "union") {
      report.error(
        properties.expression.at,
        `the properties of ${what} must come to an object, and this is ${describeShape(shape)}`,
      );
    } else if (shape.kind === "object") checkKnown(context, what, shape, wanted, properties.expression);
    return;
  }
  checkEntries(context, what, properties.entries, wanted);
  for (const name of wanted.required) {
    if (properties.entries.some((entry) => entry.name === name)) continue;
    report.error(properties.at ?? resource.at, `${what} needs the property ${JSON.stringify(name)}`, {
      property: name,
    });
  }
}

function checkKnown(
  context: Checking,
  what: string,
  shape: ObjectShape,
  wanted: ObjectShape,
  expression: Expression,
): void {
  for (const [name, found] of shape.properties) {
    const to = wanted.properties.get(name);
    if (to === undefined) {
      context.report.error(
        expression.at,
        `${what} has no property ${JSON.stringify(name)}${didYouMeanOrOneOf(name, wanted.properties.keys())}`,
        { property: name },
      );
    } else if (!fits(found, to)) {
      context.report.error(
        expression.at,
        `property ${JSON.stringify(name)} must be ${describeShape(to)}, and this is ${describeShape(found)}`,
        { property: name },
      );
    }
  }
  if (shape.rest === undefined && shape.required.size > 0) {
    for (const name of wanted.required) {
      if (!shape.properties.has(name))
        context.report.error(expression.at, `${what} needs the property ${JSON.stringify(name)}`, {
          property: name,
        });
    }
  }
}

function checkOptions(context: Checking, resource: ResourceDeclaration): void {
  const { parent, provider, deletedWith, dependsOn, providers, replaceWith, protect, aliases } =
    resource.options;
  for (const [name, option] of [
    ["parent", parent],
    ["provider", provider],
    ["deletedWith", deletedWith],
  ] as const) {
    if (option) checkResourceOption(context, option, name);
  }
  for (const [name, option] of [
    ["dependsOn", dependsOn],
    ["providers", providers],
    ["replaceWith", replaceWith],
  ] as const) {
    if (option) checkResourceList(context, option, name);
  }
  if (protect) wantsOption(context, protect, { kind: "boolean" }, "protect");
  for (const alias of aliases ?? []) {
    for (const name of ["urn", "name", "type", "stack", "project"] as const) {
      const part = alias[name];
      if (part)
        wantsOption(
          context,
          part,
          { kind: "string" },
          name === "urn" ? "an alias" : `the ${name} of an alias`,
        );
    }
    if (alias.noParent) wantsOption(context, alias.noParent, { kind: "boolean" }, '"noParent"');
  }
}

function wantsOption(context: Checking, option: Expression, to: Shape, what: string): void {
  const shape = context.inference.shapeOf(option);
  if (shape.kind !== "any" && shape.kind !== to.kind)
    context.report.error(
      option.at,
      `${what} must be ${describeShape(to)}, and this is ${describeShape(shape)}`,
    );
}
