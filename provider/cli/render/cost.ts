/** The cost of a plan as words: amounts, lines, a table of Markdown, JSON. Pure. */

import type { Span } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import type { Amount, CostLine, CostReport } from "../../engine/cost/report.ts";
import { type Colors, inLine, plainType } from "./format.ts";

/** `1,234.50`. */
const number = (value: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

const spanText = ({ min, max }: Span, text: (value: number) => string): string =>
  min === max ? text(min) : `${text(min)} to ${text(max)}`;

const signed = (value: number): string => `${value < 0 ? "-" : "+"}${number(Math.abs(value))}`;

/** `+24.00 USD (72.00 → 96.00)`. */
function changeText({ currency, before, after, difference }: Amount): string {
  const change = `${spanText(difference, signed)} ${currency}`;
  const isNew = before.max === 0 || after.max === 0;
  return isNew ? change : `${change} (${spanText(before, number)} → ${spanText(after, number)})`;
}

/** `126.00 USD a month at most, +54.00`. */
const totalText = ({ currency, after, difference }: Amount): string =>
  `${spanText(after, number)} ${currency} a month at most, ${spanText(difference, signed)}`;

const isChanged = ({ amounts }: CostLine): boolean =>
  amounts.some(({ difference }) => difference.min !== 0 || difference.max !== 0);

const unknownText = ({ item, unit, charges, reason }: CostReport["unknown"][number]): string =>
  `${charges} × ${item} (per ${unit}): ${reason}`;

/** Nothing is added up where nothing has a price. */
const totals = ({ totals: all }: CostReport): string[] =>
  all.length === 0 ? ["no price is known"] : all.map(totalText);

export function costLines(report: CostReport, colors: Colors): string[] {
  const changed = report.resources.filter(isChanged);
  const rows = changed.map((line) => [plainType(line.type), inLine(line.name)] as const);
  const [types, names] = [0, 1].map((at) => Math.max(0, ...rows.map((row) => row[at]!.length)));
  return [
    colors.bold("Cost"),
    ...changed.map(
      ({ amounts }, at) =>
        `  ${rows[at]![0].padEnd(types!)}  ${rows[at]![1].padEnd(names!)}  ${amounts.map(changeText).join(", ")}`,
    ),
    ...totals(report).map((text) => `  ${text}`),
    ...report.unknown.map((each) => colors.yellow(`  not known: ${inLine(unknownText(each))}`)),
  ];
}

/** `inert` keeps what others wrote from being read as Markdown. */
export function costMarkdown(report: CostReport, inert: (text: string) => string): string[] {
  const changed = report.resources.filter(isChanged);
  const table =
    changed.length === 0
      ? []
      : [
          "| resource | type | a month, at most |\n| --- | --- | --- |",
          ...changed.map(
            ({ name, type, amounts }) =>
              `| **${inert(inLine(name))}** | ${shortToken(type)} | ${amounts.map(changeText).join("<br>")} |`,
          ),
        ];
  return [
    `\n**Cost:** ${totals(report).join("; ")}\n`,
    ...table,
    ...(report.unknown.length > 0 ? [""] : []),
    ...report.unknown.map((each) => `- not known: ${inert(inLine(unknownText(each)))}`),
  ];
}

/** What has charges, whole; the others are among what is not known. */
export const costJson = ({ totals: all, resources, unknown }: CostReport): object => ({
  totals: all,
  resources: resources.filter(({ charges }) => charges.some(({ price }) => price !== undefined)),
  unknown,
});
