/** Evaluates the options of resources, and the resources that options of any call name. Checks what only a run can tell. */

import type { Urn } from "../../../core/protocol.ts";
import type { Alias, ResourceOptions } from "../../host.ts";
import type { AliasDeclaration, ResourceDeclaration } from "../program/resource.ts";
import { packageName, type ResourceType } from "../program/token.ts";
import type { Expression } from "../syntax/expression.ts";
import type { Evaluation } from "./context.ts";
import { bare, isResourceTerm, isTracked, type ResourceTerm, type Term } from "./term.ts";

/** The resource that an option names, or undefined with an error. */
export async function evaluateResource(
  context: Evaluation,
  expression: Expression,
  option: string,
): Promise<ResourceTerm | undefined> {
  const term = await context.evaluate(expression);
  if (term === undefined) return undefined;
  if (isResourceTerm(term)) return term;
  context.report.error(
    expression.at,
    `${option} takes a resource: refer to it whole, like \${name}, without a property`,
  );
  return undefined;
}

/** The provider that an option names, or undefined with an error. */
export async function evaluateProvider(
  context: Evaluation,
  expression: Expression,
): Promise<ResourceTerm | undefined> {
  const resource = await evaluateResource(context, expression, "provider");
  if (resource === undefined || resource.type.startsWith("pulumi:providers:")) return resource;
  context.report.error(expression.at, `provider takes a provider, and this is a ${resource.type}`);
  return undefined;
}

/** The resources that an option lists, or undefined with an error. */
export async function evaluateResources(
  context: Evaluation,
  expression: Expression,
  option: string,
): Promise<readonly ResourceTerm[] | undefined> {
  const term = await context.evaluate(expression);
  if (term === undefined) return undefined;
  if (!Array.isArray(term)) {
    context.report.error(expression.at, `${option} takes a list of resources, like [ \${name} ]`);
    return undefined;
  }
  const wrong = term.findIndex((item) => !isResourceTerm(item as Term));
  if (wrong === -1) return term as ResourceTerm[];
  const at = expression.kind === "list" ? expression.items[wrong]!.at : expression.at;
  context.report.error(at, `${option} takes whole resources, like \${name}, and item ${wrong} is none`);
  return undefined;
}

/** Evaluated options of one resource. */
export interface EvaluatedOptions {
  readonly given: ResourceOptions;
  /** Provider that children inherit. */
  readonly forChildren?: Urn;
}

const isEmpty = (options: object): boolean => Object.keys(options).length === 0;
const none: EvaluatedOptions = { given: {} };

/** Every option, or undefined when one failed (already reported). */
export async function evaluateOptions(
  context: Evaluation,
  resource: ResourceDeclaration,
  type: ResourceType,
): Promise<EvaluatedOptions | undefined> {
  if (isEmpty(resource.options)) {
    const provider = type.kind === "provider" ? undefined : context.defaultProvider();
    return provider === undefined ? none : { given: { provider } };
  }
  const { dependsOn, parent, protect, provider, providers, replaceWith, deletedWith, aliases, ...literal } =
    resource.options;
  const one = (option: Expression | undefined, name: string) =>
    option ? evaluateResource(context, option, name) : null;
  const many = (option: Expression | undefined, name: string) =>
    option ? evaluateResources(context, option, name) : null;
  const all = await Promise.all([
    many(dependsOn, "dependsOn"),
    one(parent, "parent"),
    protect ? evaluateFlag(context, protect, "protect") : null,
    provider ? evaluateProvider(context, provider) : null,
    many(providers, "providers"),
    many(replaceWith, "replaceWith"),
    one(deletedWith, "deletedWith"),
    aliases ? Promise.all(aliases.map((alias) => evaluateAlias(context, alias))) : null,
  ]);
  const [after, above, guard, own, passed, along, deleted, former] = all;
  if ((all as readonly unknown[]).includes(undefined) || former?.includes(undefined)) return undefined;
  const fallback = context.defaultProvider();
  const ofOurs = passed?.find((candidate) => candidate.type === `pulumi:providers:${packageName}`)?.urn;
  const chosen = type.kind === "provider" ? undefined : (own?.urn ?? fallback ?? ofOurs ?? above?.provider);
  const forChildren = own?.urn ?? ofOurs ?? above?.provider;
  const urns = (list: readonly ResourceTerm[]) => list.map((item) => item.urn);
  return {
    given: {
      ...literal,
      ...(after ? { dependsOn: urns(after) } : {}),
      ...(above ? { parent: above.urn } : {}),
      ...(typeof guard === "boolean" ? { protect: guard } : {}),
      ...(chosen === undefined ? {} : { provider: chosen }),
      ...(passed ? { providers: urns(passed) } : {}),
      ...(along ? { replaceWith: urns(along) } : {}),
      ...(deleted ? { deletedWith: deleted.urn } : {}),
      ...(former ? { aliases: former as Alias[] } : {}),
    },
    ...(forChildren === undefined ? {} : { forChildren }),
  };
}

async function evaluateFlag(
  context: Evaluation,
  option: Expression,
  name: string,
): Promise<boolean | undefined> {
  const term = await context.evaluate(option);
  if (term === undefined || typeof term === "boolean") return term;
  const why = isTracked(term) && term.from.size > 0 ? ", and cannot come from a resource" : "";
  context.report.error(option.at, `${name} must be true or false${why}`);
  return undefined;
}

async function evaluateAlias(context: Evaluation, alias: AliasDeclaration): Promise<Alias | undefined> {
  const result: { [name: string]: string | boolean } = {};
  for (const name of ["urn", "name", "type", "stack", "project", "parent"] as const) {
    const part = alias[name];
    if (part === undefined) continue;
    const term = await context.evaluate(part);
    if (term === undefined) return undefined;
    const text = name === "parent" && isResourceTerm(term) ? term.urn : bare(term).value;
    const isUrn = name === "urn" || name === "parent";
    if (typeof text !== "string" || (isUrn && !/^urn:pulumi:[^:]+::[^:]+::.+::.+$/.test(text))) {
      context.report.error(
        part.at,
        isUrn
          ? `the ${name === "urn" ? "alias" : "parent of an alias"} must be a URN, like urn:pulumi:stack::project::type::name`
          : `the ${name} of an alias must be text that is known`,
      );
      return undefined;
    }
    result[name] = text;
  }
  if (alias.noParent) {
    const flag = await evaluateFlag(context, alias.noParent, '"noParent"');
    if (flag === undefined) return undefined;
    result.noParent = flag;
  }
  return result as Alias;
}
