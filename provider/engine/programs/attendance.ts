/** One run of a program: its process attended to its end, with the services that it calls meanwhile. Loads their protocol, which takes as long as a process takes to start. */

import { dirname, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { stackUrn } from "../../core/engines/urn.ts";
import type { ValueMap } from "../../core/value.ts";
import { type Host, ProgramError } from "../host.ts";
import { consoleOf } from "./console.ts";
import { argumentsOf } from "./environment.ts";
import { createFindings } from "./findings.ts";
import { answerOver } from "./line.ts";
import { monitorOf, type Progress } from "./monitor.ts";
import { createOrder } from "./order.ts";
import type { Ready } from "./runtime.ts";
import { serve, servicesOf } from "./server.ts";
import type { Attend } from "./stock.ts";
import { createCallbacks } from "./transforms/callbacks.ts";
import { createTransforms } from "./transforms/transforms.ts";

export interface Once {
  /** Path of the project file, as diagnostics are to name it. */
  readonly file: string;
  /** Of the project file, whole. */
  readonly folder: string;
  readonly ready: Ready;
  readonly attend: Attend;
  readonly first: ReadonlyMap<string, readonly string[]>;
  readonly fetch?: ((address: string) => Promise<Uint8Array>) | undefined;
  /** What the program is told as its organization; default what the host says. */
  readonly organization?: string | undefined;
  /** Milliseconds; see `createOrder`. Default 30,000. */
  readonly patience?: number;
}

/** Runs the program to its end. Resolves to its outputs only when it has come there and nothing failed. */
export async function attendOnce(host: Host, once: Once): Promise<ValueMap> {
  const { ready, folder, first } = once;
  const findings = createFindings();
  const progress: Progress = { isOver: false };
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
