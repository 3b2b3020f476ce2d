/** The command `coverage`: every operation of the contract and what reaches it. Makes no request. */

import type { Command } from "commander";
import type { Coverage, CoveredOperation, callersOf } from "../coverage.ts";
import { CommandError, exitCode } from "../exit.ts";
import { helped } from "../help.ts";
import { print } from "../render/door.ts";
import type { Colors } from "../render/format.ts";
import { settingsOf } from "../settings.ts";

export function addCoverageCommand(program: Command): void {
  helped(program.command("coverage"), { examples: { coverage: "every operation and what reaches it" } })
    .description("show every operation of the service and what reaches it; exit with 1 if one is not reached")
    .action(async (_flags, command: Command) => {
      const settings = settingsOf(command);
      // The contract is large, and no other command needs it here.
      const { callersOf, coverage } = await import("../coverage.ts");
      tellCoverage(coverage(), { ...settings, callersOf, write: print });
    });
}

interface Telling {
  readonly json: boolean;
  readonly colors: Colors;
  readonly callersOf: typeof callersOf;
  readonly write: (line: string) => void;
}

/** Writes the coverage; the last line is the count (`143 of 143 operations`). Throws a CommandError when an operation is not reached. */
export function tellCoverage(found: Coverage, telling: Telling): void {
  const { json, write } = telling;
  if (json) write(JSON.stringify(coverageJson(found), null, 2));
  else for (const line of coverageLines(found, telling)) write(line);
  const missing = found.operations.length - found.reached;
  if (missing === 0) return;
  const said = `${missing} ${missing === 1 ? "operation is" : "operations are"} reached by no type, function or verb`;
  throw new CommandError(json ? "" : said, exitCode.error);
}

function coverageJson({ operations, areas, reached, ignored }: Coverage): object {
  const missing = operations
    .filter(({ reachedBy }) => reachedBy.length === 0)
    .map(({ method, path }) => `${method} ${path}`);
  return { operations, areas, total: operations.length, reached, missing, ignored };
}

/** A table for each area. */
function coverageLines(found: Coverage, { colors, callersOf }: Telling): string[] {
  const reachers = (operation: CoveredOperation) =>
    callersOf(operation)
      .map(({ token, verbs }) => [token.replace(/^plumbline:/, ""), verbs.join(", ")].join(" ").trimEnd())
      .join("; ");
  const lines = found.areas.flatMap(({ area, operations, reached }) => {
    const own = found.operations.filter((operation) => operation.area === area);
    const width = Math.max(...own.map(({ path }) => path.length));
    const count = `${reached} of ${operations}`;
    return [
      `${colors.bold(area)}  ${reached === operations ? colors.green(count) : colors.red(count)}`,
      ...own.map((operation) => {
        const { method, path } = operation;
        return `  ${method.padEnd(6)} ${path.padEnd(width)}  ${reachers(operation) || colors.red("not reached")}`;
      }),
      "",
    ];
  });
  for (const { operation, by, reason } of found.ignored)
    lines.push(colors.yellow(`not counted: ${operation}${by && ` by ${by}`}: ${reason}`));
  if (found.ignored.length > 0) lines.push("");
  return [...lines, `${found.reached} of ${found.operations.length} operations`];
}
