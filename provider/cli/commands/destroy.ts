/** The command `destroy`: deletes everything that the stack made, after asking. */

import type { Command } from "commander";
import { confirm } from "../ask.ts";
import { exitCode } from "../exit.ts";
import { addTargetOption, allowGone, goneOf, targetsOf } from "../flags.ts";
import { helped } from "../help.ts";
import { codeOf, type Stack, withStack } from "../open-stack.ts";
import { addPolicyOptions } from "../policy/sets.ts";
import { thousands } from "../render/format.ts";
import { lines, once, renderer } from "../shown.ts";

export function addDestroyCommand(program: Command): void {
  addPolicyOptions(
    addTargetOption(
      helped(program.command("destroy"), {
        examples: {
          destroy: "show what would go, ask, delete it",
          "destroy --target www": "only www and what needs it",
        },
        codes: ["guarded", "interrupted"],
      }),
    ),
  )
    .description("delete everything that the stack made, in reverse order")
    .option(...allowGone)
    .option("--diff", "show each resource of a long list")
    .action((flags: { target?: string[]; allowGone?: boolean; diff?: boolean }, command: Command) =>
      withStack(command, (stack) =>
        destroy(stack, { ...targetsOf(flags), ...goneOf(flags) }, flags.diff === true),
      ),
    );
}

async function destroy(
  { settings, engine, shown, signal }: Stack,
  how: { targets?: string[]; allowGone?: boolean },
  diff: boolean,
) {
  let expected: number | undefined;
  const told = new Set<string>();
  if (!settings.yes) {
    const preview = await shown(once(lines(settings, diff), told), () =>
      engine.destroy({ ...how, previewOnly: true }),
    );
    if (preview.result !== "succeeded") return codeOf(preview);
    expected = preview.counts.delete;
    if (!preview.changes) return exitCode.done;
    await confirm(settings, `Delete these ${thousands(expected)} of ${settings.stack}?`, signal);
  }
  const result = await shown(
    once(renderer(settings, { diff, ...(expected === undefined ? {} : { expected }) }), told),
    () => engine.destroy(how),
  );
  return codeOf(result);
}
