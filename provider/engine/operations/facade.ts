/** The embedded engine as the command line sees it: one stack, its operations and how they end. Types only. */

import type { Catalogue, Provider, Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import type { PriceTable } from "../cost/table.ts";
import type { EngineEvent, Step, Summary } from "../event.ts";
import type { Diagnostic, Program } from "../host.ts";
import type { Policies } from "../policy/rule.ts";
import type { LockOwner, StateBackend, Version } from "../state/backend.ts";
import type { Disk } from "../state/backends/folder/disk.ts";
import type { Machine } from "../state/owner.ts";
import type { DeriveKey } from "../state/passphrase.ts";
import type { KeySource } from "../state/sealer.ts";
import type { SnapshotFile } from "../state/snapshot.ts";
import type { ResourceState } from "../state/state.ts";
import type { PulumiExport } from "../state/transfer.ts";
import type { Adoption } from "./account/adoption.ts";
import type { Intake } from "./account/intake.ts";
import type { Managed } from "./account/managed.ts";
import type { Survey, SurveyOptions } from "./account/survey.ts";
import type { Ownership } from "./account/unowned.ts";
import type { Graph } from "./graph.ts";
import type { SavedPlan } from "./plan.ts";
import type { Drifted, Pending } from "./refresh.ts";
import type { Move } from "./retarget.ts";

export interface EngineOptions {
  readonly project: string;
  readonly stack: string;
  /** Where states are kept; default: a folder. */
  readonly backend?: StateBackend;
  /** Of a default backend: it holds a state file, a journal and a lock for each stack. */
  readonly stateFolder?: string;
  /** Needed by `validate`, `preview`, `up` and `drift`; for the others it brings the provider's present config. */
  readonly program?: Program;
  /** Passphrase variables; default `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Writes at a time; default 16. */
  readonly parallel?: number;
  /** What `${pulumi.organization}` says; default `organization`. */
  readonly organization?: string;
  readonly onEvent?: (event: EngineEvent) => void;
  /** Told the JSON of every secret that is read from a state, before a program is. */
  readonly onSecret?: KeySource["onSecret"];
  /** Aborted on cancel: nothing new starts, what runs ends, the state is saved. */
  readonly signal?: AbortSignal;
  readonly createProvider?: () => Provider;
  /** What runs are held to; absent: nothing. `allowed`: names of policies that the user lets pass. */
  readonly policies?: Policies & { readonly allowed: ReadonlySet<string> };
  readonly catalogue?: Catalogue;
  readonly now?: () => Date;
  /** Of a default backend. */
  readonly disk?: Disk;
  readonly machine?: Machine;
  /** Makes keys of passphrases; for tests whose states no other process opens. */
  readonly deriveKey?: DeriveKey;
}

/** How an operation ended. A refusal before anything was done is an EngineError instead (its `exitCode` says what to exit with). */
export interface Result extends Summary {
  /** In the order in which they ended; without the stack itself and default providers. */
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is looked at of a state. */
export interface Shown {
  /** True: throws PassphraseError where nothing at hand opens its secrets, which are unknown without. */
  readonly showSecrets?: boolean;
}

export interface PreviewOptions {
  /** Looks on the account for what is declared and not in the state, and takes it over instead of making it. */
  readonly adopt?: boolean;
  /** First reads everything, as `refresh` does, without saving it. */
  readonly refresh?: boolean;
  /** Goes on although every object of the stack reads as gone. Without it an operation that reads them throws EngineError `gone`. */
  readonly allowGone?: boolean;
  /** URNs (with `*` and `**`) or names; everything else stays as it is. */
  readonly targets?: readonly string[];
  /** Also makes the plan that `up` can be held to. */
  readonly plan?: boolean;
  /** Also tells what the plan changes in the cost of a month; `table` has prices that the service tells none of. */
  readonly cost?: { readonly table?: PriceTable };
}

export interface UpOptions {
  /** As for a preview. */
  readonly adopt?: boolean;
  readonly refresh?: boolean;
  readonly allowGone?: boolean;
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
    readonly allowGone?: boolean;
    readonly targets?: readonly string[];
  }) => Promise<Result>;
  readonly drift: (options?: {
    readonly allowGone?: boolean;
  }) => Promise<Result & { readonly drifted: readonly Drifted[]; readonly pending: readonly Pending[] }>;
  /** `previewOnly` shows what would go. Throws EngineError `protect` before anything is deleted. */
  readonly destroy: (options?: {
    readonly previewOnly?: boolean;
    readonly allowGone?: boolean;
    readonly targets?: readonly string[];
  }) => Promise<Result>;
  /**
   * Moves the state and its versions to another name of the project; false: there is none. Throws EngineError `usage` when that name is taken.
   * `again`: what has moved already is no reason to refuse.
   */
  readonly renameStack: (name: string, options?: { readonly again?: boolean }) => Promise<boolean>;
  /** Takes the stack's state away, and returns where it is kept from then on. Throws EngineError `usage` when it has resources, unless `force`. */
  readonly removeStack: (options?: { readonly force?: boolean }) => Promise<string | undefined>;
  /** Takes one object into the state. `type` in any accepted spelling. */
  readonly importResource: (adoption: Adoption) => Promise<Result & { readonly adopted?: Managed }>;
  /** What the account holds that no stack of the backend owns. Absent when that failed. */
  readonly unowned: (options?: {
    readonly area?: string;
  }) => Promise<Result & { readonly ownership?: Ownership }>;
  /** What the account holds that the stack does not have yet. Absent when that failed. */
  readonly survey: (options?: SurveyOptions) => Promise<Result & { readonly survey?: Survey }>;
  /** Takes what a survey found into the state, all or nothing; no request is made. */
  readonly takeIn: (intake: Intake) => Promise<Result & { readonly taken?: readonly ResourceState[] }>;
  /**
   * Moves the stack to the target that is configured now; `previewOnly` shows it. Objects that are not there stay in the state. Throws EngineError
   * `target` when none is there, unless `force`.
   */
  readonly retarget: (options?: {
    readonly previewOnly?: boolean;
    readonly force?: boolean;
  }) => Promise<Result & { readonly moves?: readonly Move[] }>;
  /** Calls a function with the provider's present config. */
  readonly invoke: (token: string, args: ValueMap) => Promise<ValueMap>;
  /** Judges a configured Provider that is used beside the engine by the target of the state, and returns what to use in its place. Throws EngineError `target`. */
  readonly admit: (provider: Provider) => Promise<Provider>;
  /** Outputs as last saved, secrets marked. Throws EngineError when there is no such stack, or when the configured target is not the stack's. */
  readonly outputs: (options?: Shown) => Promise<ValueMap>;
  readonly resources: (options?: Shown) => Promise<readonly ResourceState[]>;
  /**
   * Takes resources out of the state, and returns them; their objects stay as they are. Throws EngineError when something that stays refers to one,
   * or one is protected, unless `force`.
   */
  readonly forget: (
    urns: readonly Urn[],
    options?: { readonly force?: boolean },
  ) => Promise<readonly ResourceState[]>;
  /** Gives a resource of the state another name, everywhere; returns its new URN. */
  readonly rename: (urn: Urn, name: string) => Promise<Urn>;
  readonly graph: () => Promise<Graph>;
  /** The stacks of the project in this state folder. */
  readonly stacks: () => Promise<readonly string[]>;
  /** The versions of the state that are kept, oldest first. */
  readonly history: () => Promise<readonly Version[]>;
  /**
   * The state file, with what a killed run left in its journal folded in; secrets sealed, unless they are to be shown. With a version: as it was
   * then. Throws EngineError `usage` for one that is not kept.
   */
  readonly exportState: (options?: {
    readonly version?: number;
    readonly showSecrets?: boolean;
  }) => Promise<SnapshotFile>;
  /** For `pulumi stack import`. Throws EngineError `usage` while it is not known what became of a write that was cut off. */
  readonly exportPulumi: (options?: {
    readonly version?: number;
    readonly showSecrets?: boolean;
    /** Hears of the key file that the secrets in it are sealed under, if it is one: Pulumi has to be shown it. */
    readonly sealedUnder?: (keyFile: string) => void;
  }) => Promise<PulumiExport>;
  /**
   * Replaces the state by an export of ours or of Pulumi's (`stack export`). `rename`: it may be one of another stack or project, whose resources
   * are this stack's from then on.
   */
  readonly importState: (text: string, options?: { readonly rename?: boolean }) => Promise<void>;
  readonly lock: () => Promise<LockOwner | undefined>;
  /** Removes the lock; resolves to whose it was. `force` is needed when the owner still runs on this host. */
  readonly unlock: (options?: { readonly force?: boolean }) => Promise<LockOwner | undefined>;
}
