/** What every part of one operation shares: the working state, the providers, how steps are told and counted, and when to stop. */

import pLimit from "p-limit";
import {
  CancelledError,
  type Catalogue,
  CheckFailedError,
  type Log,
  type Provider,
  ResourceInitFailedError,
  type Urn,
} from "../../core/protocol.ts";
import { type Diagnostic, type Goal, ProgramError } from "../host.ts";
import type { Emit, Guard, Operation, Step, StepCounts } from "./event.ts";
import { EngineError, messageOf } from "./failure.ts";
import type { Ledger } from "./ledger.ts";
import type { PlanCheck } from "./plan.ts";
import type { ProviderPool } from "./pool.ts";
import { isDefaultProvider, isProviderType, makeUrn, matchesTarget, stackType, urnParts } from "./urn.ts";

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
}

export interface Run extends RunOptions {
  /** Runs at most `parallel` at a time. Rejects with CancelledError instead of starting after a cancel. */
  readonly limited: <T>(work: () => Promise<T>) => Promise<T>;
  readonly throwIfCancelled: () => void;
  readonly isTargeted: (urn: Urn) => boolean;
  /** For a verb's request: its messages become events of the resource. */
  readonly logOf: (urn?: Urn) => Log;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Reports what a resource failed of, with places where the goal knows them, and makes of it what its program gets. */
  readonly failure: (error: unknown, urn: Urn, goal?: Pick<Goal, "positionOf">) => ProgramError;
  /** True when the fault was told, or folded into one that was. */
  readonly isTold: (diagnostic: Diagnostic) => boolean;
  /** Tells how many more resources failed for a reason that was told once. */
  readonly tellRepeated: () => void;
  /** Tells that the step would happen, or does `work` and tells how it went. Steps of the engine's own resources are not told. */
  readonly perform: <T extends { outputs?: Step["oldOutputs"]; id?: string | undefined }>(
    step: Step,
    work: () => Promise<T>,
  ) => Promise<T>;
  /** When a write begins, by the service's clock as well as it can be told (RFC 3339). */
  readonly serviceTime: (provider: Provider) => string;
  readonly urnOf: (type: string, name: string, parent?: Urn) => Urn;
  /** The same run for a part that counts and tells no steps; what fails in it fails the run. */
  readonly aside: (operation: Operation) => Run;
  readonly steps: readonly Step[];
  readonly counts: () => StepCounts;
  readonly changes: () => boolean;
  readonly hasFailed: () => boolean;
  readonly guard: () => Guard | undefined;
}

/** Steps of the stack itself and of default providers are the engine's own business. */
export function isInternal(step: Pick<Step, "type" | "urn">): boolean {
  return step.type === stackType || (isProviderType(step.type) && isDefaultProvider(step.urn));
}

