/** The command `fmt`: the stack file in one layout, with its comments. Makes no request. */

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { parseDocument } from "yaml";
import { CommandError, exitCode } from "../exit.ts";
import { helped } from "../help.ts";
import { shownPath } from "../render/account.ts";
import { print } from "../render/door.ts";
import { replaceFile } from "../replacing.ts";
import { settingsOf } from "../settings.ts";
import { withoutFile } from "../without-file.ts";

export function addFmtCommand(program: Command): void {
  helped(program.command("fmt"), {
    examples: { fmt: "lay out Pulumi.yaml", "fmt --check": "fail when that would change it" },
  })
    .description("lay out the stack file: indentation, spaces and quotes; comments and values stay")
    .option("--check", "write nothing; exit with 1 when it would be changed")
    .action((flags: { check?: boolean }, command: Command) => {
      const settings = settingsOf(command);
      const missing = withoutFile(settings);
      if (missing !== undefined) throw new CommandError(missing);
      const text = readFileSync(settings.file, "utf8");
      const next = laidOut(text, shownPath(settings.file));
      const isChanged = next !== text;
      if (isChanged && flags.check)
        throw new CommandError(
          `${shownPath(settings.file)} is laid out otherwise: run plumbline fmt`,
          exitCode.error,
        );
      if (isChanged) replaceFile(settings.file, next);
      if (!settings.json)
        print(`${shownPath(settings.file)} ${isChanged ? "is laid out anew" : "is as it should be"}`);
    });
}

/** Throws CommandError for what is no YAML, or would say something else afterwards. */
function laidOut(text: string, file: string): string {
  const document = parseDocument(text, { logLevel: "silent" });
  const [fault] = document.errors;
  if (fault) throw new CommandError(`${file}: ${fault.message}`);
  const next = document.toString({ lineWidth: 0 });
  const again = parseDocument(next, { logLevel: "silent" });
  if (again.errors.length > 0 || !isDeepStrictEqual(again.toJS(), document.toJS()))
    throw new CommandError(`${file} cannot be laid out without changing what it says; nothing was done`);
  return next;
}
