/** The resources of a state and what they depend on, as a drawing: Mermaid or DOT. Pure. */

import { isDefaultProvider, isProviderType, stackType, urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import { type ResourceState, references } from "../state/state.ts";

export interface Graph {
  readonly nodes: readonly {
    readonly urn: Urn;
    readonly type: string;
    readonly name: string;
    readonly id?: string;
  }[];
  /** `from` depends on `to`. */
  readonly edges: readonly { readonly from: Urn; readonly to: Urn }[];
}

/** Without the stack itself, default providers, and objects that only wait for their deletion. */
export function graphOf(resources: Iterable<ResourceState>): Graph {
  const shown = [...resources].filter(
    (state) =>
      !state.delete &&
      state.type !== stackType &&
      !(isProviderType(state.type) && isDefaultProvider(state.urn)),
  );
  const urns = new Set(shown.map((state) => state.urn));
  return {
    nodes: shown.map(({ urn, type, id }) => ({ urn, type, name: urnParts(urn).name, ...(id ? { id } : {}) })),
    edges: shown.flatMap((state) =>
      [...references(state)].filter((urn) => urns.has(urn)).map((to) => ({ from: state.urn, to })),
    ),
  };
}

const shortType = (type: string): string => type.slice(type.lastIndexOf(":") + 1);

export function mermaid(graph: Graph): string {
  const number = new Map(graph.nodes.map((node, index) => [node.urn, `n${index}`]));
  const text = (name: string): string => name.replaceAll('"', "#quot;");
  return [
    "graph TD",
    ...graph.nodes.map(
      (node) => `  ${number.get(node.urn)}["${text(shortType(node.type))} ${text(node.name)}"]`,
    ),
    ...graph.edges.map(({ from, to }) => `  ${number.get(from)} --> ${number.get(to)}`),
    "",
  ].join("\n");
}

export function dot(graph: Graph): string {
  const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  return [
    "digraph stack {",
    ...graph.nodes.map(
      (node) =>
        `  ${quoted(node.urn)} [label=${quoted(`${shortType(node.type)}\n${node.name}`).replaceAll("\n", "\\n")}];`,
    ),
    ...graph.edges.map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)};`),
    "}",
    "",
  ].join("\n");
}
