/** The command `drift`: compares what is declared, what was applied last, and what is there; changes nothing. */

import type { Command } from "commander";
import { withErrorCode } from "../../core/error-code.ts";
import { quoted } from "../../core/masking.ts";
import { shortToken } from "../../core/token.ts";
import type { Drifted, Pending } from "../../engine/engine.ts";
import { printable } from "../../engine/event.ts";
import { exitCode } from "../exit.ts";
import { allowGone, goneOf } from "../flags.ts";
import { helped } from "../help.ts";
import { codeOf, withStack } from "../open-stack.ts";
import { guard, print, printError } from "../render/door.ts";
import { diagnosticText, oneLine, sealedAlike } from "../render/format.ts";
import { createLineRenderer, type Renderer } from "../render/lines.ts";
import type { Settings } from "../settings.ts";

export function addDriftCommand(program: Command): void {
  helped(program.command("drift"), {
    examples: { drift: "what somebody else changed", "drift --json": "the same, for a program" },
    codes: ["drift", "guarded", "interrupted"],
  })
    .description("compare what is declared, what was applied last, and what is there; change nothing")
    .option(...allowGone)
    .action((flags: { allowGone?: boolean }, command: Command) =>
      withStack(
        command,
        async ({ settings, engine, shown }) => {
          const quiet: Renderer = { event() {}, close() {} };
          const result = await shown(settings.json ? quiet : driftRenderer(settings), () =>
            engine.drift(goneOf(flags)),
          );
          if (!settings.showSecrets) guard(result.drifted);
          if (settings.json) print(JSON.stringify(driftJson(result), null, 2));
          else if (result.result === "succeeded") showDrift(settings, result);
          const code = codeOf(result);
          if (code !== exitCode.done) {
            if (settings.json)
              for (const found of result.diagnostics) printError(diagnosticText(found, settings.colors));
            return code;
          }
          return result.drifted.length + result.pending.length > 0 ? exitCode.drift : exitCode.done;
        },
        { judges: true },
      ),
    );
}

/** Headings and problems only: what drifted is shown as a whole afterwards. */
function driftRenderer(settings: Settings): Renderer {
  const inner = createLineRenderer({ ...settings, diff: false, write: print });
  return {
    event(event) {
      if (event.event === "start" || event.event === "diagnostic") inner.event(event);
    },
    close: () => inner.close(),
  };
}

/** What the command tells. */
interface Told {
  readonly drifted: readonly Drifted[];
  readonly pending: readonly Pending[];
}

const driftJson = ({ drifted, pending }: Told): object => ({
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

function showDrift(settings: Settings, { drifted, pending }: Told): void {
  const { colors, showSecrets } = settings;
  for (const found of drifted) {
    const head = `${colors.dim(shortToken(found.type))} ${colors.bold(quoted(found.name))} (${quoted(found.id)})`;
    print(
      found.kind === "missing" ? `${colors.red("missing")} ${head}` : `${colors.yellow("changed")} ${head}`,
    );
    for (const [path, all] of Object.entries(found.paths)) {
      const { declared, last, live } = sealedAlike(all);
      const text = (value: typeof live) => (value === undefined ? "(none)" : oneLine(value, showSecrets));
      print(
        `    ${quoted(path)}: last applied ${text(last)}, now ${colors.yellow(text(live))}, declared ${text(declared)}`,
      );
    }
  }
  for (const { type, name, reasons } of pending) {
    print(`${colors.yellow("pending")} ${colors.dim(shortToken(type))} ${colors.bold(quoted(name))}`);
    print(`    ${quoted(withErrorCode(reasons.join(" "), "PLB-PENDING"))}`);
  }
  const counts = [
    ...(drifted.length > 0 ? [`${drifted.length} drifted`] : []),
    ...(pending.length > 0
      ? [`${pending.length} pending: the next \`plumbline up\` looks and ends them`]
      : []),
  ];
  print(counts.length === 0 ? colors.green("no drift") : counts.join(", "));
}
