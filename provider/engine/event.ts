/** What an operation tells while it runs: one typed stream for the live tree, plain lines and JSON lines. Knows no terminal. */

import type { ErrorCode } from "../core/error-code.ts";
import type { PropertyDiff, RequestCounts, Severity, Urn } from "../core/protocol.ts";
import {
  isArchive,
  isAsset,
  isResourceReference,
  isSecret,
  isUnknown,
  isValueMap,
  type Value,
  type ValueMap,
} from "../core/value.ts";
import type { CostReport } from "./cost/report.ts";
import type { GuardKind } from "./failure.ts";
import type { Diagnostic, Position } from "./host.ts";

export type Operation =
  | "validate"
  | "preview"
  | "up"
  | "refresh"
  | "drift"
  | "destroy"
  | "import"
  | "invoke"
  | "retarget";

/** In a refresh, `update` and `delete` say what happens to the state; nothing is written to the service. */
export type StepOp = "create" | "update" | "replace" | "delete" | "same" | "import" | "read";

/** What happens to one resource. */
export interface Step {
  readonly op: StepOp;
  readonly urn: Urn;
  /** Canonical token. */
  readonly type: string;
  readonly name: string;
  /** The resource that is declared as its parent; absent: none but the stack. */
  readonly parent?: Urn;
  /** The object's id before the step; for a create the id that it got. Absent while there is none. */
  readonly id?: string;
  /** By property path; without what `hideDiffs` names. */
  readonly detailedDiff: { readonly [path: string]: PropertyDiff };
  /** Why a replacement: top-level properties, `provider`, `deletedWith`…; empty for anything else. */
  readonly replaceReasons: readonly string[];
  /** Inputs last applied; secrets are marked. Absent for a create. */
  readonly oldInputs?: ValueMap;
  /** Inputs now declared (in a refresh: as found); secrets are marked. Absent for a delete. */
  readonly newInputs?: ValueMap;
  /** Outputs last read, for the old values of a detailed diff whose `inputDiff` is false. */
  readonly oldOutputs?: ValueMap;
  /** True for the removal of the object that a replacement left behind; not counted as a delete. */
  readonly replaced?: boolean;
  /** True for a delete or a replacement that leaves the object where it is (`retainOnDelete`, or it goes with another: `deletedWith`). */
  readonly retained?: boolean;
  /** True for a delete without a request of its own: the service deletes the object with the one that it is within. */
  readonly along?: boolean;
  /** What an earlier run left open of it, and this one ends: its creation was interrupted, or why its last change failed. */
  readonly unfinished?: readonly string[];
  /** True when the old object goes before the new one is made. */
  readonly deleteBeforeReplace?: boolean;
  readonly position?: Position;
}

/** How many resources each op was for. `import` and `read` are absent when none. */
export interface StepCounts {
  readonly create: number;
  readonly update: number;
  readonly replace: number;
  readonly delete: number;
  readonly same: number;
  readonly import?: number;
  readonly read?: number;
}

export type Outcome = "succeeded" | "failed" | "cancelled";

/** A guard's refusal: exit code 4. */
export interface Guard {
  readonly kind: GuardKind | "change";
  readonly code?: ErrorCode;
  readonly message: string;
}

export interface Summary {
  readonly operation: Operation;
  /** True for what was only planned: nothing was done. */
  readonly previewOnly?: true;
  readonly result: Outcome;
  readonly counts: StepCounts;
  /** Requests made, by HTTP method. */
  readonly requests: RequestCounts;
  readonly seconds: number;
  /** True when anything other than `same` and `read` was planned or done. */
  readonly changes: boolean;
  readonly guard?: Guard;
}

