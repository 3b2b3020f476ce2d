/** What every operation is wrapped in: the lock, the state opened and saved, the providers closed, the time taken, the summary told. */

import { isProviderType } from "../../core/engines/urn.ts";
import type { Catalogue, Provider } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { createPool } from "../deployment/pool.ts";
import { createRun, learnClock, type PlanCheck, type Run } from "../deployment/run.ts";
import type { Emit, Operation, Step, Summary } from "../event.ts";
import type { Diagnostic } from "../host.ts";
import { type Hold, isHeld } from "../policy/hold.ts";
import type { Ledger, Outcome } from "../state/ledger.ts";
import { describeOwner } from "../state/owner.ts";
import type { Sealer } from "../state/sealer.ts";
import type { States } from "../state/states.ts";
import type { Target } from "../state/target.ts";
import { createTargetJudge, type TargetJudge } from "./target.ts";

export interface OperationContext {
  readonly project: string;
  readonly stack: string;
  readonly states: States;
  /** Where the states tell what the user should know; an operation takes it over while it runs. */
  readonly notices: { tell: (message: string) => void };
  readonly emit: Emit;
  readonly now: () => Date;
  /** For a stack that has no state yet: the same in its previews and in the run that follows. */
  readonly lineage: string;
  readonly catalogue: Catalogue;
  readonly parallel: number;
  readonly createProvider: () => Provider;
  readonly defaultConfig?: ValueMap;
  readonly signal?: AbortSignal;
  /** The policies; absent: none. */
  readonly hold?: Hold;
}

export interface OperationOptions {
  /** Takes the lock and saves the state. */
  readonly write: boolean;
  readonly preview: boolean;
  readonly targets?: readonly string[] | undefined;
  readonly lineage?: string;
  readonly plan?: PlanCheck;
  /** True: secrets of the state that nothing at hand opens stay shut. */
  readonly withoutKey?: true;
  /** True: it is about what is declared alone, and looks at no state. */
  readonly withoutState?: true;
  /** True: everything may be gone at once. */
  readonly allowGone?: boolean | undefined;
  /** Where a plan is to be done. */
  readonly target?: Target;
  /** No target is refused: where the stack is to be is what the operation is about. */
  readonly takesAnyTarget?: true;
  /** Emits nothing. */
  readonly quiet?: boolean;
}

export interface Operations {
  readonly operate: <T extends object>(
    operation: Operation,
    options: OperationOptions,
    work: (run: Run, sealer: Sealer, targets: TargetJudge) => Promise<T>,
  ) => Promise<Summary & { steps: readonly Step[]; diagnostics: readonly Diagnostic[] } & T>;
  /** Does something else with the state while nobody writes it. */
  readonly locked: <T>(operation: Operation | "state", work: () => Promise<T>) => Promise<T>;
  /** Looks at the state, or a version of it, without a provider. */
  readonly readOnly: <T>(
    work: (ledger: Ledger, sealer: Sealer) => Promise<T>,
    version?: number,
  ) => Promise<T>;
  /**
   * Judges a configured Provider that works beside the operations, and returns it with its answers judged, too. Throws EngineError `target`.
   * `asks: false`: makes no request, so that an account is judged only where it is known.
   */
  readonly admit: (provider: Provider, how?: { readonly asks?: boolean }) => Promise<Provider>;
}

/** What is about the objects of the state; the others ask their provider first when they need one. */
const judged: ReadonlySet<Operation> = new Set(["preview", "up", "refresh", "drift", "destroy", "import"]);

/** What one operation works with. */
interface Equipment {
  readonly run: Run;
  readonly targets: TargetJudge;
}

