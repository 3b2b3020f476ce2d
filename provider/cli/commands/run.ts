/** The command `run`: does by hand what is offered beside declaring: verbs of types and of areas, after asking when something is destroyed by it. */

import type { Command } from "commander";
import { nearest } from "../../core/nearest.ts";
import type { AreaVerbInfo, CheckFailure, Provider, RunRequest, VerbInfo } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import { catalogue } from "../../provider.ts";
import { askForWord, confirm } from "../ask.ts";
import { CommandError, exitCode } from "../exit.ts";
import { helped } from "../help.ts";
import { argumentsOf } from "../named-arguments.ts";
import { withStack } from "../open-stack.ts";
import { print } from "../render/door.ts";
import type { Settings } from "../settings.ts";

export function addRunCommand(program: Command): void {
  helped(program.command("run <verb> [id] [arguments...]"), {
    examples: {
      "run plumbline:databases:MySqlInstance.patch mysql/shop": "a verb of an object",
      "run plumbline:objectstorage:cancel": "a verb of an area, after asking for a word",
    },
    codes: ["guarded", "interrupted"],
  })
    .description("run a verb by hand: TYPE.VERB of an object by its id, or one of an area")
    .option("--consent <word>", "the word that a verb asks for before it destroys")
    .action(
      (
        name: string,
        id: string | undefined,
        words: string[],
        flags: { consent?: string },
        command: Command,
      ) =>
        withStack(
          command,
          async ({ settings, openProvider, signal }) => {
            const called = verbNamed(name);
            const { told, target, args } = understood(name, called, id, words);
            const request: RunRequest = { ...target, args, signal };
            const onWhat = request.id === "" ? "" : ` of ${request.id}`;
            if (!called.ofArea && told.destroys !== undefined)
              await confirm(
                settings,
                `This destroys ${told.destroys}. Run ${request.verb} on ${request.id}?`,
                signal,
              );
            const provider = await openProvider();
            try {
              const consent = called.ofArea
                ? await consented(provider, settings, request, told, flags.consent)
                : undefined;
              const { failures } = await provider.run!({
                ...request,
                ...(consent !== undefined && { consent }),
              });
              refuse(failures);
            } finally {
              await provider.close();
            }
            if (settings.json)
              print(
                JSON.stringify({ ...target, ...(request.id === "" && { id: null }), result: "succeeded" }),
              );
            else print(`${request.verb}${onWhat} is done`);
            return exitCode.done;
          },
          { judges: true },
        ),
    );
}

interface Called {
  readonly told: VerbInfo;
  readonly token: string;
  readonly verb: string;
  /** Of a verb that belongs to an area. */
  readonly ofArea?: AreaVerbInfo;
}

/** The words after the verb's name: an id, which verbs of areas have none of, and arguments. */
function understood(name: string, called: Called, id: string | undefined, words: readonly string[]) {
  const { token, verb, told, ofArea } = called;
  if (ofArea) {
    const args = argumentsOf(name, told.args, id === undefined ? words : [id, ...words]);
    return { told, target: { type: token, id: "", verb }, args };
  }
  if (id === undefined) throw new CommandError(`${name} needs an id: run ${name} ID`);
  return { told, target: { type: token, id, verb }, args: argumentsOf(name, told.args, words) };
}

/** Shows what will be lost, and asks for the word that is demanded, or for a yes. Returns the word. */
async function consented(
  provider: Provider,
  settings: Settings,
  request: RunRequest,
  told: VerbInfo,
  given: string | undefined,
): Promise<string | undefined> {
  const { failures, losses, word } = await provider.foresee!(request);
  refuse(failures);
  if (told.destroys === undefined) return undefined;
  const lost =
    losses.length === 0 ? "" : `\nWhat will be lost:\n${losses.map((loss) => `  ${loss}\n`).join("")}`;
  const question = `This destroys ${told.destroys}.${lost}`;
  if (word !== undefined) return given ?? (await askForWord(settings, question, word, request.signal));
  await confirm(settings, `${question} Run ${request.verb}?`, request.signal);
  return undefined;
}

function refuse(failures: readonly CheckFailure[]): void {
  if (failures.length === 0) return;
  throw new CommandError(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
}

/** The verb that `TYPE.VERB` or a verb's own token names. Throws what there is instead when there is none. */
function verbNamed(name: string): Called {
  const token = catalogue.resolveVerb?.(name);
  const ofArea = token === undefined ? undefined : catalogue.verbs?.get(token);
  if (ofArea) return { told: ofArea, token: ofArea.token, verb: ofArea.token.split(":").at(-1)!, ofArea };
  const dot = name.lastIndexOf(".");
  const [typeName, verb] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
  const typeToken = catalogue.resolveResource(typeName);
  const info = typeToken === undefined ? undefined : catalogue.resources.get(typeToken);
  const told = info?.verbs?.[verb];
  if (info && told) return { told, token: info.token, verb };
  const all = [
    ...[...catalogue.resources.values()].flatMap((type) =>
      Object.keys(type.verbs ?? {}).map((each) => `${shortToken(type.token)}.${each}`),
    ),
    ...[...(catalogue.verbs?.keys() ?? [])].map(shortToken),
  ];
  const near = nearest(name, all);
  throw new CommandError(
    `there is no verb ${name}${near ? `; did you mean ${near}?` : `: write TYPE.VERB. There are: ${all.join(", ")}`}`,
  );
}
