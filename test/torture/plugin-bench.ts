/** One emulator and one stack of the plugin's, run by the played engine: what a kill leaves of it is the account, the engine's state and the plugin's create log. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { startEmulator, starterAccount } from "../../emulator/index.ts";
import { noNotes } from "../../provider/core/engines/notes.ts";
import { makeUrn, urnParts } from "../../provider/core/engines/urn.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { catalogue, createProvider, packageSchema } from "../../provider/provider.ts";
import { servePlugin } from "../../provider/pulumi/server.ts";
import { openCreateLog } from "../../provider/pulumi/unfinished/create-log.ts";
import { decodeProperties, encodeProperties } from "../../provider/wire/struct.ts";
import { connectHurried } from "../hurried.ts";
import { connect, startEngine } from "../pulumi/client.ts";
import type { JudgedBench, Outcome } from "./judge.ts";
import { pluginFolder } from "./place.ts";
import { type Deployment, type Entry, play, refresh } from "./played-engine.ts";
import type { Recorded } from "./recording.ts";
import type { Resources } from "./stack.ts";

/** Where a run is stopped: at a request of the plugin, or with an answer of the plugin that the engine has not saved. */
export interface Stroke {
  readonly when: "before" | "after" | "unsaved";
  /** Which request, or which answer. */
  readonly nth: number;
  /** Reads everything before going on, as is advised after an accident. */
  readonly isRefreshed: boolean;
}

export interface PluginBench extends JudgedBench {
  /** Runs an update by a plugin in a process of its own, which is killed there; undefined when it ended before. */
  readonly strike: (stack: string, stroke: Stroke) => Promise<Recorded | undefined>;
  /** Names of resources whose creates are unfinished now, or whose old objects are still there, and whether each is to replace another. */
  readonly unfinished: () => readonly { readonly name: string; readonly isReplacement: boolean }[];
  readonly close: () => Promise<void>;
}

/** A plugin at work, wherever it is. */
interface Running {
  readonly port: number;
  readonly end: () => Promise<void>;
}

const stateFile = "state";
/** What the last run told of as left behind, for the person who goes on. */
const leftFile = "left";
const stack = "dev";
/** Milliseconds after which a run is stuck. */
const patience = 60_000;

