/** The command `run`: does by hand what a type offers beside declaring it, after asking when something is destroyed by it. */

import type { Command } from "commander";
import { nearest } from "../../core/nearest.ts";
import type { ResourceInfo, VerbInfo } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import { catalogue } from "../../provider.ts";
import { confirm } from "../ask.ts";
import { CommandError, exitCode } from "../exit.ts";
import { print, withStack } from "../stack.ts";
import { argumentsOf } from "./call.ts";

export function addRunCommand(program: Command): void {
  program
    .command("run <verb> <id> [arguments...]")
    .description("run a verb of an existing object: run plumbline:databases:MySqlInstance.patch mysql/shop")
    .action((name: string, id: string, words: string[], _flags: object, command: Command) =>
      withStack(
        command,
        async ({ settings, openProvider, signal }) => {
          const { info, verb, told } = verbNamed(name);
          const args = argumentsOf(name, told.args, words);
          if (told.destroys !== undefined)
            await confirm(settings, `This destroys ${told.destroys}. Run ${verb} on ${id}?`, signal);
          const provider = await openProvider();
          try {
            const { failures } = await provider.run!({ type: info.token, id, verb, args, signal });
            if (failures.length > 0) {
              throw new CommandError(
                failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"),
              );
            }
            if (settings.json) print(JSON.stringify({ type: info.token, id, verb, result: "succeeded" }));
            else print(`${verb} of ${id} is done`);
          } finally {
            await provider.close();
          }
          return exitCode.done;
        },
        { judges: true },
      ),
    );
}

/** The verb that `TYPE.VERB` names. Throws what there is instead when there is none. */
function verbNamed(name: string): { info: ResourceInfo; verb: string; told: VerbInfo } {
  const dot = name.lastIndexOf(".");
  const [typeName, verb] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
  const token = catalogue.resolveResource(typeName);
  const info = token === undefined ? undefined : catalogue.resources.get(token);
  const told = info?.verbs?.[verb];
  if (info && told) return { info, verb, told };
  const all = [...catalogue.resources.values()].flatMap((type) =>
    Object.keys(type.verbs ?? {}).map((each) => `${shortToken(type.token)}.${each}`),
  );
  const near = nearest(name, all);
  throw new CommandError(
    `there is no verb ${name}${near ? `; did you mean ${near}?` : `: write TYPE.VERB. There are: ${all.join(", ")}`}`,
  );
}
