/** Policy modules as rules that can be asked: run in a thread of their own, which is ended when a rule does not end. */

import { Worker } from "node:worker_threads";
import { didYouMeanOrOneOf } from "../../core/nearest.ts";
import { EngineError } from "../../engine/failure.ts";
import type { Answer, AskedRule, Level, SeenValues } from "../../engine/policy/rule.ts";
import { declaring, levels } from "../../engine/policy/rule.ts";
import { printError } from "../render/door.ts";
import type { ExportedRule, Reply, Request, ThreadData } from "./messages.ts";

/** How long one call of a rule, or the loading of one file, may take. Milliseconds. */
const LONGEST_CALL = 5000;
/** What a rule's thread may hold. MiB. */
const MOST_MEMORY = 512;

export interface Modules {
  readonly rules: readonly AskedRule[];
  readonly close: () => Promise<void>;
}

/** Loads the files. Throws EngineError `usage` for one that cannot be loaded, or that exports no sound rule. */
export async function loadModules(files: readonly string[]): Promise<Modules> {
  if (files.length === 0) return { rules: [], close: async () => {} };
  const thread = startThread();
  try {
    const exported: ExportedRule[] = [];
    for (const file of files) {
      const reply = await thread.call({ load: file });
      if ("fault" in reply)
        throw new EngineError("usage", `the policy module ${file} cannot be loaded: ${reply.fault}`);
      if ("rules" in reply) exported.push(...reply.rules);
    }
    return { rules: exported.map((each, at) => ruleOf(each, at, thread)), close: thread.close };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

interface Thread {
  readonly call: (request: Request) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

function startThread(): Thread {
  const data: ThreadData = { progress: new SharedArrayBuffer(4) };
  const progress = new Int32Array(data.progress);
  const worker = new Worker(new URL("./policy-worker.js", import.meta.url), {
    workerData: data,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
  });
  for (const stream of [worker.stdout, worker.stderr]) {
    // What rules print is for people, and never part of the output that programs read.
    stream.setEncoding("utf8").on("data", (text: string) => printError(`policies: ${text.trimEnd()}`));
  }
  let ended: string | undefined;
  let settle: ((reply: Reply) => void) | undefined;
  const end = (fault: string): void => {
    ended ??= fault;
    settle?.({ fault: ended });
  };
  worker.on("message", (reply: Reply) => settle?.(reply));
  worker.on("error", (error: Error) => end(`${error.name}: ${error.message}`));
  worker.on("exit", () => end("it ended the thread that it runs in"));

  const callNow = (request: Request): Promise<Reply> =>
    new Promise((done) => {
      if (ended !== undefined) return done({ fault: ended });
      let [seen, since] = [Atomics.load(progress, 0), Date.now()];
      const watch = setInterval(() => {
        const now = Atomics.load(progress, 0);
        if (now !== seen) [seen, since] = [now, Date.now()];
        else if (Date.now() - since > LONGEST_CALL) {
          end(`it did not end within ${LONGEST_CALL / 1000} seconds`);
          void worker.terminate();
        }
      }, 200);
      settle = (reply) => {
        settle = undefined;
        clearInterval(watch);
        done(reply);
      };
      worker.postMessage(request);
    });
  let last: Promise<unknown> = Promise.resolve();
  return {
    call(request) {
      const turn = last.then(() => callNow(request));
      last = turn;
      return turn;
    },
    close: async () => void (await worker.terminate()),
  };
}

const keys = [
  "name",
  "description",
  "level",
  "allow",
  "types",
  "operations",
  "settings",
  "check",
  "checkPlan",
] as const;
const operations = [...declaring, "delete", "read"] as const;

/** A rule as its module exports it, judged. Throws EngineError `usage` that names the file and what is wrong. */
function ruleOf({ file, exported }: ExportedRule, at: number, thread: Thread): AskedRule {
  const { name, description = "", level = "mandatory", allow = false, types, settings = {} } = exported;
  const { operations: given = declaring } = exported;
  const called = typeof name === "string" ? `rule ${JSON.stringify(name)}` : "a rule";
  const refuse = (reason: string): never => {
    throw new EngineError("usage", `${file}: ${called} ${reason}`);
  };
  const isTexts = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((each) => typeof each === "string");
  const stray = Object.keys(exported).find((key) => !(keys as readonly string[]).includes(key));
  if (stray) refuse(`has an unknown key "${stray}"${didYouMeanOrOneOf(stray, keys)}`);
  if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name))
    refuse('needs a "name" of letters, digits, "-", "_" and "."');
  if (typeof description !== "string") refuse('has a "description" that is no text');
  if (!levels.includes(level as Level)) refuse(`has a "level" that is none of ${levels.join(", ")}`);
  if (typeof allow !== "boolean") refuse('has an "allow" that is neither true nor false');
  if (types !== undefined && !isTexts(types)) refuse('has "types" that are no list of texts');
  if (!isTexts(given) || !given.every((each) => (operations as readonly string[]).includes(each)))
    refuse(`has "operations" that are no list of some of ${operations.join(", ")}`);
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    refuse('has "settings" that are no object of defaults');
  const isOfPlan = exported["checkPlan"] === "function";
  if (isOfPlan === (exported["check"] === "function"))
    refuse('needs a function: "check" for each step, or "checkPlan" for all of them');
  return {
    name: name as string,
    description: description as string,
    source: file,
    level: level as Level,
    allow: allow as boolean,
    ...(types === undefined ? {} : { types: types as string[] }),
    operations: given as AskedRule["operations"],
    isOfPlan,
    defaults: settings as SeenValues,
    async ask(steps, context): Promise<Answer> {
      const reply = await thread.call({ ask: at, steps, context });
      if ("fault" in reply) return { findings: [], fault: reply.fault };
      return { findings: "findings" in reply ? reply.findings : [] };
    },
  };
}
