/** The command `completion`: what shells complete: commands, options, types, functions, and names of resources. Makes no request. */

import { resolve } from "node:path";
import type { Command } from "commander";
import { errorCodes } from "../../core/error-code.ts";
import { shortToken } from "../../core/token.ts";
import { loadProgram } from "../../engine/language/program.ts";
import { catalogue } from "../../provider.ts";
import { CommandError } from "../exit.ts";
import { helped } from "../help.ts";
import { print } from "../render/door.ts";
import { templates } from "../templates/index.ts";

/** Each asks `plumbline completion words -- WORD…` for what the last word may become. */
const scripts: { readonly [shell: string]: string } = {
  bash: `_plumbline() {
  local line="\${COMP_LINE:0:COMP_POINT}" words word cut=""
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  [[ "$COMP_WORDBREAKS" == *:* && "$word" == *:* ]] && cut="\${word%"\${word##*:}"}"
  local IFS=$'\\n'
  COMPREPLY=($(plumbline completion words -- "\${words[@]:1}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
}
complete -o default -F _plumbline plumbline`,
  // The file that is autoloaded is itself the function at its first call.
  zsh: `#compdef plumbline
_plumbline() {
  local -a found
  found=(\${(f)"$(plumbline completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if [[ "$funcstack[1]" == _plumbline ]]; then _plumbline "$@"; else compdef _plumbline plumbline; fi`,
  fish: `function __plumbline
  set -l words (commandline -opc) (commandline -ct)
  set -l found (plumbline completion words -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c plumbline -f -a '(__plumbline)'`,
};

export function addCompletionCommand(program: Command): void {
  helped(program.command("completion <shell> [words...]"), {
    examples: {
      "completion bash > /etc/bash_completion.d/plumbline": "for bash",
      "completion zsh > ~/.zfunc/_plumbline": "for zsh",
      "completion fish > ~/.config/fish/completions/plumbline.fish": "for fish",
    },
  })
    .description(
      "print what makes a shell complete commands, options, types and resources: bash, zsh or fish",
    )
    .action(async (shell: string, words: string[]) => {
      const script = scripts[shell];
      if (script !== undefined) return print(script);
      if (shell !== "words")
        throw new CommandError(
          `there is no completion for ${shell}; there is: ${Object.keys(scripts).join(", ")}`,
        );
      const last = words.at(-1) ?? "";
      for (const word of await candidates(program, words.slice(0, -1), last))
        if (word.startsWith(last)) print(word);
    });
}

async function candidates(
  program: Command,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const previous = before.at(-1) ?? "";
  if (["-t", "--target"].includes(previous)) return resourcesIn(before);
  let command = program;
  const given: string[] = [];
  for (const [at, word] of before.entries()) {
    if (word.startsWith("-") || takesValue(command, before[at - 1] ?? "")) continue;
    const next = command.commands.find((each) => each.name() === word);
    if (next) command = next;
    else given.push(word);
  }
  if (takesValue(command, previous)) return [];
  if (last.startsWith("-")) return optionsOf(command).flatMap(({ long }) => (long ? [long] : []));
  if (command.commands.length > 0) return command.commands.map((each) => each.name());
  return argumentsOf(command, given, before);
}

const optionsOf = (command: Command) => [
  ...command.options,
  ...(command.parent?.options ?? []),
  ...(command.parent?.parent?.options ?? []),
];

const takesValue = (command: Command, word: string): boolean =>
  optionsOf(command).some(({ short, long, required }) => required && [short, long].includes(word));

const short = (tokens: Iterable<string>): string[] => [...tokens].map(shortToken);

/** What a command's next argument can be. */
async function argumentsOf(
  command: Command,
  given: readonly string[],
  before: readonly string[],
): Promise<readonly string[]> {
  const types = short(catalogue.resources.keys());
  switch (command.name()) {
    case "explain":
      return [
        ...[...types, ...short(catalogue.functions.keys())].map((each) => each.replace(/^plumbline:/, "")),
        ...Object.keys(errorCodes),
      ];
    case "import":
      return given.length === 0 && command.parent?.name() === "plumbline" ? types : [];
    case "invoke":
      return given.length === 0 ? short(catalogue.functions.keys()) : [];
    case "run":
      return given.length > 0
        ? []
        : [...catalogue.resources.values()]
            .flatMap(({ token, verbs }) =>
              Object.keys(verbs ?? {}).map((verb) => `${shortToken(token)}.${verb}`),
            )
            .concat(short(catalogue.verbs?.keys() ?? []));
    case "new":
      return templates.map(({ name }) => name);
    case "help":
      return (command.parent?.commands ?? []).map((each) => each.name());
    case "completion":
      return Object.keys(scripts);
    default:
      return command.parent?.name() === "state" ? resourcesIn(before) : [];
  }
}

/** Names of the resources that the stack file declares; none where it cannot be read. */
async function resourcesIn(words: readonly string[]): Promise<string[]> {
  const given = (flags: readonly string[], otherwise: string): string => {
    const at = words.findIndex((word) => flags.includes(word));
    return at < 0 ? otherwise : (words[at + 1] ?? otherwise);
  };
  const file = resolve(given(["-C", "--cwd"], "."), given(["-f", "--file"], "Pulumi.yaml"));
  const program = await loadProgram({ file, stack: "dev", catalogue });
  return (program.graph ?? []).map(({ name }) => name);
}
