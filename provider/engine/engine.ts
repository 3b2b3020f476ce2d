/** The embedded engine of one stack: its operations, each with the state, the lock and the providers that it needs. Prints nothing. */

import { randomUUID } from "node:crypto";
import type { ValueMap } from "../core/value.ts";
import { createProvider, catalogue as everyType } from "../provider.ts";
import { type Adopted, adoptOne } from "./deployment/adoption.ts";
import { createDeployment } from "./deployment/deployment.ts";
import { destroyAll } from "./deployment/destruction.ts";
import { createExecution } from "./deployment/execution.ts";
import type { Engine, EngineOptions } from "./deployment/facade.ts";
import { EngineError } from "./deployment/failure.ts";
import { createStateFolder } from "./deployment/folder.ts";
import { graphOf } from "./deployment/graph.ts";
import { takeIn } from "./deployment/intake.ts";
import { isDead, lockOwner, thisMachine } from "./deployment/lock.ts";
import { createOperations } from "./deployment/operation.ts";
import { createPlanCheck, makePlan, planNeedsKey, refuseStale } from "./deployment/plan.ts";
import { findDrift, refreshState } from "./deployment/refresh.ts";
import { saltOf } from "./deployment/snapshot.ts";
import type { ResourceState } from "./deployment/state.ts";
import { type Survey, surveyAccount } from "./deployment/survey.ts";
import { deploymentOf, refuseForeign, toPulumi, toSnapshot } from "./deployment/transfer.ts";
import { stackType } from "./deployment/urn.ts";

