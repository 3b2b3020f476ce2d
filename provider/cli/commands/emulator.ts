/** The command `emulator`: serves the service in a box until it is interrupted. Knows nothing of engines. */

import type { Command } from "commander";
import type { EmulatorOptions, FaultRule } from "../../../emulator/index.ts";
import { startAccount } from "../embedded.ts";
import { CommandError } from "../exit.ts";
import { readGiven } from "../given-files.ts";
import { helped } from "../help.ts";

interface EmulatorFlags {
  port: string;
  host: string;
  brand?: string;
  data?: string;
  seed?: string;
  speed: string;
  startTime?: string;
  rateLimit: string;
  tokens?: string;
  fault: string[];
  cors?: boolean;
  dns?: string;
}

/** Adds `plumbline emulator`, which serves until it is interrupted. */
export function addEmulatorCommand(program: Command): void {
  helped(program.command("emulator"), {
    examples: {
      emulator: "on port 4747, gone when it ends",
      "emulator --data account.json": "the account is kept",
      "emulator --speed instant": "nothing takes time",
    },
  })
    .description("run the service in a box, until interrupted")
    .option("--port <port>", "port to listen on; 0 picks a free one", "4747")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--brand <word>", "the service's brand word in paths, fields and scopes (default: compute)")
    .option("--data <file>", "keep the account in this file between runs")
    .option("--seed <file>", "first content of the account (default: one running instance, 1001)")
    .option(
      "--speed <factor>",
      "divide the service's waiting times by this; max: each state is told once; instant: over by the next request",
      "1",
    )
    .option("--start-time <time>", "what the clock says at first, as 2026-03-04T09:00:00Z (default: now)")
    .option("--rate-limit <limit>", "off, standard, or a number of requests in 2 minutes", "off")
    .option(
      "--tokens <file>",
      'tokens with scopes, users and grants, as {"tokens": [{"token": "t", "username": "u", "scopes": "domains:read_only"}]}; without it any token is the owner',
    )
    .option(
      "--fault <rule>",
      "a fault rule as JSON; may be given several times",
      (rule, all: string[]) => [...all, rule],
      [],
    )
    .option("--cors", "send the service's CORS headers, so that web pages may use the API")
    .option("--dns <port>", "answer DNS for active zones on this port (UDP and TCP)")
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<EmulatorFlags & { json?: boolean }>();
      const ended = interrupted();
      const emulator = await startAccount(optionsOf(flags));
      if (flags.json) console.log(JSON.stringify({ baseUrl: emulator.baseUrl, token: emulator.token }));
      else console.log(`listening on ${emulator.baseUrl}\nto look at: ${pageOf(emulator.baseUrl)}`);
      const failure = await Promise.race([ended, emulator.stopped]);
      if (failure) throw new CommandError(`the emulator stopped: ${failure.message}`, 1, { cause: failure });
      await emulator.close();
    });
}

/** Where the emulator's page is. */
const pageOf = (baseUrl: string) => new URL("/_emulator/", baseUrl).href;

function optionsOf(flags: EmulatorFlags): EmulatorOptions {
  return {
    port: wholeNumber("--port", flags.port, 0, 65535),
    host: flags.host,
    speed:
      flags.speed === "max" || flags.speed === "instant" ? flags.speed : positive("--speed", flags.speed),
    rateLimit:
      flags.rateLimit === "off" || flags.rateLimit === "standard"
        ? flags.rateLimit
        : wholeNumber("--rate-limit", flags.rateLimit, 1, 1_000_000),
    faults: flags.fault.map(faultRule),
    cors: flags.cors === true,
    ...(flags.brand === undefined ? {} : { brand: flags.brand }),
    ...(flags.data === undefined ? {} : { data: flags.data }),
    ...(flags.seed === undefined ? {} : { seed: existing("--seed", flags.seed) }),
    ...(flags.startTime === undefined ? {} : { startTime: moment("--start-time", flags.startTime) }),
    ...(flags.tokens === undefined ? {} : { tokens: existing("--tokens", flags.tokens) }),
    ...(flags.dns === undefined ? {} : { dns: wholeNumber("--dns", flags.dns, 0, 65535) }),
  };
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new CommandError(`${flag} needs a whole number from ${least} to ${most}, not "${text}"`);
  }
  return value;
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) {
    throw new CommandError(`${flag} needs a number above 0, max or instant, not "${text}"`);
  }
  return value;
}

function moment(flag: string, text: string): Date {
  const value = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) || Number.isNaN(value.getTime())) {
    throw new CommandError(`${flag} needs a time as 2026-03-04T09:00:00Z, not "${text}"`);
  }
  return value;
}

function existing(flag: string, file: string): string {
  readGiven(file, { option: flag });
  return file;
}

function faultRule(text: string): FaultRule {
  try {
    return JSON.parse(text) as FaultRule;
  } catch (cause) {
    throw new CommandError(`--fault needs a rule as JSON: ${(cause as Error).message}`, 1, { cause });
  }
}

/** Resolves at the first SIGINT or SIGTERM. */
function interrupted(): Promise<void> {
  return new Promise((done) => {
    process.once("SIGINT", () => done());
    process.once("SIGTERM", () => done());
  });
}
