/** What one plugin server remembers between calls: the provider at work, the engine's log, the create logs. It knows no message of the protocol. */

import { join } from "node:path";
import type { Catalogue, Log, Provider, ValueMap } from "../core/protocol.ts";
import { CancelledError } from "../core/protocol.ts";
import { isSecret, some, type Value } from "../core/value.ts";
import { type CreateLog, openCreateLog } from "./create-log.ts";
import { createEngineLog, type EngineLog, type Send } from "./engine-log.ts";
import { createTakeover, type Takeover } from "./takeover.ts";
import { stackOf } from "./urn.ts";

/** What the plugin needs of the provider; loaded at the first call that needs it. */
export interface Parts {
  readonly createProvider: () => Provider;
  readonly catalogue: Catalogue;
  readonly packageSchema: () => object;
}

export interface SessionOptions {
  readonly load: () => Promise<Parts>;
  /** Folder of the create logs, one file a stack. */
  readonly createsFolder: string;
}

/** What a verb works with while it runs. */
export interface Verb {
  readonly provider: Provider;
  readonly catalogue: Catalogue;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Session {
  readonly parts: () => Promise<Parts>;
  /** Sends the engine's messages there from now on. */
  connect(send: Send | undefined): void;
  /** Puts a new provider to work with this configuration; the one before ends with its last call. */
  configure(config: ValueMap): Promise<void>;
  /** False when the engine takes no secrets. */
  keepSecrets: boolean;
  /** Runs a verb on a resource (an empty URN: on none). Throws CancelledError after a cancel. */
  run<T>(urn: string, work: (verb: Verb) => Promise<T>): Promise<T>;
  takeover(urn: string): Takeover;
  /** Remembers the secrets of these values, so that `hide` finds them. */
  guard(values: ValueMap): void;
  /** The text without any secret that was guarded. */
  hide(text: string): string;
  /** Stops what waits and refuses what comes; returns at once. */
  cancel(): void;
  /** Resolves when no verb runs. */
  idle(): Promise<void>;
  /** Writes what must not be lost; for the exit. */
  settleNow(): void;
  close(): Promise<void>;
}

/** A provider from its first call to its last. */
interface Tenure {
  readonly provider: Provider;
  readonly stop: AbortController;
  running: number;
  isConfigured: boolean;
  isOver: boolean;
}

/** Shorter secrets would blank out ordinary words. */
const shortestHidden = 6;

export function createSession(options: SessionOptions): Session {
  let parts: Promise<Parts> | undefined;
  let tenure: Tenure | undefined;
  const takeovers = new Map<string, { log: CreateLog; takeover: Takeover }>();
  const secrets = new Set<string>();
  const idlers: (() => void)[] = [];
  let running = 0;

  const load = (): Promise<Parts> => {
    parts ??= options.load();
    return parts;
  };
  const hide = (text: string): string => {
    let hidden = text;
    for (const secret of secrets) if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, "[secret]");
    return hidden;
  };
  const engineLog: EngineLog = createEngineLog(hide);

  async function begin(): Promise<Tenure> {
    const { createProvider } = await load();
    tenure ??= {
      provider: createProvider(),
      stop: new AbortController(),
      running: 0,
      isConfigured: false,
      isOver: false,
    };
    return tenure;
  }

  async function retire(old: Tenure): Promise<void> {
    old.isOver = true;
    if (old.running === 0) await old.provider.close();
  }

  const session: Session = {
    parts: load,
    keepSecrets: true,
    connect: (send) => engineLog.connect(send),
    configure: async (config) => {
      session.guard(config);
      const before = tenure;
      if (before && (before.isConfigured || before.stop.signal.aborted)) {
        tenure = undefined;
        await retire(before);
        // What the engine mentioned belongs to its earlier run.
        for (const { log } of takeovers.values()) await log.settled();
        takeovers.clear();
      }
      const now = await begin();
      now.isConfigured = true;
      await now.provider.configure(config);
    },
    run: async (urn, work) => {
      const { catalogue } = await load();
      const now = await begin();
      if (now.stop.signal.aborted) throw new CancelledError("the run was cancelled before this began");
      const { log, end } = engineLog.open(urn);
      now.running++;
      running++;
      try {
        return await work({ provider: now.provider, catalogue, log, signal: now.stop.signal });
      } finally {
        await end();
        now.running--;
        running--;
        if (now.isOver && now.running === 0) await now.provider.close();
        if (running === 0) for (const wake of idlers.splice(0)) wake();
      }
    },
    takeover: (urn) => {
      const stack = stackOf(urn);
      let entry = takeovers.get(stack);
      if (entry === undefined) {
        const file = join(options.createsFolder, encodeURIComponent(stack));
        const log = openCreateLog(file, (message) => engineLog.open("").log("warning", message));
        entry = { log, takeover: createTakeover(log) };
        takeovers.set(stack, entry);
      }
      return entry.takeover;
    },
    guard: (values) => {
      some(values, (value) => {
        if (isSecret(value)) gather(value.value, secrets);
        return false;
      });
    },
    hide,
    cancel: () => {
      tenure?.stop.abort(new CancelledError());
      tenure?.provider.cancel();
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    settleNow: () => {
      for (const { log } of takeovers.values()) log.settleNow();
    },
    close: async () => {
      for (const { log } of takeovers.values()) await log.settled();
      await tenure?.provider.close();
    },
  };
  return session;
}

/** The texts within a secret. */
function gather(value: Value, into: Set<string>): void {
  some(value, (part) => {
    if (typeof part === "string" && part.length >= shortestHidden) into.add(part);
    return false;
  });
}
