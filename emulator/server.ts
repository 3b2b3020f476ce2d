/** The emulator's doors: HTTP, DNS, the data file, and their end. */

import { readDataFile } from "./account/account-file.ts";
import { type Keeper, keptFile, openKeeper } from "./account/keeper.ts";
import { serveDns } from "./areas/dns/served.ts";
import type { DnsServer } from "./areas/dns/server.ts";
import type { Emulator, EmulatorOptions } from "./face.ts";
import { createConnections } from "./http/connection.ts";
import { createDispatch } from "./http/dispatch.ts";
import { createListener } from "./http/listener.ts";
import { createInside } from "./inside.ts";

/** The most bytes of a request to the service; and of an object's content or a whole account (`PUT /_emulator/data`). */
const largestRequest = 16 * 1024 * 1024;
const largestContent = 512 * 1024 * 1024;

/** Starts an emulator. Rejects when the port is taken or a file cannot be read. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const log = options.log ?? ((line: string) => void process.stderr.write(`emulator: ${line}\n`));
  const { host = "127.0.0.1" } = options;
  let keeper: Keeper | undefined;
  const changed = () => keeper?.changed();
  const inside = await createInside(options, changed, log);
  const { account, controlled, mismatches } = inside;
  const dataFile = options.data === undefined ? undefined : keptFile(options.data);
  const kept = dataFile === undefined ? undefined : readDataFile(dataFile, log);
  if (kept) account.setData(kept);

  const connections = createConnections();
  const dispatch = createDispatch({
    ...{ ...inside, connections, host, changed, log, watch: options.watch },
    saved: () => keeper?.saved() ?? Promise.resolve(),
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
    stats: controlled.stats.counts,
    reset: controlled.reset,
    advance: controlled.advance,
    setFaults: (rules) => controlled.faults.setRules(rules),
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
