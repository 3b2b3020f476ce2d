/** The command `import`: takes one existing object into the stack, or writes a stack file of a whole account. */

import type { Command } from "commander";
import { blocksText } from "../../declaration/stack-file.ts";
import { blockOfOne, keysIn } from "../../declaration/survey.ts";
import { CommandError, type ExitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { codeOf, type Stack, withStack } from "../../open-stack.ts";
import { addPolicyOptions } from "../../policy/sets.ts";
import { print } from "../../render/door.ts";
import { projectNameOf } from "../../settings.ts";
import { lines, problemsOnly, renderer } from "../../shown.ts";
import { type AccountFlags, importAccount } from "./all.ts";
import { accountAsManifests } from "./manifests.ts";

interface ImportFlags extends AccountFlags {
  readonly all?: boolean;
  readonly kubernetes?: boolean;
  readonly namespace?: string;
  readonly protect?: boolean;
}

export function addImportCommand(program: Command): void {
  addPolicyOptions(
    helped(program.command("import [type] [name] [id]"), {
      examples: {
        "import plumbline:dns:Domain shop shop.example": "one object, by its natural name or its id",
        "import --all": "write Pulumi.yaml of everything on the account",
        "import --all --add --area dns": "add what is there of one area",
        "import --all --kubernetes -n site > site.yaml": "as manifests, with the ids of the objects",
        "import --from-kubernetes site.yaml": "what the controller kept, as a stack",
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
    .option(
      "--from-kubernetes <files...>",
      "what manifests of these files declare (- for standard input); secrets are taken along with --show-secrets, as they are",
    )
    .option("--kubernetes", "with --all: print manifests of Kubernetes in place of it, and take nothing over")
    .option("-n, --namespace <name>", "with --kubernetes: namespace of the manifests")
    .action((...[type, name, id, flags, command]: [string?, string?, string?, ImportFlags?, Command?]) => {
      const words = [type, name, id].filter((word) => word !== undefined);
      if (flags!.all || flags!.fromKubernetes) {
        const which = flags!.all ? "--all" : "--from-kubernetes";
        if (words.length > 0)
          throw new CommandError(`import ${which} takes no TYPE, NAME and ID: give the one or the other`);
        refuseBeside(flags!);
        const work = flags!.kubernetes ? accountAsManifests : importAccount;
        return withStack(command!, (stack) => work(stack, flags!), {
          judges: true,
          project: projectNameOf,
        });
      }
      const stray = [...ofStackFiles, "area", "kubernetes", "namespace"].find(
        (flag) => flags![flag as keyof ImportFlags],
      );
      if (stray) throw new CommandError(`${spelled(stray)} goes with --all`);
      if (words.length < 3)
        throw new CommandError("give TYPE, NAME and ID of one object, or --all for a whole account");
      return withStack(command!, (stack) => importOne(stack, { type: type!, name: name!, id: id! }, flags!));
    });
}

const ofStackFiles = ["add", "typescript", "previewOnly"] as const;
const spelled = (flag: string): string => `--${flag === "previewOnly" ? "preview-only" : flag}`;

function refuseBeside(flags: ImportFlags): void {
  if (flags.fromKubernetes) {
    const stray = (["all", "area", "typescript", "kubernetes"] as const).find((flag) => flags[flag]);
    if (stray) throw new CommandError(`${spelled(stray)} cannot be combined with --from-kubernetes`);
  }
  const other = ofStackFiles.find((flag) => flags[flag]);
  if (flags.kubernetes && other)
    throw new CommandError(`${spelled(other)} cannot be combined with --kubernetes`);
  if (flags.namespace !== undefined && !flags.kubernetes)
    throw new CommandError("--namespace goes with --kubernetes");
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
