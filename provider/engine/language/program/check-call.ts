/** Checks calls within expressions, and options that take resources: arguments and forms, before anything runs. */

import { didYouMean } from "../../../core/nearest.ts";
import type { Expression } from "../syntax/expression.ts";
import { type Checking, checkFits } from "./fit.ts";
import { describeShape, type Shape, shapeOfProperties } from "./shape.ts";
import { packageName, spellings } from "./token.ts";

const textTakers: readonly string[] = [
  "toBase64",
  "fromBase64",
  "readFile",
  "stringAsset",
  "fileAsset",
  "remoteAsset",
  "fileArchive",
  "remoteArchive",
];

/** Looks at every call within an expression, and at every reference by working out its shape. */
export function checkWithin(context: Checking, expression: Expression): void {
  context.inference.shapeOf(expression);
  switch (expression.kind) {
    case "list":
      for (const item of expression.items) checkWithin(context, item);
      return;
    case "object":
      for (const entry of expression.entries) {
        checkWithin(context, entry.key);
        checkWithin(context, entry.value);
      }
      return;
    case "call":
      for (const arg of expression.args) checkWithin(context, arg);
      checkCall(context, expression);
      return;
    case "invoke":
      checkInvoke(context, expression);
      return;
    default:
  }
}

function checkCall(context: Checking, call: Expression & { kind: "call" }): void {
  const [first, second] = call.args;
  const wants = (arg: Expression | undefined, kind: Shape["kind"], words: string) => {
    if (arg === undefined) return;
    const shape = context.inference.shapeOf(arg);
    const parts = shape.kind === "union" ? shape.of : [shape];
    if (shape.kind === "any" || parts.some((part) => part.kind === kind || part.kind === "any")) return;
    if (call.name === "join" && arg === first && shape.kind === "null") return;
    context.report.error(arg.at, `fn::${call.name} takes ${words} here, and this is ${describeShape(shape)}`);
  };
  if (call.name === "join" || call.name === "split") wants(first, "string", "text");
  if (call.name === "join") wants(second, "list", "a list");
  if (call.name === "split" || call.name === "stackReference") wants(second, "string", "text");
  if (call.name === "select") {
    wants(first, "number", "a number");
    wants(second, "list", "a list");
  }
  if (textTakers.includes(call.name)) wants(first, "string", "text");
}

function checkInvoke(context: Checking, call: Expression & { kind: "invoke" }): void {
  for (const entry of call.args.entries) checkWithin(context, entry.value);
  const { parent, provider, dependsOn } = call.options;
  for (const [name, option] of [
    ["parent", parent],
    ["provider", provider],
  ] as const)
    if (option) checkResourceOption(context, option, name);
  if (dependsOn) checkResourceList(context, dependsOn, "dependsOn");
  const token = context.catalogue.resolveFunction(call.token);
  const info = token === undefined ? undefined : context.catalogue.functions.get(token);
  if (info === undefined) {
    const close = didYouMean(call.token, spellings(context.catalogue.functions.keys()));
    const [package_] = call.token.split(":");
    const foreign =
      package_ === packageName || close !== ""
        ? ""
        : `: this engine calls functions of ${packageName} only, Pulumi's engine all`;
    context.report.error(call.tokenAt, `there is no function ${call.token}${close || foreign}`);
    return;
  }
  checkFits(context, call.args, shapeOfProperties(info.inputs), [], call.token);
}

/** Checks an option that takes one whole resource. */
export function checkResourceOption(context: Checking, option: Expression, name: string): void {
  const shape = context.inference.shapeOf(option);
  if (shape.kind === "any") return;
  if (shape.kind !== "resource") {
    context.report.error(
      option.at,
      `${name} takes a resource: refer to it whole, like \${name}, without a property`,
    );
  } else if (name === "provider" && !shape.type.startsWith("pulumi:providers:")) {
    context.report.error(option.at, `provider takes a provider, and this is a ${shape.type}`);
  }
}

/** Checks an option that takes a list of whole resources. */
export function checkResourceList(context: Checking, option: Expression, name: string): void {
  const shape = context.inference.shapeOf(option);
  if (shape.kind === "any") return;
  if (shape.kind !== "list")
    context.report.error(
      option.at,
      `${name} takes a list of resources, like [ \${name} ], and this is ${describeShape(shape)}`,
    );
  else if (option.kind === "list")
    for (const item of option.items)
      checkResourceOption(context, item, name === "providers" ? "provider" : name);
}
