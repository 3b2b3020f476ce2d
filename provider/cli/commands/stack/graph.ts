/** The command `stack graph`: the resources and what they depend on, drawn. */

import type { Command } from "commander";
import { dot, mermaid } from "../../../engine/operations/graph.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { pathOf } from "../../flags.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { graphHtml } from "../../render/html.ts";
import { replaceFile } from "../../replacing.ts";

export function addStackGraph(stack: Command): void {
  helped(stack.command("graph"), {
    examples: { "stack graph": "for Markdown files", "stack graph --format dot": "for Graphviz" },
  })
    .description("the resources and what they depend on, as Mermaid or DOT")
    .option("--format <format>", "mermaid or dot", "mermaid")
    .option("--html <file>", "write a page of its own with the drawing and the resources instead")
    .action((flags: { format: string; html?: string }, command: Command) =>
      withStack(command, async ({ engine, settings }) => {
        if (flags.format !== "mermaid" && flags.format !== "dot") {
          throw new CommandError(`--format needs mermaid or dot, not "${flags.format}"`);
        }
        const graph = await engine.graph();
        if (flags.html !== undefined) {
          replaceFile(pathOf(flags.html), graphHtml(graph, settings.stack));
          return exitCode.done;
        }
        print((flags.format === "dot" ? dot(graph) : mermaid(graph)).trimEnd());
        return exitCode.done;
      }),
    );
}
