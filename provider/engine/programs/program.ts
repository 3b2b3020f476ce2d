/** A program of Node or Python as the engine sees it: each run is a process of its own, on Pulumi's runtime from the user's packages. The room's entrance. */

import { dirname, resolve } from "node:path";
import { type ConfigEntry, type Program, ProgramError } from "../host.ts";
import type { Project } from "../language/program/project.ts";
import type { ProgramRuntime } from "../language/program/runtime.ts";
import type { Once } from "./attendance.ts";
import { launchOf } from "./environment.ts";
import { findNode } from "./node.ts";
import { findPython } from "./python.ts";
import { type Ready, type Start, UnreadyError } from "./runtime.ts";
import { createStock } from "./stock.ts";

export interface ProgramOptions extends Pick<Once, "file" | "fetch" | "organization" | "patience"> {
  readonly project: Pick<Project, "main">;
  readonly runtime: ProgramRuntime;
  readonly config: ReadonlyMap<string, ConfigEntry>;
  readonly environment: { readonly [name: string]: string | undefined };
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
      try {
        const ready = await find(runtime, start, host.signal);
        const attend = stock.take(ready, host.preview);
        // Meanwhile the process loads what it needs.
        const { attendOnce } = await import("./attendance.ts");
        return await attendOnce(host, { ...options, folder, ready, attend, first });
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
