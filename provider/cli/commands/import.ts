/** The command `import`: takes one existing object into the stack, or writes a stack file of a whole account. */

import type { Command } from "commander";
import { blocksText } from "../declaration/stack-file.ts";
import { blockOfOne, keysIn } from "../declaration/survey.ts";
import { CommandError, type ExitCode } from "../exit.ts";
import { helped } from "../help.ts";
import { codeOf, type Stack, withStack } from "../open-stack.ts";
import { addPolicyOptions } from "../policy/sets.ts";
import { print } from "../render/door.ts";
import { projectNameOf } from "../settings.ts";
import { lines, problemsOnly, renderer } from "../shown.ts";
import { type AccountFlags, importAccount } from "./import-all.ts";

interface ImportFlags extends AccountFlags {
  readonly all?: boolean;
  readonly protect?: boolean;
}

export function addImportCommand(program: Command): void {
  addPolicyOptions(
    helped(program.command("import [type] [name] [id]"), {
      examples: {
        "import plumbline:dns:Domain shop shop.example": "one object, by its natural name or its id",
        "import --all": "write Pulumi.yaml of everything on the account",
        "import --all --add --area dns": "add what is there of one area",
      },
      codes: ["guarded", "interrupted"],
    }),
  )
    .description(
      "take an existing object into the stack, and print the block that declares it; or --all: write the stack file of a whole account",
    )
    .option("--protect", "protect it from deletion")
    .option("--all", "everything that is on the account and not in the stack")
    .option("--area <area>", "with --all: only one area (dns, databases…)")
    .option("--add", "with --all: add to a stack file that has resources already")
    .option("--typescript", "with --all: also write index.ts, the same as a Pulumi program")
    .option("--preview-only", "with --all: show what there is, write nothing")
    .action((...[type, name, id, flags, command]: [string?, string?, string?, ImportFlags?, Command?]) => {
      const words = [type, name, id].filter((word) => word !== undefined);
      if (flags!.all) {
        if (words.length > 0)
          throw new CommandError("import --all takes no TYPE, NAME and ID: give the one or the other");
        return withStack(command!, (stack) => importAccount(stack, flags!), {
          judges: true,
          project: projectNameOf,
        });
      }
      const stray = (["area", "add", "typescript", "previewOnly"] as const).find((flag) => flags![flag]);
      if (stray)
        throw new CommandError(`--${stray === "previewOnly" ? "preview-only" : stray} goes with --all`);
      if (words.length < 3)
        throw new CommandError("give TYPE, NAME and ID of one object, or --all for a whole account");
      return withStack(command!, (stack) => importOne(stack, { type: type!, name: name!, id: id! }, flags!));
    });
}

async function importOne(
  { settings, program, engine, shown }: Stack,
  object: { readonly type: string; readonly name: string; readonly id: string },
  flags: ImportFlags,
): Promise<ExitCode> {
  const result = await shown(settings.json ? renderer(settings) : problemsOnly(lines(settings)), () =>
    engine.importResource({ ...object, protect: flags.protect === true }),
  );
  if (result.adopted && !settings.json) {
    print(
      `${settings.colors.green("imported")} ${object.id} as ${object.name}. Put this into the stack file:\n`,
    );
    const block = blockOfOne(result.adopted, keysIn(program));
    print(`resources:\n${blocksText([block], 2).trimEnd()}`);
  }
  return codeOf(result);
}
