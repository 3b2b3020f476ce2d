/** A program of Node or Python as the engine sees it: each run is a process of its own, on Pulumi's runtime from the user's packages. The room's entrance. */

import { dirname, join, relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { stackUrn } from "../../core/engines/urn.ts";
import type { ValueMap } from "../../core/value.ts";
import { type ConfigEntry, type Host, type Program, ProgramError } from "../host.ts";
import type { Project } from "../language/program/project.ts";
import type { ProgramRuntime } from "../language/program/runtime.ts";
import { consoleOf } from "./console.ts";
import { argumentsOf, launchOf } from "./environment.ts";
import { createFindings, type Findings } from "./findings.ts";
import { answerOver } from "./line.ts";
import { monitorOf, type Progress } from "./monitor.ts";
import { findNode } from "./node.ts";
import { createOrder } from "./order.ts";
import { findPython } from "./python.ts";
import { type Ready, type Start, UnreadyError } from "./runtime.ts";
import { serve, servicesOf } from "./server.ts";
import { type Attend, createStock } from "./stock.ts";
import { createCallbacks } from "./transforms/callbacks.ts";
import { createTransforms } from "./transforms/transforms.ts";

export interface ProgramOptions {
  /** Path of the project file, as diagnostics are to name it. */
  readonly file: string;
  readonly project: Pick<Project, "main">;
  readonly runtime: ProgramRuntime;
  readonly config: ReadonlyMap<string, ConfigEntry>;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly fetch?: ((address: string) => Promise<Uint8Array>) | undefined;
  /** What the program is told as its organization; default what the host says. */
  readonly organization?: string | undefined;
  /** Milliseconds; see `createOrder`. Default 30,000. */
  readonly patience?: number;
}

/** Starts nothing yet. */
export function openProgram(options: ProgramOptions): Pick<Program, "run" | "prepare"> {
  const { project, environment, runtime, config } = options;
  const folder = resolve(dirname(options.file));
  const start = { project: folder, main: project.main?.value, environment };
  const stock = createStock((ready) => launchOf({ ready, config, environment }));
  return {
    prepare(operation) {
      // An interpreter is asked first what it has, which takes as long as its start.
      if (runtime.name !== "nodejs") return;
      try {
        stock.lay(findNode(runtime, start), operation);
      } catch (error) {
        // The run itself will tell.
        if (!(error instanceof UnreadyError)) throw error;
      }
    },
    async run(host, first = new Map()) {
      const findings = createFindings();
      const progress: Progress = { isOver: false };
      try {
        const ready = await find(runtime, start, host.signal);
        const attend = stock.take(ready, host.preview);
        return await runOnce(host, { ...options, folder, ready, attend, first, findings, progress });
      } catch (error) {
        if (host.signal.aborted) throw new ProgramError([]);
        if (!(error instanceof UnreadyError)) throw error;
        const { main } = project;
        throw new ProgramError([{ severity: "error", message: error.message, ...main?.at }]);
      }
    },
  };
}

async function find(runtime: ProgramRuntime, start: Start, signal: AbortSignal): Promise<Ready> {
  return runtime.name === "nodejs" ? findNode(runtime, start) : findPython(runtime, start, signal);
}

interface Once extends ProgramOptions {
  readonly folder: string;
  readonly ready: Ready;
  readonly attend: Attend;
  readonly first: ReadonlyMap<string, readonly string[]>;
  readonly findings: Findings;
  readonly progress: Progress;
}

/** Runs the program to its end. Resolves to its outputs only when it has come there and nothing failed. */
async function runOnce(host: Host, once: Once): Promise<ValueMap> {
  const { ready, findings, progress, folder, first } = once;
  const root = stackUrn(host.stack, host.project);
  const order = createOrder({ first, patience: once.patience ?? 30_000 });
  const shown = (path: string): string => join(dirname(once.file), relative(folder, path));
  const { fetch } = once;
  const stopping = new AbortController();
  const callbacks = createCallbacks();
  const monitor = monitorOf(
    {
      host,
      root,
      shown,
      order,
      findings,
      transforms: createTransforms(callbacks),
      giveUp: () => stopping.abort(),
      folder: ready.folder,
      ...(fetch ? { fetch } : {}),
    },
    progress,
  );
  const services = servicesOf(monitor, consoleOf({ host, root, findings }));
  const server = await serve(services);
  try {
    const organization = once.organization ?? host.organization;
    const args = argumentsOf({ ready, project: folder, organization }, host, server.address);
    const end = await once.attend(args, {
      say: (line) => {
        const text = stripVTControlCharacters(line);
        if (text.trim() !== "") host.log("info", text);
      },
      signal: host.signal,
      stop: stopping.signal,
      talk: (line) => answerOver(line, services),
    });
    host.signal.throwIfAborted();
    const isWhole = progress.isOver && progress.outputs !== undefined;
    const faults = findings.atEnd(end, stopping.signal.aborted ? "given up" : isWhole ? "whole" : "cut");
    if (faults.length > 0 || findings.isFailed() || progress.outputs === undefined) {
      if (ready.advice !== undefined) host.log("info", ready.advice);
      throw new ProgramError(faults);
    }
    return progress.outputs;
  } finally {
    order.close();
    callbacks.close();
    server.close();
  }
}
