/**
 * Runs in a program's process before the program, as Node's `--import`: loads Pulumi's runtime and takes from it what costs time and serves nobody.
 * Nothing of what a program sees is changed by it. With `--held` it waits then for the arguments of the run and config that is too long for the environment, as JSON
 * on descriptor 3, and calls the engine over descriptor 4. When that closes the engine is gone, and the process ends.
 */

import { AsyncResource } from "node:async_hooks";
import { closeSync, readFileSync } from "node:fs";
import { Session } from "node:inspector";
import Module, { createRequire } from "node:module";
import { Socket } from "node:net";
import util from "node:util";
import { setFlagsFromString } from "node:v8";
import { isMainThread } from "node:worker_threads";
import { framesOver } from "./frames.js";
import { lookAtOneFrame } from "./places.js";

const [, script = "", first] = process.argv;
function prepare(require) {
  showWithoutColours();
  compileLater();
  // Tracing of calls has to come before what makes calls.
  ifThere(require, "./instrumentation");
  require("source-map-support/register");
  const sdk = loadLightly(require);
  if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) makeNoNotes(ifThere(require, "../../runtime/debuggable"));
  sendNoDebugging(require("../../log"));
  openDebuggerLater(ifThere(require, "../../runtime/closure/v8Hooks"));
  lookAtOneFrame(sdk.Resource, require("source-map-support"));
  if (first === "--held" && process.env.PULUMI_NODEJS_TYPESCRIPT === "true") loadCompilers(require);
}

/** Blocks; ends the process when whoever started it is gone. */
function lastOrder() {
  const text = readFileSync(3, "utf8");
  closeSync(3);
  if (text === "") process.exit(1);
  return JSON.parse(text);
}

/** Put where the runtime keeps it, once it has made that; what the program itself starts is handed none of it. */
function takeConfig(handed) {
  if (Object.keys(handed).length === 0) return;
  let store;
  const set = (made) => {
    store = made;
    if (made) Object.assign(made.config, handed);
  };
  Object.defineProperty(globalThis, "globalStore", { configurable: true, get: () => store, set });
}

const monitorIn = (words) => words.find((word) => word.startsWith("--monitor="))?.slice("--monitor=".length);

/** A module of the runtime; undefined where its version has none. */
function ifThere(require, name) {
  try {
    require.resolve(name);
  } catch {
    return undefined;
  }
  return require(name);
}

/** With colours Node 20.20 takes half a minute for an error whose stack has a path right below a scope (`@pulumi/resource.ts`). */
function showWithoutColours() {
  const plain = (options) =>
    typeof options === "object" && options?.colors ? { ...options, colors: false } : options;
  util.inspect = new Proxy(util.inspect, {
    apply: (inspect, self, [value, options, ...rest]) =>
      Reflect.apply(inspect, self, [value, plain(options), ...rest]),
  });
}

/** Most of what a program does it does once: by default compiling it for speed takes a fifth of its time. Later versions of Node have other flags, and compile less. */
function compileLater() {
  if (process.versions.node.startsWith("20.")) setFlagsFromString("--interrupt-budget=600000");
}

/** By the file of the runtime that asks for them: packages that are loaded when they are used, which most programs never do. */
const laterModules = [
  { by: /closure[\\/]codePaths\.js$/, names: new Set(["@npmcli/arborist", "normalize-package-data"]) },
  { by: /closure[\\/]parseFunction\.js$/, names: new Set(["../../typescript-shim"]) },
  {
    by: /cmd[\\/]run[\\/]tracing\.js$/,
    names: new Set([
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace-base",
      "@opentelemetry/exporter-zipkin",
      "@opentelemetry/instrumentation-grpc",
      "@opentelemetry/sdk-trace-node",
      "@opentelemetry/instrumentation",
    ]),
  },
];
const wholeSdk = /@pulumi[\\/]pulumi[\\/]index\.js$/;

/** Loads the package `@pulumi/pulumi` without what is rarely used of it. */
function loadLightly(require) {
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    const asker = parent?.filename ?? "";
    const now = () => Reflect.apply(load, this, [request, parent, ...rest]);
    if (laterModules.some(({ by, names }) => names.has(request) && by.test(asker))) return later(now);
    return request === "./automation" && wholeSdk.test(asker) ? { __esModule: true } : now();
  };
  try {
    const sdk = require("../../index");
    ifThere(require, "./tracing");
    onFirstUse(sdk, "automation", () => require("../../automation"));
    return sdk;
  } finally {
    Module._load = load;
  }
}

/** A module of CommonJS that is loaded by the first look at it; for what is compiled to look at `default` or at names. */
function later(load) {
  return new Proxy(
    {},
    {
      get(_, name) {
        if (name === "__esModule") return true;
        return name === "default" ? load() : load()[name];
      },
    },
  );
}

