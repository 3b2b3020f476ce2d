/** Calls a provider's function: evaluates its arguments and options, asks the host, and takes the result apart. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import { isUnknown, secret, unknown, type Value, type ValueMap } from "../../../core/value.ts";
import type { Expression } from "../syntax/expression.ts";
import { type Evaluation, reportError } from "./context.ts";
import { evaluateProvider, evaluateResource, evaluateResources } from "./resource-option.ts";
import { type Bare, bare, resultOf, type Term, tracked } from "./term.ts";

/** The result of a function, or undefined when it failed (already reported). In a preview it is not called with anything unknown. */
export async function invoke(
  context: Evaluation,
  call: Expression & { kind: "invoke" },
): Promise<Term | undefined> {
  const { report, host } = context;
  const [args, provider, , dependsOn] = await Promise.all([
    context.evaluate(call.args),
    call.options.provider && evaluateProvider(context, call.options.provider),
    call.options.parent && evaluateResource(context, call.options.parent, "parent"),
    call.options.dependsOn && evaluateResources(context, call.options.dependsOn, "dependsOn"),
  ]);
  if (args === undefined || (call.options.provider && !provider) || (call.options.dependsOn && !dependsOn))
    return undefined;
  const token = context.catalogue.resolveFunction(call.token);
  if (token === undefined) {
    report.error(call.tokenAt, `there is no function ${call.token}`);
    return undefined;
  }
  const given = bare(args);
  const after: Bare = {
    value: null,
    isSecret: false,
    from: new Set((dependsOn ?? []).map((resource) => resource.urn)),
    ...((dependsOn ?? []).some((resource) => isUnknown(resource.id)) ? { missing: unknown } : {}),
  };
  // A preview does not call what depends on something that is not there yet.
  if (given.missing || after.missing) return resultOf([given, after], unknown);
  const providerUrn = provider?.urn ?? context.defaultProvider();
  let result: ValueMap;
  try {
    result = await host.invoke(token, given.value as ValueMap, {
      ...(providerUrn === undefined ? {} : { provider: providerUrn }),
      dependencies: [...new Set([...given.from, ...after.from])],
    });
  } catch (error) {
    reportError(report, call.tokenAt, error);
    return undefined;
  }
  return returned(context, call, result, [given, after]);
}

function returned(
  context: Evaluation,
  call: Expression & { kind: "invoke" },
  result: ValueMap,
  args: readonly Bare[],
): Term | undefined {
  const from = new Set(args.flatMap((arg) => [...arg.from]));
  const isMarked = args.some((arg) => arg.isSecret);
  const mark = (value: Value) => tracked(isMarked ? secret(value) : value, from);
  const name = call.returns?.name;
  if (name === undefined || name === "") return mark(result);
  if (Object.hasOwn(result, name)) return mark(result[name] ?? null);
  context.report.error(
    call.returns!.at,
    `${call.token} returned no ${JSON.stringify(name)}${didYouMeanOrOneOf(name, Object.keys(result))}`,
  );
  return undefined;
}
