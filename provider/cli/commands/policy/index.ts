/** The `policy` commands: which rules hold for a stack, whether they do what they are to do, and a new one. One file a command. */

import type { Command } from "commander";
import { helped } from "../../help.ts";
import { addPolicyList } from "./list.ts";
import { addPolicyNew } from "./new.ts";
import { addPolicyPack } from "./pack.ts";
import { addPolicyTest } from "./test.ts";

export function addPolicyCommands(program: Command): void {
  const policy = helped(program.command("policy"), {
    examples: {
      "policy ls": "every rule, its level and who set it",
      "help policy test": "the options of one of these",
    },
  })
    .helpCommand(false)
    .description("the rules that runs of a stack are held to: listed, tested, begun");
  addPolicyList(policy);
  addPolicyTest(policy);
  addPolicyNew(policy);
  addPolicyPack(policy);
}
