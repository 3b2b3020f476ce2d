/** The command `stack graph`: the resources and what they depend on, drawn. */

import type { Command } from "commander";
import { dot, mermaid } from "../../../engine/operations/graph.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";

export function addStackGraph(stack: Command): void {
  helped(stack.command("graph"), {
    examples: { "stack graph": "for Markdown files", "stack graph --format dot": "for Graphviz" },
  })
    .description("the resources and what they depend on, as Mermaid or DOT")
    .option("--format <format>", "mermaid or dot", "mermaid")
    .action((flags: { format: string }, command: Command) =>
      withStack(command, async ({ engine }) => {
        if (flags.format !== "mermaid" && flags.format !== "dot") {
          throw new CommandError(`--format needs mermaid or dot, not "${flags.format}"`);
        }
        const graph = await engine.graph();
        print((flags.format === "dot" ? dot(graph) : mermaid(graph)).trimEnd());
        return exitCode.done;
      }),
    );
}
