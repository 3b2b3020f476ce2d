/** The embedded engine as the command line sees it: one stack, its operations, and one stream of events. Prints nothing. */

import type { Catalogue, Provider, Urn } from "../core/protocol.ts";
import type { ValueMap } from "../core/value.ts";
import { createProvider, catalogue as everyType } from "../provider.ts";
import { type Adopted, type Adoption, adoptOne } from "./deployment/adoption.ts";
import { createDeployment } from "./deployment/deployment.ts";
import { destroyAll } from "./deployment/destruction.ts";
import type { Disk } from "./deployment/disk.ts";
import type { EngineEvent, Step, Summary } from "./deployment/event.ts";
import { EngineError } from "./deployment/failure.ts";
import { createStateFolder } from "./deployment/folder.ts";
import { type Graph, graphOf } from "./deployment/graph.ts";
import { isDead, type LockOwner, lockOwner, type Machine, thisMachine } from "./deployment/lock.ts";
import { createOperations } from "./deployment/operation.ts";
import { createPlanCheck, makePlan, planNeedsKey, refuseStale, type SavedPlan } from "./deployment/plan.ts";
import { type Drifted, findDrift, refreshState } from "./deployment/refresh.ts";
import { rehearse } from "./deployment/rehearsal.ts";
import type { Run } from "./deployment/run.ts";
import type { SnapshotFile } from "./deployment/snapshot.ts";
import { saltOf } from "./deployment/snapshot.ts";
import type { ResourceState } from "./deployment/state.ts";
import {
  deploymentOf,
  type PulumiExport,
  refuseForeign,
  toPulumi,
  toSnapshot,
} from "./deployment/transfer.ts";
import { stackType } from "./deployment/urn.ts";
import { type Diagnostic, type Program, ProgramError } from "./host.ts";

export interface EngineOptions {
  readonly project: string;
  readonly stack: string;
  /** Holds a state file, a journal and a lock for each stack. */
  readonly stateFolder: string;
  /** Needed by `validate`, `preview`, `up` and `drift`; for the others it brings the provider's present config. */
  readonly program?: Program;
  /** Passphrase variables; default `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Writes at a time; default 16. */
  readonly parallel?: number;
  /** What `${pulumi.organization}` says; default `organization`. */
  readonly organization?: string;
  readonly onEvent?: (event: EngineEvent) => void;
  /** Aborted on cancel: nothing new starts, what runs ends, the state is saved. */
  readonly signal?: AbortSignal;
  readonly createProvider?: () => Provider;
  readonly catalogue?: Catalogue;
  readonly now?: () => Date;
  readonly disk?: Disk;
  readonly machine?: Machine;
}

