/** The command `stack retarget`: the state moves to another address or account, and no object is touched. */

import type { Command } from "commander";
import type { Move } from "../../../engine/engine.ts";
import { type Target, targetText } from "../../../engine/state/target.ts";
import { confirm } from "../../ask.ts";
import { type ExitCode, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { codeOf, type Stack, withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { lines, problemsOnly, renderer } from "../../shown.ts";

export function addStackRetarget(stack: Command): void {
  helped(stack.command("retarget"), {
    examples: { "stack retarget": "after the service moved to another address" },
    codes: ["guarded", "interrupted"],
  })
    .description("move the stack to the address and account that are configured now; no object is touched")
    .option("--force", "though none of its objects is there")
    .action((flags: { force?: boolean }, command: Command) =>
      withStack(command, (stack) => retarget(stack, flags.force === true)),
    );
}

async function retarget({ settings, engine, shown, signal }: Stack, force: boolean): Promise<ExitCode> {
  const quiet = problemsOnly(settings.json ? renderer(settings) : lines(settings));
  const preview = await shown(quiet, () => engine.retarget({ previewOnly: true, force }));
  if (preview.result !== "succeeded") return codeOf(preview);
  const moves = preview.moves ?? [];
  if (!settings.json) {
    for (const { provider, from, to, objects, missing } of moves) {
      print(`${provider}: from ${from ? targetText(from) : "no known place"} to ${targetText(to)}`);
      print(`  ${objects - missing.length} of ${objects} objects are there`);
      for (const urn of missing) print(`  not there, and kept in the state: ${urn}`);
    }
    if (moves.length === 0) print(`${settings.stack} is there already`);
  }
  if (moves.length > 0) {
    await confirm(settings, `Move the state of ${settings.stack}? No object is touched.`, signal);
    const done = await shown(quiet, () => engine.retarget({ force }));
    if (done.result !== "succeeded") return codeOf(done);
  }
  if (settings.json)
    print(JSON.stringify({ moves: moves.map(({ provider, ...move }) => ({ provider, ...told(move) })) }));
  else if (moves.length > 0) print("moved; with the former address and token this command moves it back");
  return exitCode.done;
}

/** A move without what only the state needs. */
function told({ from, to, objects, missing }: Omit<Move, "provider">): object {
  const place = ({ baseUrl, account }: Target) => ({ baseUrl, account: account ?? null });
  return { from: from ? place(from) : null, to: place(to), objects, missing };
}
