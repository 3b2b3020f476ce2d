/** Puts the emulator together and serves it over HTTP. */

import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { createAccount } from "./account.ts";
import { createKeeper, type Keeper, readDataFile, readSeedFile } from "./account-file.ts";
import { areas } from "./areas/index.ts";
import { createBrand } from "./brand.ts";
import { applyChanges } from "./changes.ts";
import { createConnections } from "./connection.ts";
import { operations } from "./contract.ts";
import { control } from "./control.ts";
import { serveDns } from "./dns/served.ts";
import { createFaults, faultReason } from "./faults.ts";
import type { Emulator, EmulatorOptions, FaultRule } from "./index.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createRouter } from "./router.ts";
import { makeSeedRequests } from "./seed.ts";
import { type Answer, createService } from "./service.ts";
import { createStats } from "./stats.ts";
import { readTokensFile } from "./users.ts";

/** Bytes of a request's body: a whole account must fit in `PUT /_emulator/data`. */
const largestBody = 512 * 1024 * 1024;

/** Starts an emulator. Rejects when the port is taken or a file cannot be read. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const log = options.log ?? ((line: string) => void process.stderr.write(`emulator: ${line}\n`));
  const { speed = 1, host = "127.0.0.1", data: dataFile } = options;
  if (speed !== "max" && !(speed > 0)) throw new Error(`the speed must be above 0 or max, not ${speed}`);
  const word = options.brand ?? "compute";
  const brand = createBrand(word);
  const tokensFile = options.tokens === undefined ? undefined : readTokensFile(options.tokens, brand.swap);
  const seed = typeof options.seed === "string" ? readSeedFile(options.seed) : options.seed;
  const kept = dataFile === undefined ? undefined : readDataFile(dataFile);

  let keeper: Keeper | undefined;
  const changed = () => keeper?.changed();
  const account = createAccount({ areas, brand: word, speed, seed, tokens: tokensFile, log, changed });
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
  // From here on: a start that failed before has written nothing.
  if (dataFile !== undefined) keeper = createKeeper(dataFile, account.data, log);

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

  /** Plays the fault that hits the request, else tells what `act` answers. The query is left out of the log when it is secret. */
  async function tell(
    request: FastifyRequest,
    reply: FastifyReply,
    logged: { path: string; query: string; template: string | undefined },
    act: () => Answer | Promise<Answer>,
  ) {
    const { method } = request;
    const entry = stats.enter(method, logged.path, logged.query, logged.template);
    const rule = faults.hit(method, logged.template);
    entry.fault = rule?.do ?? null;
    const response = reply.raw;
    if (rule?.do === "reset-before") {
      connections.reset(response);
      return;
    }
    if (rule?.do === "status") {
      entry.status = connections.send(response, statusFault(rule, account.clock.now()));
      return;
    }
    const answer = await act();
    // A service that has answered a write does not forget it, even when the emulator is killed at once.
    if (method !== "GET") await keeper?.saved();
    if (response.destroyed) return;
    entry.status = rule
      ? await connections.sendBroken(response, answer, rule)
      : connections.send(response, answer);
  }

  function answerService(request: FastifyRequest, reply: FastifyReply, path: string, query: string) {
    const found = route(path.replace(/^\/v4(?:beta)?/, ""));
    return tell(request, reply, { path, query, template: found?.template }, () =>
      serve({
        method: request.method,
        route: found,
        query,
        headers: request.headers,
        body: request.body as Buffer | undefined,
        // A socket for both families tells IPv4 clients as IPv6.
        remoteAddress: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
      }),
    );
  }

  /** Answers what an area serves beside the API. Its query may hold a signature, which no log shows. */
  function answerBeside(
    request: FastifyRequest,
    reply: FastifyReply,
    [path, query]: readonly [string, string],
    [template, serveBeside]: (typeof beside)[number],
  ) {
    const { rawHeaders } = request.raw;
    const type = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === "content-type");
    return tell(request, reply, { path, query: "", template }, () => {
      account.jobs.runDue();
      const answer = serveBeside({
        world: account.worldOf(null),
        method: request.method,
        path,
        query: new URLSearchParams(query),
        headers: {
          ...(request.headers as { [name: string]: string | undefined }),
          "content-type": type < 0 ? undefined : rawHeaders[type + 1],
        },
        body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
      });
      changed();
      return answer;
    });
  }

  function answerControl(request: FastifyRequest, reply: FastifyReply, path: string, query: string): void {
    const answer = control(controlled, request.method, path, query, request.body as Buffer | undefined);
    connections.send(reply.raw, {
      status: answer.status,
      headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
      body: JSON.stringify(answer.body),
    });
  }

  const http = fastify({
    forceCloseConnections: true,
    bodyLimit: largestBody,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => plainError(reply, 404, "Not found"),
  });
  http.removeAllContentTypeParsers();
  // Bodies are JSON whatever their type says; a type that cannot be read would be refused before the service sees the request.
  http.addHook("onRequest", (request, _reply, done) => {
    if (request.headers["content-type"] !== undefined) request.headers["content-type"] = "application/json";
    done();
  });
  http.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  http.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    plainError(reply, error.statusCode ?? 500, error.message),
  );
  http.setNotFoundHandler((_request, reply) => plainError(reply, 404, "Not found"));
  http.all("/*", (request, reply) => {
    const [path = "/", query = ""] = split(request.raw.url ?? "/");
    const other = beside.find(([template]) => path.startsWith(template.slice(0, template.indexOf("{"))));
    if (other || /^\/v4(?:beta)?(?:\/|$)/.test(path)) {
      reply.hijack();
      const told = other
        ? answerBeside(request, reply, [path, query], other)
        : answerService(request, reply, path, query);
      told.catch((error: Error) => {
        log(`${request.method} ${path} could not be answered: ${error.stack}`);
        reply.raw.destroy();
      });
    } else if (path.startsWith("/_emulator/")) {
      reply.hijack();
      answerControl(request, reply, path, query);
    } else plainError(reply, 404, "Not found");
  });

  await http.listen({ port: options.port ?? 0, host });
  const address = http.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const dns =
    options.dns === undefined
      ? undefined
      : await serveDns(account.worldOf(null), {
          port: options.dns,
          host,
          before: account.jobs.runDue,
          log,
        }).catch(async (error: Error) => {
          await http.close();
          throw error;
        });
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
    close: async () => {
      account.jobs.stop();
      connections.close();
      await Promise.all([http.close(), dns?.close()]);
      keeper?.close();
    },
  };
}

function split(url: string): [string, string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** The answer of a rule that says `status`: the service's form of an error, except that a gateway's 502 is a web page. */
function statusFault(rule: FaultRule, now: Date): Answer {
  const status = rule.status ?? 500;
  const reason = faultReason(status);
  const page = status === 502;
  return {
    status,
    headers: {
      "Content-Type": page ? "text/html" : "application/json",
      Date: now.toUTCString(),
      ...rule.headers,
    },
    body: page
      ? `<html><head><title>502 ${reason}</title></head><body><h1>${reason}</h1></body></html>`
      : JSON.stringify(status < 400 ? {} : { errors: [{ reason }] }),
  };
}

function plainError(reply: FastifyReply, status: number, reason: string): void {
  reply
    .code(status)
    .header("Content-Type", "application/json")
    .send(Buffer.from(JSON.stringify({ errors: [{ reason }] })));
}
