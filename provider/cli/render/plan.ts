/** A plan as a table: operation, type, name and phrase in columns, children under their parents, long lists folded. Pure. */

import { grouped } from "../../core/grouped.ts";
import type { Urn } from "../../core/protocol.ts";
import { isUnknown, reveal } from "../../core/value.ts";
import type { Step } from "../../engine/event.ts";
import { catalogue } from "../../provider.ts";
import { inLine, mark, type Palette, paint, plainType, thousands, word } from "./format.ts";
import { phraseOf } from "./phrase.ts";

export interface PlanOptions extends Palette {
  /** Show everything whole: each resource of a long list, each property that changes. */
  readonly diff: boolean;
  /** What stands under a step's own row. */
  readonly detailsOf: (step: Step) => readonly string[];
}

/** Of more alike than these only some are shown. */
const MOST_ALIKE = 20;
const SHOWN_OF_MANY = 10;

interface Node {
  readonly step: Step;
  readonly children: Node[];
}

/** A row before its columns are known to fit. */
type Row =
  | { readonly step: Step; readonly depth: number }
  | { readonly more: readonly Step[]; readonly depth: number };

/** True for steps that a reader wants to see; what stays as it is only counts. */
export function isWorthALine(step: Step): boolean {
  return step.op !== "same" && step.op !== "read";
}

/** The lines of a plan; none when nothing changes. What stays as it is is shown where something under it changes. */
export function planLines(steps: readonly Step[], options: PlanOptions): string[] {
  const rows = rowsOf(treeOf(steps), options.diff);
  const shown = rows.flatMap((row) => ("step" in row ? [row] : []));
  const widthOf = (column: (row: (typeof shown)[number]) => string) =>
    shown.reduce((width, row) => Math.max(width, column(row).length), 0);
  const columns = {
    word: Math.min(
      24,
      widthOf(({ step }) => word(step, "plan")),
    ),
    type: Math.min(40, widthOf(typeColumn)),
    name: Math.min(
      40,
      widthOf(({ step }) => inLine(step.name)),
    ),
  };
  return rows.flatMap((row) =>
    "step" in row ? stepLines(row, columns, options) : [moreLine(row, columns, options)],
  );
}

interface Columns {
  readonly word: number;
  readonly type: number;
  readonly name: number;
}

const typeColumn = ({ step, depth }: { readonly step: Step; readonly depth: number }) =>
  `${"  ".repeat(depth)}${plainType(step.type)}`;

function stepLines(
  row: { readonly step: Step; readonly depth: number },
  columns: Columns,
  options: PlanOptions,
): string[] {
  const { colors } = options;
  const { step } = row;
  const texts = [
    word(step, "plan").padEnd(columns.word),
    typeColumn(row).padEnd(columns.type),
    inLine(step.name).padEnd(columns.name),
    inLine(phraseOf(step)),
  ] as const;
  if (!isWorthALine(step)) return [colors.dim(`  ${texts.join("  ").trimEnd()}`)];
  const color = paint(step.op, colors);
  const [verb, type, name, phrase] = texts;
  const head = [`${color(mark(step.op))} ${color(verb)}`, type, colors.bold(name), phrase].join("  ");
  const under = " ".repeat(2 + columns.word + 2 + 2 * row.depth + 2);
  return [head.trimEnd(), ...options.detailsOf(step).map((line) => under + line)];
}

function moreLine(
  { more, depth }: { readonly more: readonly Step[]; readonly depth: number },
  columns: Columns,
  { colors }: PlanOptions,
): string {
  const [step] = more as [Step];
  const color = paint(step.op, colors);
  const head = color(`${mark(step.op)} ${word(step, "plan").padEnd(columns.word)}`);
  return `${head}  ${"  ".repeat(depth)}${colors.dim(`… ${thousands(more.length)} more ${plainType(step.type)} (--diff shows all)`)}`;
}

function rowsOf(roots: readonly Node[], whole: boolean): Row[] {
  const rows: Row[] = [];
  const add = (nodes: readonly Node[], depth: number): void => {
    const alike = grouped(nodes, ({ step, children }) =>
      children.length > 0 ? step.urn : `${word(step, "plan")} ${step.type}`,
    );
    for (const group of alike.values()) {
      const shown = whole || group.length <= MOST_ALIKE ? group : group.slice(0, SHOWN_OF_MANY);
      for (const node of shown) {
        rows.push({ step: node.step, depth });
        add(node.children, depth + 1);
      }
      const more = group.slice(shown.length).map(({ step }) => step);
      if (more.length > 0) rows.push({ more, depth });
    }
  };
  add(roots, 0);
  return rows;
}

/** The steps as a tree, in their order; what is unchanged only where something under it is not. */
function treeOf(steps: readonly Step[]): Node[] {
  const nodes = new Map<Urn, Node>();
  for (const step of steps) if (!step.replaced) nodes.set(step.urn, { step, children: [] });
  const parentOf = parents(steps, nodes);
  const above = new Map<Node, Node>();
  for (const node of nodes.values()) {
    const parent = nodes.get(parentOf(node.step) ?? "");
    if (parent && !isWithin(parent, node, above)) above.set(node, parent);
  }
  const needed = new Set<Node>();
  for (const node of nodes.values())
    if (isWorthALine(node.step))
      for (let at: Node | undefined = node; at && !needed.has(at); at = above.get(at)) needed.add(at);
  const roots: Node[] = [];
  for (const node of nodes.values()) if (needed.has(node)) (above.get(node)?.children ?? roots).push(node);
  return roots;
}

function isWithin(node: Node, of: Node, above: ReadonlyMap<Node, Node>): boolean {
  for (let at: Node | undefined = node; at; at = above.get(at)) if (at === of) return true;
  return false;
}

/** What a step stands under: its declared parent, or the object that it is listed under at the service. */
function parents(steps: readonly Step[], nodes: ReadonlyMap<Urn, Node>): (step: Step) => Urn | undefined {
  const byId = new Map(
    steps.flatMap(({ type, id, urn }) => (id === undefined ? [] : [[`${type} ${id}`, urn]])),
  );
  return (step) => {
    if (step.parent !== undefined) return step.parent;
    const types = catalogue.resources.get(step.type)?.parents ?? [];
    if (types.length === 0) return undefined;
    for (const given of Object.values(step.newInputs ?? step.oldInputs ?? {})) {
      const value = reveal(given);
      if (isUnknown(value)) {
        const urn = value.source?.split("#")[0] ?? "";
        if (types.includes(nodes.get(urn)?.step.type ?? "")) return urn;
      }
      for (const type of types) {
        const urn = byId.get(`${type} ${String(value)}`);
        if (urn !== undefined) return urn;
      }
    }
    return undefined;
  };
}
