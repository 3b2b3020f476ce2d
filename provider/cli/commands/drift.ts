/** The command `drift`: compares what is declared, what was applied last, and what is there; or finds what nobody declares. Changes nothing. */

import type { Command } from "commander";
import type { Result } from "../../engine/engine.ts";
import { refuseUnknownArea } from "../area.ts";
import { CommandError, type ExitCode, exitCode } from "../exit.ts";
import { allowGone, goneOf } from "../flags.ts";
import { helped } from "../help.ts";
import { codeOf, refuseBroken, type Stack, withStack } from "../open-stack.ts";
import { guard, print, printError } from "../render/door.ts";
import { driftJson, showDrift, showDriftMarkdown } from "../render/drift.ts";
import { diagnosticText } from "../render/format.ts";
import { createLineRenderer, type Renderer } from "../render/lines.ts";
import { showUnowned, showUnownedMarkdown, unownedJson } from "../render/unowned.ts";
import type { Settings } from "../settings.ts";

interface DriftFlags {
  readonly allowGone?: boolean;
  readonly unowned?: boolean;
  readonly area?: string;
  readonly markdown?: boolean;
}

export function addDriftCommand(program: Command): void {
  helped(program.command("drift"), {
    examples: {
      drift: "what somebody else changed",
      "drift --json": "the same, for a program",
      "drift --unowned": "what is on the account and in no stack",
    },
    codes: ["drift", "guarded", "interrupted"],
  })
    .description("compare what is declared, what was applied last, and what is there; change nothing")
    .option("--unowned", "instead: what the account has and no stack of the backend owns")
    .option("--area <area>", "with --unowned: only one area (dns, databases, objectstorage…)")
    .option("--markdown", "write it as Markdown")
    .option(...allowGone)
    .action((flags: DriftFlags, command: Command) => {
      if (flags.area !== undefined && !flags.unowned) throw new CommandError("--area goes with --unowned");
      refuseUnknownArea(flags.area);
      return withStack(command, (stack) => (flags.unowned ? unowned(stack, flags) : drift(stack, flags)), {
        judges: true,
      });
    });
}

async function drift({ settings, engine, shown }: Stack, flags: DriftFlags): Promise<ExitCode> {
  const result = await shown(rendererOf(settings, flags), () => engine.drift(goneOf(flags)));
  if (!settings.showSecrets) guard(result.drifted);
  if (settings.json) print(JSON.stringify(driftJson(result), null, 2));
  else if (result.result === "succeeded") (flags.markdown ? showDriftMarkdown : showDrift)(settings, result);
  return ended(settings, flags, result, result.drifted.length + result.pending.length);
}

async function unowned({ settings, program, engine, shown }: Stack, flags: DriftFlags): Promise<ExitCode> {
  refuseBroken(program, settings);
  const result = await shown(rendererOf(settings, flags), () =>
    engine.unowned(flags.area === undefined ? {} : { area: flags.area }),
  );
  const { ownership } = result;
  if (ownership && settings.json) print(JSON.stringify(unownedJson(ownership, settings.stack), null, 2));
  else if (ownership) (flags.markdown ? showUnownedMarkdown : showUnowned)(settings, ownership);
  return ended(settings, flags, result, ownership?.unowned.length ?? 0);
}

/** The exit code; where the renderer told nothing, what went wrong is told here. */
function ended(settings: Settings, flags: DriftFlags, result: Result, found: number): ExitCode {
  const code = codeOf(result);
  if (code === exitCode.done) return found > 0 ? exitCode.drift : exitCode.done;
  if (settings.json || flags.markdown)
    for (const diagnostic of result.diagnostics) printError(diagnosticText(diagnostic, settings.colors));
  return code;
}

/** Headings and problems only: what is found is shown as a whole afterwards. */
function rendererOf(settings: Settings, { markdown }: DriftFlags): Renderer {
  if (settings.json || markdown) return { event() {}, close() {} };
  const inner = createLineRenderer({ ...settings, diff: false, write: print });
  return {
    event(event) {
      if (event.event === "start" || event.event === "diagnostic") inner.event(event);
    },
    close: () => inner.close(),
  };
}
