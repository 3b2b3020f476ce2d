/** The plugin's command line, read tolerantly: engines put flags of their own before the one thing that matters; and what the environment says. */

import { homedir } from "node:os";
import { resolve } from "node:path";

/** Flags whose value is the next argument. */
const withValue = new Set(["--tracing", "-tracing", "-v"]);

/** The engine's address (`host:port`) among the arguments; undefined when the plugin is started to be attached to. */
export function engineAddressOf(args: readonly string[]): string | undefined {
  for (let i = 0; i < args.length; i += 1) {
    const argument = args[i] ?? "";
    if (withValue.has(argument)) i += 1;
    else if (!argument.startsWith("-") && /^\S+:\d+$/.test(argument)) return argument;
  }
  return undefined;
}

/** Where it is kept what creates began: with the states where those are in a folder, else beside the project. `state`: as PLUMBLINE_STATE has it. */
export function createsFolderOf(state: string | undefined): string {
  const text = (state ?? "").trim();
  const [, scheme, place = ""] = /^([a-z][a-z0-9+.-]+):\/\/?([^?]*)/is.exec(text) ?? [];
  // What else an address names is no folder, and a password in it none to be written down.
  const folder = scheme === undefined ? text : /^file$/i.test(scheme) ? place : "";
  return resolve(folder.replace(/^~(?=\/|$)/, () => homedir()) || ".plumbline", "creates");
}
