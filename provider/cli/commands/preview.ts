/** The command `preview`: shows what would change, and changes nothing. */

import type { Command } from "commander";
import { CommandError, type ExitCode, exitCode } from "../exit.ts";
import { addTargetOption, allowGone, goneOf, pathOf, targetsOf } from "../flags.ts";
import { writeGiven } from "../given-files.ts";
import { helped } from "../help.ts";
import { codeOf, type Stack, withStack } from "../open-stack.ts";
import { addPolicyOptions } from "../policy/sets.ts";
import { readPrices } from "../prices.ts";
import { print } from "../render/door.ts";
import { createHtmlRenderer } from "../render/html.ts";
import { createPreviewJsonRenderer } from "../render/json.ts";
import type { Renderer } from "../render/lines.ts";
import { createMarkdownRenderer } from "../render/markdown.ts";
import type { Settings } from "../settings.ts";
import { both, lines } from "../shown.ts";

interface PreviewFlags {
  diff?: boolean;
  refresh?: boolean;
  allowGone?: boolean;
  adopt?: boolean;
  target?: string[];
  expectNoChanges?: boolean;
  savePlan?: string;
  markdown?: boolean;
  html?: string;
  detailedExitcode?: boolean;
  cost?: boolean;
  prices?: string;
}

export function addPreviewCommand(program: Command): void {
  addPolicyOptions(
    addTargetOption(
      helped(program.command("preview"), {
        examples: {
          preview: "what up would do",
          "preview --diff": "with every property",
          "preview --expect-no-changes": "fail when something would change",
          "preview --cost --prices prices.yaml": "what it changes in the cost of a month",
          "preview --save-plan plan.json": "keep the plan for up --plan plan.json",
        },
        codes: ["changes", "guarded", "interrupted"],
      }),
    ),
  )
    .description("show what would change")
    .option("--diff", "show every changed property")
    .option("--adopt", "look for what is declared and not in the state on the account, as up --adopt does")
    .option("--refresh", "read everything first")
    .option(...allowGone)
    .option("--expect-no-changes", "exit with 2 when something would change")
    .option("--detailed-exitcode", "exit with 2 when something would change, 0 when nothing would")
    .option("--cost", "also tell what it changes in the cost of a month, as far as prices are known")
    .option("--prices <file>", "with --cost: prices of what the service tells none of")
    .option("--save-plan <file>", "write the plan, for `up --plan`")
    .option("--markdown", "write the plan as Markdown")
    .option("--html <file>", "also write the plan to a page of its own")
    .action((flags: PreviewFlags, command: Command) =>
      withStack(command, (stack) => preview(stack, flags), { judges: true }),
    );
}

async function preview({ settings, program, engine, shown }: Stack, flags: PreviewFlags): Promise<ExitCode> {
  if (flags.adopt && flags.savePlan !== undefined)
    throw new CommandError("--adopt goes with up, not with a plan that is saved");
  if (flags.prices !== undefined && !flags.cost) throw new CommandError("--prices goes with --cost");
  const table = flags.cost ? readPrices(flags.prices, program, settings) : undefined;
  program.prepare?.("preview");
  const told = previewRenderer(settings, flags);
  const page = flags.html === undefined ? told : both(told, pageTo(flags.html, settings));
  const result = await shown(page, () =>
    engine.preview({
      ...targetsOf(flags),
      ...goneOf(flags),
      ...(flags.refresh ? { refresh: true } : {}),
      ...(flags.adopt ? { adopt: true } : {}),
      ...(flags.cost ? { cost: table ? { table } : {} } : {}),
      plan: flags.savePlan !== undefined,
    }),
  );
  if (flags.savePlan !== undefined && result.plan) {
    writeOut("--save-plan", flags.savePlan, `${JSON.stringify(result.plan, null, 2)}\n`);
  }
  const code = codeOf(result);
  if (code !== exitCode.done) return code;
  const tellsChanges = flags.expectNoChanges || flags.detailedExitcode;
  return result.changes && tellsChanges ? exitCode.changes : exitCode.done;
}

const pageTo = (file: string, { stack }: Settings): Renderer =>
  createHtmlRenderer((text) => writeOut("--html", file, text), stack);

/** Writes for the owner's eyes only: it is what will be written to the account. */
const writeOut = (option: string, file: string, text: string): void =>
  writeGiven(pathOf(file), text, { mode: 0o600 }, { shown: file, option });

function previewRenderer(settings: Settings, flags: PreviewFlags): Renderer {
  if (settings.json) return createPreviewJsonRenderer(print);
  if (flags.markdown) return createMarkdownRenderer(print, settings.stack);
  return lines(settings, flags.diff);
}
