/** The judge of what a run left behind: resumes with a preview and the run, and holds the account against what an undisturbed run makes. */

import type { Result } from "../../provider/engine/engine.ts";
import type { Diagnostic } from "../../provider/engine/host.ts";
import { areEqual, differences, idsOf, toldDifferences } from "./account.ts";
import type { Bench, Moment } from "./bench.ts";
import type { Fault, Kind } from "./verdict.ts";

type Step = Pick<Result["steps"][number], "op" | "type" | "name" | "id" | "detailedDiff">;

/** What a run tells of itself. */
export interface Outcome extends Pick<Result, "result" | "changes"> {
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Pick<Diagnostic, "severity" | "message">[];
}

/** What is asked of an engine to judge it. */
export interface Judged {
  preview(): Promise<Outcome>;
  up(): Promise<Outcome>;
  destroy(options?: { readonly previewOnly?: boolean }): Promise<Outcome>;
}

/** A bench of any engine. */
export interface JudgedBench extends Pick<Bench, "emulator" | "now" | "restore" | "watch"> {
  readonly run: <T>(stack: string, work: (engine: Judged) => Promise<T>) => Promise<T>;
}

/** What the account is to be, and how a run gets there. */
export interface Aim {
  /** The stack file to go on with. */
  readonly stack: string;
  readonly operation: "up" | "destroy";
  /** The account that an undisturbed run makes. */
  readonly account: unknown;
  /** The account before any run, to which a destroy must go back; absent: no destroy follows. */
  readonly empty?: unknown;
  /** The account before the run that was disturbed: what it made anew may go without a word. */
  readonly before: unknown;
}

const errorsOf = (result: Outcome): string =>
  result.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message)
    .join("; ")
    .slice(0, 400);

/** Runs; an error that is thrown is a refusal like any other. */
async function attempt(
  bench: JudgedBench,
  stack: string,
  work: (engine: Judged) => Promise<Outcome>,
): Promise<{
  readonly refusal: string | undefined;
  readonly steps: readonly Step[];
  readonly changes: boolean;
}> {
  try {
    const result = await bench.run(stack, work);
    const refusal = result.result === "succeeded" ? undefined : errorsOf(result) || result.result;
    return { refusal, steps: result.steps, changes: result.changes };
  } catch (error) {
    return { refusal: (error as Error).message, steps: [], changes: false };
  }
}

/** Paths of the objects that were deleted while `work` ran. */
async function deletedBy<T>(bench: JudgedBench, work: () => Promise<T>): Promise<[T, readonly string[]]> {
  const deleted: string[] = [];
  const before = bench.watch;
  bench.watch = (moment, { method, path }) => {
    if (moment === "before" && method === "DELETE") deleted.push(decodeURIComponent(path));
    return undefined;
  };
  try {
    return [await work(), deleted];
  } finally {
    bench.watch = before;
  }
}

/** True when the plan held the deletion: of the object itself, or of a part of an object that it changes. */
export function isShown(
  path: string,
  shown: readonly Pick<Step, "op" | "type" | "id">[],
  before: ReadonlySet<string>,
): boolean {
  const segments = path.split("/");
  const last = segments.at(-1)!;
  const byPlan = shown.some(({ op, id }) => {
    if (id === undefined || op === "same" || op === "read") return false;
    const parts = id.split("/");
    const isOwn = parts.every((part) => segments.includes(part));
    return isOwn && (op === "delete" || op === "replace" || last !== parts.at(-1));
  });
  // A key whose secret died with the killed run is revoked by whoever makes it anew, and a certificate is uploaded again.
  const isDeadKey = /^\/v4\/object-storage\/keys\//.test(path) && !before.has(last);
  const isUpload =
    last === "ssl" && shown.some(({ op, type }) => op !== "same" && /BucketCertificate$/.test(type));
  return byPlan || isDeadKey || isUpload;
}

/** Goes on from the moment as the next person would, and tells all that is wrong. */
export async function judge(bench: JudgedBench, moment: Moment, aim: Aim): Promise<Fault[]> {
  const faults: Fault[] = [];
  const fault = (kind: Kind, detail: string) => faults.push({ kind, detail });
  bench.restore(moment);
  const preview = (engine: Judged): Promise<Outcome> =>
    aim.operation === "up" ? engine.preview() : engine.destroy({ previewOnly: true });
  const run = (engine: Judged): Promise<Outcome> => (aim.operation === "up" ? engine.up() : engine.destroy());

  const seen = await attempt(bench, aim.stack, preview);
  if (seen.refusal !== undefined) fault("stuck", `the preview: ${seen.refusal}`);
  const differs = differences(bench.emulator.data(), aim.account);
  if (seen.refusal === undefined && !seen.changes && !areEqual(differs))
    fault("silent", `the preview is empty, but ${toldDifferences(differs)}`);

  const [done, deleted] = await deletedBy(bench, () => attempt(bench, aim.stack, run));
  if (done.refusal !== undefined) fault("stuck", `${aim.operation}: ${done.refusal}`);
  const before = idsOf(aim.before);
  if (seen.refusal === undefined)
    for (const path of deleted.filter((each) => !isShown(each, seen.steps, before)))
      fault("unshown", `DELETE ${path}`);
  if (done.refusal !== undefined) {
    const again = await attempt(bench, aim.stack, run);
    if (again.refusal !== undefined) return faults;
  }

  const left = differences(bench.emulator.data(), aim.account);
  const extra = aim.operation === "up" ? "doubled" : "orphaned";
  if (left.extra.length > 0) fault(extra, left.extra.join("; "));
  if (left.missing.length + left.other.length > 0) fault("lost", toldDifferences({ ...left, extra: [] }));
  if (aim.operation === "destroy") return faults;

  const after = await attempt(bench, aim.stack, (engine) => engine.preview());
  if (after.refusal !== undefined || after.changes)
    fault("stuck", `a preview after the up: ${after.refusal ?? told(after.steps)}`);
  if (aim.empty === undefined) return faults;
  const gone = await attempt(bench, aim.stack, (engine) => engine.destroy());
  if (gone.refusal !== undefined) fault("stuck", `the destroy after it: ${gone.refusal}`);
  const orphans = differences(bench.emulator.data(), aim.empty);
  if (!areEqual(orphans)) fault("orphaned", toldDifferences(orphans));
  return faults;
}

const told = (steps: readonly Step[]): string =>
  steps
    .filter(({ op }) => op !== "same")
    .map(({ op, name, detailedDiff }) => `${op} ${name} (${Object.keys(detailedDiff).join(", ")})`)
    .join("; ");
