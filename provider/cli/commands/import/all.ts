/** `import --all`: writes everything of an account into a stack file and takes it into the state, so that the next preview is empty. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EngineError, type Result } from "../../../engine/engine.ts";
import { loadProgram } from "../../../engine/language/program.ts";
import { catalogue } from "../../../provider.ts";
import { refuseUnknownArea } from "../../area.ts";
import { confirm } from "../../ask.ts";
import type { Block } from "../../declaration/block.ts";
import { givenIn } from "../../declaration/manifests.ts";
import { programText, projectFiles } from "../../declaration/program.ts";
import { fillStackFile, namesIn, newStackFile, UnwritableError } from "../../declaration/stack-file.ts";
import { blocksOf, keysIn, nameOf } from "../../declaration/survey.ts";
import { CommandError, type ExitCode, exitCode } from "../../exit.ts";
import { codeOf, refuseBroken, type Stack } from "../../open-stack.ts";
import { describe, shownPath, type Told, tell } from "../../render/account.ts";
import { print } from "../../render/door.ts";
import { diagnosticText } from "../../render/format.ts";
import type { Renderer } from "../../render/lines.ts";
import { type Files, stage } from "../../replacing.ts";
import { projectNameOf, type Settings } from "../../settings.ts";
import { lines, problemsOnly } from "../../shown.ts";
import { takeOverDeclared } from "../../take-over.ts";

export interface AccountFlags {
  readonly area?: string;
  readonly add?: boolean;
  readonly typescript?: boolean;
  readonly previewOnly?: boolean;
  readonly protect?: boolean;
  /** Files of manifests: what they declare in place of everything. */
  readonly fromKubernetes?: readonly string[];
}

export async function importAccount(stack: Stack, flags: AccountFlags): Promise<ExitCode> {
  const { settings, engine, shown, program, signal } = stack;
  refuseUnknownArea(flags.area);
  const given = flags.fromKubernetes && (await givenIn(flags.fromKubernetes, settings));
  const isThere = existsSync(settings.file);
  // Before it is read once more: what is no regular file is among what is refused.
  if (isThere) refuseBroken(program, settings);
  const present = isThere ? readFileSync(settings.file, "utf8") : undefined;
  refuseOverwriting(stack, flags, present);

  const quiet = settings.json ? silent : problemsOnly(lines(settings));
  const keys = keysIn(program);
  if (present !== undefined) await settleUnapplied(stack, flags, keys);
  const found = await toldAsJson(settings, () =>
    shown(quiet, () =>
      engine.survey({
        ...(flags.area === undefined ? {} : { area: flags.area }),
        ...(given && { given: given.declared }),
        taken: present === undefined ? new Set() : namesIn(present),
      }),
    ),
  );
  if (!found.survey) return fail(settings, found);
  const survey = { ...found.survey, leftOut: [...found.survey.leftOut, ...(given?.leftOut ?? [])] };
  const blocks = blocksOf(survey, {
    ...{ keys, showsSecrets: given !== undefined && settings.showSecrets },
    ...(flags.protect && { protect: true }),
  });
  const files = await filesOf(stack, flags, present, blocks);
  const told: Told = { settings, survey, files: [...files.keys()], requests: found.requests };
  if (flags.previewOnly) {
    tell(told, false);
    return exitCode.done;
  }
  if (!settings.json) describe(told);
  if (survey.found.length > 0 || files.size > 0) {
    await confirm(
      settings,
      `Take ${counted(survey.found.length, "object")} into ${settings.stack}, and write ${shownPaths(files)}?`,
      signal,
    );
  }
  const staged = stage(files);
  try {
    const taken = await toldAsJson(settings, () =>
      shown(quiet, () => engine.takeIn({ found: survey.found, protect: flags.protect === true })),
    );
    if (!taken.taken) return fail(settings, taken);
    staged.keep();
  } finally {
    staged.drop();
  }
  tell(told, true);
  return exitCode.done;
}

const silent: Renderer = { event: () => {}, close: () => {} };

/** Ends the command by what stopped it, which has been told, or is told now as JSON. */
function fail(settings: Settings, result: Result): ExitCode {
  const { requests, diagnostics } = result;
  if (settings.json) print(JSON.stringify({ result: result.result, diagnostics, requests }));
  return codeOf(result);
}

/** A refusal of the engine before anything was done is told as JSON too. */
async function toldAsJson<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (settings.json && error instanceof EngineError) {
      const diagnostics = [{ severity: "error", message: error.message, code: error.errorCode }];
      print(JSON.stringify({ result: "failed", diagnostics, requests: {} }));
      throw new CommandError("", error.exitCode, { cause: error });
    }
    throw error;
  }
}

