/** What every part of one operation shares: the working state, the providers, how steps are told and counted, and when to stop. */

import pLimit from "p-limit";
import { unknownClockMargin } from "../../core/engines/clock.ts";
import { makeUrn, matchesTarget, stackType, urnParts } from "../../core/engines/urn.ts";
import { CancelledError, type Catalogue, type Log, type Provider, type Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import type { Emit, Operation, Step, StepCounts } from "../event.ts";
import { EngineError } from "../failure.ts";
import { type Hold, isHeld } from "../policy/hold.ts";
import type { Ledger } from "../state/ledger.ts";
import { createDeletions, type Deletions } from "./deletions.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createStarts, createTally, type Perform, performing } from "./performance.ts";
import type { ProviderPool } from "./pool.ts";

/** Checks each step of a run against a plan. */
export interface PlanCheck {
  /** Throws EngineError `plan` when the plan has another step for the URN, or none. */
  readonly expect: (step: Step, inputs: ValueMap) => void;
}

export interface RunOptions {
  readonly operation: Operation;
  readonly project: string;
  readonly stack: string;
  /** True: nothing is written, neither to the service nor to the state. */
  readonly preview: boolean;
  readonly ledger: Ledger;
  readonly pool: ProviderPool;
  readonly catalogue: Catalogue;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly parallel: number;
  readonly targets: readonly string[];
  readonly now: () => Date;
  /** How far the service's clock was ahead of ours when last seen, in milliseconds; shared by the operations of one engine. */
  readonly clock: { ahead?: number };
  /** A saved plan that each step must agree with. */
  readonly plan?: PlanCheck;
  /** How many resources with an object the stack had when the operation began. */
  readonly size: number;
  /** What its steps are held to; absent: no policies. */
  readonly hold?: Hold;
  /** True when what the provider resource made is on another target than the provider works on. */
  readonly isElsewhere: (urn: Urn, provider: Provider) => Promise<boolean>;
  /** True: the user says that everything may be gone at once. */
  readonly allowsGone?: boolean;
  /** Rejects unless the provider works on the target that the state belongs to; after it, the service's time is known. */
  readonly admitWrite: (provider: Provider) => Promise<void>;
}

/** What is journalled of a write before it starts. */
export interface Intent {
  readonly keep: () => Promise<void>;
  readonly drop: () => Promise<void>;
}

/** How many writes have their intents kept, for each that runs. */
const intentsEach = 4;

export interface Run extends RunOptions, Faults {
  /**
   * Writes for a resource, of which at most `parallel` run at a time: its step is told as started now. Rejects with CancelledError instead of starting after a
   * cancel. The intent is kept before, while others have the places, so that no place waits for the journal; it is dropped when nothing starts.
   */
  readonly limited: <T>(urn: Urn, work: () => Promise<T>, intent?: Intent) => Promise<T>;
  readonly throwIfCancelled: () => void;
  readonly isTargeted: (urn: Urn) => boolean;
  /** For a verb's request: its messages become events of the resource. */
  readonly logOf: (urn?: Urn) => Log;
  readonly perform: Perform;
  /** When a write begins, by the service's clock as well as it can be told (RFC 3339). Rejects when the provider may not write (`admitWrite`). */
  readonly writeTime: (provider: Provider) => Promise<string>;
  readonly urnOf: (type: string, name: string, parent?: Urn) => Urn;
  /** The same run for a part that counts and tells no steps; what fails in it fails the run. */
  readonly aside: (operation: Operation) => Run;
  /** A preview of this run, of the state as it is now and with providers of its own, which changes and tells nothing. */
  readonly ahead: () => Run;
  /** Objects that the program imports, as `TYPE ID`: they belong to resources of their own already. */
  readonly imports: Set<string>;
  /** A preview's deletions, as it meets them. A run makes those that were foreseen for it and no other. */
  readonly deletions: Deletions;
  readonly steps: readonly Step[];
  readonly counts: () => StepCounts;
  readonly changes: () => boolean;
}

export function createRun(options: RunOptions): Run {
  const places = Math.max(1, options.parallel);
  const [limit, intended] = [pLimit(places), pLimit(intentsEach * places)];
  const faults = createFaults(options);
  const tally = createTally();
  const starts = createStarts();
  const { now, emit, signal, targets } = options;

  const throwIfCancelled = (): void => {
    if (signal.aborted) throw new CancelledError();
  };

  return {
    ...options,
    ...faults,
    imports: new Set(),
    deletions: createDeletions(),
    steps: tally.steps,
    counts: tally.counts,
    changes: tally.changes,
    async writeTime(provider) {
      await options.admitWrite(provider);
      learnClock(options.clock, provider, now());
      return new Date(now().getTime() + (options.clock.ahead ?? -unknownClockMargin)).toISOString();
    },
    urnOf: (type, name, parent) => makeUrn(options.stack, options.project, type, name, parent),
    aside(operation) {
      const { plan: _, ...rest } = options;
      return createRun({ ...rest, operation, emit: told(faults.report, emit) });
    },
    ahead: () => createRun(foreseeing(options)),
    throwIfCancelled,
    limited: (urn, work, intent) =>
      intended(async () => {
        throwIfCancelled();
        await intent?.keep();
        return limit(async () => {
          if (signal.aborted) await intent?.drop();
          throwIfCancelled();
          starts.begin(urn);
          return work();
        });
      }),
    isTargeted: (urn) => targets.length === 0 || targets.some((target) => matchesTarget(target, urn)),
    logOf: (urn) => (severity, message, how) => {
      const about = urn === undefined ? {} : { urn };
      if (how?.ephemeral || severity === "debug") emit({ event: "progress", severity, message, ...about });
      else faults.report({ severity, message, ...about });
    },
    perform: performing({ ...options, throwIfCancelled, judge: judgeOf(options, faults) }, tally, starts),
  };
}

/** What judges each step of a run before it is performed. */
const judgeOf =
  ({ operation, hold }: RunOptions, faults: Faults) =>
  async (step: Step): Promise<void> => {
    if (isHeld(operation)) await hold?.step(faults, step);
  };

/** The options of a preview of a run, which tells errors alone. */
function foreseeing(options: RunOptions): RunOptions {
  const { plan: _, ...rest } = options;
  const ledger = options.ledger.fork();
  return {
    ...rest,
    preview: true,
    ledger,
    pool: options.pool.fork(ledger),
    emit: (event) => {
      if (event.event === "diagnostic" && event.severity === "error") options.emit(event);
    },
  };
}

/** Emits for a part of a run: its diagnostics are the run's own, its steps are not told. */
const told =
  (report: Faults["report"], emit: Emit): Emit =>
  (event) => {
    if (event.event === "diagnostic") {
      const { event: _, ...diagnostic } = event;
      report(diagnostic);
    } else if (event.event === "progress") emit(event);
  };

/** Throws EngineError `usage` for a target that neither the state nor the program, whose URNs these are, has. */
export function refuseUnknownTargets(run: Run, declared: Iterable<Urn> = []): void {
  const urns = new Set([...declared, ...[...run.ledger.resources.values()].map((state) => state.urn)]);
  const missing = run.targets.filter((target) => ![...urns].some((urn) => matchesTarget(target, urn)));
  if (missing.length === 0) return;
  const names = missing.map((target) => JSON.stringify(target)).join(", ");
  throw new EngineError(
    "usage",
    `Neither the stack file nor the state has a resource ${names}: give a name or a URN that one of them has (\`plumbline stack graph\` shows those of the state). Nothing was done.`,
  );
}

/** Takes over what the provider has seen of the service's clock; one that asked nothing has seen nothing. */
export function learnClock(clock: { ahead?: number }, provider: Provider, now: Date): void {
  if (!Object.values(provider.requests()).some((count) => count > 0)) return;
  const ahead = Date.parse(provider.serviceTime()) - now.getTime();
  if (!Number.isNaN(ahead)) clock.ahead = ahead;
}

/** The first words of a step for a resource. */
export function stepFor(
  op: Step["op"],
  resource: {
    readonly urn: Urn;
    readonly type: string;
    readonly id?: string | undefined;
    readonly parent?: Urn;
  },
  more: Partial<Step> = {},
): Step {
  return {
    op,
    urn: resource.urn,
    type: resource.type,
    name: urnParts(resource.urn).name,
    ...(resource.id ? { id: resource.id } : {}),
    ...(resource.parent && urnParts(resource.parent).type !== stackType ? { parent: resource.parent } : {}),
    detailedDiff: {},
    replaceReasons: [],
    ...more,
  };
}
