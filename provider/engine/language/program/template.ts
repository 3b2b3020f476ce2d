/** The program as declared: variables, resources and outputs with their expressions, and what each refers to. Evaluates nothing. */

import type { Position } from "../../host.ts";
import { type Expression, type Reference, referencesIn } from "../syntax/expression.ts";
import { parseExpression } from "../syntax/parse.ts";
import type { Report } from "../syntax/report.ts";
import type { Config } from "./config.ts";
import type { Project } from "./project.ts";
import { type AliasDeclaration, type ResourceDeclaration, readResource } from "./resource.ts";

export interface NamedExpression {
  readonly name: string;
  readonly value: Expression;
  readonly at: Position;
}

export interface Template {
  readonly config: Config;
  readonly variables: ReadonlyMap<string, NamedExpression>;
  readonly resources: ReadonlyMap<string, ResourceDeclaration>;
  readonly outputs: readonly NamedExpression[];
  /** The resource with `defaultProvider: true`, if there is one. */
  readonly defaultProvider?: ResourceDeclaration;
}

/** Reads the sections; names that stand for two things are reported. */
export function readTemplate(report: Report, project: Project, config: Config): Template {
  const taken = new Map<string, { readonly what: string; readonly at: Position }>();
  for (const [name, at] of config.declared) taken.set(name, { what: "config", at });
  const claim = (name: string, what: string, at: Position): boolean => {
    const other = taken.get(name);
    if (name === "pulumi") {
      report.error(
        at,
        `"pulumi" is reserved for \${pulumi.stack} and its like: give the ${what} another name`,
      );
    } else if (other !== undefined) {
      report.error(
        at,
        `the ${what} ${JSON.stringify(name)} has the name of the ${other.what} on line ${other.at.line}: names are shared, give it another`,
      );
    } else {
      taken.set(name, { what, at });
      return true;
    }
    return false;
  };
  if (config.declared.has("pulumi")) claim("pulumi", "config", config.declared.get("pulumi")!);
  const resources = new Map<string, ResourceDeclaration>();
  let defaultProvider: ResourceDeclaration | undefined;
  for (const entry of project.resources) {
    const resource = readResource(report, entry);
    if (!claim(resource.key, "resource", resource.at)) continue;
    if (resource.isDefaultProvider && defaultProvider !== undefined) {
      report.error(
        resource.at,
        `there is a default provider already, ${JSON.stringify(defaultProvider.key)}`,
      );
    } else if (resource.isDefaultProvider) defaultProvider = resource;
    resources.set(resource.key, resource);
  }
  const variables = new Map<string, NamedExpression>();
  for (const entry of project.variables) {
    const name = entry.key.value;
    const value = parseExpression(report, entry.value);
    if (claim(name, "variable", entry.key.at)) variables.set(name, { name, value, at: entry.key.at });
  }
  const outputs = project.outputs.map((entry) => ({
    name: entry.key.value,
    value: parseExpression(report, entry.value),
    at: entry.key.at,
  }));
  return {
    config,
    variables,
    resources,
    outputs,
    ...(defaultProvider === undefined ? {} : { defaultProvider }),
  };
}

/** Every expression of a resource: properties, `get`, and options. */
export function* expressionsOf(resource: ResourceDeclaration): Generator<Expression> {
  const { properties, options, get } = resource;
  if (properties.kind === "expression") yield properties.expression;
  else for (const entry of properties.entries) yield entry.value;
  if (get?.id) yield get.id;
  for (const entry of get?.state ?? []) yield entry.value;
  const { dependsOn, parent, protect, provider, providers, replaceWith, deletedWith } = options;
  for (const option of [dependsOn, parent, protect, provider, providers, replaceWith, deletedWith])
    if (option) yield option;
  for (const alias of options.aliases ?? []) yield* expressionsOfAlias(alias);
}

function* expressionsOfAlias(alias: AliasDeclaration): Generator<Expression> {
  const { urn, name, type, stack, project, parent, noParent } = alias;
  for (const part of [urn, name, type, stack, project, parent, noParent]) if (part) yield part;
}

/** Every reference that a resource makes. */
export function* referencesOf(resource: ResourceDeclaration): Generator<Reference> {
  for (const expression of expressionsOf(resource)) yield* referencesIn(expression);
}

/** True for `pulumi:providers:…`. */
export function isProvider(resource: ResourceDeclaration): boolean {
  return resource.type?.value.startsWith("pulumi:providers:") ?? false;
}

/** True when any of the expressions calls a function of a provider. */
export function hasInvoke(expression: Expression): boolean {
  switch (expression.kind) {
    case "invoke":
      return true;
    case "list":
      return expression.items.some(hasInvoke);
    case "object":
      return expression.entries.some((entry) => hasInvoke(entry.value) || hasInvoke(entry.key));
    case "call":
      return expression.args.some(hasInvoke);
    default:
      return false;
  }
}
