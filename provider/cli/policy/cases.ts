/** The cases of `policy test`: steps as people write them down, and the policies that are to have something against them. */

import { makeUrn } from "../../core/engines/urn.ts";
import { didYouMeanOrOneOf } from "../../core/nearest.ts";
import { shortToken } from "../../core/token.ts";
import { declaring, type SeenStep, type SeenValues } from "../../engine/policy/rule.ts";
import { catalogue } from "../../provider.ts";
import { CommandError } from "../exit.ts";

export interface Case {
  readonly name: string;
  readonly steps: readonly SeenStep[];
  /** Names of policies. */
  readonly expect: readonly string[];
}

const operations: readonly string[] = [...declaring, "delete", "read"];
const keys = [
  "operation",
  "type",
  "name",
  "id",
  "inputs",
  "oldInputs",
  "changes",
  "replaceReasons",
  "retained",
];

type Given = { readonly [key: string]: unknown };
const isRecord = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads the cases. Throws CommandError that names the case and what is wrong with it. */
export function casesIn(given: unknown, file: string, place: { project: string; stack: string }): Case[] {
  const cases = isRecord(given) ? given["cases"] : undefined;
  if (!Array.isArray(cases) || cases.length === 0)
    throw new CommandError(`${file}: needs "cases": a list of cases, each with name, steps and expect`);
  return cases.map((each, at): Case => {
    const refuse = (reason: string): never => {
      throw new CommandError(`${file}: case ${at + 1}: ${reason}`);
    };
    if (!isRecord(each)) return refuse("must be an object with name, steps and expect");
    const { name = `case ${at + 1}`, steps, expect } = each;
    if (typeof name !== "string") refuse("name must be a text");
    if (!Array.isArray(steps)) refuse("steps must be a list");
    if (!Array.isArray(expect) || !expect.every((one) => typeof one === "string"))
      refuse("expect must be a list of names of policies, empty for none");
    const all = steps as unknown[];
    return {
      name: name as string,
      steps: all.map((step, number) => stepIn(step, `step ${number + 1}`, place, refuse)),
      expect: expect as string[],
    };
  });
}

function stepIn(
  given: unknown,
  which: string,
  { project, stack }: { project: string; stack: string },
  refuse: (reason: string) => never,
): SeenStep {
  if (!isRecord(given)) return refuse(`${which} must be an object`);
  const stray = Object.keys(given).find((key) => !keys.includes(key));
  if (stray) refuse(`${which}: "${stray}" is no key of a step${didYouMeanOrOneOf(stray, keys)}`);
  const { operation = "create", type, name = "it", id, inputs, oldInputs } = given;
  if (!operations.includes(String(operation)))
    refuse(`${which}: operation must be one of ${operations.join(", ")}`);
  const token = typeof type === "string" ? catalogue.resolveResource(type) : undefined;
  if (token === undefined) return refuse(`${which}: there is no type ${JSON.stringify(type)}`);
  for (const [key, value] of Object.entries({ inputs, oldInputs }))
    if (value !== undefined && !isRecord(value)) refuse(`${which}: ${key} must be an object`);
  const old = oldInputs as SeenValues | undefined;
  const goes = (operation === "delete" || operation === "replace") && given["retained"] !== true;
  const lost = goes && old ? catalogue.lossOf?.(token, old) : undefined;
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  return {
    operation: operation as SeenStep["operation"],
    urn: makeUrn(stack, project, token, String(name)),
    type: shortToken(token),
    name: String(name),
    ...(id === undefined ? {} : { id: String(id) }),
    ...(inputs && operation !== "delete" ? { inputs: inputs as SeenValues } : {}),
    ...(old ? { oldInputs: old } : {}),
    changes: texts(given["changes"]),
    replaceReasons: texts(given["replaceReasons"]),
    ...(lost === undefined ? {} : { lost }),
    retained: given["retained"] === true,
  };
}
