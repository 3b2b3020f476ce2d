/** The command `coverage`: every operation of the contract and what reaches it. Makes no request. */

import type { Command } from "commander";
import type { Coverage, CoveredOperation } from "../coverage.ts";
import { CommandError, exitCode } from "../exit.ts";
import type { Colors } from "../render/format.ts";
import { settingsOf } from "../settings.ts";
import { print } from "../stack.ts";

export function addCoverageCommand(program: Command): void {
  program
    .command("coverage")
    .description("show every operation of the service and what reaches it; exit with 1 if one is not reached")
    .action(async (_flags, command: Command) => {
      const { json, colors } = settingsOf(command);
      // The contract is large, and no other command needs it here.
      const { coverage } = await import("../coverage.ts");
      const found = coverage();
      if (json) print(JSON.stringify(coverageJson(found), null, 2));
      else for (const line of coverageLines(found, colors)) print(line);
      const missing = found.operations.length - found.reached;
      if (missing === 0) return;
      const said = `${missing} ${missing === 1 ? "operation is" : "operations are"} reached by no type, function or verb`;
      throw new CommandError(json ? "" : said, exitCode.error);
    });
}

/** `{ operations, areas, total, reached, missing, ignored }`; `missing` are keys (`GET /domains`). */
export function coverageJson(found: Coverage): object {
  const { operations, areas, reached, ignored } = found;
  const missing = operations.filter(({ reachedBy }) => reachedBy.length === 0).map(keyOf);
  return { operations, areas, total: operations.length, reached, missing, ignored };
}

/** A table for each area; the last line is the count (`143 of 143 operations`). */
export function coverageLines(found: Coverage, colors: Colors): string[] {
  const lines = found.areas.flatMap(({ area, operations, reached }) => {
    const own = found.operations.filter((operation) => operation.area === area);
    const width = Math.max(...own.map(({ path }) => path.length));
    const count = `${reached} of ${operations}`;
    return [
      `${colors.bold(area)}  ${reached === operations ? colors.green(count) : colors.red(count)}`,
      ...own.map(
        (operation) =>
          `  ${operation.method.padEnd(6)} ${operation.path.padEnd(width)}  ${
            operation.reachedBy.length > 0 ? reachersText(operation) : colors.red("not reached")
          }`,
      ),
      "",
    ];
  });
  for (const { operation, by, reason } of found.ignored)
    lines.push(colors.yellow(`not counted: ${operation}${by && ` by ${by}`}: ${reason}`));
  if (found.ignored.length > 0) lines.push("");
  return [...lines, `${found.reached} of ${found.operations.length} operations`];
}

/** `dns:Domain create, read; dns:getDomain`: verbs together, tokens without the package. */
export function reachersText({ reachedBy }: CoveredOperation): string {
  const byToken = new Map<string, string[]>();
  for (const by of reachedBy) {
    const [token = "", ...verb] = by.replace(/^plumbline:/, "").split(" ");
    byToken.set(token, [...(byToken.get(token) ?? []), ...(verb.length > 0 ? [verb.join(" ")] : [])]);
  }
  return [...byToken].map(([token, verbs]) => [token, verbs.join(", ")].join(" ").trimEnd()).join("; ");
}

const keyOf = ({ method, path }: CoveredOperation) => `${method} ${path}`;
