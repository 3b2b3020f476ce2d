/** Who needs whom: the order in which variables and resources can be made, and the references and circles that allow none. */

import { didYouMeanOrOneOf } from "../../../core/nearest.ts";
import type { Position } from "../../host.ts";
import { type Reference, referencesIn } from "../syntax/expression.ts";
import { createReport, type Report } from "../syntax/report.ts";
import type { ResourceDeclaration } from "./resource.ts";
import { expressionsOf, hasInvoke, isProvider, referencesOf, type Template } from "./template.ts";

/** A variable or resource and what it needs. */
export interface GraphNode {
  readonly name: string;
  readonly kind: "variable" | "resource";
  /** Variables and resources that it refers to, each once, with the first place that does. */
  readonly needs: ReadonlyMap<string, Position>;
}

export interface Graph {
  /** Each after all that it needs; otherwise in the order of the file, resources first. */
  readonly order: readonly GraphNode[];
  /** Variables and resources that each output needs. */
  readonly outputs: ReadonlyMap<string, ReadonlySet<string>>;
}

const usesDefaultProvider = (resource: ResourceDeclaration): boolean =>
  (!isProvider(resource) && !resource.options.provider) || [...expressionsOf(resource)].some(hasInvoke);

/** Links the template. Unknown names and circles are reported. */
export function linkTemplate(report: Report, template: Template): Graph {
  const known = (name: string) => template.variables.has(name) || template.resources.has(name);
  const constant = (name: string) =>
    name === "pulumi" || template.config.values.has(name) || template.config.declared.has(name);
  // One misspelt name may stand in thousands of places: what was meant is looked for once.
  const hints = new Map<string, string>();
  const hintOf = (name: string): string => {
    const known = hints.get(name);
    if (known !== undefined) return known;
    const names = [
      ...template.resources.keys(),
      ...template.variables.keys(),
      ...template.config.values.keys(),
      "pulumi",
    ];
    const hint = didYouMeanOrOneOf(name, names);
    hints.set(name, hint);
    return hint;
  };
  const needsOf = (references: Iterable<Reference>): Map<string, Position> => {
    const needs = new Map<string, Position>();
    for (const { root, at } of references) {
      if (known(root)) {
        if (!needs.has(root)) needs.set(root, at);
      } else if (!constant(root)) {
        report.error(
          at,
          `there is no resource, variable or config value named ${JSON.stringify(root)}${hintOf(root)}`,
        );
      }
    }
    return needs;
  };
  const fallback = template.defaultProvider;
  const nodes = new Map<string, GraphNode>();
  for (const resource of template.resources.values()) {
    const needs = needsOf(referencesOf(resource));
    if (fallback && fallback !== resource && !needs.has(fallback.key) && usesDefaultProvider(resource))
      needs.set(fallback.key, resource.at);
    nodes.set(resource.key, { name: resource.key, kind: "resource", needs });
  }
  for (const variable of template.variables.values()) {
    const needs = needsOf(referencesIn(variable.value));
    if (fallback && hasInvoke(variable.value)) needs.set(fallback.key, variable.at);
    nodes.set(variable.name, { name: variable.name, kind: "variable", needs });
  }
  const outputs = new Map<string, ReadonlySet<string>>();
  for (const output of template.outputs) {
    const needs = new Set(needsOf(referencesIn(output.value)).keys());
    if (fallback && hasInvoke(output.value)) needs.add(fallback.key);
    outputs.set(output.name, needs);
  }
  return { order: sort(report, nodes), outputs };
}

/** The graph in which resources also wait for others, by their keys. Throws where that is a circle. */
export function withFirst(graph: Graph, first: ReadonlyMap<string, readonly string[]>): Graph {
  if (first.size === 0) return graph;
  const nodes = new Map<string, GraphNode>();
  for (const node of graph.order) {
    const needs = new Map(node.needs);
    for (const name of first.get(node.name) ?? []) if (!needs.has(name)) needs.set(name, nowhere);
    nodes.set(node.name, { ...node, needs });
  }
  const report = createReport();
  const order = sort(report, nodes);
  if (report.hasErrors()) throw new Error(report.diagnostics[0]?.message);
  return { ...graph, order };
}

/** The place of what no file says. */
const nowhere: Position = { file: "", line: 0, column: 0 };

/** Depth first without recursion, so that a chain of thousands is no trouble. */
function sort(report: Report, nodes: ReadonlyMap<string, GraphNode>): GraphNode[] {
  const order: GraphNode[] = [];
  const state = new Map<string, "open" | "done">();
  for (const start of nodes.values()) {
    if (state.has(start.name)) continue;
    const path: { readonly node: GraphNode; readonly rest: Iterator<string> }[] = [];
    const enter = (node: GraphNode) => {
      state.set(node.name, "open");
      path.push({ node, rest: node.needs.keys() });
    };
    enter(start);
    while (path.length > 0) {
      const { node, rest } = path[path.length - 1]!;
      const next = rest.next();
      if (next.done) {
        state.set(node.name, "done");
        order.push(node);
        path.pop();
        continue;
      }
      const needed = nodes.get(next.value)!;
      if (state.get(needed.name) === "open") {
        reportCircle(
          report,
          path.slice(path.findIndex((step) => step.node === needed)).map((step) => step.node),
          nodes,
        );
      } else if (!state.has(needed.name)) enter(needed);
    }
  }
  return order;
}

function reportCircle(
  report: Report,
  circle: readonly GraphNode[],
  nodes: ReadonlyMap<string, GraphNode>,
): void {
  // Told from its first member in the file, whichever way it was found.
  const places = new Map([...nodes.keys()].map((name, index) => [name, index]));
  const placeOf = (index: number) => places.get(circle[index]!.name)!;
  let first = 0;
  for (let i = 1; i < circle.length; i++) if (placeOf(i) < placeOf(first)) first = i;
  const round = [...circle.slice(first), ...circle.slice(0, first)];
  const [from, to = from] = round;
  const text = [...round, from!].map((node) => node.name).join(" -> ");
  report.error(from!.needs.get(to!.name), `these depend on each other in a circle: ${text}`);
}
