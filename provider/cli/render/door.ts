/**
 * The one way out of the command line: every line that is printed goes through here, without the run's secrets and without what steers a
 * terminal. Knows no command. What renderers build from texts of others goes through `quoted` as well, so that it cannot look like a line of ours.
 */

import { createMask, visible } from "../../core/masking.ts";
import { secret, type Value } from "../../core/value.ts";

/** What our own colours are made of (picocolors); no other escape gets out. */
const OURS = /(\u001b\[(?:[12]|22|3[0-69]|39)m)/;

/** Of the environment; a state's own credentials among them. */
const secretVariables = [
  ...["PLUMBLINE_TOKEN", "PLUMBLINE_PASSPHRASE", "PLUMBLINE_KEY", "PULUMI_CONFIG_PASSPHRASE"],
  ...["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "PGPASSWORD"],
];

let mask = createMask();

/** Begins a command: nothing is hidden but the secrets of its environment. */
export function beginPrinting(environment: NodeJS.ProcessEnv): void {
  mask = createMask();
  for (const name of secretVariables) mask.guardText(environment[name]);
}

/** Hides a text from all that is printed from now on. */
export const guardText = (text: string): void => mask.guardText(text);

/** Hides the secrets of these values from all that is printed from now on. */
export const guard = (values: unknown): void => mask.guard(values);

/** Hides the secret of this JSON from all that is printed from now on, and each text in it. */
export const guardJson = (json: string): void => mask.guard(secret(JSON.parse(json) as Value));

/** A text as it may leave: for what does not go through `print` (a frame that is redrawn, a question). */
export function outward(text: string): string {
  return mask
    .hide(text)
    .split(OURS)
    .map((part, at) => (at % 2 === 1 ? part : visible(part)))
    .join("");
}

/** Streams whose reader has gone. */
const deserted = new WeakSet<NodeJS.WriteStream>();

/** A reader that goes away (`| head`) ends no run: what follows is not written, and the exit code is the run's own. */
function outliveReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    deserted.add(stream);
  });
}

outliveReader(process.stdout);
outliveReader(process.stderr);

function write(stream: NodeJS.WriteStream, line: string): void {
  if (!deserted.has(stream)) stream.write(`${outward(line)}\n`);
}

let isGathering = false;

/** Lets go what was gathered. */
function release(): void {
  if (!isGathering) return;
  isGathering = false;
  process.stdout.uncork();
}

// Also where nothing else is waited for (`process.exit`).
process.on("exit", release);

/** Prints to the standard output, with a line end. What is printed in one turn of the loop leaves together, but into a terminal. */
export function print(line: string): void {
  if (!isGathering && !process.stdout.isTTY) {
    isGathering = true;
    process.stdout.cork();
    setImmediate(release);
  }
  write(process.stdout, line);
}

/** Prints what was asked for as it is (`--show-secrets`), keys that are private with it: who reads it back needs every letter. Steers no terminal. */
export function printWhole(text: string): void {
  release();
  if (!deserted.has(process.stdout)) process.stdout.write(`${visible(text)}\n`);
}

/** Prints to the standard error, with a line end, after all that was printed before. */
export function printError(line: string): void {
  release();
  write(process.stderr, line);
}
