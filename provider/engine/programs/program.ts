/** A program of Node as the engine sees it: each run is a process of its own, on Pulumi's runtime from the user's packages. The room's entrance. */

import { dirname, join, relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { stackUrn } from "../../core/engines/urn.ts";
import type { ValueMap } from "../../core/value.ts";
import { type ConfigEntry, type Host, type Program, ProgramError } from "../host.ts";
import type { Project } from "../language/program/project.ts";
import type { NodeRuntime } from "../language/program/runtime.ts";
import { consoleOf } from "./console.ts";
import { launchOf } from "./environment.ts";
import { createFindings, type Findings } from "./findings.ts";
import { monitorOf, type Progress } from "./monitor.ts";
import { createOrder } from "./order.ts";
import { runProcess } from "./process.ts";
import { type Found, findRuntime, UnreadyError } from "./runtime.ts";
import { serve } from "./server.ts";

export interface NodeProgramOptions {
  /** Path of the project file, as diagnostics are to name it. */
  readonly file: string;
  readonly project: Pick<Project, "main">;
  readonly runtime: NodeRuntime;
  readonly config: ReadonlyMap<string, ConfigEntry>;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly fetch?: ((address: string) => Promise<Uint8Array>) | undefined;
  /** What the program is told as its organization; default what the host says. */
  readonly organization?: string | undefined;
  /** Milliseconds; see `createOrder`. Default 30,000. */
  readonly patience?: number;
}

/** Starts nothing yet. */
export function nodeProgram(options: NodeProgramOptions): Program["run"] {
  const folder = resolve(dirname(options.file));
  return async (host, first = new Map()) => {
    const findings = createFindings();
    const progress: Progress = { isOver: false };
    try {
      const found = findRuntime(folder, options.project.main?.value, options.runtime);
      return await runOnce(host, { ...options, folder, found, first, findings, progress });
    } catch (error) {
      if (!(error instanceof UnreadyError)) throw error;
      const { main } = options.project;
      throw new ProgramError([{ severity: "error", message: error.message, ...main?.at }]);
    }
  };
}

interface Once extends NodeProgramOptions {
  readonly folder: string;
  readonly found: Found;
  readonly first: ReadonlyMap<string, readonly string[]>;
  readonly findings: Findings;
  readonly progress: Progress;
}

/** Runs the program to its end. Resolves to its outputs only when it has come there and nothing failed. */
async function runOnce(host: Host, once: Once): Promise<ValueMap> {
  const { found, findings, progress, folder, first } = once;
  const root = stackUrn(host.stack, host.project);
  const order = createOrder({ first, patience: once.patience ?? 30_000 });
  const shown = (path: string): string => join(dirname(once.file), relative(folder, path));
  const { fetch } = once;
  const stopping = new AbortController();
  const monitor = monitorOf(
    {
      host,
      root,
      shown,
      order,
      findings,
      giveUp: () => stopping.abort(),
      folder: found.folder,
      ...(fetch ? { fetch } : {}),
    },
    progress,
  );
  const server = await serve(monitor, consoleOf({ host, root, findings }));
  try {
    const organization = once.organization ?? host.organization;
    const launch = launchOf({ ...once, project: folder, organization }, host, server.address);
    const end = await runProcess(launch, {
      say: (line) => {
        const text = stripVTControlCharacters(line);
        if (text.trim() !== "") host.log("info", text);
      },
      signal: host.signal,
      stop: stopping.signal,
    });
    if (host.signal.aborted) throw new ProgramError([]);
    const isWhole = progress.isOver && progress.outputs !== undefined;
    const faults = findings.atEnd(end, stopping.signal.aborted ? "given up" : isWhole ? "whole" : "cut");
    if (faults.length > 0 || findings.isFailed() || progress.outputs === undefined) {
      if (found.advice !== undefined) host.log("info", found.advice);
      throw new ProgramError(faults);
    }
    return progress.outputs;
  } finally {
    order.close();
    server.close();
  }
}
