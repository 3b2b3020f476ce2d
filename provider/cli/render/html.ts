/** Plans and graphs as one page that needs nothing else: readable on a phone, in light and dark. Everything of others is escaped. */

import pc from "picocolors";
import { withErrorCode } from "../../core/error-code.ts";
import { grouped } from "../../core/grouped.ts";
import type { Step } from "../../engine/event.ts";
import type { Graph } from "../../engine/operations/graph.ts";
import { createCollector } from "./collected.ts";
import { costLines } from "./cost.ts";
import { outward } from "./door.ts";
import {
  changeLines,
  countsText,
  diagnosticText,
  inputLines,
  mark,
  plainType,
  thousands,
  word,
} from "./format.ts";
import type { Renderer } from "./lines.ts";
import { phraseOf } from "./phrase.ts";
import { isWorthALine } from "./plan.ts";

const colors = pc.createColors(false);

/** A text of others, without secrets, as HTML takes it. */
const escaped = (text: string): string =>
  outward(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; } code { font-size: 0.9em; } a { color: inherit; }
details, .card { border: 1px solid #8886; border-left-width: 0.4rem; border-radius: 0.3rem; margin: 0.5rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; } .what { opacity: 0.75; }
.create, .import { border-left-color: #2a2; } .update { border-left-color: #c90; }
.replace { border-left-color: #a3a; } .delete, .error { border-left-color: #c33; } .warning { border-left-color: #c90; }
.drawing { overflow: auto; } svg { max-width: none; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; } svg rect { fill: #8882; stroke: #8888; } svg line { stroke: #888; }
`;

function page(title: string, body: readonly string[]): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${style}</style></head>`,
    `<body><main><h1>${escaped(title)}</h1>`,
    ...body,
    "</main></body></html>",
    "",
  ].join("\n");
}

/** Collects a preview, and gives it to `write` as a page when it is closed. */
export function createHtmlRenderer(write: (page: string) => void, stack: string): Renderer {
  return createCollector(({ steps, diagnostics, cost, summary }) => {
    const counts = summary ? countsText(summary.counts, "plan") : "nothing to do";
    const told = diagnostics.map(
      (found) => `<p class="card ${found.severity}">${escaped(diagnosticText(found, colors))}</p>`,
    );
    const guard = summary?.guard;
    const stopped = guard
      ? [`<p class="card error"><b>Stopped:</b> ${escaped(withErrorCode(guard.message, guard.code))}</p>`]
      : [];
    const costs = cost
      ? [`<div class="card">${costLines(cost, colors).map(escaped).join("<br>")}</div>`]
      : [];
    const shown = steps.filter(isWorthALine).map(stepHtml);
    write(page(`Plan for ${stack}`, [`<p>${escaped(counts)}</p>`, ...stopped, ...costs, ...told, ...shown]));
  });
}

function stepHtml(step: Step): string {
  const palette = { colors, showSecrets: false };
  const lines = [
    ...(step.unfinished ?? []),
    ...(step.op === "create" ? inputLines(step, palette) : changeLines(step, palette)),
  ];
  const head = `${escaped(`${mark(step.op)} ${word(step, "plan")}`)} <b>${escaped(step.name)}</b> ${escaped(plainType(step.type))} <span class="what">${escaped(phraseOf(step))}</span>`;
  if (lines.length === 0) return `<p class="card ${step.op}">${head}</p>`;
  const items = lines.map((line) => `<li><code>${escaped(line)}</code></li>`).join("");
  return `<details class="${step.op}"><summary>${head}</summary><ul>${items}</ul></details>`;
}

/** More than these are listed and not drawn. */
const MOST_DRAWN = 300;

export function graphHtml(graph: Graph, stack: string): string {
  const anchor = new Map(graph.nodes.map(({ urn }, at) => [urn, `r${at}`]));
  const names = new Map(graph.nodes.map(({ urn, name }) => [urn, name]));
  const links = (urns: readonly string[]) =>
    urns.map((urn) => `<a href="#${anchor.get(urn)}">${escaped(names.get(urn) ?? urn)}</a>`).join(", ");
  const needs = grouped(graph.edges, ({ from }) => from);
  const needed = grouped(graph.edges, ({ to }) => to);
  const cards = graph.nodes.map(({ urn, type, name, id }) => {
    const [above, below] = [needs.get(urn) ?? [], needed.get(urn) ?? []];
    return [
      `<div class="card" id="${anchor.get(urn)}"><b>${escaped(name)}</b> ${escaped(plainType(type))} <span class="what">${escaped(id ?? "")}</span>`,
      ...(above.length > 0 ? [`<br>needs ${links(above.map(({ to }) => to))}`] : []),
      ...(below.length > 0 ? [`<br>needed by ${links(below.map(({ from }) => from))}`] : []),
      "</div>",
    ].join("");
  });
  const drawing =
    graph.nodes.length > MOST_DRAWN
      ? `<p>${thousands(graph.nodes.length)} resources are too many to draw: they are listed.</p>`
      : `<div class="drawing" role="region" aria-label="Drawing" tabindex="0">${drawn(graph, needs)}</div>`;
  return page(`Resources of ${stack}`, [drawing, ...cards]);
}

const [BOX, HIGH, GAP] = [180, 40, 20];

/** Rows of boxes: what others need stands above them. */
function drawn({ nodes, edges }: Graph, needs: ReadonlyMap<string, Graph["edges"]>): string {
  const depths = new Map<string, number>();
  const depthOf = (urn: string): number => {
    const known = depths.get(urn);
    if (known !== undefined) return known;
    // An edge that closes a circle counts for nothing.
    depths.set(urn, 0);
    const depth = Math.max(-1, ...(needs.get(urn) ?? []).map(({ to }) => depthOf(to))) + 1;
    depths.set(urn, depth);
    return depth;
  };
  const filled: number[] = [];
  const places = new Map(
    nodes.map(({ urn }) => {
      const row = depthOf(urn);
      const column = filled[row] ?? 0;
      filled[row] = column + 1;
      return [urn, { x: GAP + column * (BOX + GAP), y: GAP + row * (HIGH + 2 * GAP) }];
    }),
  );
  const lines = edges.flatMap(({ from, to }) => {
    const [a, b] = [places.get(from), places.get(to)];
    return a && b
      ? [`<line x1="${a.x + BOX / 2}" y1="${a.y}" x2="${b.x + BOX / 2}" y2="${b.y + HIGH}"/>`]
      : [];
  });
  const boxes = nodes.map(({ urn, name, type }) => {
    const { x, y } = places.get(urn)!;
    const text = (given: string, down: number) =>
      `<text x="${x + 8}" y="${y + down}">${escaped(given.length > 26 ? `${given.slice(0, 25)}…` : given)}</text>`;
    return `<g><rect x="${x}" y="${y}" width="${BOX}" height="${HIGH}" rx="5"/>${text(name, 16)}${text(plainType(type), 32)}</g>`;
  });
  const width = GAP + Math.max(0, ...filled) * (BOX + GAP);
  const height = GAP + filled.length * (HIGH + 2 * GAP);
  return `<svg role="img" aria-label="What needs what" width="${width}" height="${height}">${lines.join("")}${boxes.join("")}</svg>`;
}
