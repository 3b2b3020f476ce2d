/** A watch from its options to its end: what is watched, how each run is made, and what is told of it. */

import { createHash } from "node:crypto";
import { basename, delimiter, isAbsolute, join, normalize, resolve } from "node:path";
import type { Command } from "commander";
import { duration, parseDuration } from "../../core/duration.ts";
import { shortToken } from "../../core/token.ts";
import { addressOf } from "../daemon/endpoint.ts";
import { createLog, onOneLine, type Tell } from "../daemon/log.ts";
import { toldToEnd } from "../daemon/signals.ts";
import { CommandError, exitCode } from "../exit.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { filesOf } from "./files.ts";
import { loop } from "./loop.ts";
import { createMonitor } from "./monitor.ts";
import { repositoryOf } from "./repository.ts";
import { type RunEvent, runUp } from "./run.ts";
import type { Source } from "./source.ts";

export interface WatchFlags {
  readonly interval: string;
  readonly poll?: string;
  readonly git?: string;
  readonly ref?: string;
  readonly checkout?: string;
  readonly listen?: string;
  readonly allowGone?: boolean;
  readonly continueOnError?: boolean;
  readonly target?: string[];
  readonly policies?: string[];
  readonly allow?: string[];
}

interface GlobalFlags {
  readonly cwd?: string;
  readonly file: string;
  readonly state?: string;
  readonly parallel: string;
  readonly emulator?: string;
}

/** Resolves when it was told to end. Throws CommandError for options that make no sense. */
export async function watch(flags: WatchFlags, command: Command): Promise<void> {
  const settings = settingsOf(command);
  const told = toldToEnd();
  const { signal, hurry } = told;
  const interval = milliseconds("--interval", flags.interval);
  const source = sourceOf(flags, { settings, command, interval, signal });
  const address = flags.listen === undefined ? undefined : addressOf("--listen", flags.listen);
  const tell = createLog(settings.json);
  const monitor = createMonitor(settings.stack);
  try {
    if (address) {
      const url = await monitor.listen(address);
      tell("listening", `listening on ${url}: /healthz, /readyz and /metrics`, { url });
    }
    const every = duration(interval / 1000);
    tell("watching", `watching ${settings.stack}: ${source.place}, every ${every}`, {
      stack: settings.stack,
    });
    const args = [...source.words, ...upWords(flags, settings, command)];
    const telling = teller(tell);
    await loop({
      source: { ...source, look: () => noted(source.look, monitor.looked) },
      interval,
      tell,
      signal,
      async run() {
        monitor.running();
        const ran = await runUp({ args, onEvent: telling(), signal, hurry });
        monitor.ended(ran);
        return ran;
      },
    });
    tell("ended", "ended: nothing is under way any more");
  } finally {
    monitor.close();
    told.release();
  }
  if (hurry.aborted) throw new CommandError("", exitCode.interrupted);
}

/** Notes whether the look succeeded. */
async function noted(look: Source["look"], note: (isRead: boolean) => void): Promise<string> {
  try {
    const found = await look();
    note(true);
    return found;
  } catch (error) {
    note(false);
    throw error;
  }
}

interface Place {
  readonly settings: Settings;
  readonly command: Command;
  readonly interval: number;
  readonly signal: AbortSignal;
}

