/** The commands that change nothing: `validate`, `preview`, `drift`. */

import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { quoted } from "../../core/masking.ts";
import { shortToken } from "../../core/token.ts";
import type { Drifted } from "../../engine/engine.ts";
import { printable } from "../../engine/event.ts";
import { exitCode } from "../exit.ts";
import { guard, print, printError } from "../render/door.ts";
import { diagnosticText, oneLine, sealedAlike } from "../render/format.ts";
import { createPreviewJsonRenderer } from "../render/json.ts";
import { createLineRenderer, type Renderer } from "../render/lines.ts";
import { createMarkdownRenderer } from "../render/markdown.ts";
import type { Settings } from "../settings.ts";
import { addTargetOption, allowGone, codeOf, goneOf, lines, pathOf, targetsOf, withStack } from "../stack.ts";

interface PreviewFlags {
  diff?: boolean;
  refresh?: boolean;
  allowGone?: boolean;
  target?: string[];
  expectNoChanges?: boolean;
  savePlan?: string;
  markdown?: boolean;
  detailedExitcode?: boolean;
}

export function addPreviewCommands(program: Command): void {
  program
    .command("validate")
    .description("check a stack file against the schema and every rule that needs no request")
    .action((_flags, command: Command) =>
      withStack(
        command,
        async ({ settings, engine }) => {
          const result = await engine.validate();
          if (settings.json) print(JSON.stringify({ diagnostics: result.diagnostics }, null, 2));
          else {
            for (const found of result.diagnostics) print(diagnosticText(found, settings.colors));
            if (result.result === "succeeded") print(`${settings.colors.green("valid")}: no problem found`);
          }
          return codeOf(result);
        },
        { judges: true },
      ),
    );

  addTargetOption(program.command("preview"))
    .description("show what would change")
    .option("--diff", "show every changed property")
    .option("--refresh", "read everything first")
    .option(...allowGone)
    .option("--expect-no-changes", "exit with 2 when something would change")
    .option("--detailed-exitcode", "exit with 2 when something would change, 0 when nothing would")
    .option("--save-plan <file>", "write the plan, for `up --plan`")
    .option("--markdown", "write the plan as Markdown")
    .action((flags: PreviewFlags, command: Command) =>
      withStack(
        command,
        async ({ settings, engine, shown }) => {
          const result = await shown(previewRenderer(settings, flags), () =>
            engine.preview({
              ...targetsOf(flags),
              ...goneOf(flags),
              ...(flags.refresh ? { refresh: true } : {}),
              plan: flags.savePlan !== undefined,
            }),
          );
          if (flags.savePlan !== undefined && result.plan) {
            // The plan holds what will be written to the account: for the owner's eyes only.
            writeFileSync(pathOf(flags.savePlan), `${JSON.stringify(result.plan, null, 2)}\n`, {
              mode: 0o600,
            });
          }
          const code = codeOf(result);
          if (code !== exitCode.done) return code;
          const tellsChanges = flags.expectNoChanges || flags.detailedExitcode;
          return result.changes && tellsChanges ? exitCode.changes : exitCode.done;
        },
        { judges: true },
      ),
    );

  program
    .command("drift")
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
          if (settings.json) print(JSON.stringify({ drifted: result.drifted.map(driftJson) }, null, 2));
          else if (result.result === "succeeded") showDrift(settings, result.drifted);
          const code = codeOf(result);
          if (code !== exitCode.done) {
            if (settings.json)
              for (const found of result.diagnostics) printError(diagnosticText(found, settings.colors));
            return code;
          }
          return result.drifted.length > 0 ? exitCode.drift : exitCode.done;
        },
        { judges: true },
      ),
    );
}

function previewRenderer(settings: Settings, flags: PreviewFlags): Renderer {
  if (settings.json) return createPreviewJsonRenderer(print);
  if (flags.markdown) return createMarkdownRenderer(print, settings.stack);
  return lines(settings, flags.diff);
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

function driftJson(found: Drifted): object {
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

function showDrift(settings: Settings, drifted: readonly Drifted[]): void {
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
  print(drifted.length === 0 ? colors.green("no drift") : `${drifted.length} drifted`);
}
