/** The commands beside a stack's life: `invoke` calls a function, `schema` prints what types there are. */

import type { Command } from "commander";
import { stringify } from "yaml";
import { nearest } from "../../core/nearest.ts";
import type { PropertyInfo } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import type { Value, ValueMap } from "../../core/value.ts";
import { printable } from "../../engine/event.ts";
import { catalogue, packageSchema, stackSchema } from "../../provider.ts";
import { CommandError, exitCode } from "../exit.ts";
import { print } from "../render/door.ts";
import { withStack } from "../stack.ts";

export function addCallCommands(program: Command): void {
  program
    .command("invoke <function> [arguments...]")
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

  program
    .command("schema")
    .description("print the JSON Schema of stack files, for editors")
    .option("--pulumi", "the Pulumi package schema instead")
    .action((flags: { pulumi?: boolean }) => {
      print(JSON.stringify(flags.pulumi ? packageSchema() : stackSchema(), null, 2));
    });
}

/** `name=value` words as arguments of the function or verb `name`: text where it wants text, else JSON. */
export function argumentsOf(
  name: string,
  inputs: { readonly [name: string]: PropertyInfo },
  words: readonly string[],
): ValueMap {
  const args: { [name: string]: Value } = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) throw new CommandError(`"${word}" is not an argument: write name=value`);
    const argument = word.slice(0, at);
    const text = word.slice(at + 1);
    const property = inputs[argument];
    if (property === undefined) {
      const near = nearest(argument, Object.keys(inputs));
      throw new CommandError(`${name} has no argument ${argument}${near ? `; did you mean ${near}?` : ""}`);
    }
    args[argument] = wantsText(property.schema) ? text : jsonOr(text);
  }
  return args;
}

function wantsText(schema: { readonly [keyword: string]: unknown }): boolean {
  const options = (schema["anyOf"] ?? schema["oneOf"]) as { [keyword: string]: unknown }[] | undefined;
  return options ? options.some(wantsText) : schema["type"] === "string";
}

function jsonOr(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    // Not JSON: the function's own check says what it wants instead.
    return text;
  }
}
