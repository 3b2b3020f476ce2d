/** Runs a program with nothing but checks: no request, no state changed. Finds what the declarations alone show, before anything is asked of the service. */

import { isProviderType, makeUrn } from "../../core/engines/urn.ts";
import { CheckFailedError, type Provider, type Urn } from "../../core/protocol.ts";
import { unknownFrom, type ValueMap } from "../../core/value.ts";
import { guarded } from "../deployment/apply.ts";
import { type Entry, goalAliases, nameSeed } from "../deployment/goal.ts";
import { ignoreChanges, sameValue, withSources } from "../deployment/property.ts";
import { type Run, refuseUnknownTargets } from "../deployment/run.ts";
import { callFunction } from "../deployment/unmanaged/call.ts";
import { EngineError } from "../failure.ts";
import { type Goal, type Host, type Position, type Program, ProgramError, type Registered } from "../host.ts";
import type { ResourceState } from "../state/state.ts";

export interface Declared {
  readonly goal: Goal;
  /** Of the state that it is found by, under its own URN or an alias. */
  readonly slot?: number;
  /** Checked. */
  readonly inputs: ValueMap;
  readonly position?: Position;
}

export interface Rehearsal {
  /** What the program declares, but for what targets leave out. */
  readonly declared: ReadonlyMap<Urn, Declared>;
  /** Every URN that it registers or reads. */
  readonly urns: ReadonlySet<Urn>;
  /** Slots of the state that one of these is found by, under its own URN or an alias. */
  readonly claimed: ReadonlySet<number>;
}

export interface RehearsalOptions {
  readonly organization: string;
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
  /** True: a run follows, which checks everything itself before it writes. Where nothing has changed, that is enough. */
  readonly isFollowed?: boolean;
}

/** Checks every resource that can be reached without the service; faults are reported. */
export async function rehearse(run: Run, program: Program, options: RehearsalOptions): Promise<Rehearsal> {
  const declared = new Map<Urn, Declared>();
  const seen = new Map<Urn, Pick<Entry, "urn" | "aliases">>();
  const said: Parameters<Host["log"]>[] = [];
  const provider = run.pool.plain();
  const delay = newDelay(options.isFollowed ?? false);
  const unknownOutputs = (type: string, urn: Urn): ValueMap =>
    Object.fromEntries(
      Object.keys(run.catalogue.resources.get(type)?.outputs ?? {}).map((name) => [
        name,
        unknownFrom(`${urn}#${name}`),
      ]),
    );

  /** What the plan will say of a resource that is to be made, so that the program need not be asked again. */
  const foretold = (urn: Urn, { type, name, options }: Goal, inputs: ValueMap): ValueMap | undefined => {
    const state = provider.foretell?.({ urn, type, name, inputs });
    return state && withSources(guarded(run, { type, inputs, ...options }, state), urn);
  };

  const register: Host["register"] = async (goal) => {
    const urn = makeUrn(run.stack, run.project, goal.type, goal.name, goal.options.parent);
    try {
      if (seen.has(urn)) throw new Error(`two resources have the URN ${urn}: give one of them another name`);
      const aliases = goalAliases(urn, goal.options, (other) => seen.get(other));
      seen.set(urn, { urn, aliases });
      if (goal.isComponent) {
        declared.set(urn, { goal, inputs: goal.inputs });
        return { urn, id: null, outputs: {} };
      }
      const slot = [urn, ...aliases].map(run.ledger.slotOf).find((one) => one !== undefined);
      const old = slot === undefined ? undefined : run.ledger.resources.get(slot);
      const known = old && !old.external ? old : undefined;
      if (!run.isTargeted(urn)) {
        const outputs = known?.outputs ?? { ...unknownOutputs(goal.type, urn), ...goal.inputs };
        return { urn, id: known?.id ?? unknownFrom(`${urn}#id`), outputs };
      }
      const newInputs = known
        ? ignoreChanges(goal.inputs, known.inputs, goal.options.ignoreChanges ?? [])
        : goal.inputs;
      const oldInputs = known?.inputs;
      const check = async (): Promise<ValueMap> => {
        const { inputs, failures } = isProviderType(goal.type)
          ? await provider.checkConfig({ urn, oldInputs: oldInputs ?? {}, newInputs })
          : await provider.check({
              urn,
              type: goal.type,
              name: goal.name,
              newInputs,
              get randomSeed() {
                return nameSeed(run.ledger.lineage, urn, old?.id);
              },
              log: () => {},
              ...(oldInputs ? { oldInputs } : {}),
            });
        if (failures.length > 0) throw new CheckFailedError(failures);
        return inputs;
      };
      const later = async () => {
        await check().catch((error: unknown) => void run.failure(error, urn, goal));
      };
      const isSettled = known !== undefined && isAsApplied(known) && sameValue(known.inputs, newInputs);
      const inputs = isSettled && delay.putOff(later) ? known.inputs : await delay.caughtUp(check);
      const place = goal.positionOf("");
      declared.set(urn, {
        goal,
        inputs,
        ...(slot === undefined ? {} : { slot }),
        ...(place ? { position: place } : {}),
      });
      // Outputs of a resource that is as it was are what they were; of one that is to change, anything may move.
      if (known?.id && sameValue(known.inputs, inputs)) return { urn, id: known.id, outputs: known.outputs };
      const isNew = slot === undefined && !isProviderType(goal.type);
      const outputs = isNew ? foretold(urn, goal, inputs) : undefined;
      return {
        urn,
        id: unknownFrom(`${urn}#id`),
        outputs: outputs ?? { ...unknownOutputs(goal.type, urn), ...inputs },
      };
    } catch (error) {
      throw run.failure(error, urn, goal);
    }
  };

  const host: Host = {
    project: run.project,
    stack: run.stack,
    organization: options.organization,
    preview: true,
    catalogue: run.catalogue,
    signal: run.signal,
    urn: (type, name, parent) => makeUrn(run.stack, run.project, type, name, parent),
    register,
    complete: () => {},
    async read(goal): Promise<Registered> {
      const urn = makeUrn(run.stack, run.project, goal.type, goal.name, goal.options.parent);
      if (!seen.has(urn)) seen.set(urn, { urn, aliases: [] });
      return { urn, id: goal.id, outputs: { ...unknownOutputs(goal.type, urn), ...goal.state } };
    },
    async invoke(token, args, { provider }) {
      // A program goes by what it is told, and an unknown may be nothing that it can go by.
      if (program.graph === undefined)
        return callFunction(run, await callee(run, provider, declared), token, args);
      const names = Object.keys(run.catalogue.functions.get(token)?.outputs ?? {});
      return Object.fromEntries(names.map((name) => [name, unknownFrom(`${token}#${name}`)]));
    },
    stackReference: options.stackOutputs,
    log: (...args) => void said.push(args),
  };
  try {
    await program.run(host);
    refuseUnknownTargets(run, seen.keys());
    refuseSharedAliases(run, seen);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    // What a program printed may say why it failed.
    if (program.graph === undefined) for (const args of said) run.logOf()(...args);
    for (const diagnostic of error.diagnostics) if (!run.isTold(diagnostic)) run.report(diagnostic);
  }
  run.tellRepeated();
  const claimed = [...seen.values()].flatMap(({ urn, aliases }) =>
    [urn, ...aliases.filter((one) => !seen.has(one))].flatMap((one) => run.ledger.slotOf(one) ?? []),
  );
  return { declared, urns: new Set(seen.keys()), claimed: new Set(claimed) };
}

