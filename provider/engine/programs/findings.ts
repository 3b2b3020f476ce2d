/** What a run of a program has told, and what it comes to when its process has ended. */

import { type Diagnostic, ProgramError } from "../host.ts";
import type { End } from "./process.ts";

export interface Findings {
  /** Something that the program asked for failed. What a ProgramError holds is told already. */
  readonly failure: (error: unknown, particulars?: Partial<Diagnostic>) => void;
  /** The program says itself that it failed. */
  readonly logged: (diagnostic: Diagnostic) => void;
  readonly isFailed: () => boolean;
  /** What kept the program from its end; empty: nothing did. `how`: it has told its outputs and that it has come to its end, or this engine has ended it. */
  readonly atEnd: (end: End, how: "whole" | "cut" | "given up") => readonly Diagnostic[];
}

/** The runtime's own code for: it failed, and the user was told. */
const toldAlready = 32;

export function createFindings(): Findings {
  const failures: Diagnostic[] = [];
  const logged: Diagnostic[] = [];
  let failed = false;
  return {
    failure(error, particulars = {}) {
      failed = true;
      if (error instanceof ProgramError) failures.push(...error.diagnostics);
      else failures.push({ severity: "error", message: (error as Error).message, ...particulars });
    },
    logged: (diagnostic) => void logged.push(diagnostic),
    isFailed: () => failed || logged.length > 0,
    atEnd(end, how) {
      // The runtime tells a failure that it was answered as one of the program, with where in its own code that was.
      const own = logged.filter(
        ({ message }) => !failures.some((failure) => message.includes(failure.message)),
      );
      const told = [...failures, ...own];
      const isSound = how === "given up" || (how === "whole" && end.code === 0);
      const isTold = end.code === toldAlready && told.length > 0;
      const message = isSound || isTold ? undefined : reasonOf(end);
      return message === undefined ? told : [...told, { severity: "error", message }];
    },
  };
}

const stays = "What it had not declared by then is not known, so nothing is deleted";

function reasonOf({ code, signal }: End): string {
  if (signal !== null) return `The program was ended by ${signal} before it was done. ${stays}.`;
  if (code === 0 || code === 13)
    return `The program ended before it was done: by an exit of its own, or because it waits for something that never comes. ${stays}.`;
  return `The program failed (exit code ${code}). ${stays}.`;
}
