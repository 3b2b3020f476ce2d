/** The embedded engine of one stack: its operations, each with the state, the lock and the providers that it needs. Prints nothing. */

import { randomUUID } from "node:crypto";
import type { Catalogue, Urn } from "../core/protocol.ts";
import type { ValueMap } from "../core/value.ts";
import { createProvider, catalogue as everyType } from "../provider.ts";
import { createDeployment, type DeploymentOptions } from "./deployment/deployment.ts";
import { type Run, refuseUnknownTargets } from "./deployment/run.ts";
import { EngineError } from "./failure.ts";
import { adoptOne } from "./operations/account/adoption.ts";
import { takeIn } from "./operations/account/intake.ts";
import type { Managed } from "./operations/account/managed.ts";
import { type Survey, surveyAccount } from "./operations/account/survey.ts";
import { findUnowned, type Ownership } from "./operations/account/unowned.ts";
import { destroyAll } from "./operations/destruction.ts";
import { createExecution, type Execution } from "./operations/execution.ts";
import type { Engine, EngineOptions } from "./operations/facade.ts";
import { createKeeping } from "./operations/keeping.ts";
import { createMending } from "./operations/mending.ts";
import { createOperations, type Operations } from "./operations/operation.ts";
import { findDrift, findPending, refreshState } from "./operations/refresh.ts";
import { type Move, retarget } from "./operations/retarget.ts";
import { createUpdate } from "./operations/update.ts";
import { createHold, type Hold } from "./policy/hold.ts";
import { createStateFolder } from "./state/backends/folder/folder.ts";
import { thisMachine } from "./state/owner.ts";
import type { ResourceState } from "./state/state.ts";
import { createStates, type States } from "./state/states.ts";

