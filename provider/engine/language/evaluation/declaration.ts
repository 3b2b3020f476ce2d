/** Turns an evaluated declaration into a goal and hands it to the host: inputs, options, and what depends on what. Knows no order. */

import { CheckFailedError, ResourceInitFailedError, type Urn } from "../../../core/protocol.ts";
import { isUnknown, secret, unknownFrom, type Value, type ValueMap } from "../../../core/value.ts";
import { type Goal, ProgramError, type Registered } from "../../host.ts";
import { placeOfProperty } from "../program/place.ts";
import type { PropertyEntry, ResourceDeclaration } from "../program/resource.ts";
import { type ResourceType, typeOf } from "../program/token.ts";
import { messageOf } from "../syntax/report.ts";
import { type Evaluation, reportError } from "./context.ts";
import { evaluateOptions } from "./resource-option.ts";
import {
  access,
  bare,
  define,
  isTermMap,
  isTracked,
  resolveTerm,
  resourceTerm,
  type Term,
  tracked,
  withoutNothing,
} from "./term.ts";

interface Inputs {
  readonly values: ValueMap;
  /** By top-level property. */
  readonly from: { readonly [property: string]: readonly Urn[] };
}

/** Registers (or reads) a resource; undefined when something failed, which is in the report by then. */
export async function registerResource(
  context: Evaluation,
  resource: ResourceDeclaration,
): Promise<Term | undefined> {
  const type = typeOf(resource.type?.value ?? "", context.catalogue);
  if (type.kind === "wrong") return undefined;
  if (type.kind === "stack-reference") return referToStack(context, resource);
  const [inputs, options, id] = await context.declaration(() =>
    Promise.all([
      resource.get
        ? evaluateEntries(context, resource.get.state, type)
        : evaluateInputs(context, resource, type),
      evaluateOptions(context, resource, type),
      resource.get?.id ? context.evaluate(resource.get.id) : null,
    ]),
  );
  if (inputs === undefined || options === undefined || id === undefined) return undefined;
  const known = bare(id);
  const dependencies = new Set<Urn>([
    ...Object.values(inputs.from).flat(),
    ...known.from,
    ...(options.given.dependsOn ?? []),
  ]);
  for (const urn of [options.given.parent, options.given.provider])
    if (urn !== undefined) dependencies.add(urn);
  const goal: Goal = {
    type: type.token,
    name: resource.name,
    inputs: inputs.values,
    options: options.given,
    dependencies: [...dependencies],
    propertyDependencies: inputs.from,
    positionOf: (path) => placeOfProperty(resource, path),
  };
  try {
    const registered = resource.get
      ? await readResource(context, goal, known.value, type)
      : await context.host.register(goal);
    return resourceTerm({
      type: type.token,
      urn: registered.urn,
      id: registered.id,
      outputs: registered.outputs,
      ...(options.forChildren === undefined ? {} : { provider: options.forChildren }),
    });
  } catch (error) {
    reportFailure(context, goal, error);
    return undefined;
  }
}

async function readResource(
  context: Evaluation,
  goal: Goal,
  id: Value,
  type: ResourceType,
): Promise<Registered> {
  const { inputs: state, ...rest } = goal;
  if (isUnknown(id)) {
    // What it is to read is not there yet: everything about it stays open.
    const urn = context.host.urn(goal.type, goal.name, goal.options.parent);
    const names = type.kind === "resource" ? Object.keys({ ...type.info.inputs, ...type.info.outputs }) : [];
    return {
      urn,
      id,
      outputs: Object.fromEntries(names.map((name) => [name, unknownFrom(`${urn}#${name}`)])),
    };
  }
  if ((typeof id !== "string" && typeof id !== "number") || id === "") {
    throw new CheckFailedError([
      { property: "id", reason: "the id of what to read must be text, and not empty" },
    ]);
  }
  return context.host.read({ ...rest, id: String(id), state });
}

