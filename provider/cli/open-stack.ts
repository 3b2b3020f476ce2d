/** Opens a stack for a command: its file, its engine, the emulator when asked for, and cancel on Ctrl-C. */

import { createHash, randomUUID } from "node:crypto";
import { basename, join, relative } from "node:path";
import type { Command } from "commander";
import type { Emulator } from "../../emulator/index.ts";
import { errorCodeOf } from "../core/error-code.ts";
import { MissingSettingError, type Provider } from "../core/protocol.ts";
import {
  backendOpener,
  createEngine,
  createMemoryDisk,
  createStateFolder,
  type Engine,
  EngineError,
  type EngineEvent,
  type EngineOptions,
  parseAddress,
  type StateAddress,
  thisMachine,
} from "../engine/engine.ts";
import type { Operation } from "../engine/event.ts";
import { messageOf } from "../engine/failure.ts";
import type { Program } from "../engine/host.ts";
import { loadProgram } from "../engine/language/program.ts";
import { catalogue, contentAt, createProvider } from "../provider.ts";
import { embeddedTarget, startEmbedded } from "./embedded.ts";
import { CommandError, type ExitCode, exitCode } from "./exit.ts";
import { openPolicies, type StackPolicies } from "./policy/sets.ts";
import { guard, guardJson, print, printError } from "./render/door.ts";
import { createDiagnosticLines } from "./render/frame.ts";
import { guardedProvider } from "./render/guarded-provider.ts";
import type { Renderer } from "./render/lines.ts";
import { openerOf } from "./sealing.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { withoutFile } from "./without-file.ts";