function onFirstUse(object, name, make) {
  const set = (value) =>
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  Object.defineProperty(object, name, {
    configurable: true,
    enumerable: true,
    get: () => set(make())[name],
    set,
  });
}

/** The runtime notes for each of its promises (some thirty a resource) where in the code it was made. */
function makeNoNotes(debuggable) {
  const noting = debuggable?.debuggablePromise;
  if (noting === undefined) return;
  debuggable.debuggablePromise = (promise, context) => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      return noting(promise, context);
    } finally {
      Error.stackTraceLimit = limit;
    }
  };
}

/** Several messages a resource are sent for debugging, one after the other, and nobody is shown them. */
function sendNoDebugging(log) {
  log.debug = () => Promise.resolve();
}

/** The debugger, which finds the text of functions, is opened by the first that asks: while it is open every promise takes longer. */
function openDebuggerLater(hooks) {
  if (hooks?.getSessionAsync === undefined) return;
  const scripts = new Map();
  let session;
  const open = async () => {
    const debug = new Session();
    debug.connect();
    // It tells first of every script that there is already.
    debug.on("Debugger.scriptParsed", ({ params }) => scripts.set(params.scriptId, params.url));
    await new Promise((settle, reject) =>
      debug.post("Debugger.enable", (error) => (error ? reject(error) : settle())),
    );
    return debug;
  };
  hooks.getSessionAsync = () => {
    session ??= open();
    return session;
  };
  hooks.getScriptUrl = (id) => scripts.get(id);
  // Whoever needs it asks for the session itself.
  hooks.isInitializedAsync = async () => {};
}

/** What compiles the program is found as the runtime will find it. */
function loadCompilers(require) {
  const found = ifThere(require, "../../tsutils")?.typeScriptRequireStrings?.();
  if (found === undefined) return;
  require(found.typescriptRequire);
  require(found.tsnodeRequire);
}

/** Makes the clients of the engine's services call it over the line: the same messages to the same methods. */
function callOverLine(require, address) {
  const grpc = require("@grpc/grpc-js");
  const call = openLine(grpc);
  for (const [file, name] of [
    ["resource_grpc_pb", "ResourceMonitor"],
    ["engine_grpc_pb", "Engine"],
  ]) {
    const { [`${name}Client`]: client, [`${name}Service`]: service } =
      ifThere(require, `../../proto/${file}`) ?? {};
    for (const [word, method] of Object.entries(service ?? {})) {
      const usual = client?.prototype[word];
      if (usual === undefined || method.requestStream || method.responseStream) continue;
      client.prototype[word] = function (request, ...rest) {
        const isEngine = this.getChannel().getTarget().endsWith(address);
        if (!isEngine) return Reflect.apply(usual, this, [request, ...rest]);
        call(
          method,
          request,
          rest.find((each) => typeof each === "function"),
        );
      };
    }
  }
}

/** What Pulumi's runtime allows itself. */
const largestMessage = 400 * 1024 * 1024;

/** Answers and failures are those that gRPC would give. A call keeps the process alive until it is answered. */
function openLine({ status, Metadata }) {
  const line = new Socket({ fd: 4, readable: true, writable: true });
  line.unref();
  const waiting = new Map();
  let calls = 0;
  const failure = (code, details) =>
    Object.assign(new Error(`${code} ${status[code]}: ${details}`), {
      code,
      details,
      metadata: new Metadata(),
    });
  // As the engine would, had it been able to: with all that the program has started.
  line.on("close", () => process.kill(-process.pid, "SIGKILL"));
  line.on("error", () => {});
  const frames = framesOver(line, (number, word, message) => {
    const { callback, method } = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) line.unref();
    const code = Number(word);
    if (code === status.OK) callback(null, method.responseDeserialize(message));
    else callback(failure(code, message.toString()));
  });
  return (method, request, then) => {
    const callback = AsyncResource.bind(then);
    const message = method.requestSerialize(request);
    const refuse = (code, why) => setImmediate(callback, failure(code, why));
    if (message.length > largestMessage)
      return refuse(status.RESOURCE_EXHAUSTED, `a message of ${message.length} bytes is too long`);
    if (waiting.size === 0) line.ref();
    waiting.set(++calls, { callback, method });
    frames.send(calls, method.path, message);
  };
}

// What a program forks inherits the option.
if (isMainThread && /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run[\\/]index\.js$/.test(script)) {
  prepare(createRequire(script));
  if (first === "--held") {
    const { args, handed } = lastOrder();
    process.argv.splice(2, 1, ...args);
    takeConfig(handed);
    callOverLine(createRequire(script), monitorIn(process.argv));
  }
}
