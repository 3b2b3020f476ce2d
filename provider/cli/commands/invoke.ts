/** The command `invoke`: calls a function and prints what it tells. */

import type { Command } from "commander";
import { stringify } from "yaml";
import { nearest } from "../../core/nearest.ts";
import { shortToken } from "../../core/token.ts";
import { printable } from "../../engine/event.ts";
import { catalogue } from "../../provider.ts";
import { CommandError, exitCode } from "../exit.ts";
import { helped } from "../help.ts";
import { argumentsOf } from "../named-arguments.ts";
import { withStack } from "../open-stack.ts";
import { print } from "../render/door.ts";

export function addInvokeCommand(program: Command): void {
  helped(program.command("invoke <function> [arguments...]"), {
    examples: {
      "invoke plumbline:dns:getDomain domain=shop.example": "everything of a domain",
      "invoke plumbline:dns:getZoneFile domainId=123 --return zoneFile": "one property, as it is",
    },
  })
    .description("call a function: invoke plumbline:dns:getRecords domainId=123")
    .option("--return <property>", "print only this property of the result; text as it is")
    .action((name: string, args: string[], flags: { return?: string }, command: Command) =>
      withStack(
        command,
        async ({ settings, engine }) => {
          const token = catalogue.resolveFunction(name);
          const info = token === undefined ? undefined : catalogue.functions.get(token);
          if (token === undefined || info === undefined) {
            const near = nearest(name, [...catalogue.functions.keys()].map(shortToken));
            throw new CommandError(`there is no function ${name}${near ? `; did you mean ${near}?` : ""}`);
          }
          const result = await engine.invoke(token, argumentsOf(shortToken(token), info.inputs, args));
          const wanted = flags.return === undefined ? result : result[flags.return];
          if (wanted === undefined) {
            throw new CommandError(
              `the result has no ${flags.return}; it has: ${Object.keys(result).join(", ")}`,
            );
          }
          const shown = printable(wanted, settings.showSecrets);
          if (settings.json) print(JSON.stringify(shown, null, 2));
          else print((typeof shown === "string" ? shown : stringify(shown, { lineWidth: 0 })).trimEnd());
          return exitCode.done;
        },
        { judges: true },
      ),
    );
}
