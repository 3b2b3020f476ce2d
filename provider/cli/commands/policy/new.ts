/** The command `policy new`: a module with one rule, to begin with. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../../exit.ts";
import { refusal } from "../../given-files.ts";
import { helped } from "../../help.ts";
import { print } from "../../render/door.ts";
import { settingsOf } from "../../settings.ts";

export function addPolicyNew(policy: Command): void {
  helped(policy.command("new <name>"), {
    examples: {
      "policy new owner-tag": "writes policies/owner-tag.js",
      "policy new owner-tag --typescript": "writes policies/owner-tag.ts",
    },
  })
    .description("write a module with one rule, to begin with")
    .option("--typescript", "in TypeScript")
    .action((name: string, flags: { typescript?: boolean }, command: Command) => {
      if (!/^[a-z0-9][a-z0-9-]*$/.test(name))
        throw new CommandError(`"${name}" is no name of a rule: use small letters, digits and "-"`);
      const folder = dirname(settingsOf(command).file);
      const file = join(folder, "policies", `${name}.${flags.typescript ? "ts" : "js"}`);
      const shown = relative(process.cwd(), file);
      try {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, flags.typescript ? typed(name) : plain(name), { flag: "wx" });
      } catch (cause) {
        const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
        throw isThere
          ? new CommandError(`${shown} is there already`)
          : refusal("write", file, { shown }, cause);
      }
      print(`wrote ${shown}. Put this into the project file:\n`);
      print("policies:\n  modules: [policies]");
    });
}

const body = (
  name: string,
  step: string,
  context: string,
  answer: string,
) => `  name: ${JSON.stringify(name)},
  description: "A domain names its owner in a tag",
  level: "mandatory",
  types: ["plumbline:dns:Domain"],
  settings: { prefix: "owner:" },
  check(step${step}, { settings }${context})${answer} {
    const tags = step.inputs?.tags ?? [];
    if (tags.some((tag) => tag.startsWith(settings.prefix))) return [];
    return [{ property: "tags", message: \`needs a tag that begins with \${settings.prefix}\` }];
  },
};
`;

const plain = (name: string) => `export default {\n${body(name, "", "", "")}`;

const typed = (name: string) => `interface Step {
  operation: "create" | "update" | "replace" | "delete" | "same" | "import" | "read";
  urn: string;
  type: string;
  name: string;
  id?: string;
  inputs?: { tags?: string[] };
  oldInputs?: { tags?: string[] };
  changes: string[];
  replaceReasons: string[];
  lost?: string;
  retained: boolean;
}
interface Context {
  project: string;
  stack: string;
  settings: { prefix: string };
}
interface Finding {
  property?: string;
  message: string;
}

export default {
${body(name, ": Step", ": Context", ": Finding[]")}`;
