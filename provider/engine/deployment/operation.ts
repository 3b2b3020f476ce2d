/** What every operation is wrapped in: the lock, the state opened and saved, the providers closed, the time taken, the summary told. */

import type { Catalogue, Provider } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import type { Diagnostic } from "../host.ts";
import type { Emit, EngineEvent, Operation, Step, Summary } from "./event.ts";
import type { StateFolder } from "./folder.ts";
import type { Ledger } from "./ledger.ts";
import { describeOwner, type Machine, takeLock } from "./lock.ts";
import type { PlanCheck } from "./plan.ts";
import { createPool } from "./pool.ts";
import { createRun, learnClock, type Run } from "./run.ts";
import type { Sealer } from "./sealer.ts";

export interface OperationContext {
  readonly project: string;
  readonly stack: string;
  readonly folder: StateFolder;
  /** Where the state folder tells what the user should know; an operation takes it over while it runs. */
  readonly notices: { tell: (message: string) => void };
  readonly emit: Emit;
  readonly now: () => Date;
  /** For a stack that has no state yet: the same in its previews and in the run that follows. */
  readonly lineage: string;
  readonly machine: Machine;
  readonly catalogue: Catalogue;
  readonly parallel: number;
  readonly createProvider: () => Provider;
  readonly defaultConfig?: ValueMap;
  readonly signal?: AbortSignal;
}

export interface OperationOptions {
  /** Takes the lock and saves the state. */
  readonly write: boolean;
  readonly preview: boolean;
  readonly targets?: readonly string[] | undefined;
  readonly lineage?: string;
  readonly plan?: PlanCheck;
  /** Emits nothing. */
  readonly quiet?: boolean;
}

export interface Operations {
  readonly operate: <T extends object>(
    operation: Operation,
    options: OperationOptions,
    work: (run: Run, sealer: Sealer) => Promise<T>,
  ) => Promise<Summary & { steps: readonly Step[]; diagnostics: readonly Diagnostic[] } & T>;
  /** Looks at the state without a provider. */
  readonly readOnly: <T>(work: (ledger: Ledger, sealer: Sealer) => Promise<T>) => Promise<T>;
}

export function createOperations(context: OperationContext): Operations {
  const { folder } = context;
  const clock: { ahead?: number } = {};

  async function locked<T>(operation: Operation, work: (emit: Emit) => Promise<T>, emit: Emit): Promise<T> {
    const lock = await takeLock(folder.disk, folder.files.lock, operation, context.machine, context.now);
    try {
      if (lock.takenOverFrom) {
        const message = `An earlier run ended without letting go of the stack; taken over from ${describeOwner(lock.takenOverFrom, context.now())}.`;
        emit({ event: "diagnostic", severity: "info", message });
      }
      await folder.tidy();
      return await work(emit);
    } finally {
      await lock.release();
    }
  }

  return {
    operate(operation, options, work) {
      const begun = context.now().getTime();
      const diagnostics: Diagnostic[] = [];
      const emit = (event: EngineEvent): void => {
        if (event.event === "diagnostic") {
          const { event: _, ...diagnostic } = event;
          diagnostics.push(diagnostic);
        }
        if (!options.quiet) context.emit(event);
      };
      const body = async () => {
        emit({ event: "start", operation, project: context.project, stack: context.stack });
        context.notices.tell = (message) => emit({ event: "diagnostic", severity: "info", message });
        const ledger = await folder.open({ ...options, lineage: options.lineage ?? context.lineage });
        const pool = createPool({
          createProvider: context.createProvider,
          catalogue: context.catalogue,
          ledger,
          defaultConfig: context.defaultConfig,
        });
        const signal = context.signal ?? new AbortController().signal;
        const cancel = (): void => pool.cancel();
        if (signal.aborted) cancel();
        signal.addEventListener("abort", cancel);
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
          ...(options.plan ? { plan: options.plan } : {}),
        });
        try {
          let result: Awaited<ReturnType<typeof work>>;
          try {
            result = await work(run, ledger.sealer);
          } finally {
            // Whatever happened, what was done is saved.
            if (options.write) await ledger.save();
          }
          const guard = run.guard();
          const summary: Summary = {
            operation,
            result: signal.aborted ? "cancelled" : run.hasFailed() ? "failed" : "succeeded",
            counts: run.counts(),
            requests: pool.requests(),
            seconds: (context.now().getTime() - begun) / 1000,
            changes: run.changes(),
            ...(guard ? { guard } : {}),
          };
          emit({ event: "summary", ...summary });
          return { ...summary, steps: run.steps, diagnostics, ...result };
        } finally {
          signal.removeEventListener("abort", cancel);
          pool.each((provider) => learnClock(clock, provider, context.now()));
          await pool.close();
          await folder.disk.close();
        }
      };
      return options.write ? locked(operation, body, emit) : body();
    },
    async readOnly(work) {
      const ledger = await folder.open({ write: false });
      return work(ledger, ledger.sealer);
    },
  };
}
