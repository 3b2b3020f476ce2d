/** Property paths as Pulumi writes them (`records[0].ttlSec`, `a["odd.name"]`): made, taken apart, matched. Pure. */

export type PathStep = string | number;
export type PropertyPath = readonly PathStep[];

/** Writes a path; names with `.`, `[`, `]` or `"` are quoted. The empty path is `""`. */
export function formatPath(path: PropertyPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (step === "" || /[.[\]"]/.test(step)) text += `["${step.replace(/["\\]/g, "\\$&")}"]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** Takes a path apart; `*` stays a step of that name. Throws when the text is not a path. */
export function parsePath(text: string): PropertyPath {
  const steps: PathStep[] = [];
  let at = 0;
  const fail = (): never => {
    throw new Error(`"${text}" is not a property path: write it like a.b[0]["key"]`);
  };
  while (at < text.length) {
    const rest = text.slice(at);
    const name = /^\.?([^.[\]"]+)/.exec(rest);
    const index = /^\.?\[(\d+|\*)\]/.exec(rest);
    const quoted = /^\.?\["((?:[^"\\]|\\.)*)"\]/.exec(rest);
    if (index) steps.push(index[1] === "*" ? "*" : Number(index[1]));
    else if (quoted) steps.push((quoted[1] ?? "").replace(/\\(.)/g, "$1"));
    else if (name && (at > 0 ? rest.startsWith(".") : !rest.startsWith("."))) steps.push(name[1] ?? "");
    else return fail();
    at += (index ?? quoted ?? name ?? fail())[0].length;
  }
  return steps;
}

/** True when `path` is at, or within, what `pattern` names; `*` stands for any one step. */
export function isWithin(path: PropertyPath, pattern: PropertyPath): boolean {
  return (
    pattern.length <= path.length &&
    pattern.every((step, i) => step === "*" || String(step) === String(path[i]))
  );
}