export interface Stack {
  readonly settings: Settings;
  readonly program: Program;
  readonly engine: Engine;
  /** The engine of another stack of the project, for what is done with its state alone. */
  readonly engineOf: (stack: string) => Engine;
  /** A provider of its own, configured as the stack's; the caller closes it. */
  readonly openProvider: () => Promise<Provider>;
  readonly policies: StackPolicies;
  /** Shows the engine's events until the work is done; then goes back to showing none. */
  readonly shown: <T>(renderer: Renderer, work: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

/** How a command takes its stack file. */
interface Manner {
  readonly judges?: boolean;
  /** What nothing at hand opens in its settings is unknown. */
  readonly mayStayShut?: boolean;
  readonly project?: (settings: Settings) => string;
}

/**
 * Runs a command's work on its stack and ends the process's part of it: emulator closed, signals let go. Throws CommandError for its
 * exit code. A stack file that does not even tell its project's name is refused, unless the work itself `judges` the file; `project` then
 * tells the name.
 */
export async function withStack(
  command: Command,
  work: (stack: Stack) => Promise<ExitCode>,
  { judges = false, mayStayShut = false, project }: Manner = {},
): Promise<void> {
  const settings = settingsOf(command);
  const cancel = new AbortController();
  let current: Renderer | undefined;
  let isTold = false;
  const say = (line: string) => {
    if (settings.json) return;
    if (current?.notice) current.notice(line);
    else printError(line);
  };
  const onSignal = () => {
    if (cancel.signal.aborted) {
      say("stopped at once: the service goes on with what it was asked for, and the next run finds it");
      process.exit(exitCode.interrupted);
    }
    say("interrupted: what was asked for is ended first, and nothing is lost;\n  once more to stop at once");
    cancel.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  let emulator: Emulator | undefined;
  let policies: StackPolicies | undefined;
  try {
    const program = advised(
      await loadProgram({
        file: relative(process.cwd(), settings.file) || settings.file,
        stack: settings.stack,
        catalogue,
        fetch: contentAt,
        opener: openerOf(settings),
        mayStayShut,
      }),
      settings,
    );
    if (!settings.showSecrets) {
      guard(program.providerConfig);
      for (const { value } of program.config.values()) guard(value ?? null);
    }
    if (program.projectName === "" && !judges) refuseBroken(program, settings);
    policies = openPolicies(command, program, settings);
    const held = policies;
    if (settings.emulator) emulator = await startEmbedded(settings.emulator.file);
    const makeOpen = emulator ? providerOf(emulator, settings) : hintingProvider;
    const makeProvider = settings.showSecrets ? makeOpen : () => guardedProvider(makeOpen());
    const area = await stateArea(settings);
    const engineOf = (stack: string) =>
      createEngine({
        project: program.projectName || (project?.(settings) ?? "unnamed"),
        stack,
        ...area(),
        program,
        policies: held,
        parallel: settings.parallel,
        signal: cancel.signal,
        onEvent: (event: EngineEvent) => {
          if (!settings.showSecrets) guard(event);
          current?.event(event);
        },
        createProvider: makeProvider,
        ...(!settings.showSecrets && { onSecret: guardJson }),
      });
    const engine = engineOf(settings.stack);
    const openProvider = async () => {
      const provider = makeProvider();
      await provider.configure(program.providerConfig);
      return engine.admit(provider);
    };
    const shown: Stack["shown"] = async (renderer, doing) => {
      current = renderer;
      try {
        return await doing();
      } catch (error) {
        isTold = tellFailure(renderer, error, operationOf(command)) && settings.json;
        throw error;
      } finally {
        current = undefined;
        renderer.close();
      }
    };
    const code = await work({
      settings,
      program,
      engine,
      engineOf,
      openProvider,
      policies: held,
      shown,
      signal: cancel.signal,
    });
    if (code !== exitCode.done) throw new CommandError("", code);
  } catch (error) {
    if (isTold) throw new CommandError("", exitCodeOf(error), { cause: error });
    if (!(error instanceof EngineError)) throw error;
    throw new CommandError(error.message, exitCodeOf(error), { cause: error });
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    await policies?.close();
    await emulator?.close();
  }
}

/** The program of a file that is not there says what to do next. */
function advised(program: Program, settings: Settings): Program {
  const advice = program.projectName === "" ? withoutFile(settings) : undefined;
  return advice === undefined
    ? program
    : { ...program, diagnostics: [{ severity: "error", message: advice, code: "PLB-NOFILE" }] };
}

/**
 * Where the state is. Stacks on an emulator are never those of a service: one that keeps its account in a file has an area of its own for it, one
 * that forgets its account forgets its stacks, too. Both are of this machine, wherever the others are.
 */
async function stateArea({
  state,
  localFolder,
  emulator,
}: Settings): Promise<() => Pick<EngineOptions, "backend" | "environment">> {
  if (emulator !== undefined && emulator.file === undefined) {
    const environment = { ...process.env, PLUMBLINE_PASSPHRASE: randomUUID() };
    const place = { folder: localFolder, machine: thisMachine(), now: () => new Date() };
    const disk = createMemoryDisk();
    return () => ({ backend: createStateFolder({ ...place, disk }), environment });
  }
  const address: StateAddress =
    emulator?.file === undefined
      ? state
      : parseAddress(join(localFolder, "emulator", areaName(localFolder, emulator.file)), localFolder);
  const open = await backendOpener(address);
  return () => ({ backend: open() });
}

/** Says whose area it is, and is the same wherever the state folder and the account's file are moved together. */
function areaName(stateFolder: string, file: string): string {
  const digest = createHash("sha256").update(relative(stateFolder, file)).digest("hex");
  return `${basename(file).replace(/[^A-Za-z0-9_-]+/g, "-")}-${digest.slice(0, 8)}`;
}

/** With `--emulator` every provider of the run talks to it, whatever config and environment say. */
function providerOf(emulator: Emulator, { localFolder, emulator: how }: Settings): () => Provider {
  const file = how?.file === undefined ? undefined : relative(localFolder, how.file);
  const target = embeddedTarget(emulator, file);
  return () => {
    const provider = createProvider({ environment: {} });
    return {
      ...provider,
      configure: () =>
        provider.configure({ baseUrl: emulator.baseUrl, token: emulator.token, brand: "compute" }),
      identify: async (options) => {
        if (options?.asks !== false) await provider.identify?.(options);
        return target;
      },
    };
  };
}

/** A missing target is told together with the way that needs none. */
function hintingProvider(): Provider {
  const provider = createProvider();
  return {
    ...provider,
    configure: async (config) => {
      try {
        await provider.configure(config);
      } catch (cause) {
        if (!(cause instanceof MissingSettingError)) throw cause;
        const { what, key, variable } = cause.setting;
        throw new Error(
          `${what} is not set: run \`plumbline config set ${key} VALUE\`, set the environment variable ${variable}, or try it on the emulator, with --emulator`,
          { cause },
        );
      }
    },
  };
}

/** A refusal before anything was done still ends a JSON stream with its reason and a summary. False where the renderer leaves it to the standard error. */
function tellFailure({ refused }: Renderer, error: unknown, operation: Operation): boolean {
  const code = errorCodeOf(error);
  if (refused === undefined || !(error instanceof EngineError || code !== undefined)) return false;
  const message = messageOf(error);
  refused({ event: "diagnostic", severity: "error", message, ...(code && { code }) });
  refused({
    event: "summary",
    operation,
    result: "failed",
    counts: { create: 0, update: 0, replace: 0, delete: 0, same: 0 },
    requests: {},
    seconds: 0,
    changes: false,
  });
  return true;
}

const operations: readonly Operation[] = [
  "validate",
  "preview",
  "up",
  "refresh",
  "drift",
  "destroy",
  "import",
];

/** What the command's run is told as. */
const operationOf = (command: Command): Operation =>
  operations.find((operation) => operation === command.name()) ?? "up";

const exitCodeOf = (error: unknown): ExitCode =>
  error instanceof EngineError ? error.exitCode : exitCode.error;

/** The exit code of a result: a guard, a failure, a cancel, or done. */
export function codeOf(result: { result: string; guard?: unknown }): ExitCode {
  if (result.guard) return exitCode.guarded;
  if (result.result === "cancelled") return exitCode.interrupted;
  return result.result === "succeeded" ? exitCode.done : exitCode.error;
}

/** Stops a command that cannot go on with this stack file: prints what is wrong with it. */
export function refuseBroken(program: Program, settings: Settings): void {
  const errors = program.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (errors.length === 0) return;
  if (settings.json) print(JSON.stringify({ diagnostics: errors }));
  const linesOf = createDiagnosticLines(settings.colors);
  for (const diagnostic of errors) for (const line of linesOf(diagnostic)) printError(line);
  throw new CommandError("", exitCode.error);
}