/** Refuses, before anything is asked, what would put something in place of what somebody wrote. */
function refuseOverwriting(
  { settings, program }: Stack,
  flags: AccountFlags,
  present: string | undefined,
): void {
  const shown = shownPath(settings.file);
  if (program.graph === undefined) {
    throw new CommandError(
      `${shown} is the project of a program, to which nothing can be added: give another file with --file, or import each by import TYPE NAME ID`,
    );
  }
  const has = present !== undefined && program.graph.length > 0;
  if (has && flags.previewOnly !== true && flags.add !== true) {
    throw new CommandError(
      `${shown} has ${counted(program.graph.length, "resource")} already: give --add to add to them, or another file with --file`,
    );
  }
  if (!flags.typescript) return;
  if (has)
    throw new CommandError(
      `--typescript writes a whole program, and ${shown} has resources already: give another file with --file`,
    );
  const index = join(dirname(settings.file), "index.ts");
  if (existsSync(index))
    throw new CommandError(
      `${shownPath(index)} is there already: move it, or give a file in another folder with --file`,
    );
}

/** The keys of what is declared, and of which nobody knows yet which objects they are. */
async function unapplied({ engine }: Stack, keys: ReadonlyMap<string, string>): Promise<string[]> {
  const known = new Set((await engine.resources()).map(({ type, urn }) => `${type} ${nameOf(urn)}`));
  return [...keys].flatMap(([resource, key]) =>
    resource.startsWith("plumbline:") && !known.has(resource) ? [key] : [],
  );
}

/** Takes over what is declared and there, where objects are added; refuses what is left: some of what is found may be meant to be that. */
async function settleUnapplied(
  stack: Stack,
  flags: AccountFlags,
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  if (flags.add && !flags.previewOnly && (await unapplied(stack, keys)).length > 0)
    await takeOverDeclared(stack);
  const open = await unapplied(stack, keys);
  if (open.length === 0) return;
  throw new CommandError(
    `declared, but not applied yet: ${open.join(", ")}. Run plumbline up first (with --adopt for what is on the account), or import each by import TYPE NAME ID, so that it is known which objects they are`,
  );
}

/** The texts to write, proved to be what they are to be. */
async function filesOf(
  { settings, program }: Stack,
  flags: AccountFlags,
  present: string | undefined,
  blocks: readonly Block[],
): Promise<Files> {
  const files = new Map<string, string>();
  if (present === undefined || blocks.length > 0) {
    files.set(settings.file, stackText(settings, present, blocks, flags.fromKubernetes !== undefined));
    await refuseUnreadable(settings, files.get(settings.file)!, sizeOf(program) + blocks.length);
  }
  if (!flags.typescript) return files;
  const folder = dirname(settings.file);
  files.set(join(folder, "index.ts"), programText(blocks));
  for (const [name, text] of Object.entries(projectFiles(program.projectName || projectNameOf(settings)))) {
    if (!existsSync(join(folder, name))) files.set(join(folder, name), text);
  }
  return files;
}

function stackText(
  settings: Settings,
  present: string | undefined,
  blocks: readonly Block[],
  isGiven: boolean,
): string {
  const description = isGiven
    ? "What manifests of Kubernetes declared, as plumbline import --from-kubernetes found it."
    : undefined;
  try {
    return present === undefined
      ? newStackFile(projectNameOf(settings), blocks, description)
      : fillStackFile(present, blocks);
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    throw new CommandError(`${shownPath(settings.file)}: ${error.message}`, exitCode.error, { cause: error });
  }
}

/** Reads the text back before anything is saved: a file that the next preview could not read would be worse than none. */
async function refuseUnreadable(settings: Settings, text: string, count: number): Promise<void> {
  const program = await loadProgram({
    file: settings.file,
    stack: settings.stack,
    catalogue,
    readFile: async (path) => (path === settings.file ? text : readFileSync(path)),
  });
  const errors = program.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0 && sizeOf(program) === count) return;
  const reasons = errors.map((diagnostic) => diagnosticText(diagnostic, settings.colors));
  throw new CommandError(
    ["what would be written cannot be read back; nothing was done", ...reasons].join("\n"),
  );
}

const sizeOf = ({ graph = [] }: Stack["program"]) => graph.length;
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const shownPaths = (files: Files) => [...files.keys()].map(shownPath).join(", ") || "nothing";
