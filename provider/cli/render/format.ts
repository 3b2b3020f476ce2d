/** Words, marks and colours that every way of showing a run shares. Knows no terminal. */

import type pc from "picocolors";
import { duration } from "../../core/duration.ts";
import { withErrorCode } from "../../core/error-code.ts";
import { quoted, visible } from "../../core/masking.ts";
import { parsePath } from "../../core/property-path.ts";
import type { RequestCounts } from "../../core/protocol.ts";
import { plainToken } from "../../core/token.ts";
import { containsSecret, reveal, secret, type Value, type ValueMap } from "../../core/value.ts";
import { printable, type Step, type StepCounts, type StepOp } from "../../engine/event.ts";
import type { Diagnostic } from "../../engine/host.ts";

export type Colors = ReturnType<typeof pc.createColors>;

/** Shows what happens, one event at a time. */
export interface Palette {
  readonly colors: Colors;
  readonly showSecrets: boolean;
}

const marks: { readonly [op in StepOp]: string } = {
  create: "+",
  update: "~",
  replace: "±",
  delete: "-",
  same: " ",
  import: "=",
  read: ">",
};

const doing: { readonly [op in StepOp]: readonly [plan: string, running: string, done: string] } = {
  create: ["create", "creating", "created"],
  update: ["update", "updating", "updated"],
  replace: ["replace", "replacing", "replaced"],
  delete: ["delete", "deleting", "deleted"],
  same: ["unchanged", "checking", "unchanged"],
  import: ["import", "importing", "imported"],
  read: ["read", "reading", "read"],
};

export const mark = (op: StepOp): string => marks[op];

/** A type without our package's name (`dns:Record`). */
export const plainType = plainToken;

/** `10,000`. */
export const thousands = (count: number): string => count.toLocaleString("en-US");

/** A text of others within a line of ours. */
export const inLine = (text: string): string => quoted(text.replace(/\s+/g, " "));

/** What a step is called in a plan, while it runs, and once it is over. */
export function word(step: Step, tense: "plan" | "running" | "done"): string {
  const [plan, running, done] = doing[step.op];
  const text = { plan, running, done }[tense];
  if (step.along) return `${text} with its parent`;
  if (!step.retained) return text;
  if (step.op === "replace")
    return `${text}, ${tense === "plan" ? "keep the old object" : "old object kept"}`;
  return tense === "plan" ? "forget, keep the object" : "forgotten, object kept";
}

export function paint(op: StepOp, colors: Colors): (text: string) => string {
  switch (op) {
    case "create":
    case "import":
      return colors.green;
    case "update":
      return colors.yellow;
    case "replace":
      return colors.magenta;
    case "delete":
      return colors.red;
    default:
      return colors.dim;
  }
}

/**
 * A step that runs or is over, in columns of their own width, for there is no knowing what follows:
 * `+ created   dns:Record   www   www A 203.0.113.9 (0.2 s)`. What is wider than `width` loses some of its phrase first.
 */
export function stepLine(
  step: Step,
  phrase: string,
  {
    colors,
    state,
    seconds,
    width = Number.POSITIVE_INFINITY,
  }: {
    readonly colors: Colors;
    readonly state: "running" | "done" | "failed";
    readonly seconds: number;
    readonly width?: number;
  },
): string {
  const color = state === "failed" ? colors.red : paint(step.op, colors);
  const what = state === "failed" ? "failed" : word(step, state);
  const sign = state === "failed" ? "!" : mark(step.op);
  const [verb, type] = [what.padEnd(9), plainType(step.type).padEnd(20)];
  const name = shortened(inLine(step.name), Math.max(8, width / 3)).padEnd(16);
  const time = `(${duration(seconds)})`;
  const room = width - [sign, verb, type, name, time].reduce((sum, { length }) => sum + length + 2, -1);
  const rest = shortened(inLine(phrase), Math.max(0, room));
  return `${color(`${sign} ${verb}`)}  ${type}  ${colors.bold(name)}  ${rest === "" ? "" : `${rest}  `}${colors.dim(time)}`;
}

/** The text, or so much of it as has so many characters. */
const shortened = (text: string, most: number): string =>
  text.length <= most ? text : most < 2 ? "" : `${text.slice(0, Math.floor(most) - 1)}…`;

/** `3 to create, 1 to update`, or `nothing to do`. */
export function countsText(counts: StepCounts, tense: "plan" | "done"): string {
  const parts = (["create", "update", "replace", "delete", "import"] as const)
    .filter((op) => (counts[op] ?? 0) > 0)
    .map((op) => `${thousands(counts[op] ?? 0)} ${tense === "plan" ? `to ${op}` : doing[op][2]}`);
  if (counts.same > 0) parts.push(`${thousands(counts.same)} unchanged`);
  return parts.length > 0 ? parts.join(", ") : "nothing to do";
}

