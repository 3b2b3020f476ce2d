/** What an object's conditions say, in the words that Flux, Argo CD and `kubectl wait` judge by (kstatus). Pure. */

import type { Condition, KubeObject, Status, Truth } from "./api.ts";

/** How it stands with an object after a look at it. */
export type Verdict =
  | { readonly is: "ready" }
  /** Something is under way, or is waited for. */
  | { readonly is: "reconciling"; readonly reason: string; readonly message: string }
  /** Only a change of the object, or of what it names, helps. */
  | { readonly is: "stalled"; readonly reason: string; readonly message: string };

export type NotReady = Exclude<Verdict, { readonly is: "ready" }>;

/** What is known beside the verdict; what is undefined stays as it was. */
export interface Findings {
  /** True: the service has what was declared. */
  readonly isSynced?: boolean;
  /** Properties that were found otherwise than applied; empty: none. */
  readonly drifted?: readonly string[];
}

/** The conditions that follow; those that stay keep the time since when they do. `now`: RFC 3339, whole seconds. */
export function conditionsAfter(
  { metadata: { generation }, status }: Pick<KubeObject, "metadata" | "status">,
  verdict: Verdict,
  { isSynced, drifted }: Findings,
  now: string,
): readonly Condition[] {
  const before = new Map(status?.conditions?.map((each) => [each.type, each]));
  const told = (type: string, truth: Truth, reason: string, message: string): Condition => {
    const last = before.get(type);
    const lastTransitionTime = last?.status === truth ? last.lastTransitionTime : now;
    return { type, status: truth, observedGeneration: generation, lastTransitionTime, reason, message };
  };
  const kept = (type: string): Condition[] => {
    const last = before.get(type);
    return last === undefined ? [] : [last];
  };
  const [reason, message] =
    verdict.is === "ready" ? ["Ready", "it is as declared"] : [verdict.reason, verdict.message];
  return [
    told("Ready", verdict.is === "ready" ? "True" : "False", reason, message),
    // Abnormal while they are there: absent is what everybody waits for.
    ...(verdict.is === "reconciling" ? [told("Reconciling", "True", reason, message)] : []),
    ...(verdict.is === "stalled" ? [told("Stalled", "True", reason, message)] : []),
    ...(isSynced === undefined
      ? kept("Synced")
      : [
          isSynced
            ? told("Synced", "True", "Applied", "the service has what was declared")
            : told("Synced", "False", reason, message),
        ]),
    ...(drifted === undefined
      ? kept("Drifted")
      : [
          drifted.length > 0
            ? told("Drifted", "True", "ChangedOutside", `changed outside: ${drifted.join(", ")}`)
            : told("Drifted", "False", "AsApplied", "it was found as it was applied"),
        ]),
  ];
}

/** True for two statuses that say the same: nothing is written then. */
export function saysTheSame(one: Status | undefined, other: Status): boolean {
  return one !== undefined && JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, ordered(each)]),
  );
}
