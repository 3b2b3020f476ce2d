/** The seam between programs, stack files among them, and the deployment: a program is run, and the host makes what it registers real. */

import type { ErrorCode } from "../core/error-code.ts";
import type { Catalogue, Log, Urn, Value, ValueMap } from "../core/protocol.ts";
import type { Alias } from "./state/alias.ts";

/** A place in a file; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Diagnostic {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly code?: ErrorCode;
  /** The policy whose finding it is. */
  readonly policy?: string;
  readonly urn?: Urn;
  /** Property path (`records[0].ttlSec`). */
  readonly property?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Every resource option of Pulumi YAML, evaluated. Property paths are Pulumi's (`a.b[0]["key"]`). */
export interface ResourceOptions {
  readonly additionalSecretOutputs?: readonly string[];
  readonly aliases?: readonly Alias[];
  /** Seconds. */
  readonly customTimeouts?: { readonly create?: number; readonly update?: number; readonly delete?: number };
  readonly deleteBeforeReplace?: boolean;
  readonly dependsOn?: readonly Urn[];
  readonly ignoreChanges?: readonly string[];
  /** An id to adopt instead of creating. */
  readonly import?: string;
  readonly parent?: Urn;
  readonly protect?: boolean;
  /** URN of an explicit provider; absent: the default provider. */
  readonly provider?: Urn;
  readonly providers?: readonly Urn[];
  readonly version?: string;
  readonly pluginDownloadURL?: string;
  readonly replaceOnChanges?: readonly string[];
  readonly retainOnDelete?: boolean;
  readonly replaceWith?: readonly Urn[];
  readonly deletedWith?: Urn;
  readonly hideDiffs?: readonly string[];
}

/** A resource as a program wants it. */
export interface Goal {
  /** Canonical token; `pulumi:providers:plumbline` for an explicit provider. A component's may be any. */
  readonly type: string;
  readonly name: string;
  /** True: it has no object of its own, and is only the parent of others. */
  readonly isComponent?: true;
  /** Unchecked inputs; unknowns only in previews. */
  readonly inputs: ValueMap;
  readonly options: ResourceOptions;
  /** Everything that must exist first: from expressions, `dependsOn`, parent and provider. (`replaceWith` and `deletedWith` are waited for, but are no dependencies.) */
  readonly dependencies: readonly Urn[];
  /** By top-level input: the resources that its value was computed from. */
  readonly propertyDependencies: { readonly [property: string]: readonly Urn[] };
  /** Where the property at the path stands (the nearest enclosing place that is known); `""` is the resource itself. */
  readonly positionOf: (propertyPath: string) => Position | undefined;
}

/** What a goal waits for by name. */
export function resourcesNamedBy({ dependencies, propertyDependencies, options }: Goal): Set<Urn> {
  const { parent, provider, deletedWith, replaceWith = [] } = options;
  const named = new Set([...dependencies, ...Object.values(propertyDependencies).flat(), ...replaceWith]);
  for (const urn of [parent, provider, deletedWith]) if (urn !== undefined) named.add(urn);
  return named;
}

/** What became of a goal; outputs hold unknowns in a preview. `id` is unknown for what a preview would create. A component has null and no outputs. */
export interface Registered {
  readonly urn: Urn;
  readonly id: Value;
  /** Inputs echoed plus outputs, secrets marked. */
  readonly outputs: ValueMap;
}

