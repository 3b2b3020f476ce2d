/** Puts the emulator together and serves it over HTTP. */

import { createAccount } from "./account/account.ts";
import { readDataFile, readSeedFile } from "./account/account-file.ts";
import { applyChanges } from "./account/changes.ts";
import { type Keeper, keptFile, openKeeper } from "./account/keeper.ts";
import { makeSeedRequests } from "./account/seed.ts";
import { readTokensFile } from "./account/users.ts";
import { refuse } from "./area.ts";
import { serveDns } from "./areas/dns/served.ts";
import type { DnsServer } from "./areas/dns/server.ts";
import { areas } from "./areas/index.ts";
import { operations } from "./contract/contract.ts";
import type { Emulator, EmulatorOptions } from "./face.ts";
import { createBrand } from "./http/brand.ts";
import { createConnections } from "./http/connection.ts";
import { createDispatch } from "./http/dispatch.ts";
import { createFaults } from "./http/faults.ts";
import { createListener } from "./http/listener.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import { createRouter } from "./http/router.ts";
import { createService } from "./http/service.ts";
import { createStats } from "./http/stats.ts";

/** The most bytes of a request to the service; and of an object's content or a whole account (`PUT /_emulator/data`). */
const largestRequest = 16 * 1024 * 1024;
const largestContent = 512 * 1024 * 1024;

/** The service writes four digits of a year. */
const lastMoment = Date.UTC(9000, 0, 1);

/** Starts an emulator. Rejects when the port is taken or a file cannot be read. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const log = options.log ?? ((line: string) => void process.stderr.write(`emulator: ${line}\n`));
  const { speed = 1, host = "127.0.0.1" } = options;
  if (typeof speed === "number" ? !(speed > 0) : speed !== "max" && speed !== "instant")
    throw new Error(`the speed must be above 0, max or instant, not ${speed}`);
  const { startTime } = options;
  if (startTime && !(startTime.getTime() >= 0 && startTime.getTime() <= lastMoment))
    throw new Error("the start time must be a moment from 1970 to the year 9000");
  const word = options.brand ?? "compute";
  const brand = createBrand(word);
  const tokensFile = options.tokens === undefined ? undefined : readTokensFile(options.tokens, brand.swap);
  const seed = typeof options.seed === "string" ? readSeedFile(options.seed) : options.seed;
  const dataFile = options.data === undefined ? undefined : keptFile(options.data);
  const kept = dataFile === undefined ? undefined : readDataFile(dataFile, log);

  let keeper: Keeper | undefined;
  const changed = () => keeper?.changed();
  const account = createAccount({
    areas,
    brand: word,
    speed,
    startTime,
    seed,
    tokens: tokensFile,
    log,
    changed,
  });
  const mismatches: string[] = [];
  const stats = createStats();
  const beside = areas.flatMap((area) => Object.entries(area.beside ?? {}));
  const faults = createFaults(
    new Set([...operations.map(({ template }) => template), ...beside.map(([template]) => template)]),
  );
  faults.setRules(options.faults ?? []);
  const rateLimit = createRateLimit(options.rateLimit ?? "off", account.clock.millis);
  const connections = createConnections();
  const route = createRouter(operations, brand.swap);
  const serve = createService({
    account,
    areas,
    brand,
    rateLimit,
    cors: options.cors ?? false,
    open: tokensFile === undefined,
    checkAnswers: options.checkAnswers ?? false,
    mismatch: (text) => mismatches.push(text),
    changed,
    log,
  });

  await makeSeedRequests(seed?.requests ?? [], route, serve, account.token);
  account.begin();
  rateLimit.clear();
  if (kept) account.setData(kept);

  const controlled = {
    stats,
    faults,
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

  const dispatch = createDispatch({
    account,
    controlled,
    connections,
    route,
    serve,
    beside,
    host,
    saved: () => keeper?.saved() ?? Promise.resolve(),
    changed,
    watch: options.watch,
    log,
  });
  let open: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const listener = createListener({
    handle: async (asked, response) => {
      await opened;
      await dispatch(asked, response);
    },
    largestBody: (path) => (/^\/v4(?:beta)?\//.test(path) ? largestRequest : largestContent),
    log,
  });
  const port = await listener.listen(options.port ?? 0, host);
  let dns: DnsServer | undefined;
  let stoppedBy: (error: Error) => void;
  const stopped = new Promise<Error>((resolve) => {
    stoppedBy = resolve;
  });
  const stop = async (failure?: Error) => {
    account.jobs.stop();
    connections.close();
    await Promise.all([failure ? listener.drain() : listener.close(), dns?.close()]);
    dns = undefined;
    if (failure) stoppedBy(failure);
  };
  try {
    if (options.dns !== undefined)
      dns = await serveDns(account.worldOf(null), {
        port: options.dns,
        host,
        before: account.jobs.runDue,
        log,
      });
    // Only now: a start that failed before, by a port that is taken too, has written nothing.
    if (dataFile !== undefined)
      keeper = await openKeeper(dataFile, account, (error) => {
        log(`the emulator stops: ${error.message}`);
        void stop(error);
      });
  } catch (error) {
    await stop();
    throw error;
  }
  open!();
  account.jobs.start();

  return {
    baseUrl: `http://${host.includes(":") ? `[${host}]` : host}:${port}/v4`,
    token: account.token,
    port,
    ...(dns && { dnsPort: dns.port }),
    mismatches,
    stats: stats.counts,
    reset: controlled.reset,
    advance: controlled.advance,
    setFaults: (rules) => faults.setRules(rules),
    data: () => structuredClone(account.data()),
    setData: controlled.setData,
    change: controlled.change,
    stopped,
    close: async () => {
      await stop();
      await keeper?.close();
    },
  };
}
