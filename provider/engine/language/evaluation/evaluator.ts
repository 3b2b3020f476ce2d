/** Evaluates expressions: references, text, calls; asks the host for functions and other stacks. Registers nothing and knows no order. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import { isValueMap, secret, unknown, type Value } from "../../../core/value.ts";
import type { Expression, Reference } from "../syntax/expression.ts";
import { formatReference } from "../syntax/interpolation.ts";
import { ArgumentError, computeBuiltin } from "./builtin.ts";
import { type Evaluation, type Eventual, reportError } from "./context.ts";
import { invoke } from "./invocation.ts";
import {
  access,
  type Bare,
  bare,
  define,
  isResourceTerm,
  isTracked,
  resultOf,
  type Term,
  tracked,
} from "./term.ts";
import { writeText } from "./written.ts";

/** The value of an expression, or undefined when it failed; why is in the report by then. Everything that can fail on its own is tried. */
export function evaluate(context: Evaluation, expression: Expression): Eventual<Term | undefined> {
  const term = evaluateOne(context, expression);
  return term instanceof Promise
    ? term.then((made) => admitted(context, expression, made))
    : admitted(context, expression, term);
}

function admitted(context: Evaluation, expression: Expression, term: Term | undefined): Term | undefined {
  if (term === undefined || expression.kind === "literal" || context.sizes.admit(term)) return term;
  context.report.error(
    expression.at,
    "what this comes to is larger than any declaration needs (32 million characters, 256 million in all, 100 lists or objects within each other): it may double something many times",
  );
  return undefined;
}

function evaluateOne(context: Evaluation, expression: Expression): Eventual<Term | undefined> {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "invalid":
      return undefined;
    case "reference":
      return follow(context, expression.reference);
    case "text":
      return evaluateText(context, expression);
    case "list":
      return evaluateList(context, expression);
    case "object":
      return evaluateObject(context, expression);
    case "call":
      return evaluateCall(context, expression);
    case "invoke":
      return invoke(context, expression);
  }
}

function follow(context: Evaluation, reference: Reference): Term | undefined {
  const root = context.lookUp(reference.root);
  if (root === undefined) return undefined;
  const found = access(root, reference.path);
  if ("term" in found) return found.term;
  context.report.error(
    reference.at,
    `\${${formatReference(reference.root, reference.path)}}: ${found.reason}`,
  );
  return undefined;
}

function evaluateText(context: Evaluation, expression: Expression & { kind: "text" }): Term | undefined {
  let text = "";
  let failed = false;
  const used: Bare[] = [];
  for (const part of expression.parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const term = follow(context, part);
    if (term === undefined) {
      failed = true;
      continue;
    }
    const name = `\${${formatReference(part.root, part.path)}}`;
    if (isResourceTerm(term)) {
      context.report.error(
        part.at,
        `${name} is a whole resource, which has no text: name one of its properties, for example .id`,
      );
      failed = true;
      continue;
    }
    const value = bare(term);
    used.push(value);
    if (value.missing) continue;
    if (
      typeof value.value === "object" &&
      value.value !== null &&
      !Array.isArray(value.value) &&
      !isValueMap(value.value)
    ) {
      context.report.error(part.at, `${name} is an asset or a resource, which has no text`);
      failed = true;
      continue;
    }
    const written = writeText(value.value);
    if (written.isOdd) {
      const shown = value.isSecret ? "" : `: ${JSON.stringify(written.text)}`;
      const hint =
        typeof value.value === "number"
          ? "write the number in quotes to keep its digits"
          : "use fn::toJSON or name one of its parts";
      context.report.warning(
        part.at,
        `${name} goes into text in Go's notation, as with Pulumi's engine${shown}; ${hint}`,
      );
    }
    text += written.text;
  }
  if (failed) return undefined;
  return resultOf(used, used.some((value) => value.missing) ? unknown : text);
}

async function evaluateList(
  context: Evaluation,
  expression: Expression & { kind: "list" },
): Promise<Term | undefined> {
  const items = await Promise.all(expression.items.map((item) => context.evaluate(item)));
  return items.includes(undefined) ? undefined : (items as Term[]);
}

async function evaluateObject(
  context: Evaluation,
  expression: Expression & { kind: "object" },
): Promise<Term | undefined> {
  const map: { [name: string]: Term } = {};
  const keys: Bare[] = [];
  let failed = false;
  const values = await Promise.all(
    expression.entries.map(async (entry) => [
      await context.evaluate(entry.key),
      await context.evaluate(entry.value),
    ]),
  );
  for (const [index, [keyTerm, value]] of values.entries()) {
    if (keyTerm === undefined || value === undefined) {
      failed = true;
      continue;
    }
    const key = bare(keyTerm);
    if (isTracked(keyTerm)) keys.push(key);
    if (key.missing) continue;
    if (typeof key.value !== "string") {
      context.report.error(expression.entries[index]!.at, "the key of an object must come to a text");
      failed = true;
    } else define(map, key.value, value);
  }
  if (failed) return undefined;
  if (keys.length === 0) return map;
  // Keys made from resources: the object as a whole comes from them.
  const whole = bare(map);
  return resultOf([...keys, whole], keys.some((key) => key.missing) ? unknown : whole.value);
}

async function evaluateCall(
  context: Evaluation,
  call: Expression & { kind: "call" },
): Promise<Term | undefined> {
  const terms = await Promise.all(call.args.map((arg) => context.evaluate(arg)));
  if (terms.includes(undefined)) return undefined;
  const args = (terms as Term[]).map(bare);
  if (call.name === "secret") {
    const [only] = args;
    return only === undefined ? undefined : tracked(secret(only.value), only.from);
  }
  if (args.some((arg) => arg.missing)) return resultOf(args, unknown);
  const values = args.map((arg) => arg.value);
  try {
    if (call.name === "stackReference") return await stackOutput(context, args);
    return resultOf(args, await computeBuiltin(call.name, values, context.files));
  } catch (error) {
    const argument = error instanceof ArgumentError ? call.args[error.argument] : undefined;
    reportError(context.report, argument?.at ?? call.at, error);
    return undefined;
  }
}

async function stackOutput(context: Evaluation, args: readonly Bare[]): Promise<Term | undefined> {
  const [stack, name] = args.map((arg) => arg.value);
  if (typeof stack !== "string" || typeof name !== "string")
    throw new ArgumentError(1, "the output that fn::stackReference names must be text");
  const outputs = await context.stackOutputs(stack);
  if (!Object.hasOwn(outputs, name)) {
    throw new ArgumentError(
      1,
      `the stack ${stack} has no output ${JSON.stringify(name)}${didYouMeanOrOneOf(name, Object.keys(outputs))}`,
    );
  }
  return resultOf([...args, bare(tracked(outputs[name] ?? null))], unmarked(outputs[name] ?? null));
}

function unmarked(value: Value): Value {
  return bare(tracked(value)).value;
}