export function createEngine(options: EngineOptions): Engine {
  const catalogue = options.catalogue ?? everyType;
  const now = options.now ?? (() => new Date());
  const machine = options.machine ?? thisMachine();
  const emit = options.onEvent ?? (() => {});
  const notices = {
    tell: (message: string): void => emit({ event: "diagnostic", severity: "info", message }),
  };
  const folder = createStateFolder({
    folder: options.stateFolder,
    project: options.project,
    stack: options.stack,
    environment: options.environment ?? process.env,
    now,
    notice: (message) => notices.tell(message),
    disk: options.disk,
  });
  const { operate, readOnly } = createOperations({
    project: options.project,
    stack: options.stack,
    folder,
    lineage: randomUUID(),
    notices,
    emit,
    now,
    machine,
    catalogue,
    parallel: options.parallel ?? 16,
    createProvider:
      options.createProvider ??
      (() => createProvider(options.environment ? { environment: options.environment } : {})),
    ...(options.program ? { defaultConfig: options.program.providerConfig } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const defaultConfig = options.program?.providerConfig ?? {};

  const execution = createExecution({
    catalogue,
    organization: options.organization ?? "organization",
    stackOutputs: folder.stackOutputs,
    emit,
    program: options.program,
  });

  const engine: Engine = {
    validate: () =>
      operate("validate", { write: false, preview: true }, async (run) => {
        await execution.check(run);
        return {};
      }),
    preview: (how = {}) =>
      operate("preview", { write: false, preview: true, targets: how.targets }, async (run, sealer) => {
        const outputs = (await execution.deploy(run, how)) ?? {};
        if (!how.plan || run.hasFailed()) return { outputs };
        const header = {
          project: run.project,
          stack: run.stack,
          lineage: run.ledger.lineage,
          time: now().toISOString(),
        };
        await sealer.ready();
        const made = makePlan(run.steps, header, sealer.seal);
        const salt = sealer.salt();
        return { outputs, plan: { ...made, ...(salt === undefined ? {} : { salt }) } };
      }),
    async up(how = {}) {
      const { plan } = how;
      const opener = plan && folder.sealer(plan.salt);
      if (plan && opener) {
        if (plan.project !== options.project || plan.stack !== options.stack) {
          throw new EngineError(
            "plan",
            `The plan is for the stack ${plan.stack} of ${plan.project}. Nothing was done.`,
          );
        }
        if (planNeedsKey(plan)) await opener.ready();
        const present = await operate(
          "preview",
          { write: false, preview: true, targets: how.targets, lineage: plan.lineage, quiet: true },
          async (run) => {
            await execution.deploy(run, how);
            return {};
          },
        );
        if (present.result !== "succeeded") {
          for (const diagnostic of present.diagnostics) emit({ event: "diagnostic", ...diagnostic });
          return { ...present, operation: "up", outputs: {} };
        }
        refuseStale(plan, present.steps, opener);
      }
      return operate(
        "up",
        {
          write: true,
          preview: false,
          targets: how.targets,
          ...(plan && opener ? { lineage: plan.lineage, plan: createPlanCheck(plan, opener) } : {}),
        },
        async (run) => ({ outputs: (await execution.deploy(run, how)) ?? {} }),
      );
    },
    refresh: (how = {}) =>
      operate(
        "refresh",
        { write: !how.previewOnly, preview: how.previewOnly ?? false, targets: how.targets },
        async (run) => {
          await refreshState(run);
          run.tellRepeated();
          return {};
        },
      ),
    drift: () =>
      operate("drift", { write: false, preview: true }, async (run) => {
        const declared = await execution.check(run.aside("validate"));
        const drifted = declared === undefined || run.hasFailed() ? [] : await findDrift(run, declared);
        run.tellRepeated();
        return { drifted };
      }),
    destroy: (how = {}) =>
      operate(
        "destroy",
        { write: !how.previewOnly, preview: how.previewOnly ?? false, targets: how.targets },
        async (run) => {
          await destroyAll(run);
          run.tellRepeated();
          return {};
        },
      ),
    importResource: (adoption) =>
      operate("import", { write: true, preview: false }, async (run): Promise<{ adopted?: Adopted }> => {
        const type = catalogue.resolveResource(adoption.type);
        if (type === undefined)
          throw new EngineError("usage", `There is no resource type "${adoption.type}".`);
        try {
          return { adopted: await adoptOne(run, { ...adoption, type }, defaultConfig) };
        } catch (error) {
          if (error instanceof EngineError) throw error;
          run.failure(error, run.urnOf(type, adoption.name));
          return {};
        }
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
    takeIn: (intake) =>
      operate(
        "import",
        { write: true, preview: false },
        async (run): Promise<{ taken?: ResourceState[] }> => {
          try {
            return { taken: await takeIn(run, intake, defaultConfig) };
          } catch (error) {
            if (error instanceof EngineError) throw error;
            run.failure(error, "");
            return {};
          }
        },
      ),
    invoke: async (token, args) => {
      let found: ValueMap = {};
      const result = await operate("invoke", { write: false, preview: true, quiet: true }, async (run) => {
        const known = catalogue.resolveFunction(token);
        if (known === undefined) throw new EngineError("usage", `There is no function "${token}".`);
        const { host } = createDeployment(run, {
          organization: "",
          defaultConfig,
          stackOutputs: folder.stackOutputs,
        });
        found = await host.invoke(known, args, { dependencies: [] });
        return {};
      });
      if (result.result === "cancelled") throw new EngineError("usage", "The call was cancelled.");
      return found;
    },
    outputs: () =>
      readOnly(async (ledger) => {
        if (ledger.isNew) {
          throw new EngineError(
            "usage",
            `There is no stack ${options.stack} of ${options.project} in ${options.stateFolder}.`,
          );
        }
        return [...ledger.resources.values()].find((state) => state.type === stackType)?.outputs ?? {};
      }),
    resources: () => readOnly(async (ledger) => [...ledger.resources.values()]),
    graph: () => readOnly(async (ledger) => graphOf(ledger.resources.values())),
    stacks: () => folder.stacks(),
    exportState: () => readOnly((ledger) => ledger.file()),
    exportPulumi: (how = {}) =>
      readOnly(async (ledger, sealer) => {
        await sealer.ready();
        return toPulumi([...ledger.resources.values()], sealer, {
          time: now().toISOString(),
          showSecrets: how.showSecrets ?? false,
        });
      }),
    async importState(text) {
      const deployment = deploymentOf(text);
      refuseForeign(deployment, options.project, options.stack);
      await operate("import", { write: true, preview: false, quiet: true }, async (run, sealer) => {
        const from = folder.sealer(saltOf(deployment, "The given state"));
        if (saltOf(deployment, "The given state") !== undefined) await from.ready();
        const file = await toSnapshot(deployment, from, sealer, {
          serial: run.ledger.serial + 1,
          lineage: run.ledger.lineage,
          time: now().toISOString(),
        });
        await folder.disk.replace(folder.files.snapshot, `${JSON.stringify(file)}\n`);
        return {};
      });
    },
    lock: () => lockOwner(folder.disk, folder.files.lock),
    async unlock(how = {}) {
      const owner = await lockOwner(folder.disk, folder.files.lock);
      if (owner === undefined) return undefined;
      if (owner.host === machine.host && !isDead(owner, machine) && !how.force) {
        throw new EngineError(
          "locked",
          `Process ${owner.pid}, which holds the lock for ${owner.operation}, still runs on this host. End it first; if it is something else by now, use --force.`,
        );
      }
      await folder.disk.remove(folder.files.lock);
      return owner;
    },
  };
  return engine;
}

export type { Adopted, Adoption } from "./deployment/adoption.ts";
export type { EngineEvent, Step, Summary } from "./deployment/event.ts";
export type { Engine, EngineOptions, PreviewOptions, Result, UpOptions } from "./deployment/facade.ts";
export { EngineError } from "./deployment/failure.ts";
export type { Graph } from "./deployment/graph.ts";
export type { Intake } from "./deployment/intake.ts";
export type { LockOwner } from "./deployment/lock.ts";
export type { SavedPlan } from "./deployment/plan.ts";
export type { Drifted } from "./deployment/refresh.ts";
export type { ResourceState } from "./deployment/state.ts";
export type { Discovery, LeftOut, Managed, Survey, SurveyOptions } from "./deployment/survey.ts";
export type { Diagnostic } from "./host.ts";
