/** What starts a program, in whatever language: how it was found is known to one file a language. */

import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";

/** Where a program is looked for. */
export interface Start {
  /** The project's folder. */
  readonly project: string;
  /** Folder or file of the program, relative to it; absent: the project's folder. */
  readonly main: string | undefined;
  /** Of the command. */
  readonly environment: { readonly [name: string]: string | undefined };
}

/** What runs a program. */
export interface Ready {
  readonly command: string;
  /** Before the arguments of the run. */
  readonly args: readonly string[];
  /** Instead of the arguments of the run: the process waits for them. Absent where it cannot. */
  readonly held?: string;
  /** Folder that the program runs in. */
  readonly folder: string;
  /** The last argument: what the command takes for the program. */
  readonly entry: string;
  /** Beside the environment of the command; undefined takes a variable away. */
  readonly environment: { readonly [name: string]: string | undefined };
  /** Said when the program fails. */
  readonly advice?: string;
}

/** What keeps a program from being started, and what to do. */
export class UnreadyError extends Error {
  override readonly name = "UnreadyError";
}

/** The first version of Pulumi's packages whose programs say that they have come to their end. */
export const oldest = [3, 190] as const;

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
}

/** The folder, and the file where `main` names one. Throws UnreadyError where there is neither. */
export function placeOf({ project, main }: Start): { readonly folder: string; readonly entry?: string } {
  const place = resolve(project, main ?? "");
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new UnreadyError(
      main === undefined
        ? `the folder of the program is not there: ${place}`
        : `"main" names ${JSON.stringify(main)}, and there is no ${place}`,
    );
  }
  if (found.isDirectory()) return { folder: place };
  return { folder: dirname(place), entry: basename(place) };
}
