/** Runs a program for a preview or an update: what the file shows, the refresh that was asked for, the checks, the steps, the outputs. */

import { urnParts } from "../../core/engines/urn.ts";
import type { Catalogue } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import { createLookup } from "../deployment/adoption/lookup.ts";
import { createDeployment } from "../deployment/deployment.ts";
import type { Run } from "../deployment/run.ts";
import { type Succession, settleSuccession } from "../deployment/succession.ts";
import { EngineError } from "../failure.ts";
import { type Program, ProgramError, resourcesNamedBy } from "../host.ts";
import type { PositionOf } from "../policy/rule.ts";
import type { ResourceState } from "../state/state.ts";
import { mayDelete, mayGo } from "./foresight.ts";
import { refuseWhenAllGone } from "./gone.ts";
import { recorded } from "./recording.ts";
import { refreshState } from "./refresh.ts";
import { type Declared, type Rehearsal, rehearse } from "./rehearsal.ts";

export interface ExecutionOptions {
  readonly program: Program | undefined;
  readonly catalogue: Catalogue;
  readonly organization: string;
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
}

export interface ExecutionChoice {
  readonly refresh?: boolean;
  readonly continueOnError?: boolean;
  /** Looks on the account for what is declared and not in the state. */
  readonly adopt?: boolean;
}

export interface Execution {
  /** Checks everything that needs no request. Undefined when the file itself has errors. */
  readonly check: (run: Run) => Promise<ReadonlyMap<string, Declared> | undefined>;
  /** Plans or applies. Resolves to the outputs, or to undefined when anything failed or was cancelled, which is reported. */
  readonly deploy: (run: Run, choice: ExecutionChoice) => Promise<ValueMap | undefined>;
}

/** A program, and the same for runs that only look. */
interface Rehearsed extends Program {
  readonly rehearsed: Program;
}

interface Seen {
  /** As `subjectOf` names it. */
  readonly of: string;
  readonly judged: Rehearsal;
  readonly deletions: Run["deletions"];
}