function sourceOf(flags: WatchFlags, { settings, command, interval, signal }: Place): Source {
  const { cwd, file, emulator } = command.optsWithGlobals<GlobalFlags>();
  if (emulator !== undefined && settings.emulator?.file === undefined)
    throw new CommandError("watch makes one run after the other: keep the account with --emulator=FILE");
  const poll = Math.min(
    milliseconds("--poll", flags.poll ?? (flags.git === undefined ? "1s" : "30s")),
    interval,
  );
  const base = resolve(cwd ?? ".");
  if (flags.git === undefined) {
    for (const name of ["ref", "checkout"] as const)
      if (flags[name] !== undefined) throw new CommandError(`--${name} goes with --git`);
    const words = cwd === undefined ? [] : ["-C", cwd];
    const policies = [...(flags.policies ?? []), ...(process.env.PLUMBLINE_POLICIES ?? "").split(delimiter)];
    const also = policies.filter((path) => path !== "").map((path) => resolve(path));
    const apart = settings.emulator?.file === undefined ? [] : [settings.emulator.file];
    return filesOf({ file: settings.file, stack: settings.stack, words, also, apart, poll, signal });
  }
  const { git: url, ref = "main" } = flags;
  if (isAbsolute(file) || normalize(file).startsWith(".."))
    throw new CommandError(`--file: with --git it is a path within the repository, not "${file}"`);
  const folder = resolve(base, flags.checkout ?? join(".plumbline", "watch", checkoutName(url, ref)));
  return repositoryOf({ url, ref, folder, words: ["-C", folder], poll, signal });
}

/** Readable, and another one for another repository or ref. */
function checkoutName(url: string, ref: string): string {
  const digest = createHash("sha256").update(`${url} ${ref}`).digest("hex").slice(0, 8);
  return `${basename(url, ".git").replace(/[^A-Za-z0-9_-]+/g, "-") || "repository"}-${digest}`;
}

/** `up` as this command was called: nothing is asked, everything is read first. */
function upWords(flags: WatchFlags, settings: Settings, command: Command): string[] {
  const { file, state, parallel } = command.optsWithGlobals<GlobalFlags>();
  // In a checkout a relative path would mean another folder. What is no path is found in the environment by the run itself.
  const isMoved = flags.git !== undefined && (state || process.env.PLUMBLINE_STATE);
  const where = isMoved && settings.state.kind === "folder" ? settings.state.folder : state;
  return [
    ...["up", "--yes", "--refresh", "--json", "--non-interactive", "--color", "never"],
    ...["--file", file, "--stack", settings.stack, "--parallel", parallel],
    ...(where === undefined || where === "" ? [] : ["--state", where]),
    ...(settings.emulator?.file === undefined ? [] : [`--emulator=${settings.emulator.file}`]),
    ...(flags.allowGone ? ["--allow-gone"] : []),
    ...(flags.continueOnError ? ["--continue-on-error"] : []),
    ...(flags.target ?? []).flatMap((target) => ["--target", target]),
    ...(flags.policies ?? []).flatMap((path) => ["--policies", path]),
    ...(flags.allow ?? []).flatMap((name) => ["--allow", name]),
  ];
}

interface SteppedEvent {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  readonly urn: string;
}

const unchanged = ["same", "read"];
const done: { readonly [op: string]: string } = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  import: "imported",
};

/** Tells what each run does, and of what it warns only what the last one did not. */
function teller(tell: Tell): () => (event: RunEvent) => void {
  let before = new Set<string>();
  return () => {
    const warned = new Set<string>();
    const known = before;
    before = warned;
    return (event) => {
      const step = event.step as SteppedEvent | undefined;
      const what = step && `${shortToken(step.type)} ${step.name}`;
      if (event.event === "finished" && step && !unchanged.includes(step.op))
        tell("step", `${done[step.op] ?? step.op} ${what}`, { step });
      if (event.event === "failed") {
        const reasons = event.reasons as readonly string[];
        tell("step-failed", `failed ${what}: ${onOneLine(reasons.join(" "))}`, { step, reasons });
      }
      if (event.event !== "diagnostic" || event.severity === "error") return;
      const message = String(event.message);
      if (!known.has(message) && !warned.has(message)) tell("notice", message, { severity: event.severity });
      warned.add(message);
    };
  };
}

/** Throws a CommandError for what is no time that a watch can wait. */
function milliseconds(flag: string, text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined || seconds < 0.1 || seconds > 7 * 24 * 3600)
    throw new CommandError(
      `${flag} needs a duration from 100ms to 168h, such as 10m or 1h30m, not "${text}"`,
    );
  return seconds * 1000;
}
