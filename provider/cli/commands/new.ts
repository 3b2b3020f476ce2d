/** The command `new`: a first stack file from a template. Makes no request. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { nearest } from "../../core/nearest.ts";
import { stackSchema } from "../../provider.ts";
import { choose } from "../ask.ts";
import { CommandError } from "../exit.ts";
import { refusal } from "../given-files.ts";
import { helped } from "../help.ts";
import { shownPath } from "../render/account.ts";
import { print } from "../render/door.ts";
import { projectNameOf, type Settings, settingsOf } from "../settings.ts";
import { stackFileOf, templates } from "../templates/index.ts";
import type { Template } from "../templates/template.ts";

/** Beside the stack file, where it is kept with the state. */
const SCHEMA = ".plumbline/stack.schema.json";

export function addNewCommand(program: Command): void {
  helped(program.command("new [template]"), {
    examples: {
      "new": "list the templates, and ask for one",
      "new dns": "a DNS zone, in this folder",
      "new vpc -C network --name network": "a private network, in the folder network",
    },
    codes: ["interrupted"],
  })
    .description(`write a first stack file: ${templates.map(({ name }) => name).join(", ")}`)
    .option("--name <project>", "name of the project (default: that of the folder)")
    .action(async (word: string | undefined, flags: { name?: string }, command: Command) => {
      const settings = settingsOf(command);
      const project = projectOf(settings, flags.name);
      if (existsSync(settings.file))
        throw new CommandError(
          `${shownPath(settings.file)} is there already: take another folder with -C, or another file with -f`,
        );
      const template = templateNamed(word ?? (await askForTemplate(settings)));
      const schema = join(dirname(settings.file), SCHEMA);
      write(settings.file, stackFileOf(template, project, SCHEMA), "wx");
      write(schema, `${JSON.stringify(stackSchema(), null, 2)}\n`, "w");
      const files = [settings.file, schema].map(shownPath);
      if (settings.json) print(JSON.stringify({ template: template.name, project, files }));
      else tellNext(settings, template, files);
    });
}

function projectOf(settings: Settings, name: string | undefined): string {
  if (name === undefined) return projectNameOf(settings);
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name)) return name;
  throw new CommandError(
    `--name: "${name}" is no name for a project: use up to 100 letters, digits, "-", "_" and "."`,
  );
}

function askForTemplate(settings: Settings): Promise<string> {
  const width = Math.max(...templates.map(({ name }) => name.length));
  const list = templates.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return choose(settings, ["There are these templates:", ...list].join("\n"), "Which one?", "new TEMPLATE");
}

function templateNamed(word: string): Template {
  const found = templates.find(({ name }) => name === word);
  if (found) return found;
  const names = templates.map(({ name }) => name);
  const near = nearest(word, names);
  throw new CommandError(
    `there is no template ${word}${near ? `; did you mean ${near}?` : `; there are: ${names.join(", ")}`}`,
  );
}

function write(file: string, text: string, flag: "w" | "wx"): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag });
  } catch (cause) {
    throw refusal("write", file, { shown: shownPath(file) }, cause);
  }
}

function tellNext({ file }: Settings, { about }: Template, files: readonly string[]): void {
  print(`wrote ${files.join(" and ")}: ${about}\n`);
  const isHere = dirname(file) === process.cwd();
  const where = [
    ...(isHere ? [] : [` -C ${shownPath(dirname(file))}`]),
    ...(basename(file) === "Pulumi.yaml" ? [] : [` -f ${basename(file)}`]),
  ].join("");
  const steps = [
    [`plumbline up --emulator${where}`, "try it without an account"],
    [`plumbline config set plumbline:baseUrl https://…/v4${where}`, "the service's address"],
    [`plumbline config set plumbline:token --secret${where}`, "your access token, kept sealed"],
    [`plumbline up${where}`, "show what would be made, ask, make it"],
  ] as const;
  const width = Math.max(...steps.map(([line]) => line.length));
  for (const [line, what] of steps) print(`  ${line.padEnd(width)}  ${what}`);
}
