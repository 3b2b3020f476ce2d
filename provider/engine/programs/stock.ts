/** Processes of a program that are started before they are needed: the one of an update while its preview runs. */

import { type Attendance, type End, type Held, holdProcess, type Launch, runProcess } from "./process.ts";
import type { Ready } from "./runtime.ts";

/** Runs the process with the arguments of the run. */
export type Attend = (args: readonly string[], attendance: Attendance) => Promise<End>;

export interface Stock {
  /** Starts a process for the operation that is to come. */
  readonly lay: (ready: Ready, operation: "preview" | "update") => void;
  /** The process for a run, which waits already or is started then. */
  readonly take: (ready: Ready, isPreview: boolean) => Attend;
}

/** `launchOf`: what every run of the program is started with. */
export function createStock(launchOf: (ready: Ready) => Launch): Stock {
  let held: Held | undefined;
  let isUpdate = false;
  const hold = (ready: Ready): Held | undefined => {
    if (ready.held === undefined) return undefined;
    const launch = launchOf(ready);
    return holdProcess({ ...launch, args: [...launch.args, ready.held] });
  };
  return {
    lay(ready, operation) {
      isUpdate = operation === "update";
      if (!held?.isAlive()) held = hold(ready);
    },
    take(ready, isPreview) {
      const laid = held?.isAlive() ? held : hold(ready);
      held = isUpdate && isPreview ? hold(ready) : undefined;
      if (laid) return laid.run;
      const launch = launchOf(ready);
      return (args, attendance) => runProcess({ ...launch, args: [...launch.args, ...args] }, attendance);
    },
  };
}
