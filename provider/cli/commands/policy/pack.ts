/** The command `policy pack`: makes a folder of policies one that Pulumi's engine takes, too. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { stringify } from "yaml";
import type { PolicySection } from "../../../engine/host.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { pathOf } from "../../flags.ts";
import { refusal } from "../../given-files.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { settingsFile } from "../../policy/sets.ts";
import { print } from "../../render/door.ts";

const packFile = "PulumiPolicy.yaml";

export function addPolicyPack(policy: Command): void {
  helped(policy.command("pack [folder]"), {
    examples: {
      "policy pack": "writes policy-pack, for pulumi up --policy-pack policy-pack",
      "policy pack ../rules": "of a folder that --policies takes already",
    },
  })
    .description("make a folder of policies one that pulumi takes with --policy-pack, too")
    .action((given: string | undefined, _flags: unknown, command: Command) =>
      withStack(command, async ({ settings, program }) => {
        const folder = pathOf(given ?? "policy-pack");
        const files = new Map([
          [packFile, `runtime: plumbline\ndescription: Policies of ${basename(folder)}\n`],
        ]);
        if (!existsSync(join(folder, settingsFile)))
          files.set(settingsFile, sectionText(program.policies, dirname(settings.file), folder));
        write(folder, files);
        const shown = relative(process.cwd(), folder) || ".";
        print(`wrote ${[...files.keys()].join(" and ")} in ${shown}. The same policies then hold in both:\n`);
        print(`  plumbline up --policies ${shown}\n  pulumi up --policy-pack ${shown}`);
        return exitCode.done;
      }),
    );
}

/** What the project sets, as a file in the folder says it. */
function sectionText(section: PolicySection | undefined, from: string, folder: string): string {
  const modules = (section?.modules ?? []).map(({ path }) => relative(folder, resolve(from, path)));
  const rules = Object.fromEntries([...(section?.rules ?? [])].map(([name, { value }]) => [name, value]));
  return stringify({ ...(modules.length > 0 ? { modules } : {}), rules });
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  const there = [...files.keys()].find((name) => existsSync(join(folder, name)));
  if (there) throw new CommandError(`${join(folder, there)} is there already`);
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text, { flag: "wx" });
  } catch (cause) {
    throw refusal("write", folder, {}, cause);
  }
}
