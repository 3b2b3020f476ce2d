/** What one plugin server remembers between calls: the provider at work, the engine's log, the create logs. It knows no message of the protocol. */

import { join } from "node:path";
import { owner, stackOf } from "../core/engines/urn.ts";
import { createMask, quoted } from "../core/masking.ts";
import type { Catalogue, Log, Provider, TargetIdentity, ValueMap } from "../core/protocol.ts";
import { CancelledError } from "../core/protocol.ts";
import { createEngineLog, type EngineLog, type Send } from "./engine-log.ts";
import { refuseOther } from "./target.ts";
import { type CreateLog, openCreateLog } from "./unfinished/create-log.ts";
import { tellLeftBehind } from "./unfinished/left-behind.ts";
import { createTakeover, type Takeover } from "./unfinished/takeover.ts";

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
  /** Names the run of the engine, the same for all its plugins. */
  readonly run: string;
}

/** What a verb works with while it runs. */
export interface Verb {
  readonly provider: Provider;
  readonly catalogue: Catalogue;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Throws when the account is not the one that the objects are on; `asks`: also where no answer has told it yet, by a request. */
  readonly admit: (options: { readonly asks: boolean }) => Promise<void>;
}

export interface Session {
  readonly parts: () => Promise<Parts>;
  /** Sends the engine's messages there from now on. */
  connect(send: Send | undefined): void;
  /** Puts a new provider to work with this configuration, for objects that are `bound` to a target; the one before ends with its last call. `urn` is the provider's own. */
  configure(config: ValueMap, bound?: TargetIdentity, urn?: string): Promise<void>;
  /** False when the engine takes no secrets. */
  keepSecrets: boolean;
  /** Runs a verb on a resource (an empty URN: on none). Throws CancelledError after a cancel. */
  run<T>(urn: string, work: (verb: Verb) => Promise<T>): Promise<T>;
  takeover(urn: string): Takeover;
  /** Remembers the secrets of these values, so that `hide` finds them. */
  guard(values: ValueMap): void;
  /** The text as it may be shown: without any secret that was guarded, and without what steers a terminal. */
  hide(text: string): string;
  /** Stops what waits and refuses what comes; returns at once. */
  cancel(): void;
  /** Resolves when no verb runs. */
  idle(): Promise<void>;
  /** The engine's run is over, and all that was answered is saved. */
  saved(): void;
  /** Tells of what killed runs created and no call of the run was about; for its end. */
  tellLeftBehind(): Promise<void>;
  /** Writes what must not be lost; for the exit. */
  flushNow(): void;
  close(): Promise<void>;
}

/** A provider from its first call to its last. */
interface Tenure {
  readonly provider: Provider;
  readonly stop: AbortController;
  running: number;
  isConfigured: boolean;
  isOver: boolean;
  /** The provider's own URN, where the engine told it. */
  urn?: string;
  /** Where the stack's objects are, as far as that was saved. */
  bound?: TargetIdentity;
}

export function createSession(options: SessionOptions): Session {
  let parts: Promise<Parts> | undefined;
  let tenure: Tenure | undefined;
  const takeovers = new Map<string, { log: CreateLog; takeover: Takeover }>();
  const idlers: (() => void)[] = [];
  let running = 0;

  const load = (): Promise<Parts> => {
    parts ??= options.load();
    return parts;
  };
  const mask = createMask();
  mask.guardText(process.env["PLUMBLINE_TOKEN"]);
  const hide = (text: string): string => quoted(mask.hide(text));
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
    configure: async (config, bound, urn) => {
      session.guard(config);
      const before = tenure;
      if (before && (before.isConfigured || before.stop.signal.aborted)) {
        tenure = undefined;
        await retire(before);
        // What the engine mentioned belongs to its earlier run.
        session.saved();
        for (const { log } of takeovers.values()) await log.flushed();
        takeovers.clear();
      }
      const now = await begin();
      now.isConfigured = true;
      if (urn !== undefined) now.urn = urn;
      await now.provider.configure(config);
      if (bound === undefined) return;
      now.bound = bound;
      await admit(now, { asks: false });
    },
    run: async (urn, work) => {
      const { catalogue } = await load();
      const now = await begin();
      if (now.stop.signal.aborted) throw new CancelledError("the run was cancelled before this began");
      const { log, end } = engineLog.open(urn);
      now.running++;
      running++;
      try {
        const { provider, stop } = now;
        return await work({
          provider,
          catalogue,
          log,
          signal: stop.signal,
          admit: (options) => admit(now, options),
        });
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
        entry = { log, takeover: createTakeover(log, options.run) };
        takeovers.set(stack, entry);
      }
      return entry.takeover;
    },
    guard: (values) => mask.guard(values),
    hide,
    cancel: () => {
      tenure?.stop.abort(new CancelledError());
      tenure?.provider.cancel();
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    saved: () => {
      for (const { takeover } of takeovers.values()) takeover.saved();
    },
    tellLeftBehind: async () => {
      const { urn = "", stop } = tenure ?? {};
      const of = owner(urn);
      // A run that was cut short did not come to all that is declared.
      if (of === undefined || stop?.signal.aborted || session.takeover(urn).leftBehind().length === 0) return;
      await session.run("", (verb) => tellLeftBehind(verb, session.takeover(urn), of.project));
    },
    flushNow: () => {
      for (const { log } of takeovers.values()) log.flushNow();
    },
    close: async () => {
      session.saved();
      for (const { log } of takeovers.values()) await log.flushed();
      await tenure?.provider.close();
    },
  };
  return session;
}

/** Holds the provider's target against the one that its objects are on. */
async function admit({ provider, bound, stop }: Tenure, { asks }: { readonly asks: boolean }): Promise<void> {
  if (bound === undefined || provider.identify === undefined) return;
  const isWorthAsking = asks && bound.account !== undefined;
  refuseOther(bound, await provider.identify({ asks: isWorthAsking, signal: stop.signal }));
}