export async function openPluginBench({ port = 0 } = {}): Promise<PluginBench> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-torture-"));
  const creates = join(folder, "creates");
  const emulator = await startEmulator({
    ...{ seed: starterAccount, speed: "instant", port, log: () => {} },
    watch: (moment, request) => bench.watch?.(moment, request),
  });
  const environment = { PLUMBLINE_BASE_URL: emulator.baseUrl, PLUMBLINE_TOKEN: emulator.token };
  const engine = await startEngine();
  let state: Deployment = { resources: [] };
  /** What the last run told of as left behind. */
  let left: Outcome["steps"] = [];

  /** In this process: the code is the same, it is there at once, and it need not wait as long. */
  async function serve(): Promise<Running> {
    const parts = {
      createProvider: () => createProvider({ environment, connect: connectHurried }),
      catalogue,
      packageSchema,
    };
    const { address: engineAddress } = engine;
    const server = await servePlugin({ load: async () => parts, createsFolder: creates, engineAddress });
    const end = async () => {
      server.session.saved();
      await server.session.tellLeftBehind();
      await server.close();
    };
    return { port: server.port, end };
  }

  /** As the engine starts it. */
  async function start(): Promise<Running> {
    const child = spawn(join(pluginFolder, "pulumi-resource-plumbline"), [engine.address], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...environment, PLUMBLINE_STATE: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const [line] = (await Promise.race([once(child.stdout, "data"), ended])) as [unknown];
    const kill = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    return { port: Number(line), end: kill };
  }

  /** Lets a plugin work, and ends it. */
  async function using<T>(
    running: Running,
    work: (client: ReturnType<typeof connect>) => Promise<T>,
  ): Promise<T> {
    const client = connect(running.port);
    const timer = setTimeout(running.end, patience);
    try {
      return await work(client);
    } finally {
      clearTimeout(timer);
      client.close();
      await running.end();
    }
  }

  /** What the preview says that becomes of what a killed create left, beside its steps. */
  const announced = (): Outcome["steps"] =>
    engine.heard.flatMap(({ message }) => {
      const [, type, id, fate] =
        /: (\w+) (\S+) is there\b.*; the update (deletes it|changes it in place)/.exec(message) ?? [];
      const op = fate === "deletes it" ? "delete" : "update";
      return id === undefined ? [] : [{ op, type: type!, name: type!, id, detailedDiff: {} }];
    });

  /** What the run says that killed runs made, that is there, and that nothing names any more. */
  const leftBehind = (): Outcome["steps"] =>
    engine.heard.flatMap(({ message }) => {
      const created = /while it created (\S+) \((\S+)\).*: it is there, as (\S+)\. /.exec(message);
      const [, name, type, id] = created ?? /while it set (\S+) \((\S+)\) on (\S+), /.exec(message) ?? [];
      const op = created ? "delete" : "update";
      return id === undefined ? [] : [{ op, type: type!, name: name!, id, detailedDiff: {} }];
    });

  /** Works without anybody watching. */
  async function unseen(work: () => Promise<void>): Promise<void> {
    const { watch } = bench;
    bench.watch = undefined;
    try {
      await work();
    } finally {
      bench.watch = watch;
    }
  }

  const bench: PluginBench = {
    emulator,
    watch: undefined,
    now() {
      const files = new Map(logsIn(creates));
      files.set(stateFile, written(state)).set(leftFile, JSON.stringify(left));
      return { account: emulator.data(), files };
    },
    restore({ account, files }) {
      emulator.setData(account);
      state = readState(files.get(stateFile));
      left = JSON.parse(files.get(leftFile) ?? "[]") as Outcome["steps"];
      rmSync(creates, { recursive: true, force: true });
      for (const [name, text] of files) {
        if (name === stateFile || name === leftFile) continue;
        mkdirSync(creates, { recursive: true });
        writeFileSync(join(creates, name), text);
      }
    },
    run: (text, work) => {
      const { resources } = JSON.parse(text) as { resources: Resources };
      const played = async (declared: Resources | undefined, isPreview: boolean): Promise<Outcome> => {
        // Of settings, which nothing is read of, is told once only.
        const kept = left.filter(({ op, name }) => op === "update" && !(name in (declared ?? {})));
        if (!isPreview)
          await deleteByHand(environment, [...kept, ...left.filter(({ op }) => op === "delete")]);
        engine.heard.length = 0;
        const outcome = await using(await serve(), (client) =>
          play({ client, state }, declared, { isPreview }),
        );
        left = [...(isPreview ? kept : []), ...leftBehind()];
        // What only the update could look for is told by it, and seen to then.
        if (!isPreview) await unseen(() => deleteByHand(environment, left));
        const steps = [...outcome.steps, ...announced(), ...left];
        return isPreview ? { ...outcome, steps, changes: outcome.changes || left.length > 0 } : outcome;
      };
      return work({
        preview: () => played(resources, true),
        up: () => played(resources, false),
        destroy: ({ previewOnly = false } = {}) => played(undefined, previewOnly),
      });
    },
    async strike(text, { when, nth, isRefreshed }) {
      const { resources } = JSON.parse(text) as { resources: Resources };
      const running = await start();
      let [at, seen] = [undefined as string | undefined, 0];
      const kill = (what: string) => {
        at = what;
        void running.end();
      };
      let target: number | undefined;
      bench.watch = (moment, { n, method, path }) => {
        if (moment === "before" && when !== "unsaved" && ++seen === nth) target = n;
        if (n !== target || moment !== when) return undefined;
        kill(`${when} ${method} ${path}`);
        return "cut";
      };
      const answered = (what: string) => {
        if (when === "unsaved" && at === undefined && ++seen === nth) kill(`after the answer to ${what}`);
        if (at !== undefined) throw new Error("the engine is dead");
      };
      const outcome = await using(running, (client) => play({ client, state, answered }, resources));
      bench.watch = undefined;
      if (at === undefined) {
        if (outcome.result === "succeeded") return undefined;
        at = `nowhere, ${outcome.diagnostics.map(({ message }) => message).join("; ")}`;
      }
      left = [];
      if (isRefreshed) {
        engine.heard.length = 0;
        await using(await serve(), (client) => refresh({ client, state }));
        left = leftBehind();
      }
      return { ...bench.now(), at: isRefreshed ? `${at}, refreshed` : at };
    },
    unfinished() {
      const urns = state.resources.map(({ urn }) => urn);
      // The engine deletes the old object at its next end: until then nothing else can have its name.
      const condemned = state.resources
        .filter(({ isCondemned }) => isCondemned)
        .map(({ urn }) => ({ name: urnParts(urn).name, isReplacement: true }));
      const log = openCreateLog(join(creates, stack));
      return logsIn(creates)
        .flatMap(([, text]) => [...text.matchAll(/"begin":"([^"]+)"/g)])
        .map(([, urn]) => urn!)
        .filter((urn) => log.find(urn) !== undefined)
        .map((urn) => ({ name: urnParts(urn).name, isReplacement: urns.includes(urn) }))
        .concat(condemned);
    },
    async close() {
      engine.close();
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

/** Deletes at the service what was told of, as is advised: what is within others before those. */
async function deleteByHand(environment: NodeJS.ProcessEnv, told: Outcome["steps"]): Promise<void> {
  if (told.length === 0) return;
  const provider = createProvider({ environment, connect: connectHurried });
  await provider.configure({});
  for (let rest = told; rest.length > 0; ) {
    const kept: Outcome["steps"][number][] = [];
    for (const step of rest) {
      const { type, name, id = "" } = step;
      const own = {
        urn: makeUrn(stack, "torture", type, name),
        type,
        name,
        id,
        log: () => {},
        notes: noNotes,
      };
      try {
        const live = await provider.read(own);
        if (live) await provider.delete({ ...own, oldInputs: live.inputs, state: live.state });
      } catch {
        kept.push(step);
      }
    }
    if (kept.length === rest.length) break;
    rest = kept;
  }
  await provider.close();
}

const logsIn = (folder: string): [string, string][] =>
  existsSync(folder)
    ? readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])
    : [];

const wire = (values: ValueMap) => encodeProperties(values).toJavaScript();
const unwired = (values: object): ValueMap => decodeProperties(struct.Struct.fromJavaScript(values as never));

function written({ provider, resources }: Deployment): string {
  return JSON.stringify({
    ...(provider && { provider: wire(provider) }),
    resources: resources.map((entry) => ({
      ...entry,
      inputs: wire(entry.inputs),
      outputs: wire(entry.outputs),
    })),
  });
}

function readState(text = '{"resources":[]}'): Deployment {
  const { provider, resources } = JSON.parse(text) as { provider?: object; resources: readonly Entry[] };
  return {
    ...(provider && { provider: unwired(provider) }),
    resources: resources.map((entry) => ({
      ...entry,
      inputs: unwired(entry.inputs),
      outputs: unwired(entry.outputs),
    })),
  };
}
