/** The emulator without its doors: the account, what answers the requests to it, and what controls it. */

import { randomBytes } from "node:crypto";
import { type Account, createAccount } from "./account/account.ts";
import { readSeedFile } from "./account/account-file.ts";
import { applyChanges } from "./account/changes.ts";
import { makeSeedRequests } from "./account/seed.ts";
import { readTokensFile } from "./account/users.ts";
import { refuse } from "./area.ts";
import { areas } from "./areas/index.ts";
import { operations } from "./contract/contract.ts";
import type { EmulatorOptions } from "./face.ts";
import { createBrand } from "./http/brand.ts";
import type { Controlled } from "./http/control.ts";
import type { DispatchOptions } from "./http/dispatch.ts";
import { createFaults, type Faults } from "./http/faults.ts";
import { createRateLimit, type RateLimit } from "./http/rate-limit.ts";
import { createRouter } from "./http/router.ts";
import { createService } from "./http/service.ts";
import { createStats } from "./http/stats.ts";
import { createLook } from "./page/look.ts";

/** The service writes four digits of a year. */
const lastMoment = Date.UTC(9000, 0, 1);

export interface Inside
  extends Pick<DispatchOptions, "account" | "controlled" | "route" | "serve" | "beside"> {
  /** What `checkAnswers` found, oldest first. */
  readonly mismatches: readonly string[];
}

/** Makes it, seeded. `changed` is called after every change of the account. Rejects when an option is none or a file cannot be read. */
export async function createInside(
  options: EmulatorOptions,
  changed: () => void,
  log: (line: string) => void,
): Promise<Inside> {
  const { speed = 1, startTime, brand: word = "compute" } = options;
  refuseOptions(speed, startTime);
  const brand = createBrand(word);
  const tokensFile = options.tokens === undefined ? undefined : readTokensFile(options.tokens, brand.swap);
  const seed = typeof options.seed === "string" ? readSeedFile(options.seed) : options.seed;
  const account = createAccount({
    ...{ areas, brand: word, speed, startTime, seed, tokens: tokensFile, log, changed },
  });
  const beside = areas.flatMap((area) => Object.entries(area.beside ?? {}));
  const faults = createFaults(
    new Set([...operations.map(({ template }) => template), ...beside.map(([template]) => template)]),
  );
  faults.setRules(options.faults ?? []);
  const rateLimit = createRateLimit(options.rateLimit ?? "off", account.clock.millis);
  const route = createRouter(operations, brand.swap);
  const mismatches: string[] = [];
  const serve = createService({
    ...{ account, areas, brand, rateLimit, changed, log },
    cors: options.cors ?? false,
    open: tokensFile === undefined,
    checkAnswers: options.checkAnswers ?? false,
    mismatch: (text) => mismatches.push(text),
  });
  await makeSeedRequests(seed?.requests ?? [], route, serve, account.token);
  account.begin();
  rateLimit.clear();
  return {
    account,
    route,
    serve,
    beside,
    mismatches,
    controlled: controlsOf(account, faults, rateLimit, changed),
  };
}

function refuseOptions(speed: NonNullable<EmulatorOptions["speed"]>, startTime: Date | undefined): void {
  if (typeof speed === "number" ? !(speed > 0) : speed !== "max" && speed !== "instant")
    throw new Error(`the speed must be above 0, max or instant, not ${speed}`);
  if (startTime && !(startTime.getTime() >= 0 && startTime.getTime() <= lastMoment))
    throw new Error("the start time must be a moment from 1970 to the year 9000");
}

function controlsOf(account: Account, faults: Faults, rateLimit: RateLimit, changed: () => void): Controlled {
  const stats = createStats(account.clock.now);
  return {
    stats,
    faults,
    look: createLook(account, stats, faults),
    pageKey: randomBytes(16).toString("hex"),
    reset: () => {
      account.reset();
      faults.setRules([]);
      stats.clear();
      rateLimit.clear();
      changed();
    },
    advance: (seconds: number) => {
      if (!(seconds >= 0 && account.clock.millis() + seconds * 1000 <= lastMoment))
        refuse("must be a number of seconds, 0 or more, that leads no further than the year 9000", "seconds");
      account.clock.advance(seconds);
      account.jobs.runDue();
      changed();
    },
    data: account.data,
    change: (changes: unknown) => {
      const world = account.worldOf(null);
      applyChanges(
        {
          account: world.account,
          collection: (name) => (account.holds(name) ? world.collection(name) : undefined),
        },
        changes,
      );
      changed();
    },
    setData: (data: unknown) => {
      account.setData(data);
      changed();
    },
  };
}
