/** The command `up`: previews, asks, and makes the account as declared. */

import type { Command } from "commander";
import type { SavedPlan } from "../../engine/engine.ts";
import { parsePlan } from "../../engine/operations/plan.ts";
import { confirm } from "../ask.ts";
import { CommandError } from "../exit.ts";
import { addTargetOption, allowGone, goneOf, pathOf, targetsOf } from "../flags.ts";
import { readGiven } from "../given-files.ts";
import { helped } from "../help.ts";
import { codeOf, type Stack, withStack } from "../open-stack.ts";
import { addPolicyOptions } from "../policy/sets.ts";
import { countsText } from "../render/format.ts";
import { lines, once, problemsOnly, renderer } from "../shown.ts";

interface UpFlags {
  plan?: string;
  skipPreview?: boolean;
  refresh?: boolean;
  diff?: boolean;
  target?: string[];
  continueOnError?: boolean;
  allowGone?: boolean;
  adopt?: boolean;
}

export function addUpCommand(program: Command): void {
  addPolicyOptions(
    addTargetOption(
      helped(program.command("up"), {
        examples: {
          up: "show what would change, ask, do it",
          "up --adopt": "after the state was lost: what is on the account is taken over",
          "up -y --target www": "only www and what it needs, without asking",
          "up --plan plan.json": "exactly what preview --save-plan showed",
          "up --emulator": "try it without an account",
        },
        codes: ["guarded", "interrupted"],
      }),
    ),
  )
    .description("preview, ask, and make the account as declared")
    .option("--plan <file>", "do exactly this saved plan; refuse when it is stale")
    .option("--skip-preview", "apply without a preview")
    .option("--adopt", "take over what is declared and on the account already, instead of making it")
    .option("--refresh", "read everything first")
    .option(...allowGone)
    .option("--diff", "show every changed property")
    .option("--continue-on-error", "delete what is no longer declared even after something failed")
    .action((flags: UpFlags, command: Command) =>
      withStack(command, (stack) => up(stack, flags), { judges: true }),
    );
}

async function up({ settings, program, engine, shown, signal }: Stack, flags: UpFlags) {
  program.prepare?.("update");
  const targets = targetsOf(flags);
  const { refresh: reads, adopt } = flags;
  if (adopt && (flags.plan !== undefined || flags.skipPreview))
    throw new CommandError("--adopt shows first what it finds: give it without --plan and --skip-preview");
  const refresh = { ...(reads && { refresh: true }), ...(adopt && { adopt: true }), ...goneOf(flags) };
  const plan = flags.plan === undefined ? undefined : readPlan(flags.plan);
  const told = new Set<string>();
  let expected: number | undefined;
  if (plan === undefined && !flags.skipPreview) {
    const preview = await shown(
      once(settings.json ? problemsOnly(renderer(settings)) : lines(settings, flags.diff), told),
      () => engine.preview({ ...targets, ...refresh }),
    );
    if (preview.result !== "succeeded") {
      if (settings.json) {
        const { counts, steps: _, diagnostics: __, outputs: ___, plan: ____, ...rest } = preview;
        renderer(settings).event({ event: "summary", counts, ...rest, operation: "up" });
      }
      return codeOf(preview);
    }
    expected = Object.values(preview.counts).reduce((sum, count) => sum + (count ?? 0), 0);
    if (preview.changes) {
      await confirm(
        settings,
        `Apply this to ${settings.stack}: ${countsText(preview.counts, "plan")}?`,
        signal,
      );
    }
  } else if (plan === undefined) {
    await confirm(settings, `Apply ${settings.stack} without a preview?`, signal);
  }
  const show = renderer(settings, {
    diff: flags.diff === true,
    ...(expected === undefined ? {} : { expected }),
  });
  const result = await shown(once(show, told), () =>
    engine.up({
      ...targets,
      ...refresh,
      ...(flags.continueOnError ? { continueOnError: true } : {}),
      ...(plan === undefined ? {} : { plan }),
    }),
  );
  return codeOf(result);
}

function readPlan(file: string): SavedPlan {
  return parsePlan(readGiven(pathOf(file), { shown: file, option: "--plan" }));
}