export type EngineEvent =
  | {
      readonly event: "start";
      readonly operation: Operation;
      /** True when what follows is only planned. */
      readonly previewOnly?: true;
      readonly project: string;
      readonly stack: string;
    }
  /** A preview found out what would happen. */
  | { readonly event: "planned"; readonly step: Step }
  | { readonly event: "started"; readonly step: Step }
  /** `seconds` from started; `outputs` as now saved, secrets marked. */
  | { readonly event: "finished"; readonly step: Step; readonly seconds: number; readonly outputs?: ValueMap }
  | {
      readonly event: "failed";
      readonly step: Step;
      readonly seconds: number;
      readonly reasons: readonly string[];
      readonly code?: ErrorCode;
    }
  /** A status line of a running step (a wait); the next one replaces it. */
  | { readonly event: "progress"; readonly urn?: Urn; readonly severity: Severity; readonly message: string }
  | ({ readonly event: "diagnostic" } & Diagnostic)
  /** The stack's outputs; unknowns only in a preview, secrets marked. `isSame`: they are those that were saved before. */
  | { readonly event: "outputs"; readonly outputs: ValueMap; readonly isSame?: true }
  /** What a preview changes in the cost of a month. */
  | { readonly event: "cost"; readonly cost: CostReport }
  | ({ readonly event: "summary" } & Summary);

export type Emit = (event: EngineEvent) => void;

/**
 * A value as it may be printed in JSON: secrets read `[secret]` (or are shown when asked), unknowns `[unknown]`, references as their
 * id, assets and archives by what they are made of. `unknownWord` says what an unknown reads.
 */
export function printable(
  value: Value,
  showSecrets = false,
  unknownWord: (source: string | undefined) => string = () => "[unknown]",
): unknown {
  if (isUnknown(value)) return unknownWord(value.source);
  if (isSecret(value)) return showSecrets ? printable(value.value, true, unknownWord) : "[secret]";
  if (isResourceReference(value)) return typeof value.id === "string" ? value.id : value.urn;
  if (isAsset(value)) return { asset: value.path ?? value.uri ?? `sha256:${value.hash ?? "?"}` };
  if (isArchive(value)) return { archive: value.path ?? value.uri ?? `sha256:${value.hash ?? "?"}` };
  if (Array.isArray(value)) return value.map((item) => printable(item as Value, showSecrets, unknownWord));
  if (isValueMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, printable(item, showSecrets, unknownWord)]),
    );
  }
  return value;
}

const withoutValues = (diff: Step["detailedDiff"]): Step["detailedDiff"] =>
  Object.fromEntries(Object.entries(diff).map(([path, { kind, inputDiff }]) => [path, { kind, inputDiff }]));

/** A step as `preview --json` and the JSON lines show it: no value of any property. */
export function stepJson(step: Step): object {
  return {
    op: step.op,
    urn: step.urn,
    type: step.type,
    name: step.name,
    id: step.id ?? null,
    detailedDiff: withoutValues(step.detailedDiff),
    replaceReasons: step.replaceReasons,
    ...(step.replaced ? { replaced: true } : {}),
    ...(step.retained ? { retained: true } : {}),
    ...(step.along ? { along: true } : {}),
    ...(step.deleteBeforeReplace ? { deleteBeforeReplace: true } : {}),
    ...(step.unfinished ? { unfinished: step.unfinished } : {}),
  };
}

/** An event as one line of `--json`; the summary has the shape of the command line reference. */
export function eventJson(event: EngineEvent, showSecrets = false): object {
  switch (event.event) {
    case "planned":
    case "started":
      return { event: event.event, step: stepJson(event.step) };
    case "finished":
      return { event: event.event, step: stepJson(event.step), seconds: event.seconds };
    case "failed":
      return {
        event: event.event,
        step: stepJson(event.step),
        seconds: event.seconds,
        reasons: event.reasons,
        ...(event.code ? { code: event.code } : {}),
      };
    case "outputs":
      return { event: event.event, outputs: printable(event.outputs, showSecrets) };
    case "summary":
      return {
        event: event.event,
        operation: event.operation,
        ...(event.previewOnly ? { previewOnly: true } : {}),
        result: event.result,
        summary: event.counts,
        requests: event.requests,
        seconds: event.seconds,
        ...(event.guard ? { guard: event.guard } : {}),
      };
    default:
      return event;
  }
}
