/** The grammar of interpolated text: `${name.prop[0]["key"]}` and `$$`; knows neither YAML nor what names stand for. */

/** A reference as it is written: the name it starts from and the way from there. */
export interface ReferenceText {
  readonly root: string;
  readonly path: readonly (string | number)[];
  /** Offset of `${` in the text, and the length up to and including `}`. */
  readonly index: number;
  readonly length: number;
}

/** Where and why a text is no interpolation. */
export interface InterpolationFault {
  readonly index: number;
  readonly length: number;
  readonly reason: string;
}

/** Literal texts (with `$$` already read as `$`) and references, in order; neighbours are never both literal, and no literal is empty. */
export type InterpolationParts = readonly (string | ReferenceText)[];

/** Takes a text apart, or says what is wrong with it. A `$` before anything but `$` and `{` is itself. */
export function parseInterpolation(
  text: string,
): { parts: InterpolationParts } | { fault: InterpolationFault } {
  const parts: (string | ReferenceText)[] = [];
  let literal = "";
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf("$", at);
    if (dollar === -1) {
      literal += text.slice(at);
      break;
    }
    literal += text.slice(at, dollar);
    const next = text[dollar + 1];
    if (next === "{") {
      const found = parseReference(text, dollar);
      if ("reason" in found) return { fault: found };
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push(found);
      at = dollar + found.length;
    } else {
      literal += "$";
      at = dollar + (next === "$" ? 2 : 1);
    }
  }
  if (literal !== "") parts.push(literal);
  return { parts };
}

function parseReference(text: string, start: number): ReferenceText | InterpolationFault {
  const steps: (string | number)[] = [];
  let at = start + 2;
  const fault = (reason: string): InterpolationFault => ({ index: start, length: at - start, reason });
  while (at < text.length) {
    const character = text[at];
    if (character === "}") {
      const [root, ...path] = steps;
      if (root === undefined)
        return fault("the reference is empty: write ${name} or ${name.property}, and $${ for a literal ${");
      if (typeof root === "number") return fault("a reference starts with a name, not with an index");
      return { root, path, index: start, length: at + 1 - start };
    }
    if (character === ".") {
      at += 1;
    } else if (character === "[" && text[at + 1] === '"') {
      const quoted = /^\["((?:\\"|[^"])*)"\]/.exec(text.slice(at));
      if (quoted === null) return fault('a key in brackets must end with "]');
      steps.push(quoted[1]!.replaceAll('\\"', '"'));
      at += quoted[0].length;
    } else if (character === "[") {
      const close = text.indexOf("]", at);
      if (close === -1) return fault("an index must end with ]");
      const index = text.slice(at + 1, close);
      if (!/^[0-9]+$/.test(index))
        return fault(`${JSON.stringify(index)} is not an index: write a number, or a key in double quotes`);
      steps.push(Number(index));
      at = close + 1;
    } else {
      const name = /^[^.[}]+/.exec(text.slice(at))![0];
      steps.push(name);
      at += name.length;
    }
  }
  return fault("the reference has no end: add }, or write $${ for a literal ${");
}

/** Writes a reference again, without `${` and `}`. */
export function formatReference(root: string, path: readonly (string | number)[]): string {
  const quoted = (step: string) => `["${step.replaceAll('"', '\\"')}"]`;
  let text = /^[^.[}]+$/.test(root) ? root : quoted(root);
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += /^[^.[}]+$/.test(step) ? `.${step}` : quoted(step);
  }
  return text;
}
