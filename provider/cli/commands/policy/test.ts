/** The command `policy test`: asks the rules about steps that somebody wrote down, or about a saved plan. Makes no request. */

import { dirname, join } from "node:path";
import type { Command } from "commander";
import { parse } from "yaml";
import { parsePlan } from "../../../engine/operations/plan.ts";
import { judge } from "../../../engine/policy/judge.ts";
import type { SeenStep, Verdict } from "../../../engine/policy/rule.ts";
import { seenPlan } from "../../../engine/policy/saved.ts";
import { catalogue } from "../../../provider.ts";
import { CommandError, type ExitCode, exitCode } from "../../exit.ts";
import { pathOf } from "../../flags.ts";
import { readGiven } from "../../given-files.ts";
import { helped } from "../../help.ts";
import { type Stack, withStack } from "../../open-stack.ts";
import { type Case, casesIn } from "../../policy/cases.ts";
import { addPoliciesOption } from "../../policy/sets.ts";
import { shownPath } from "../../render/account.ts";
import { print } from "../../render/door.ts";
import { inLine } from "../../render/format.ts";

const usual = "policies.test.yaml";

export function addPolicyTest(policy: Command): void {
  addPoliciesOption(
    helped(policy.command("test [file]"), {
      examples: {
        "policy test": `the cases of ${usual}`,
        "policy test --plan plan.json": "what the rules have against a saved plan",
      },
      codes: ["guarded"],
    }),
  )
    .description(`ask the rules about the cases of a file (${usual}), or about a saved plan`)
    .option("--plan <file>", "a plan that preview --save-plan wrote, in place of cases")
    .action((file: string | undefined, flags: { plan?: string }, command: Command) => {
      if (file !== undefined && flags.plan !== undefined)
        throw new CommandError("policy test takes a file of cases or a plan, not both");
      return withStack(command, (stack) =>
        flags.plan === undefined ? testCases(stack, file) : testPlan(stack, flags.plan),
      );
    });
}

async function verdictsOf(stack: Stack, steps: readonly SeenStep[]): Promise<Verdict[]> {
  const { program, settings, policies } = stack;
  const subject = { project: program.projectName, stack: settings.stack, steps, isPlan: true };
  return judge(await policies.active(), subject, policies.allowed);
}

async function testPlan(stack: Stack, file: string): Promise<ExitCode> {
  const { settings } = stack;
  const verdicts = await verdictsOf(
    stack,
    seenPlan(parsePlan(readGiven(pathOf(file), { shown: file, option: "--plan" })), catalogue),
  );
  const isRefused = verdicts.some(({ isMandatory }) => isMandatory);
  if (settings.json) print(JSON.stringify({ findings: verdicts.map(json) }, null, 2));
  else if (verdicts.length === 0)
    print(`${settings.colors.green("passed")}: no policy has anything against the plan`);
  else for (const verdict of verdicts) print(lineOf(verdict));
  return isRefused ? exitCode.guarded : exitCode.done;
}

const json = ({ policy, isMandatory, urn, property, message }: Verdict) => ({
  policy,
  level: isMandatory ? "mandatory" : "advisory",
  urn,
  property,
  message,
});

const lineOf = ({ isMandatory, urn, message }: Verdict): string =>
  `${isMandatory ? "mandatory" : "advisory "}  ${urn === "" ? "" : `${inLine(urn.split("::").at(-1) ?? "")}: `}${inLine(message)}`;

async function testCases(stack: Stack, given: string | undefined): Promise<ExitCode> {
  const { settings } = stack;
  const file = given === undefined ? join(dirname(settings.file), usual) : pathOf(given);
  const cases = casesIn(parsed(file), file, { project: stack.program.projectName, stack: settings.stack });
  const results = [];
  for (const one of cases) {
    const verdicts = await verdictsOf(stack, one.steps);
    results.push({ one, verdicts, faults: faultsOf(one, verdicts) });
  }
  const failed = results.filter(({ faults }) => faults.length > 0);
  if (settings.json) {
    const cases = results.map(({ one, verdicts, faults }) => ({
      name: one.name,
      passed: faults.length === 0,
      faults,
      findings: verdicts.map(json),
    }));
    print(JSON.stringify({ cases }, null, 2));
  } else {
    const { green, red } = settings.colors;
    for (const { one, faults } of results) {
      print(`${faults.length === 0 ? green("passed") : red("failed")}  ${inLine(one.name)}`);
      for (const fault of faults) print(`        ${inLine(fault)}`);
    }
    print(`${results.length - failed.length} of ${results.length} passed`);
  }
  return failed.length === 0 ? exitCode.done : exitCode.error;
}

function parsed(file: string): unknown {
  const text = readGiven(file, { shown: shownPath(file) });
  try {
    return parse(text);
  } catch (cause) {
    throw new CommandError(`${file}: ${(cause as Error).message}`, exitCode.error, { cause });
  }
}

/** What was expected and did not come, and what came and was not expected. */
function faultsOf({ expect }: Case, verdicts: readonly Verdict[]): string[] {
  const found = new Set(verdicts.map(({ policy }) => policy));
  return [
    ...expect.filter((name) => !found.has(name)).map((name) => `${name} finds nothing`),
    ...verdicts
      .filter(({ policy }) => !expect.includes(policy))
      .map(({ policy, message }) => `${policy} finds: ${message}`),
  ];
}
