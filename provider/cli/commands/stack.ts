/** The `stack` commands: what the state holds, and how it leaves and enters. */

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { reveal, type Value } from "../../core/value.ts";
import type { Move } from "../../engine/engine.ts";
import { printable } from "../../engine/event.ts";
import { dot, mermaid } from "../../engine/operations/graph.ts";
import { type Target, targetText } from "../../engine/state/target.ts";
import { confirm } from "../ask.ts";
import { CommandError, type ExitCode, exitCode } from "../exit.ts";
import { print } from "../render/door.ts";
import { outputLines } from "../render/format.ts";
import { codeOf, lines, pathOf, renderer, type Stack, withStack } from "../stack.ts";
import { problemsOnly } from "./apply.ts";

export function addStackCommands(program: Command): void {
  const stack = program.command("stack").description("look at, move and mend the state of a stack");

  stack
    .command("output [name]")
    .description("the outputs as last saved; secrets only with --show-secrets")
    .action((name: string | undefined, _flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const outputs = await engine.outputs();
        const { showSecrets, json } = settings;
        if (name === undefined) {
          if (json) print(JSON.stringify(printable(outputs, showSecrets), null, 2));
          else for (const line of outputLines(outputs, showSecrets)) print(line);
          return exitCode.done;
        }
        const value: Value | undefined = outputs[name];
        if (value === undefined) {
          throw new CommandError(
            `the stack has no output ${name}; it has: ${Object.keys(outputs).join(", ") || "none"}`,
          );
        }
        const shown = printable(showSecrets ? reveal(value) : value, showSecrets);
        print(json || typeof shown !== "string" ? JSON.stringify(shown) : shown);
        return exitCode.done;
      }),
    );

  stack
    .command("export")
    .description("print the state; secrets stay sealed unless --show-secrets")
    .option("--pulumi", "in the form that `pulumi stack import` reads")
    .action((flags: { pulumi?: boolean }, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const state = flags.pulumi
          ? await engine.exportPulumi({ showSecrets: settings.showSecrets })
          : await engine.exportState();
        print(JSON.stringify(state, null, 2));
        return exitCode.done;
      }),
    );

  stack
    .command("import [file]")
    .description("replace the state by an export, ours or Pulumi's; - or no file: standard input")
    .option(
      "--rename",
      "take over the state of another stack or project: its resources are this stack's from then on",
    )
    .action((file: string | undefined, flags: { rename?: boolean }, command: Command) =>
      withStack(command, async ({ settings, engine, shown }) => {
        const quiet = problemsOnly(settings.json ? renderer(settings) : lines(settings));
        await shown(quiet, () => engine.importState(readText(file), { rename: flags.rename === true }));
        if (!settings.json) print("imported");
        return exitCode.done;
      }),
    );

  stack
    .command("retarget")
    .description("move the stack to the address and account that are configured now; no object is touched")
    .option("--force", "though none of its objects is there")
    .action((flags: { force?: boolean }, command: Command) =>
      withStack(command, (stack) => retarget(stack, flags.force === true)),
    );

  stack
    .command("graph")
    .description("the resources and what they depend on, as Mermaid or DOT")
    .option("--format <format>", "mermaid or dot", "mermaid")
    .action((flags: { format: string }, command: Command) =>
      withStack(command, async ({ engine }) => {
        if (flags.format !== "mermaid" && flags.format !== "dot") {
          throw new CommandError(`--format needs mermaid or dot, not "${flags.format}"`);
        }
        const graph = await engine.graph();
        print((flags.format === "dot" ? dot(graph) : mermaid(graph)).trimEnd());
        return exitCode.done;
      }),
    );

  stack
    .command("list")
    .description("the stacks of this project in the state folder")
    .action((_flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const stacks = await engine.stacks();
        if (settings.json) print(JSON.stringify(stacks));
        else for (const name of stacks) print(name);
        return exitCode.done;
      }),
    );

  stack
    .command("unlock")
    .description("remove the lock that a run left behind")
    .option("--force", "even though its owner seems to run still")
    .action((flags: { force?: boolean }, command: Command) =>
      withStack(command, async ({ engine }) => {
        const owner = await engine.unlock({ force: flags.force === true });
        print(
          owner === undefined
            ? "not locked"
            : `unlocked: it was held by process ${owner.pid} on ${owner.host} for ${owner.operation}`,
        );
        return exitCode.done;
      }),
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

function readText(file: string | undefined): string {
  try {
    return readFileSync(file === undefined || file === "-" ? 0 : pathOf(file), "utf8");
  } catch (cause) {
    throw new CommandError(`cannot read ${file ?? "standard input"}`, exitCode.error, { cause });
  }
}
