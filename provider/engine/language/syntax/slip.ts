/** What somebody who writes a stack file by hand has most likely meant where the YAML library only says what it met. Pure. */

/** Longer lines nobody has written by hand. */
const LONGEST = 1000;

/** Advice for a syntax error at the offset of a text, to be said after its message; empty where there is none. */
export function adviceFor(text: string, offset: number, message: string): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  const lines = text.split("\n", line + 3);
  const here = lines[line] ?? "";
  if (here.length > LONGEST) return "";
  const reference = unquotedReference(here);
  if (reference !== undefined) return `within { } and [ ] a reference has to stand in quotes: "${reference}"`;
  if (/tabs are not allowed/i.test(message)) return "indent with spaces";
  if (/must start at the same column/i.test(message)) return misplaced(lines.slice(0, line), here);
  if (/compact mappings/i.test(message)) {
    const next = lines[line + 1] ?? "";
    if (next.trim() !== "" && indentOf(next) > indentOf(here))
      return `the next line is indented by ${indentOf(next)}, and this one by ${indentOf(here)}: keys that stand beside each other begin in one column`;
    return 'a value with ": " in it has to stand in quotes';
  }
  if (/implicit (map )?keys? needs?/i.test(message)) return 'a key is followed by ":", a space and its value';
  return "";
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The first reference of a line that stands in a flow map or list without quotes. */
function unquotedReference(line: string): string | undefined {
  const plain = line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, (quoted) => "_".repeat(quoted.length));
  const found = /[[{].*?[:,[]\s*(\$\{[^}]*\})/.exec(plain);
  return found?.[1];
}

/** Which columns the key could have begun in: those of the keys above it that are still open. */
function misplaced(above: readonly string[], here: string): string {
  const own = indentOf(here);
  const open: number[] = [];
  for (const line of above) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const indent = indentOf(line);
    while (open.length > 0 && open.at(-1)! > indent) open.pop();
    if (open.at(-1) !== indent) open.push(indent);
  }
  const fitting = open.filter((indent) => Math.abs(indent - own) <= 4);
  return fitting.length === 0
    ? ""
    : `this key is indented by ${own}, and those above it by ${fitting.join(" or ")}: keys that stand beside each other begin in one column`;
}