export function createRun(options: RunOptions): Run {
  const limit = pLimit(Math.max(1, options.parallel));
  const steps: Step[] = [];
  const counts = { create: 0, update: 0, replace: 0, delete: 0, same: 0, import: 0, read: 0 };
  let changes = false;
  let failed = false;
  let guard: Guard | undefined;
  const told = new Set<string>();
  const messages = new Set<string>();
  const repeated = new Map<string, number>();

  const throwIfCancelled = (): void => {
    if (options.signal.aborted) throw new CancelledError();
  };

  const report = (diagnostic: Diagnostic): void => {
    if (diagnostic.severity === "error") failed = true;
    options.emit({ event: "diagnostic", ...diagnostic });
  };

  function count(step: Step): void {
    if (step.op !== "same" && step.op !== "read") changes = true;
    if (!step.replaced) counts[step.op] += 1;
    steps.push(step);
  }

  const run: Run = {
    ...options,
    steps,
    serviceTime(provider) {
      learnClock(options.clock, provider, options.now());
      return new Date(options.now().getTime() + (options.clock.ahead ?? -unknownClockMargin)).toISOString();
    },
    urnOf: (type, name, parent) => makeUrn(options.stack, options.project, type, name, parent),
    aside(operation) {
      const emit: Emit = (event) => {
        if (event.event === "diagnostic") {
          const { event: _, ...diagnostic } = event;
          report(diagnostic);
        } else if (event.event === "progress") options.emit(event);
      };
      const { plan: _, ...rest } = options;
      return createRun({ ...rest, operation, emit });
    },
    throwIfCancelled,
    report,
    limited: (work) =>
      limit(() => {
        throwIfCancelled();
        return work();
      }),
    isTargeted: (urn) =>
      options.targets.length === 0 || options.targets.some((target) => matchesTarget(target, urn)),
    logOf: (urn) => (severity, message, how) => {
      if (how?.ephemeral || severity === "debug") {
        options.emit({ event: "progress", severity, message, ...(urn === undefined ? {} : { urn }) });
      } else report({ severity, message, ...(urn === undefined ? {} : { urn }) });
    },
    isTold: (diagnostic) => told.has(keyOf(diagnostic)),
    tellRepeated() {
      for (const [message, count] of repeated) {
        options.emit({
          event: "diagnostic",
          severity: "error",
          message: `${count} more ${count === 1 ? "resource" : "resources"} failed for the same reason: ${message}`,
        });
      }
      repeated.clear();
    },
    failure(error, urn, goal) {
      if (error instanceof ProgramError) return error;
      if (error instanceof CancelledError && options.signal.aborted) return new ProgramError([]);
      if (error instanceof EngineError && (error.code === "protect" || error.code === "plan")) {
        guard ??= { kind: error.code, message: error.message };
      }
      const asked =
        error instanceof CheckFailedError ? error.failures.find((failure) => failure.guard) : undefined;
      if (asked) guard ??= { kind: "change", message: `${urnParts(urn).name}: ${asked.reason}` };
      const diagnostics = faultsOf(error).map(
        ({ property, reason }): Diagnostic => ({
          severity: "error",
          message: property === "" ? reason : `${property}: ${reason}`,
          urn,
          ...(property === "" ? {} : { property }),
          ...goal?.positionOf(property),
        }),
      );
      failed = true;
      for (const diagnostic of diagnostics) {
        told.add(keyOf(diagnostic));
        // A wrong token or an unreachable service fails every resource alike: one message says it.
        if (diagnostic.property === undefined && messages.has(diagnostic.message)) {
          repeated.set(diagnostic.message, (repeated.get(diagnostic.message) ?? 0) + 1);
        } else report(diagnostic);
        messages.add(diagnostic.message);
      }
      return new ProgramError(diagnostics);
    },
    async perform(step, work) {
      throwIfCancelled();
      // The end of what a replacement left behind belongs to the replacement's own step in a plan.
      const quiet = isInternal(step) || (options.preview && step.replaced === true);
      if (options.preview) {
        const result = await work();
        if (!quiet) {
          count(step);
          options.emit({ event: "planned", step });
        }
        return result;
      }
      const begun = options.now().getTime();
      const seconds = (): number => (options.now().getTime() - begun) / 1000;
      if (!quiet && step.op !== "same") options.emit({ event: "started", step });
      try {
        const result = await work();
        if (!quiet) {
          const done =
            result.id === undefined
              ? step
              : { ...step, id: step.op === "create" ? result.id : (step.id ?? result.id) };
          count(done);
          const outputs = result.outputs === undefined ? {} : { outputs: result.outputs };
          options.emit({ event: "finished", step: done, seconds: seconds(), ...outputs });
        }
        return result;
      } catch (error) {
        if (!quiet) {
          const reasons = error instanceof ResourceInitFailedError ? error.reasons : [messageOf(error)];
          if (step.op !== "same") changes = true;
          options.emit({ event: "failed", step, seconds: seconds(), reasons });
        }
        throw error;
      }
    },
    counts() {
      const { import: imports, read, ...always } = counts;
      return { ...always, ...(imports > 0 ? { import: imports } : {}), ...(read > 0 ? { read } : {}) };
    },
    changes: () => changes,
    hasFailed: () => failed,
    guard: () => guard,
  };
  return run;
}

const keyOf = ({ urn, message }: Diagnostic): string => `${urn ?? ""} ${message}`;

function faultsOf(error: unknown): readonly { property: string; reason: string }[] {
  if (error instanceof CheckFailedError && error.failures.length > 0) return error.failures;
  if (error instanceof ResourceInitFailedError && error.reasons.length > 0) {
    return error.reasons.map((reason) => ({ property: "", reason }));
  }
  return [{ property: "", reason: messageOf(error) }];
}

/**
 * Before the service has answered anything its clock is unknown. What an interrupted creation made is told from older objects by its time,
 * so the time is then set back by what clocks may differ: better to find the object than to make a second one.
 */
const unknownClockMargin = 60_000;

/** Takes over what the provider has seen of the service's clock; one that asked nothing has seen nothing. */
export function learnClock(clock: { ahead?: number }, provider: Provider, now: Date): void {
  if (!Object.values(provider.requests()).some((count) => count > 0)) return;
  const ahead = Date.parse(provider.serviceTime()) - now.getTime();
  if (!Number.isNaN(ahead)) clock.ahead = ahead;
}

/** The first words of a step for a resource. */
export function stepFor(
  op: Step["op"],
  resource: { readonly urn: Urn; readonly type: string; readonly id?: string | undefined },
  more: Partial<Step> = {},
): Step {
  return {
    op,
    urn: resource.urn,
    type: resource.type,
    name: urnParts(resource.urn).name,
    ...(resource.id ? { id: resource.id } : {}),
    detailedDiff: {},
    replaceReasons: [],
    ...more,
  };
}
