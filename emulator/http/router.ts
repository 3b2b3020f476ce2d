/** Finds the operation for a method and a path; knows paths in the brand's word, not what operations do. */

import type { Operation } from "../contract/contract.ts";

export interface Route {
  readonly template: string;
  /** By method. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Decoded path parameters in the template's order. */
  readonly values: readonly string[];
}

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: Node | undefined;
  template: string | undefined;
  readonly operations: Map<string, Operation>;
}

function emptyNode(): Node {
  return { fixed: new Map(), parameter: undefined, template: undefined, operations: new Map() };
}

/**
 * A router over the operations; `spell` turns a fixed segment into what stands on the wire. The path comes without the version
 * segment. Percent-encoded slashes stay within their segment; a text parameter at the end also takes two plain segments
 * (`/databases/engines/mysql/8.0.30`). Absence of a route means that nothing in the contract has this path.
 */
export function createRouter(
  operations: readonly Operation[],
  spell: (segment: string) => string,
): (path: string) => Route | undefined {
  const root = emptyNode();
  for (const operation of operations) {
    let node = root;
    for (const segment of operation.template.slice(1).split("/")) {
      if (segment.startsWith("{")) {
        node.parameter ??= emptyNode();
        node = node.parameter;
      } else {
        const wire = spell(segment);
        const next = node.fixed.get(wire) ?? emptyNode();
        node.fixed.set(wire, next);
        node = next;
      }
    }
    node.template = operation.template;
    node.operations.set(operation.method, operation);
  }

  function match(node: Node, segments: readonly string[], at: number, values: string[]): Node | undefined {
    if (at === segments.length) return node.template === undefined ? undefined : node;
    const segment = segments[at]!;
    const fixed = node.fixed.get(segment);
    if (fixed) {
      const found = match(fixed, segments, at + 1, values);
      if (found) return found;
    }
    if (!node.parameter || segment === "") return undefined;
    values.push(segment);
    const found = match(node.parameter, segments, at + 1, values);
    if (!found) values.pop();
    return found;
  }

  function routeOf(segments: readonly string[]): Route | undefined {
    const values: string[] = [];
    const node = match(root, segments, 0, values);
    return node && { template: node.template!, operations: node.operations, values };
  }

  return (path) => {
    if (!path.startsWith("/")) return undefined;
    const segments: string[] = [];
    for (const segment of path.slice(1).split("/")) {
      const decoded = decode(segment);
      if (decoded === undefined) return undefined;
      segments.push(decoded);
    }
    const route = routeOf(segments);
    if (route || segments.length < 3) return route;
    const [last, previous] = [segments.at(-1)!, segments.at(-2)!];
    if (last === "" || previous === "") return undefined;
    const joined = routeOf([...segments.slice(0, -2), `${previous}/${last}`]);
    return joined && endsWithText(joined) ? joined : undefined;
  };
}

function endsWithText(route: Route): boolean {
  const [operation] = route.operations.values();
  return route.template.endsWith("}") && operation?.path.at(-1)?.integer === false;
}

function decode(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