export function createOperations(context: OperationContext): Operations {
  const { states } = context;
  const clock: { ahead?: number } = {};
  const accounts = new Map<string, string>();

  async function locked<T>(
    operation: Operation | "state",
    work: (lost?: AbortSignal) => Promise<T>,
    emit: Emit,
  ): Promise<T> {
    const lock = await states.store.lock.take(operation);
    try {
      if (lock.takenOverFrom) {
        const message = `An earlier run ended without letting go of the stack; taken over from ${describeOwner(lock.takenOverFrom, context.now())}.`;
        emit({ event: "diagnostic", severity: "info", message });
      }
      await states.store.tidy();
      const result = await work(lock.lost);
      lock.lost?.throwIfAborted();
      return result;
    } catch (error) {
      // Whatever failed after the lock was lost failed because of that.
      throw lock.lost?.aborted ? lock.lost.reason : error;
    } finally {
      await lock.release();
    }
  }

  let hasLooked = false;

  /** One address in a project file can lead both engines to one place; what Pulumi made is not to be made again unnoticed. */
  async function tellOfPulumis(emit: Emit): Promise<void> {
    if (hasLooked) return;
    hasLooked = true;
    const place = await states.pulumis();
    if (place === undefined) return;
    const message = `Pulumi keeps a stack of this name in the same place (${place}), and nothing of it is known here: its objects would be made again. To go on with it: pulumi stack export --file state.json && plumbline stack import state.json`;
    emit({ event: "diagnostic", severity: "warning", message });
  }

  /** Opens the state and makes what works on it. */
  async function equip(
    operation: Operation,
    options: OperationOptions,
    { emit, signal }: { readonly emit: Emit; readonly signal: AbortSignal },
  ): Promise<Equipment> {
    const ledger = await states.open({ ...options, lineage: options.lineage ?? context.lineage });
    if (ledger.isNew && judged.has(operation) && operation !== "import") await tellOfPulumis(emit);
    const targets = createTargetJudge({
      stack: context.stack,
      ledger,
      write: options.write,
      takesAny: options.takesAnyTarget ?? false,
      expected: options.target,
      accounts,
      report: (message) => emit({ event: "diagnostic", severity: "info", message }),
      signal,
    });
    const pool = createPool({
      createProvider: context.createProvider,
      catalogue: context.catalogue,
      ledger,
      defaultConfig: context.defaultConfig,
      admit: targets.admit,
    });
    const run = createRun({
      operation,
      project: context.project,
      stack: context.stack,
      preview: options.preview,
      ledger,
      pool,
      catalogue: context.catalogue,
      emit,
      signal,
      parallel: context.parallel,
      targets: options.targets ?? [],
      now: context.now,
      clock,
      admitWrite: targets.admitWrite,
      isElsewhere: targets.isElsewhere,
      allowsGone: options.allowGone ?? false,
      size: sizeOf(ledger),
      ...(options.plan ? { plan: options.plan } : {}),
      ...(context.hold ? { hold: context.hold } : {}),
    });
    return { run, targets };
  }

  return {
    operate(operation, options, work) {
      const begun = context.now().getTime();
      const { emit, diagnostics } = recording(options.quiet ? () => {} : context.emit);
      const body = async (lost?: AbortSignal) => {
        if (isHeld(operation)) await context.hold?.ready();
        const { project, stack } = context;
        const stops = [context.signal, lost].filter((each) => each !== undefined);
        emit({ event: "start", operation, ...previewOnly(options.preview), project, stack });
        context.notices.tell = (message) => emit({ event: "diagnostic", severity: "info", message });
        const { run, targets } = await equip(operation, options, { emit, signal: AbortSignal.any(stops) });
        const { ledger, pool, signal } = run;
        let hasEnded = false;
        const cancel = (): void => pool.cancel();
        if (signal.aborted) cancel();
        signal.addEventListener("abort", cancel);
        try {
          let result: Awaited<ReturnType<typeof work>>;
          try {
            if (judged.has(operation)) await targets.admitState(pool);
            result = await work(run, ledger.sealer, targets);
            if (!run.hasFailed() && !signal.aborted) await targets.bindAll();
            hasEnded = true;
          } finally {
            // Whatever happened, what was done is saved.
            if (options.write) await ledger.save(outcomeOf(run, hasEnded));
          }
          const seconds = (context.now().getTime() - begun) / 1000;
          const summary = { ...summaryOf(run, seconds), ...previewOnly(options.preview) };
          emit({ event: "summary", ...summary });
          return { ...summary, steps: run.steps, diagnostics, ...result };
        } finally {
          signal.removeEventListener("abort", cancel);
          pool.each((provider) => learnClock(clock, provider, context.now()));
          await pool.close();
          await states.close();
        }
      };
      return options.write ? locked(operation, body, emit) : body();
    },
    locked: (operation, work) => locked(operation, work, context.emit),
    async readOnly(work, version) {
      const ledger = await states.open({ write: false, withoutKey: true, version });
      return work(ledger, ledger.sealer);
    },
    async admit(provider, { asks = true } = {}) {
      const ledger = await states.open({ write: false, withoutKey: true });
      const { stack, signal } = context;
      const report = (): void => {};
      const judge = createTargetJudge({ stack, ledger, write: false, asks, accounts, report, signal });
      return judge.admit(undefined, provider);
    },
  };
}

/** How many resources of the state have an object of their own. */
const sizeOf = ({ resources }: Ledger): number =>
  [...resources.values()].filter(
    ({ custom, type, external, delete: isLeft }) => custom && !external && !isLeft && !isProviderType(type),
  ).length;

const previewOnly = (isPreview: boolean): { previewOnly?: true } => (isPreview ? { previewOnly: true } : {});

/** Emits events, and keeps the diagnostics among them. */
function recording(emit: Emit): { readonly emit: Emit; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  return {
    diagnostics,
    emit(event) {
      if (event.event === "diagnostic") {
        const { event: _, ...diagnostic } = event;
        diagnostics.push(diagnostic);
      }
      emit(event);
    },
  };
}

const resultOf = (run: Run): Summary["result"] =>
  run.signal.aborted ? "cancelled" : run.hasFailed() ? "failed" : "succeeded";

/** What the history says of a run. */
function outcomeOf(run: Run, hasEnded: boolean): Outcome {
  const counts = Object.fromEntries(Object.entries(run.counts()).filter(([, count]) => count > 0));
  return { operation: run.operation, result: hasEnded ? resultOf(run) : "failed", counts };
}

function summaryOf(run: Run, seconds: number): Summary {
  const guard = run.guard();
  return {
    operation: run.operation,
    result: resultOf(run),
    counts: run.counts(),
    requests: run.pool.requests(),
    seconds,
    changes: run.changes(),
    ...(guard ? { guard } : {}),
  };
}