/** Says what failed, at the property that is at fault where one is named. */
function reportFailure(context: Evaluation, goal: Goal, error: unknown): void {
  const { report, host } = context;
  const urn = host.urn(goal.type, goal.name, goal.options.parent);
  const tell = (message: string, property?: string) =>
    report.error(goal.positionOf(property ?? ""), property ? `${property}: ${message}` : message, {
      urn,
      ...(property ? { property } : {}),
    });
  if (error instanceof ProgramError) {
    for (const { message, urn: of = urn, property, file, line, column } of error.diagnostics) {
      const at =
        file !== undefined && line !== undefined && column !== undefined
          ? { file, line, column }
          : goal.positionOf(property ?? "");
      report.error(at, message, { urn: of, ...(property === undefined ? {} : { property }) });
    }
  } else if (error instanceof CheckFailedError && error.failures.length > 0) {
    for (const failure of error.failures) tell(failure.reason, failure.property);
  } else if (error instanceof ResourceInitFailedError && error.reasons.length > 0) {
    for (const reason of error.reasons) tell(reason);
  } else tell(messageOf(error));
}

async function evaluateInputs(
  context: Evaluation,
  resource: ResourceDeclaration,
  type: ResourceType,
): Promise<Inputs | undefined> {
  const { properties } = resource;
  if (properties.kind === "map") return evaluateEntries(context, properties.entries, type);
  const term = await context.evaluate(properties.expression);
  if (term === undefined) return undefined;
  const whole = bare(term);
  let terms: readonly (readonly [string, Term])[];
  if (whole.missing && isTracked(term) && isUnknown(whole.value) && type.kind === "resource") {
    // Which properties it will have is not known, so any of them may come.
    terms = Object.keys(type.info.inputs).map((name) => [name, term]);
  } else if (isTermMap(term)) terms = Object.entries(term);
  else if (isTracked(term) && isPlainObject(whole.value))
    terms = Object.keys(whole.value).map((name) => [name, partOf(term, name)]);
  else {
    context.report.error(properties.expression.at, "the properties must come to an object");
    return undefined;
  }
  return collect(context, terms, type);
}

function isPlainObject(value: Value): value is ValueMap {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getOwnPropertySymbols(value).length === 0
  );
}

function partOf(term: Term, name: string): Term {
  const found = access(term, [name]);
  return "term" in found ? found.term : null;
}

async function evaluateEntries(
  context: Evaluation,
  entries: readonly PropertyEntry[],
  type: ResourceType,
): Promise<Inputs | undefined> {
  const begun = entries.map(({ value }) => context.evaluate(value));
  const terms = begun.some((term) => term instanceof Promise) ? await Promise.all(begun) : begun;
  if (terms.includes(undefined)) return undefined;
  return collect(
    context,
    entries.map(({ name }, i) => [name, terms[i] as Term] as const),
    type,
  );
}

function collect(
  context: Evaluation,
  terms: readonly (readonly [string, Term])[],
  type: ResourceType,
): Inputs {
  const infos = type.kind === "resource" ? type.info.inputs : context.catalogue.config;
  const values: { [name: string]: Value } = {};
  const from: { [name: string]: readonly Urn[] } = {};
  for (const [name, term] of terms) {
    if (term === null) continue;
    const resolved = resolveTerm(term);
    // What comes to nothing is as if it were not there.
    if (resolved.value === null) continue;
    const value = withoutNothing(resolved.value);
    define(values, name, infos[name]?.secret ? secret(value) : value);
    if (resolved.from.size > 0) define(from, name, [...resolved.from]);
  }
  return { values, from };
}

/** `pulumi:pulumi:StackReference`: another stack's outputs, under `outputs`. */
async function referToStack(context: Evaluation, resource: ResourceDeclaration): Promise<Term | undefined> {
  const { properties } = resource;
  const named =
    properties.kind === "map" ? properties.entries.find((entry) => entry.name === "name") : undefined;
  const term = named ? await context.evaluate(named.value) : resource.name;
  if (term === undefined) return undefined;
  const name = bare(term).value;
  if (typeof name !== "string") {
    context.report.error(named?.value.at ?? resource.at, "the name of a stack must be text that is known");
    return undefined;
  }
  try {
    const outputs = await context.stackOutputs(name);
    const secrets = Object.keys(outputs).filter((key) => bare(tracked(outputs[key] ?? null)).isSecret);
    return { name, id: name, outputs: tracked(outputs), secretOutputNames: secrets };
  } catch (error) {
    reportError(context.report, named?.value.at ?? resource.at, error);
    return undefined;
  }
}