export function createEngine(options: EngineOptions): Engine {
  const catalogue = options.catalogue ?? everyType;
  const now = options.now ?? (() => new Date());
  const machine = options.machine ?? thisMachine();
  const emit = options.onEvent ?? (() => {});
  const notices = {
    tell: (message: string): void => emit({ event: "diagnostic", severity: "info", message }),
  };
  const {
    backend = createStateFolder({
      folder: options.stateFolder ?? ".plumbline",
      machine,
      now,
      disk: options.disk,
    }),
  } = options;
  const states = createStates({
    backend,
    project: options.project,
    stack: options.stack,
    environment: options.environment ?? process.env,
    now,
    machine,
    notice: (message) => notices.tell(message),
    deriveKey: options.deriveKey,
    onSecret: options.onSecret,
  });
  const makeProvider =
    options.createProvider ??
    (() => createProvider(options.environment ? { environment: options.environment } : {}));
  const operations = createOperations({
    project: options.project,
    stack: options.stack,
    states,
    lineage: randomUUID(),
    notices,
    emit,
    now,
    catalogue,
    parallel: options.parallel ?? 16,
    createProvider: makeProvider,
    ...(options.program ? { defaultConfig: options.program.providerConfig } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
    ...holdOf(options, catalogue),
  });
  const defaultConfig = options.program?.providerConfig ?? {};

  const execution = createExecution({
    catalogue,
    organization: options.organization ?? "organization",
    stackOutputs: states.stackOutputs,
    program: options.program,
  });

  const { operate } = operations;
  const keeping = createKeeping({
    project: options.project,
    stack: options.stack,
    states,
    operations,
    provider: async () => {
      const provider = makeProvider();
      await provider.configure(defaultConfig);
      return provider;
    },
    now,
    notice: (message) => notices.tell(message),
  });

  const update = createUpdate({
    project: options.project,
    stack: options.stack,
    states,
    operations,
    execution,
    refresh: options.program?.refresh ?? false,
    emit,
    now,
  });

  return {
    validate: () =>
      operate("validate", { write: false, preview: true, withoutState: true }, async (run) => {
        await execution.check(run);
        // What is wrong with the policies is found like what is wrong with the file.
        await run.hold?.ready().catch((error: unknown) => void run.failure(error, ""));
        return {};
      }),
    ...update,
    ...onState(operations, execution),
    ...onAccount(operations, {
      catalogue,
      defaultConfig,
      stackOutputs: states.stackOutputs,
      others: states.others,
    }),
    admit: (provider) => operations.admit(provider),
    ...keeping,
    ...createMending({ states, operations }),
  };
}

/** What the stack's runs are held to. */
function holdOf({ policies, project, stack }: EngineOptions, catalogue: Catalogue): { hold?: Hold } {
  if (policies === undefined) return {};
  const { allowed } = policies;
  return { hold: createHold({ policies, allowed, project, stack, catalogue }) };
}

/** What is about everything in the state. */
function onState(
  { operate }: Operations,
  execution: Execution,
): Pick<Engine, "refresh" | "drift" | "destroy"> {
  return {
    refresh: (how = {}) =>
      operate(
        "refresh",
        {
          write: !how.previewOnly,
          preview: how.previewOnly ?? false,
          targets: how.targets,
          allowGone: how.allowGone,
        },
        async (run) => {
          refuseUnknownTargets(run);
          await refreshState(run);
          run.tellRepeated();
          return {};
        },
      ),
    drift: (how = {}) =>
      operate("drift", { write: false, preview: true, allowGone: how.allowGone }, async (run) => {
        const declared = await execution.check(run.aside("validate"));
        const drifted = declared === undefined || run.hasFailed() ? [] : await findDrift(run, declared);
        run.tellRepeated();
        return { drifted, pending: findPending(run) };
      }),
    destroy: (how = {}) =>
      operate(
        "destroy",
        {
          withoutKey: true,
          write: !how.previewOnly,
          preview: how.previewOnly ?? false,
          targets: how.targets,
          allowGone: how.allowGone,
        },
        async (run) => {
          await destroyAll(run);
          run.tellRepeated();
          return {};
        },
      ),
  };
}

interface AccountOptions extends Pick<DeploymentOptions, "defaultConfig" | "stackOutputs"> {
  readonly catalogue: Catalogue;
  readonly others: States["others"];
}

/** What is about single objects of the account, or all of them. */
function onAccount(
  { operate }: Operations,
  { catalogue, defaultConfig, stackOutputs, others }: AccountOptions,
): Pick<Engine, "importResource" | "survey" | "unowned" | "takeIn" | "retarget" | "invoke"> {
  return {
    importResource: (adoption) =>
      operate("import", { write: true, preview: false }, async (run): Promise<{ adopted?: Managed }> => {
        const type = catalogue.resolveResource(adoption.type);
        if (type === undefined)
          throw new EngineError("usage", `There is no resource type "${adoption.type}".`);
        return tried(run, run.urnOf(type, adoption.name), async () => ({
          adopted: await adoptOne(run, { ...adoption, type }, defaultConfig),
        }));
      }),
    survey: (how = {}) =>
      operate("import", { write: false, preview: true }, async (run): Promise<{ survey?: Survey }> => {
        try {
          return { survey: await surveyAccount(run, how, defaultConfig) };
        } catch (error) {
          run.failure(error, "");
          return {};
        }
      }),
    unowned: (how = {}) =>
      operate(
        "drift",
        { write: false, preview: true, withoutKey: true },
        (run, _sealer, targets): Promise<{ ownership?: Ownership }> =>
          tried(run, "", async () => {
            const { target } = targets;
            return { ownership: await findUnowned(run, { ...how, defaultConfig, target, others: others() }) };
          }),
      ),
    takeIn: (intake) =>
      operate(
        "import",
        { write: true, preview: false },
        (run): Promise<{ taken?: ResourceState[] }> =>
          tried(run, "", async () => ({ taken: await takeIn(run, intake, defaultConfig) })),
      ),
    retarget: ({ previewOnly = false, force = false } = {}) =>
      operate(
        "retarget",
        { write: !previewOnly, preview: previewOnly, takesAnyTarget: true },
        (run, _sealer, targets): Promise<{ moves?: Move[] }> =>
          tried(run, "", async () => ({
            moves: await retarget(run, { force, targetOf: targets.targetOf }),
          })),
      ),
    invoke: async (token, args) => {
      let found: ValueMap = {};
      const result = await operate("invoke", { write: false, preview: true, quiet: true }, async (run) => {
        const known = catalogue.resolveFunction(token);
        if (known === undefined) throw new EngineError("usage", `There is no function "${token}".`);
        const { host } = createDeployment(run, {
          organization: "",
          defaultConfig,
          stackOutputs,
        });
        found = await host.invoke(known, args, { dependencies: [] });
        return {};
      });
      if (result.result === "cancelled") throw new EngineError("usage", "The call was cancelled.");
      return found;
    },
  };
}

/** Does the work; what goes wrong is a failure of the run, but for what stops the whole operation. */
async function tried<T extends object>(run: Run, urn: Urn, work: () => Promise<T>): Promise<Partial<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineError) throw error;
    run.failure(error, urn);
    return {};
  }
}

export type { EngineEvent, Step, Summary } from "./event.ts";
export { EngineError } from "./failure.ts";
export type { Diagnostic } from "./host.ts";
export type { Adoption } from "./operations/account/adoption.ts";
export type { Intake } from "./operations/account/intake.ts";
export type { Managed, Referred } from "./operations/account/managed.ts";
export type { Discovery, GivenObject, LeftOut, Survey, SurveyOptions } from "./operations/account/survey.ts";
export type { Ownership, Unowned } from "./operations/account/unowned.ts";
export type { Engine, EngineOptions, PreviewOptions, Result, Shown, UpOptions } from "./operations/facade.ts";
export type { Graph } from "./operations/graph.ts";
export type { SavedPlan } from "./operations/plan.ts";
export type { Drifted, Pending } from "./operations/refresh.ts";
export type { Move } from "./operations/retarget.ts";
export type { LockOwner, StateBackend, Version } from "./state/backend.ts";
export { parseAddress, type StateAddress } from "./state/backends/address.ts";
export { createStateFolder } from "./state/backends/folder/folder.ts";
export { createMemoryDisk } from "./state/backends/folder/memory.ts";
export { backendOpener } from "./state/backends/open.ts";
export { thisMachine } from "./state/owner.ts";
export type { ResourceState } from "./state/state.ts";
