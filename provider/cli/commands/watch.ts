/** The command `watch`: keeps the account as declared, again and again, until it is told to end. */

import type { Command } from "commander";
import { addTargetOption, allowGone } from "../flags.ts";
import { helped } from "../help.ts";
import { addPolicyOptions } from "../policy/sets.ts";
import type { WatchFlags } from "../watch/watch.ts";

export function addWatchCommand(program: Command): void {
  addPolicyOptions(
    addTargetOption(
      helped(program.command("watch"), {
        examples: {
          watch: "apply Pulumi.yaml at every change of it, and every ten minutes",
          "watch --interval 1h --listen 9464": "with /healthz, /readyz and /metrics on this machine",
          "watch --git https://git.example/infra.git --ref main": "what is on main, in .plumbline/watch",
          "watch -s prod --json": "a JSON object a line, for a log",
        },
      }),
    ),
  )
    .description("keep the account as declared: apply at every change and on an interval, until told to end")
    .option("--interval <duration>", "read everything and put it right this often", "10m")
    .option("--poll <duration>", "look for a change this often (default: 1s, with --git 30s)")
    .option("--git <url>", "what a git repository declares; --file is within it")
    .option("--ref <name>", "the branch or tag of --git (default: main)")
    .option("--checkout <folder>", "where --git is checked out (default: in .plumbline/watch)")
    .option("--listen <address>", "serve /healthz, /readyz and /metrics: PORT of this machine, or HOST:PORT")
    .option(...allowGone)
    .option("--continue-on-error", "delete what is no longer declared even after something failed")
    .action(async (flags: WatchFlags, command: Command) => {
      // Loaded only when asked for: no other command measures itself.
      const { watch } = await import("../watch/watch.ts");
      await watch(flags, command);
    });
}
