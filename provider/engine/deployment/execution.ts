/** Runs a program for a preview or an update: what the file shows, the refresh that was asked for, the checks, the steps, the outputs. */

import type { Catalogue } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { type Program, ProgramError } from "../host.ts";
import { createDeployment } from "./deployment.ts";
import type { Emit } from "./event.ts";
import { EngineError } from "./failure.ts";
import { refreshState } from "./refresh.ts";
import { type Declared, rehearse } from "./rehearsal.ts";
import type { Run } from "./run.ts";
import type { ResourceState } from "./state.ts";
import { urnParts } from "./urn.ts";

export interface ExecutionOptions {
  readonly program: Program | undefined;
  readonly catalogue: Catalogue;
  readonly organization: string;
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
  readonly emit: Emit;
}

export interface ExecutionChoice {
  readonly refresh?: boolean;
  readonly continueOnError?: boolean;
}

export interface Execution {
  /** Checks everything that needs no request. Undefined when the file itself has errors. */
  readonly check: (run: Run) => Promise<ReadonlyMap<string, Declared> | undefined>;
  /** Plans or applies. Resolves to the outputs, or to undefined when anything failed or was cancelled, which is reported. */
  readonly deploy: (run: Run, choice: ExecutionChoice) => Promise<ValueMap | undefined>;
}

export function createExecution(options: ExecutionOptions): Execution {
  function program(): Program {
    if (!options.program) throw new EngineError("usage", "This needs a stack file.");
    return options.program;
  }

  /** Reports what the file itself shows; false when there are errors. */
  function isSound(run: Run, of: Program): boolean {
    for (const diagnostic of of.diagnostics) run.report(diagnostic);
    return !of.diagnostics.some((diagnostic) => diagnostic.severity === "error");
  }

  const isOver = (run: Run): boolean => run.hasFailed() || run.signal.aborted;

  async function execute(run: Run, of: Program, continueOnError: boolean): Promise<ValueMap | undefined> {
    const deployment = createDeployment(run, { ...options, defaultConfig: of.providerConfig });
    const keys = new Set(of.graph.map(({ type, name }) => keyOf(type, name)));
    const isDeclared = (state: ResourceState): boolean =>
      keys.has(keyOf(state.type, urnParts(state.urn).name));
    let outputs: ValueMap | undefined;
    await deployment.clearOrphans(isDeclared);
    try {
      outputs = await of.run(deployment.host);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      for (const diagnostic of error.diagnostics) if (!run.isTold(diagnostic)) run.report(diagnostic);
    } finally {
      // What is under way ends before anything is saved, however the program ended.
      await deployment.settled();
    }
    run.tellRepeated();
    const isWhole = outputs !== undefined && !run.hasFailed();
    if (!run.signal.aborted && (isWhole || continueOnError)) {
      // A resource that was not reached, because something before it failed, is declared all the same.
      await deployment.removeUndeclared(isWhole ? () => false : isDeclared);
      run.tellRepeated();
    }
    if (outputs === undefined || isOver(run)) return undefined;
    deployment.saveOutputs(outputs);
    options.emit({ event: "outputs", outputs });
    return outputs;
  }

  const keyOf = (type: string, name: string): string =>
    `${options.catalogue.resolveResource(type) ?? type} ${name}`;

  return {
    async check(run) {
      const of = program();
      return isSound(run, of) ? rehearse(run, of, options) : undefined;
    },
    async deploy(run, { refresh, continueOnError }) {
      const of = program();
      if (!isSound(run, of)) return undefined;
      if (refresh ?? of.refresh) {
        const aside = run.aside("refresh");
        await refreshState(aside);
        aside.tellRepeated();
        if (isOver(run)) return undefined;
      }
      await rehearse(run.aside("validate"), of, options);
      if (isOver(run)) return undefined;
      return execute(run, of, continueOnError ?? false);
    },
  };
}