export function createExecution(options: ExecutionOptions): Execution {
  const known = options.program && { ...options.program, rehearsed: recorded(options.program) };
  /** The last preview that ended well. */
  let seen: Seen | undefined;

  function program(): Rehearsed {
    if (!known) throw new EngineError("usage", "This needs a stack file.");
    return known;
  }

  /** Reports what the file itself shows; false when there are errors. */
  function isSound(run: Run, of: Program): boolean {
    for (const diagnostic of of.diagnostics) run.report(diagnostic);
    return !of.diagnostics.some((diagnostic) => diagnostic.severity === "error");
  }

  const isOver = (run: Run): boolean => run.hasFailed() || run.signal.aborted;

  async function execute(
    run: Run,
    of: Rehearsed,
    { urns, declared, succession }: Rehearsal & { readonly succession: Succession },
    { continueOnError = false, adopt = false }: ExecutionChoice,
  ): Promise<ValueMap | undefined> {
    for (const { goal } of declared.values())
      if (goal.options.import !== undefined) run.imports.add(`${goal.type} ${goal.options.import}`);
    const deployment = createDeployment(run, {
      ...options,
      declared: urns,
      succession,
      ...(adopt ? { lookup: createLookup(run, declared.values()) } : {}),
      defaultConfig: of.providerConfig,
    });
    const keys = of.graph && new Set(of.graph.map(({ type, name }) => keyOf(type, name)));
    // Where only a run tells what there is, anything may be declared.
    const isDeclared = (state: ResourceState): boolean =>
      keys?.has(keyOf(state.type, urnParts(state.urn).name)) ?? true;
    let outputs: ValueMap | undefined;
    await deployment.clearOrphans(isDeclared);
    try {
      // An update runs the program itself, whose other effects belong to it.
      outputs = await (run.preview ? of.rehearsed : of).run(deployment.host, succession.first);
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
    const isSame = !deployment.saveOutputs(outputs);
    run.emit({ event: "outputs", outputs, ...(isSame ? { isSame } : {}) });
    return outputs;
  }

  const keyOf = (type: string, name: string): string =>
    `${options.catalogue.resolveResource(type) ?? type} ${name}`;

  /** Who comes first, where names go from one resource to another. */
  function succeed(run: Run, of: Program, { declared, claimed }: Rehearsal): Promise<Succession> {
    const keys = of.graph && new Map(of.graph.map(({ key, type, name }) => [keyOf(type, name), key]));
    return settleSuccession(run, {
      declared,
      claimed,
      graph:
        of.graph ??
        [...declared].map(([key, { goal }]) => ({ ...goal, key, dependsOn: [...resourcesNamedBy(goal)] })),
      keyOf: ({ type, name, options: { parent } }) =>
        keys ? (keys.get(keyOf(type, name)) ?? name) : run.urnOf(type, name, parent),
      mayGo: (state, declaration) => mayGo(run, state, declaration),
    });
  }

  /**
   * Sees what a preview of this very run deletes, so that the run can be held to it. Whatever a preview would refuse is refused here, before
   * anything is deleted. A preview that was shown just before, of the same state, has seen it already.
   */
  async function foresee(
    run: Run,
    of: Rehearsed,
    rehearsal: Rehearsal & { readonly succession: Succession },
    choice: ExecutionChoice,
  ): Promise<void> {
    if (seen?.of === subjectOf(run, choice)) return run.deletions.take(seen.deletions);
    const isNeeded =
      (await run.hold?.needsPlan()) || (await mayDelete(run, rehearsal.declared, of.providerConfig));
    if (!isNeeded) return;
    const ahead = run.ahead();
    await execute(ahead, of, rehearsal, choice);
    if (!choice.continueOnError) run.join(ahead);
    await run.hold?.plan(run, ahead.steps, placesIn(rehearsal));
    run.deletions.take(ahead.deletions);
  }

  return {
    async check(run) {
      const of = program();
      return isSound(run, of) ? (await rehearse(run, of.rehearsed, options)).declared : undefined;
    },
    async deploy(run, choice) {
      const of = program();
      if (!isSound(run, of)) return undefined;
      const refreshes = choice.refresh ?? of.refresh;
      if (refreshes) {
        const aside = run.aside("refresh");
        await refreshState(aside);
        aside.tellRepeated();
        if (isOver(run)) return undefined;
      }
      const subject = subjectOf(run, choice);
      // What a preview of this very state found sound is not rehearsed again: the run checks everything itself before it writes.
      const judged =
        !run.preview && !refreshes && seen?.of === subject
          ? seen.judged
          : await rehearse(run.aside("validate"), of.rehearsed, { ...options, isFollowed: true });
      if (isOver(run)) return undefined;
      const rehearsal = { ...judged, succession: await succeed(run, of, judged) };
      if (isOver(run)) return undefined;
      if (keepsNothing(run, rehearsal)) await refuseWhenAllGone(run, "deleted or forgotten");
      if (!run.preview) await foresee(run, of, rehearsal, choice);
      if (isOver(run)) return undefined;
      const outputs = await execute(run, of, rehearsal, choice);
      if (run.preview) await run.hold?.plan(run, run.steps, placesIn(rehearsal));
      const isWhole = outputs !== undefined && !isOver(run);
      seen = run.preview && isWhole ? { of: subject, judged, deletions: run.deletions } : undefined;
      return isWhole ? outputs : undefined;
    },
  };
}

/** Where properties are declared. */
const placesIn =
  ({ declared }: Rehearsal): PositionOf =>
  (urn, property) =>
    declared.get(urn)?.goal.positionOf(property);

/** True when nothing of the state is declared any more, so that the run is a destroy by another name. */
const keepsNothing = (run: Run, { declared }: Rehearsal): boolean =>
  ![...run.ledger.resources.values()].some(({ custom, urn }) => custom && declared.has(urn));

/** What a preview is about: a state, and what of it. */
const subjectOf = ({ ledger, targets }: Run, { refresh = false, adopt = false }: ExecutionChoice): string =>
  JSON.stringify([ledger.lineage, ledger.serial, targets, refresh, adopt]);
