/** Shows drift: what moved, and which side; what an earlier run left open; as text, JSON or Markdown. */

import pc from "picocolors";
import { withErrorCode } from "../../core/error-code.ts";
import { quoted } from "../../core/masking.ts";
import { shortToken } from "../../core/token.ts";
import type { Drifted, Pending } from "../../engine/engine.ts";
import { printable } from "../../engine/event.ts";
import type { Settings } from "../settings.ts";
import { print } from "./door.ts";
import { oneLine, plainType, sealedAlike } from "./format.ts";
import { cell, inert } from "./markdown.ts";

/** What the command tells. */
export interface Told {
  readonly drifted: readonly Drifted[];
  readonly pending: readonly Pending[];
}

export const driftJson = ({ drifted, pending }: Told): object => ({
  drifted: drifted.map(driftedJson),
  ...(pending.length > 0 && { pending: pending.map(({ urn, reasons }) => ({ urn, reasons })) }),
});

function driftedJson(found: Drifted): object {
  const paths = Object.entries(found.paths).map(([path, all]) => {
    const values = sealedAlike(all);
    return [
      path,
      Object.fromEntries(
        (["declared", "last", "live"] as const).map((side) => [
          side,
          values[side] === undefined ? null : printable(values[side]),
        ]),
      ),
    ];
  });
  return { urn: found.urn, id: found.id, kind: found.kind, paths: Object.fromEntries(paths) };
}

/** `target: last applied "a", now "b", declared "a"`, a line a path. */
function movesOf(found: Drifted, showSecrets: boolean, live: (text: string) => string): string[] {
  return Object.entries(found.paths).map(([path, all]) => {
    const values = sealedAlike(all);
    const text = (value: typeof values.live) =>
      value === undefined ? "(none)" : oneLine(value, showSecrets);
    return `${quoted(path)}: last applied ${text(values.last)}, now ${live(text(values.live))}, declared ${text(values.declared)}`;
  });
}

const pendingText = ({ reasons }: Pending): string => quoted(withErrorCode(reasons.join(" "), "PLB-PENDING"));

function countsOf({ drifted, pending }: Told): string[] {
  return [
    ...(drifted.length > 0 ? [`${drifted.length} drifted`] : []),
    ...(pending.length > 0
      ? [`${pending.length} pending: the next \`plumbline up\` looks and ends them`]
      : []),
  ];
}

export function showDrift({ colors, showSecrets }: Settings, told: Told): void {
  for (const found of told.drifted) {
    const head = `${colors.dim(shortToken(found.type))} ${colors.bold(quoted(found.name))} (${quoted(found.id)})`;
    print(
      found.kind === "missing" ? `${colors.red("missing")} ${head}` : `${colors.yellow("changed")} ${head}`,
    );
    for (const line of movesOf(found, showSecrets, colors.yellow)) print(`    ${line}`);
  }
  for (const pending of told.pending) {
    const { type, name } = pending;
    print(`${colors.yellow("pending")} ${colors.dim(shortToken(type))} ${colors.bold(quoted(name))}`);
    print(`    ${pendingText(pending)}`);
  }
  const counts = countsOf(told);
  print(counts.length === 0 ? colors.green("no drift") : counts.join(", "));
}

/** A heading and a table, for an issue or a comment. No secret is shown, whatever else is asked for. */
export function showDriftMarkdown({ stack }: Settings, told: Told): void {
  const counts = countsOf(told);
  print(`### Drift of \`${cell(stack)}\`: ${counts.length === 0 ? "none" : counts.join(", ")}`);
  if (counts.length === 0) return;
  print("\n| | resource | type | id | what moved |\n| --- | --- | --- | --- | --- |");
  const plain = pc.createColors(false);
  for (const found of told.drifted) {
    const moves = movesOf(found, false, plain.yellow).map((line) => `\`${cell(line)}\``);
    print(
      `| ${found.kind} | **${inert(quoted(found.name))}** | ${plainType(found.type)} | ${inert(quoted(found.id))} | ${moves.join("<br>")} |`,
    );
  }
  for (const pending of told.pending)
    print(
      `| pending | **${inert(quoted(pending.name))}** | ${plainType(pending.type)} | | ${inert(pendingText(pending))} |`,
    );
}
