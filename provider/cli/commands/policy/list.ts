/** The command `policy ls`: every rule with its level for the stack, its settings, and who set it. */

import { relative } from "node:path";
import type { Command } from "commander";
import type { Listed } from "../../../engine/policy/settings.ts";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { addPoliciesOption } from "../../policy/sets.ts";
import { print } from "../../render/door.ts";
import { type Colors, inLine } from "../../render/format.ts";

export function addPolicyList(policy: Command): void {
  addPoliciesOption(
    helped(policy.command("ls").alias("list"), {
      examples: {
        "policy ls": "what holds for the stack, and what could",
        "policy ls --stack prod --json": "with every setting, for a program",
      },
    }),
  )
    .description("the rules, their levels for the stack and who set them")
    .action((_flags, command: Command) =>
      withStack(command, async ({ settings, policies }) => {
        const listed = await policies.list();
        if (settings.json) print(JSON.stringify(listed.map(json), null, 2));
        else for (const line of lines(listed, settings.colors)) print(line);
        return exitCode.done;
      }),
    );
}

const sourceOf = ({ rule }: Listed): string =>
  rule.source === "built in" ? rule.source : relative(process.cwd(), rule.source) || rule.source;

function json(listed: Listed): object {
  const { rule, level, settings, stacks, except, allow, owner } = listed;
  const { name, description, types = [], operations } = rule;
  return {
    name,
    level,
    owner,
    source: sourceOf(listed),
    allow,
    stacks,
    except,
    settings,
    types,
    operations,
    description,
  };
}

function lines(listed: readonly Listed[], colors: Colors): string[] {
  const shade = { off: colors.dim, advisory: colors.yellow, mandatory: colors.red };
  const rows = listed.map((each) => ({ each, name: inLine(each.rule.name), owner: inLine(each.owner) }));
  const width = (of: (row: (typeof rows)[number]) => string) =>
    Math.max(...rows.map((row) => of(row).length));
  const [names, owners] = [width(({ name }) => name), width(({ owner }) => owner)];
  return rows.flatMap(({ each, name, owner }) => {
    const { level, rule, settings } = each;
    const head = `${shade[level](level.padEnd(9))}  ${colors.bold(name.padEnd(names))}  ${owner.padEnd(owners)}  ${inLine(rule.description)}`;
    const own = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const details = [
      ...(level !== "off" && own.length > 0 ? [own.join(", ")] : []),
      ...(each.stacks.length > 0 ? [`stacks: ${each.stacks.join(", ")}`] : []),
      ...(each.except.length > 0 ? [`except: ${each.except.join(", ")}`] : []),
      ...(level === "mandatory" && each.allow ? [`--allow ${rule.name} lets it pass`] : []),
      ...(rule.source === "built in" ? [] : [`from ${sourceOf(each)}`]),
    ];
    return [head.trimEnd(), ...details.map((line) => colors.dim(`           ${inLine(line)}`))];
  });
}