/** What a program may ask for while it runs. Every method may be called concurrently. */
export interface Host {
  readonly project: string;
  readonly stack: string;
  readonly organization: string;
  readonly preview: boolean;
  readonly catalogue: Catalogue;
  /** Aborted on cancel. */
  readonly signal: AbortSignal;
  /** URN that the goal will have; needs no answer of the service. */
  urn(type: string, name: string, parent?: Urn): Urn;
  /**
   * Makes the goal real (or plans it). Rejects when it failed: what depends on it is then not registered. The rejection is a ProgramError
   * whose diagnostics have the URN and, where `positionOf` knows it, a place; the host has told them already. After a cancel it has none.
   */
  register(goal: Goal): Promise<Registered>;
  /** Saves what a registered component tells as its outputs. */
  complete(component: Urn, outputs: ValueMap): void;
  /** Reads an existing object (`get:`); it is not managed. */
  read(goal: Omit<Goal, "inputs"> & { readonly id: string; readonly state: ValueMap }): Promise<Registered>;
  /** Calls a function with known arguments. `version` is that of the default provider, as resources name it. */
  invoke(
    token: string,
    args: ValueMap,
    options: { provider?: Urn; version?: string; dependencies: readonly Urn[] },
  ): Promise<ValueMap>;
  /** Outputs of another stack of the same state folder. */
  stackReference(name: string): Promise<ValueMap>;
  readonly log: Log;
}

/** One config key of a stack. */
export interface ConfigEntry {
  /** What it comes to, secrets marked; absent: nothing gives it a value. */
  readonly value?: Value;
  /** True: it is declared to be a secret. */
  readonly isSecret: boolean;
  /** True: it is declared to be a list or an object. */
  readonly isStructured: boolean;
}

/** A resource that a program declares. */
export interface ProgramNode {
  readonly key: string;
  readonly type: string;
  readonly name: string;
  /** Keys. */
  readonly dependsOn: readonly string[];
  readonly position?: Position;
}

/** What a project says of one policy, as it is written. */
export interface RuleSetting {
  readonly name: string;
  /** Plain JSON: a level, or an object of settings. */
  readonly value: unknown;
  /** `FILE:LINE:COLUMN`. */
  readonly place: string;
}

/** `policies` of a project file, or a file of the same form. */
export interface PolicySection {
  /** Paths of modules or of folders of them, from the file's own folder. */
  readonly modules: readonly { readonly path: string; readonly place: string }[];
  /** By the policy's name. */
  readonly rules: ReadonlyMap<string, RuleSetting>;
}

/** A stack file, parsed and checked for everything that needs no service: syntax, keys, references, cycles, types. */
export interface Program {
  readonly projectName: string;
  readonly description?: string;
  /** Everything found; errors mean that `run` must not be called. */
  readonly diagnostics: readonly Diagnostic[];
  /** The resources in the order of their dependencies, as far as the file alone tells. Undefined: only a run tells what there is. */
  readonly graph: readonly ProgramNode[] | undefined;
  /** Path of the stack's own settings (`Pulumi.<stack>.yaml`), which need not be there. */
  readonly settingsFile: string;
  /** Config that is declared, given, or known to the provider, by full key (`project:key`, `plumbline:token`). */
  readonly config: ReadonlyMap<string, ConfigEntry>;
  /** Provider config of the default provider (`plumbline:key`), secrets marked. */
  readonly providerConfig: ValueMap;
  /** `policies` of the project file; absent: none. */
  readonly policies?: PolicySection;
  /** `prices` of the project file: path of a table, from the file's own folder; absent: none. */
  readonly prices?: string;
  /** `options.refresh` of the project file. */
  readonly refresh: boolean;
  /**
   * Evaluates everything in dependency order, as concurrently as the dependencies allow. Resolves to the stack outputs; when something failed, the
   * rest still runs and the rejection is a ProgramError. `first`: by the key of a resource, others that it waits for as if it referred to them. (The URN is the key where there is no graph.)
   */
  run(host: Host, first?: ReadonlyMap<string, readonly string[]>): Promise<ValueMap>;
  /** Says what is to come, so that what takes time before a run begins at once; absent where nothing does. What it starts ends with this process. */
  prepare?(operation: "preview" | "update"): void;
}

/** Some resources, variables or outputs failed; each diagnostic has a position. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((d) => d.message).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** Findings that are told at once; the others are counted. */
export const mostFindings = 100;

/** What is said of findings beyond that. */
export const moreFindings = (count: number): string =>
  `… and ${count} more: they are told once these are mended`;

export type { Alias };