/** Who is called for a function: the provider that is named, as far as it is known, or the default one. */
function callee(run: Run, urn: Urn | undefined, declared: ReadonlyMap<Urn, Declared>): Promise<Provider> {
  const known = urn === undefined ? undefined : declared.get(urn);
  if (urn === undefined || known === undefined) return run.pool.ofReference(undefined);
  const id = known.slot === undefined ? undefined : run.ledger.resources.get(known.slot)?.id;
  return run.pool.use(urn, id ?? "unknown", known.inputs);
}

/** True when nothing is to be done for what is declared as it was. */
const isAsApplied = ({ type, id, initErrors, taint, pendingReplacement }: ResourceState): boolean =>
  id !== undefined && !isProviderType(type) && !initErrors?.length && !taint && !pendingReplacement;

/** Checks of what is declared as it was applied, put off until something is not: they passed then, and stand in nobody's way before. */
function newDelay(isAllowed: boolean) {
  let waiting: (() => Promise<void>)[] | undefined = isAllowed ? [] : undefined;
  let caughtUp: Promise<void> | undefined;
  return {
    /** False: from now on everything is checked. */
    putOff(check: () => Promise<void>): boolean {
      waiting?.push(check);
      return waiting !== undefined;
    },
    /** Does the work after all that was put off, in its order: what stands under others is checked after them. */
    async caughtUp<T>(work: () => Promise<T>): Promise<T> {
      caughtUp ??= (async (checks) => {
        waiting = undefined;
        for (const check of checks) await check();
      })(waiting ?? []);
      await caughtUp;
      return work();
    },
  };
}

/** Throws EngineError `usage` where two resources would both take over what the state has under a former name. */
function refuseSharedAliases(run: Run, seen: ReadonlyMap<Urn, Pick<Entry, "aliases">>): void {
  const takers = new Map<Urn, Urn>();
  for (const [urn, { aliases }] of seen) {
    if (run.ledger.slotOf(urn) !== undefined) continue;
    const former = aliases.find((one) => !seen.has(one) && run.ledger.slotOf(one) !== undefined);
    if (former === undefined) continue;
    const other = takers.get(former);
    takers.set(former, urn);
    if (other === undefined) continue;
    throw new EngineError(
      "usage",
      `${other} and ${urn} both have ${former} in their aliases, and only one of them can be it: leave it at that one. Nothing was done.`,
    );
  }
}