/** `12 requests (9 POST, 3 GET)`. */
export function requestsText(requests: RequestCounts): string {
  const parts = Object.entries(requests).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return "no request";
  const list = parts.map(([method, count]) => `${thousands(count)} ${method}`).join(", ");
  return `${thousands(total)} request${total === 1 ? "" : "s"} (${list})`;
}

/** `error: Pulumi.yaml:3:5: …`, with the property where no place is known. */
export function diagnosticText(diagnostic: Diagnostic, colors: Colors): string {
  const color = { error: colors.red, warning: colors.yellow, info: colors.cyan }[diagnostic.severity];
  const place = diagnostic.file
    ? `${diagnostic.file}:${diagnostic.line ?? 1}:${diagnostic.column ?? 1}: `
    : diagnostic.urn
      ? `${diagnostic.urn.split("::").at(-1)}: `
      : "";
  const property =
    diagnostic.property && !diagnostic.message.startsWith(diagnostic.property)
      ? `${diagnostic.property}: `
      : "";
  return `${color(`${diagnostic.severity}:`)} ${quoted(withErrorCode(`${place}${property}${diagnostic.message}`, diagnostic.code))}`;
}

function valueAt(values: ValueMap | undefined, path: string): Value | undefined {
  let at: Value | undefined = values;
  for (const step of parsePath(path)) {
    const within: Value = at === undefined ? null : reveal(at);
    // A secret around the whole keeps what is within it from being shown.
    if (at !== undefined && within !== at) return at;
    at = (within as { readonly [step: string | number]: Value } | null)?.[step];
    if (at === undefined) return undefined;
  }
  return at;
}

/** The values of one property: where one of them is secret all are, since the service tells the others without that mark. */
export function sealedAlike<T extends { readonly [side: string]: Value | undefined }>(values: T): T {
  const isSealed = Object.values(values).some((value) => value !== undefined && containsSecret(value));
  if (!isSealed) return values;
  const sealed = Object.entries(values).map(([side, value]) => [
    side,
    value === undefined ? value : secret(value),
  ]);
  return Object.fromEntries(sealed);
}

/** What an unknown waits for: `[unknown until zone is made]`. */
function unknownUntil(source: string | undefined): string {
  const name = source?.split("#")[0]?.split("::").at(-1);
  return name ? `[unknown until ${quoted(name)} is made]` : "[unknown]";
}

/** A value on one line, at most `limit` characters. */
export function oneLine(value: Value | undefined, showSecrets: boolean, limit = 100): string {
  if (value === undefined) return "";
  const text = visible(JSON.stringify(printable(value, showSecrets, unknownUntil)) ?? "");
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** The changed properties of a step, a line each: `target: "a" → "b"`; what forces a replacement is marked. */
export function changeLines(step: Step, { colors, showSecrets }: Palette): string[] {
  return Object.entries(step.detailedDiff).map(([path, diff]) => {
    const { before: was, after: becomes } = sealedAlike({
      ...(diff.values ?? {
        before: valueAt(diff.inputDiff ? step.oldInputs : step.oldOutputs, path),
        after: valueAt(step.newInputs, path),
      }),
      declared: valueAt(step.newInputs, path),
      last: valueAt(step.oldInputs, path),
      live: valueAt(step.oldOutputs, path),
    });
    const before = oneLine(was, showSecrets);
    const after = oneLine(becomes, showSecrets);
    const forces = diff.kind.endsWith("-replace") ? colors.magenta(" (forces a replacement)") : "";
    const change = diff.kind.startsWith("add")
      ? colors.green(after)
      : diff.kind.startsWith("delete")
        ? `${colors.red(before)} → (not set)`
        : `${colors.red(before)} → ${colors.green(after)}`;
    return `${quoted(path)}: ${change}${forces}`;
  });
}

/** The inputs of something to be made, a line each. */
export function inputLines(step: Step, { showSecrets }: Palette): string[] {
  return Object.entries(step.newInputs ?? {})
    .filter(([name]) => !name.startsWith("__"))
    .map(([name, value]) => `${quoted(name)}: ${oneLine(value, showSecrets)}`);
}

/** Outputs as `name: value` lines; texts are shown as they are. */
export function outputLines(outputs: ValueMap, showSecrets: boolean): string[] {
  const names = Object.keys(outputs);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => {
    const value = printable(outputs[name] ?? null, showSecrets, unknownUntil);
    return `${quoted(name).padEnd(width)}  ${typeof value === "string" ? quoted(value) : JSON.stringify(value)}`;
  });
}