/** How an operation ended. A refusal before anything was done is an EngineError instead (its `exitCode` says what to exit with). */
export interface Result extends Summary {
  /** In the order in which they ended; without the stack itself and default providers. */
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface PreviewOptions {
  /** First reads everything, as `refresh` does, without saving it. */
  readonly refresh?: boolean;
  /** URNs (with `*` and `**`) or names; everything else stays as it is. */
  readonly targets?: readonly string[];
  /** Also makes the plan that `up` can be held to. */
  readonly plan?: boolean;
}

export interface UpOptions {
  readonly refresh?: boolean;
  readonly targets?: readonly string[];
  /** Deletes also after something failed; default false: then nothing is deleted. */
  readonly continueOnError?: boolean;
  /** Does exactly this. Throws EngineError `plan` before anything is done when a preview now would differ. */
  readonly plan?: SavedPlan;
}

export interface Engine {
  /** Syntax, references, types and every rule that needs no request. */
  readonly validate: () => Promise<Result>;
  readonly preview: (
    options?: PreviewOptions,
  ) => Promise<Result & { readonly outputs: ValueMap; readonly plan?: SavedPlan }>;
  readonly up: (options?: UpOptions) => Promise<Result & { readonly outputs: ValueMap }>;
  /** state := what the service reports; `previewOnly` saves nothing. */
  readonly refresh: (options?: {
    readonly previewOnly?: boolean;
    readonly targets?: readonly string[];
  }) => Promise<Result>;
  readonly drift: () => Promise<Result & { readonly drifted: readonly Drifted[] }>;
  /** `previewOnly` shows what would go. Throws EngineError `protect` before anything is deleted. */
  readonly destroy: (options?: {
    readonly previewOnly?: boolean;
    readonly targets?: readonly string[];
  }) => Promise<Result>;
  /** Takes one object into the state. `type` in any accepted spelling. */
  readonly importResource: (adoption: Adoption) => Promise<Result & { readonly adopted?: Adopted }>;
  /** Calls a function with the provider's present config. */
  readonly invoke: (token: string, args: ValueMap) => Promise<ValueMap>;
  /** Outputs as last saved, secrets marked. Throws EngineError when there is no such stack. */
  readonly outputs: () => Promise<ValueMap>;
  readonly resources: () => Promise<readonly ResourceState[]>;
  readonly graph: () => Promise<Graph>;
  /** The stacks of the project in this state folder. */
  readonly stacks: () => Promise<readonly string[]>;
  /** The state file, with what a killed run left in its journal folded in; secrets sealed. */
  readonly exportState: () => Promise<SnapshotFile>;
  /** For `pulumi stack import`. */
  readonly exportPulumi: (options?: { readonly showSecrets?: boolean }) => Promise<PulumiExport>;
  /** Replaces the state by an export of ours or of Pulumi's (`stack export`). */
  readonly importState: (text: string) => Promise<void>;
  readonly lock: () => Promise<LockOwner | undefined>;
  /** Removes the lock; resolves to whose it was. `force` is needed when the owner still runs on this host. */
  readonly unlock: (options?: { readonly force?: boolean }) => Promise<LockOwner | undefined>;
}

export function createEngine(options: EngineOptions): Engine {
  const organization = options.organization ?? "organization";
  const catalogue = options.catalogue ?? everyType;
  const now = options.now ?? (() => new Date());
  const machine = options.machine ?? thisMachine();
  const emit = options.onEvent ?? (() => {});
  const folder = createStateFolder({
    folder: options.stateFolder,
    project: options.project,
    stack: options.stack,
    environment: options.environment ?? process.env,
    now,
    notice: (message) => emit({ event: "diagnostic", severity: "info", message }),
    disk: options.disk,
  });
  const { operate, readOnly } = createOperations({
    project: options.project,
    stack: options.stack,
    folder,
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
  const rehearsal = { organization, stackOutputs: folder.stackOutputs };

  function program(): Program {
    if (!options.program) throw new EngineError("usage", "This needs a stack file.");
    return options.program;
  }

  /** Reports what the file itself shows; false when there are errors. */
  function isSound(run: Run, of: Program): boolean {
    for (const diagnostic of of.diagnostics) run.report(diagnostic);
    return !of.diagnostics.some((diagnostic) => diagnostic.severity === "error");
  }

  /** Runs the program against the deployment. Resolves to its outputs, or undefined when anything failed. */
  async function deploy(
    run: Run,
    of: Program,
    how: { readonly continueOnError: boolean },
  ): Promise<ValueMap | undefined> {
    const deployment = createDeployment(run, { ...rehearsal, defaultConfig });
    let outputs: ValueMap | undefined;
    try {
      outputs = await of.run(deployment.host);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      for (const diagnostic of error.diagnostics) if (!run.isTold(diagnostic)) run.report(diagnostic);
    }
    await deployment.settled();
    run.tellRepeated();
    const isWhole = outputs !== undefined && !run.hasFailed();
    if (!run.signal.aborted && (isWhole || how.continueOnError)) {
      const declared = new Set(
        of.graph.map(({ type, name }) => `${catalogue.resolveResource(type) ?? type} ${name}`),
      );
      const isDeclared = (state: ResourceState): boolean =>
        !isWhole && declared.has(`${state.type} ${state.urn.slice(state.urn.lastIndexOf("::") + 2)}`);
      await deployment.removeUndeclared(isDeclared);
    }
    if (!isWhole || outputs === undefined || run.signal.aborted) return undefined;
    deployment.saveOutputs(outputs);
    emit({ event: "outputs", outputs });
    return outputs;
  }

  /** What a preview and an `up` have in common; undefined when it ended early. */
  async function planOrApply(
    run: Run,
    how: Pick<UpOptions, "refresh" | "continueOnError">,
  ): Promise<ValueMap | undefined> {
    const of = program();
    if (!isSound(run, of)) return undefined;
    if (how.refresh ?? of.refresh) {
      await refreshState(run.aside("refresh"));
      if (run.hasFailed() || run.signal.aborted) return undefined;
    }
    await rehearse(run.aside("validate"), of, rehearsal);
    if (run.hasFailed() || run.signal.aborted) return undefined;
    return deploy(run, of, { continueOnError: how.continueOnError ?? false });
  }

  const engine: Engine = {
    validate: () =>
      operate("validate", { write: false, preview: true }, async (run) => {
        const of = program();
        if (isSound(run, of)) await rehearse(run, of, rehearsal);
        return {};
      }),
    preview: (how = {}) =>
      operate("preview", { write: false, preview: true, targets: how.targets }, async (run, sealer) => {
        const outputs = (await planOrApply(run, how)) ?? {};
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
            await planOrApply(run, how);
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
        async (run) => ({ outputs: (await planOrApply(run, how)) ?? {} }),
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
        const of = program();
        if (!isSound(run, of)) return { drifted: [] };
        const declared = await rehearse(run.aside("validate"), of, rehearsal);
        const drifted = run.hasFailed() ? [] : await findDrift(run, declared);
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
    invoke: async (token, args) => {
      let found: ValueMap = {};
      const result = await operate("invoke", { write: false, preview: true, quiet: true }, async (run) => {
        const known = catalogue.resolveFunction(token);
        if (known === undefined) throw new EngineError("usage", `There is no function "${token}".`);
        const { host } = createDeployment(run, { ...rehearsal, defaultConfig });
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

export type {
  Adopted,
  Adoption,
  Diagnostic,
  Drifted,
  EngineEvent,
  Graph,
  LockOwner,
  SavedPlan,
  Step,
  Summary,
  Urn,
};
export { EngineError };
