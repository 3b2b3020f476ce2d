/** The commands that change the account or the state: `up`, `refresh`, `destroy`. */

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { SavedPlan } from "../../engine/engine.ts";
import { parsePlan } from "../../engine/operations/plan.ts";
import { confirm } from "../ask.ts";
import { CommandError, exitCode } from "../exit.ts";
import { countsText } from "../render/format.ts";
import type { Renderer } from "../render/lines.ts";
import {
  addTargetOption,
  allowGone,
  codeOf,
  goneOf,
  lines,
  pathOf,
  renderer,
  type Stack,
  targetsOf,
  withStack,
} from "../stack.ts";

interface UpFlags {
  plan?: string;
  skipPreview?: boolean;
  refresh?: boolean;
  diff?: boolean;
  target?: string[];
  continueOnError?: boolean;
  allowGone?: boolean;
}

export function addApplyCommands(program: Command): void {
  addTargetOption(program.command("up"))
    .description("preview, ask, and make the account as declared")
    .option("--plan <file>", "do exactly this saved plan; refuse when it is stale")
    .option("--skip-preview", "apply without a preview")
    .option("--refresh", "read everything first")
    .option(...allowGone)
    .option("--diff", "show every changed property")
    .option("--continue-on-error", "delete what is no longer declared even after something failed")
    .action((flags: UpFlags, command: Command) =>
      withStack(command, (stack) => up(stack, flags), { judges: true }),
    );

  addTargetOption(program.command("refresh"))
    .description("take over into the state what the service reports")
    .option("--preview-only", "show it, save nothing")
    .option(...allowGone)
    .option("--diff", "show every changed property")
    .action(
      (
        flags: { previewOnly?: boolean; diff?: boolean; target?: string[]; allowGone?: boolean },
        command: Command,
      ) =>
        withStack(command, async ({ settings, engine, shown }) =>
          codeOf(
            await shown(renderer(settings, { diff: flags.diff === true }), () =>
              engine.refresh({
                ...targetsOf(flags),
                ...goneOf(flags),
                previewOnly: flags.previewOnly === true,
              }),
            ),
          ),
        ),
    );

  addTargetOption(program.command("destroy"))
    .description("delete everything that the stack made, in reverse order")
    .option(...allowGone)
    .action((flags: { target?: string[]; allowGone?: boolean }, command: Command) =>
      withStack(command, (stack) => destroy(stack, { ...targetsOf(flags), ...goneOf(flags) })),
    );
}

/** Tells only what went wrong. */
export function problemsOnly(inner: Renderer): Renderer {
  return {
    event(event) {
      if (event.event === "diagnostic" || event.event === "failed") inner.event(event);
    },
    close: () => inner.close(),
  };
}

/** Passes on what was not told before: a preview and the run after it find the same in the same file. */
function once(inner: Renderer, told: Set<string>): Renderer {
  return {
    event(event) {
      if (event.event === "diagnostic" && event.severity !== "error") {
        const text = JSON.stringify(event);
        if (told.has(text)) return;
        told.add(text);
      }
      inner.event(event);
    },
    close: () => inner.close(),
  };
}

async function up({ settings, engine, shown, signal }: Stack, flags: UpFlags) {
  const targets = targetsOf(flags);
  const refresh = { ...(flags.refresh ? { refresh: true } : {}), ...goneOf(flags) };
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
  let text: string;
  try {
    text = readFileSync(pathOf(file), "utf8");
  } catch (cause) {
    throw new CommandError(`--plan: cannot read ${file}`, exitCode.error, { cause });
  }
  return parsePlan(text);
}

async function destroy(
  { settings, engine, shown, signal }: Stack,
  how: { targets?: string[]; allowGone?: boolean },
) {
  let expected: number | undefined;
  if (!settings.yes) {
    const preview = await shown(lines(settings), () => engine.destroy({ ...how, previewOnly: true }));
    if (preview.result !== "succeeded") return codeOf(preview);
    expected = preview.counts.delete;
    if (!preview.changes) return exitCode.done;
    await confirm(settings, `Delete ${expected} of ${settings.stack}?`, signal);
  }
  const result = await shown(renderer(settings, expected === undefined ? {} : { expected }), () =>
    engine.destroy(how),
  );
  return codeOf(result);
}
