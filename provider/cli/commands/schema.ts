/** The command `schema`: prints what types there are, for editors or for Pulumi. */

import type { Command } from "commander";
import { packageSchema, stackSchema } from "../../provider.ts";
import { helped } from "../help.ts";
import { print } from "../render/door.ts";

export function addSchemaCommand(program: Command): void {
  helped(program.command("schema"), {
    examples: {
      "schema > stack.json": "for the editor's YAML plugin",
      "schema --pulumi": "what Pulumi makes SDKs of",
    },
  })
    .description("print the JSON Schema of stack files, for editors")
    .option("--pulumi", "the Pulumi package schema instead")
    .action((flags: { pulumi?: boolean }) => {
      print(JSON.stringify(flags.pulumi ? packageSchema() : stackSchema(), null, 2));
    });
}
