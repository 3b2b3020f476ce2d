/** Which rules hold for a stack, and how: reads what the project and others set, and says what is wrong with it. Knows no file. */

import { didYouMeanOrOneOf } from "../../core/nearest.ts";
import type { Catalogue } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import { validate } from "../../core/validate.ts";
import { EngineError } from "../failure.ts";
import type { PolicySection, RuleSetting } from "../host.ts";
import { builtInRules } from "./builtin/index.ts";
import { type AskedRule, type Level, levels, type Policy, type SeenValues } from "./rule.ts";

/** Rules of one owner, and what the owner sets. */
export interface PolicySet {
  /** `project`, or the file or folder that the user named. */
  readonly owner: string;
  readonly section: Pick<PolicySection, "rules">;
  /** Of the owner's modules. */
  readonly rules: readonly AskedRule[];
}

/** Every rule with its level for the stack, those that are off included. */
export interface Listed extends Omit<Policy, "level"> {
  readonly level: Level;
  /** Patterns of the stacks that it is for; empty: all. */
  readonly stacks: readonly string[];
}

/** What each owner's rules come to for the stack. Throws EngineError `usage` that names every fault. */
export async function listPolicies(
  sets: readonly PolicySet[],
  stack: string,
  catalogue: Pick<Catalogue, "resolveResource">,
): Promise<Listed[]> {
  const faults: string[] = [];
  const listed: Listed[] = [];
  for (const { owner, section, rules } of sets) {
    const known = new Map(builtInRules.map((rule) => [rule.name, rule]));
    for (const rule of rules) {
      const other = known.get(rule.name);
      if (other)
        faults.push(`${rule.source}: there is a rule ${rule.name} already (${other.source}): rename it`);
      known.set(rule.name, withTypes(rule, catalogue, faults));
    }
    for (const { name, place } of section.rules.values()) {
      if (!known.has(name))
        faults.push(`${place}: there is no policy ${name}${didYouMeanOrOneOf(name, known.keys())}`);
    }
    for (const rule of known.values()) {
      const setting = section.rules.get(rule.name);
      if (setting === undefined && rule.source === "built in" && owner !== "project") continue;
      listed.push(await listedOf(rule, setting, { owner, stack, faults }));
    }
  }
  if (faults.length === 0) return listed;
  throw new EngineError("usage", `The policies cannot be used as they are set:\n${faults.join("\n")}`);
}

/** Those that hold. */
export const activeOf = (listed: readonly Listed[]): Policy[] =>
  listed.flatMap(({ level, ...rest }) => (level === "off" ? [] : [{ ...rest, level }]));

/** The rule with its types as stack files write them. */
function withTypes(
  rule: AskedRule,
  { resolveResource }: Pick<Catalogue, "resolveResource">,
  faults: string[],
): AskedRule {
  if (rule.types === undefined) return rule;
  const types = rule.types.flatMap((type) => {
    const token = resolveResource(type);
    if (token === undefined) faults.push(`${rule.source}: rule ${rule.name}: there is no type ${type}`);
    return token === undefined ? [] : [shortToken(token)];
  });
  return { ...rule, types };
}

const shared = ["level", "stacks", "except", "allow"] as const;

async function listedOf(
  rule: AskedRule,
  setting: RuleSetting | undefined,
  { owner, stack, faults }: { owner: string; stack: string; faults: string[] },
): Promise<Listed> {
  const fault = (message: string) => faults.push(`${setting?.place}: policy ${rule.name}: ${message}`);
  const given = setting?.value ?? {};
  const record = typeof given === "object" && given !== null && !Array.isArray(given) ? given : undefined;
  const values = (record ?? {}) as { readonly [name: string]: unknown };
  if (record === undefined && !levels.includes(given as Level))
    fault(`must be ${levels.join(", ")} or an object of settings, not ${JSON.stringify(given)}`);
  const named = record === undefined ? given : values["level"];
  if (record !== undefined && named !== undefined && !levels.includes(named as Level))
    fault(`level must be ${levels.join(", ")}, not ${JSON.stringify(named)}`);
  const wanted = levels.includes(named as Level) ? (named as Level) : undefined;
  const level = wanted ?? (setting && rule.level === "off" ? "mandatory" : rule.level);
  const stacks = textsOf(values["stacks"], (message) => fault(`stacks ${message}`));
  const except = textsOf(values["except"], (message) => fault(`except ${message}`));
  const { allow = rule.allow } = values;
  if (typeof allow !== "boolean") fault("allow must be true or false");
  const own = Object.fromEntries(
    Object.entries(values).filter(([name]) => !(shared as readonly string[]).includes(name)),
  ) as SeenValues;
  if (level !== "off") for (const message of await faultsOf(rule, own)) fault(message);
  const isFor = stacks.length === 0 || stacks.some((pattern) => matches(pattern, stack));
  return {
    rule,
    level: isFor ? level : "off",
    settings: { ...rule.defaults, ...own },
    stacks,
    except,
    allow: allow === true,
    owner,
  };
}

/** What is wrong with a rule's own settings. */
async function faultsOf(rule: AskedRule, values: SeenValues): Promise<string[]> {
  const { fields } = rule;
  if (fields === undefined) return [];
  const plain = { values, unknownPaths: [], secretPaths: [], misplacedPaths: [] };
  const failures = await validate({ fields, noun: "setting" }, plain);
  const faults = failures.map(({ property, reason }) => `${property} ${reason}`);
  const { pattern } = values;
  if ("pattern" in fields && typeof pattern === "string") {
    try {
      new RegExp(pattern, "u");
    } catch (error) {
      faults.push(`pattern is no regular expression: ${(error as Error).message}`);
    }
  }
  return faults;
}

function textsOf(given: unknown, fault: (message: string) => void): string[] {
  if (given === undefined) return [];
  if (typeof given === "string") return [given];
  if (Array.isArray(given) && given.every((each) => typeof each === "string")) return given as string[];
  fault("must be a text or a list of texts");
  return [];
}

/** `*` stands for any characters. */
const matches = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replace(/[\\^$.|?+()[\]{}]/g, "\\$&").replaceAll("*", ".*")}$`).test(name);
