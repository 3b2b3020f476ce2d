/** The engines and node types that databases can be made of (notes, section 5). */

import type { KindName } from "./kinds.ts";

export interface Engine {
  readonly id: string;
  readonly engine: KindName;
  readonly version: string;
}

function engine(kind: KindName, version: string): Engine {
  return { id: `${kind}/${version}`, engine: kind, version };
}

export const engines: readonly Engine[] = [
  engine("mysql", "5.7.39"),
  engine("mysql", "8.0.30"),
  engine("postgresql", "10.23"),
  engine("postgresql", "11.17"),
  engine("postgresql", "12.12"),
  engine("postgresql", "13.8"),
  engine("postgresql", "14.6"),
];

/** Engines that are no longer listed, and can still be ordered and viewed by those who name them: the contract's examples do. */
const retiredEngines: readonly Engine[] = [engine("mysql", "8.0.26"), engine("postgresql", "13.2")];

const enginesById = new Map([...engines, ...retiredEngines].map((one) => [one.id, one]));

export function findEngine(id: string): Engine | undefined {
  return enginesById.get(id);
}

export interface NodeType {
  readonly id: string;
  readonly label: string;
  readonly class: "nanode" | "standard" | "dedicated";
  /** MB. */
  readonly memory: number;
  /** MB. */
  readonly disk: number;
  readonly vcpus: number;
  /** USD a month of one, two and three nodes. */
  readonly monthly: readonly [number, number, number];
  readonly deprecated: boolean;
}

const names = { nanode: "Nanode", standard: "Compute", dedicated: "Dedicated" } as const;

/** Memory and disk in GB. Two nodes cost the mean of one and three, which differ by `factor`. */
function nodeType(
  id: string,
  kind: NodeType["class"],
  [memory, disk, vcpus, monthly]: readonly [number, number, number, number],
): NodeType {
  const three = Math.round((monthly * (kind === "dedicated" ? 3 : 7 / 3)) / 5) * 5;
  return {
    id,
    label: `DBaaS - ${names[kind]} ${memory}GB`,
    class: kind,
    memory: memory * 1024,
    disk: disk * 1024,
    vcpus,
    monthly: [monthly, (monthly + three) / 2, three],
    deprecated: false,
  };
}

export const nodeTypes: readonly NodeType[] = [
  nodeType("g6-nanode-1", "nanode", [1, 25, 1, 15]),
  nodeType("g6-standard-1", "standard", [2, 50, 1, 30]),
  nodeType("g6-standard-2", "standard", [4, 80, 2, 60]),
  nodeType("g6-standard-4", "standard", [8, 160, 4, 120]),
  nodeType("g6-standard-6", "standard", [16, 320, 6, 240]),
  nodeType("g6-standard-8", "standard", [32, 640, 8, 480]),
  nodeType("g6-standard-16", "standard", [64, 1280, 16, 960]),
  nodeType("g6-dedicated-2", "dedicated", [4, 80, 2, 65]),
  nodeType("g6-dedicated-4", "dedicated", [8, 160, 4, 130]),
  nodeType("g6-dedicated-8", "dedicated", [16, 320, 8, 260]),
  nodeType("g6-dedicated-16", "dedicated", [32, 640, 16, 520]),
  nodeType("g6-dedicated-32", "dedicated", [64, 1280, 32, 1040]),
  nodeType("g6-dedicated-50", "dedicated", [128, 2500, 50, 2080]),
];

const byId = new Map(nodeTypes.map((one) => [one.id, one]));

export function findNodeType(id: string): NodeType | undefined {
  return byId.get(id);
}

/** A node type as the service answers it: prices for each kind of database by number of nodes, two of which cannot be ordered. */
export function showNodeType(one: NodeType) {
  const { id, label, memory, disk, vcpus, deprecated } = one;
  const prices = () =>
    one.monthly.map((monthly, index) => ({
      quantity: index + 1,
      price: { hourly: Math.round(monthly * 15) / 10_000, monthly },
    }));
  return {
    ...{ id, label, memory, disk, vcpus, deprecated, class: one.class },
    engines: { mysql: prices(), postgresql: prices(), mongodb: prices() },
  };
}
