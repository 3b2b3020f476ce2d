/** The options that every command has, resolved: which file, stack, state, target and way of showing. Makes no request. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import pc from "picocolors";
import { parseDocument } from "yaml";
import { messageOf } from "../engine/failure.ts";
import { parseAddress, type StateAddress } from "../engine/state/backends/address.ts";
import { CommandError, exitCode } from "./exit.ts";
import { guardText } from "./render/door.ts";
import type { Colors } from "./render/format.ts";

interface GlobalFlags {
  cwd?: string;
  file: string;
  stack?: string;
  state?: string;
  json?: boolean;
  color: string;
  parallel: string;
  yes?: boolean;
  nonInteractive?: boolean;
  emulator?: string;
  showSecrets?: boolean;
}

export interface Settings {
  /** Absolute path of the stack file. */
  readonly file: string;
  readonly stack: string;
  /** Where the states are. */
  readonly state: StateAddress;
  /** Absolute path of the folder for what stays on this machine: the state folder where there is one, else `.plumbline` beside the stack file. */
  readonly localFolder: string;
  readonly json: boolean;
  readonly colors: Colors;
  /** True when output goes to a terminal that can be redrawn. */
  readonly isTerminal: boolean;
  readonly parallel: number;
  readonly yes: boolean;
  /** True when questions may be asked. */
  readonly interactive: boolean;
  readonly showSecrets: boolean;
  /** Absent: no emulator; `file` absent: its account is gone after the run. */
  readonly emulator?: { readonly file?: string };
}

/** What a bare `--emulator` stands for; no file has this name. */
const noFile = "\0";

/** Adds the options that may stand before or after any command. */
export function addGlobalOptions(program: Command): void {
  program
    .option("-C, --cwd <folder>", "run as if started in this folder")
    .option("-f, --file <file>", "stack file", "Pulumi.yaml")
    .option(
      "-s, --stack <name>",
      "stack; its configuration is in Pulumi.<stack>.yaml (default: what stack select chose, else dev)",
    )
    .option(
      "--state <address>",
      "where states are kept: a folder or a URL (default: PLUMBLINE_STATE, else backend.url of the stack file, else .plumbline beside it)",
    )
    .option("--json", "print JSON")
    .option("--color <when>", "auto, always or never", "auto")
    .option("--parallel <n>", "how many resources at a time", "16")
    .option("-y, --yes", "do not ask")
    .option("--non-interactive", "never ask; what would ask fails with the flag to give")
    .option(
      "--emulator [file]",
      "run against an emulator in this process; =FILE keeps its account between runs",
    )
    .option("--show-secrets", "show secret values");
}

/** What `--version` is called inside where it is the state's and not the program's, which is known wherever it stands. */
export const stateVersion = "--state-version";

/** `--emulator` takes a file only with `=`, so that the word after it stays a command. */
export function normaliseArguments(args: readonly string[]): string[] {
  const exports = args.indexOf("export", args.indexOf("stack") + 1) > 0 && args.includes("stack");
  return args.map((arg) => {
    if (arg === "--emulator") return `--emulator=${noFile}`;
    return exports ? arg.replace(/^--version(?=$|=)/, stateVersion) : arg;
  });
}

/** Resolves the options of a command. Throws a CommandError for values that make no sense. */
export function settingsOf(command: Command): Settings {
  const flags = command.optsWithGlobals<GlobalFlags>();
  const base = resolve(flags.cwd ?? ".");
  if (!existsSync(base)) throw new CommandError(`--cwd: there is no folder ${base}`);
  const file = resolve(base, flags.file);
  const state = addressOf(flags.state, base, file);
  const parallel = Number(flags.parallel);
  if (!Number.isInteger(parallel) || parallel < 1) {
    throw new CommandError(`--parallel needs a whole number from 1, not "${flags.parallel}"`);
  }
  if (!["auto", "always", "never"].includes(flags.color)) {
    throw new CommandError(`--color needs auto, always or never, not "${flags.color}"`);
  }
  const stack = flags.stack ?? selectedStack(file) ?? "dev";
  refuseStackName("--stack", stack);
  const isTerminal = process.stdout.isTTY === true && !flags.json && process.env.TERM !== "dumb";
  const colored = flags.color === "always" || (flags.color === "auto" && isTerminal && !process.env.NO_COLOR);
  return {
    file,
    stack,
    state,
    localFolder: state.kind === "folder" ? state.folder : join(dirname(file), ".plumbline"),
    json: flags.json === true,
    colors: pc.createColors(colored),
    isTerminal,
    parallel,
    yes: flags.yes === true,
    interactive:
      flags.nonInteractive !== true && process.stdin.isTTY === true && process.stdout.isTTY === true,
    showSecrets: flags.showSecrets === true,
    ...(flags.emulator === undefined
      ? {}
      : { emulator: flags.emulator === noFile ? {} : { file: resolve(base, flags.emulator) } }),
  };
}

/** The first that is given: `--state`, PLUMBLINE_STATE, the stack file's own word, the folder beside it. */
function addressOf(flag: string | undefined, base: string, file: string): StateAddress {
  const environment = process.env.PLUMBLINE_STATE;
  const given = [
    { origin: "--state", text: flag, base },
    { origin: "PLUMBLINE_STATE", text: environment, base },
    { origin: `backend.url in ${basename(file)}`, text: backendIn(file), base: dirname(file) },
  ].find(({ text }) => text !== undefined && text !== "");
  if (given === undefined) return parseAddress(".plumbline", dirname(file));
  try {
    const address = parseAddress(given.text as string, given.base);
    if (address.kind === "postgres" && address.password !== undefined) guardText(address.password);
    return address;
  } catch (cause) {
    throw new CommandError(`${given.origin}: ${messageOf(cause)}`, exitCode.error, { cause });
  }
}

/** What a stack file says of its backend. A file that cannot be read says nothing here: whoever loads it tells what is wrong with it. */
function backendIn(file: string): string | undefined {
  const text = statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, "utf8") : "";
  // Reading the whole file costs as much as loading it, and few have the key.
  if (!/["']?backend["']?\s*:/.test(text)) return undefined;
  const url: unknown = parseDocument(text, { logLevel: "silent" }).getIn(["backend", "url"]);
  return typeof url === "string" ? url : undefined;
}

export function refuseStackName(where: string, name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name)) return;
  throw new CommandError(`${where}: "${name}" is not a stack name: use letters, digits, ".", "_" and "-"`);
}

/** Where the choice of `stack select` is kept: beside the stack file, for this machine alone. */
const selectionOf = (file: string): string => join(dirname(file), ".plumbline", "selected");

/** The stack that commands are about where none is given; undefined: none was selected. */
export function selectedStack(file: string): string | undefined {
  const selection = selectionOf(file);
  const name = existsSync(selection) ? readFileSync(selection, "utf8").trim() : "";
  return name === "" ? undefined : name;
}

/** Remembers the choice. */
export function selectStack({ file }: Settings, name: string): void {
  const selection = selectionOf(file);
  mkdirSync(dirname(selection), { recursive: true });
  writeFileSync(selection, `${name}\n`);
}

/** The project of a stack file that is not there yet: its folder's name, as far as a project can have it. */
export function projectNameOf(settings: Settings): string {
  const name = basename(dirname(settings.file))
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 100);
  return name === "" ? "account" : name;
}
