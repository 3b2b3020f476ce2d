/** Failures on demand: which rule hits a request, and nothing of how the failure is played on the wire. */

import { STATUS_CODES } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createRandom } from "../account/random.ts";
import { type Reason, Refusal } from "../area.ts";
import type { FaultRule } from "../face.ts";

export interface Faults {
  /** Counts the request against every rule and returns the first that hits it. */
  hit(method: string, template: string | undefined): FaultRule | undefined;
  /** The rules with how often each fired. */
  rules(): (FaultRule & { fired: number })[];
  /** Replaces the rules; refuses with 400 what is no list of rules. */
  setRules(rules: unknown): void;
  /**
   * `{"add": [rule…], "remove": [rule…]}`: adds what is not there and removes what is; the other rules go on counting. Refuses with 400
   * what has another form.
   */
  change(changes: unknown): void;
}

const ruleSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["method", "path", "do"],
    additionalProperties: false,
    properties: {
      method: { type: "string", minLength: 1 },
      path: { type: "string", pattern: "^(\\*|/.*)$" },
      nth: { type: "integer", minimum: 1 },
      probability: { type: "number", minimum: 0, maximum: 1 },
      seed: { type: "integer" },
      times: { type: "integer", minimum: 1 },
      do: { enum: ["status", "reset-before", "reset-after", "drop-after", "delay", "truncate", "garbage"] },
      status: { type: "integer", minimum: 200, maximum: 599 },
      headers: { type: "object", additionalProperties: { type: "string" } },
      seconds: { type: "number", minimum: 0, maximum: 86_400 },
      fired: true,
    },
  },
};

const judge = new Ajv2020({ strict: false, allErrors: true });
const check = judge.compile(ruleSchema);
const checkChange = judge.compile({
  type: "object",
  additionalProperties: false,
  properties: { add: ruleSchema, remove: ruleSchema },
});

interface Armed {
  readonly rule: FaultRule;
  readonly chance: (() => boolean) | undefined;
  matched: number;
  fired: number;
}

/** Rules over the given templates of paths. */
export function createFaults(templates: ReadonlySet<string>): Faults {
  let armed: Armed[] = [];

  function fires(rule: Armed): boolean {
    rule.matched++;
    const { nth = 1, times } = rule.rule;
    if (rule.chance) return rule.chance() && rule.fired < (times ?? Infinity);
    return rule.matched >= nth && rule.matched < nth + (times ?? 1);
  }

  return {
    hit: (method, template) => {
      let hit: Armed | undefined;
      for (const rule of armed) {
        const matches =
          (rule.rule.method === "*" || rule.rule.method.toUpperCase() === method) &&
          (rule.rule.path === "*" || rule.rule.path === template);
        if (matches && fires(rule) && !hit) hit = rule;
      }
      if (hit) hit.fired++;
      return hit?.rule;
    },
    rules: () => armed.map(({ rule, fired }) => ({ ...rule, fired })),
    setRules: (rules) => {
      const reasons = problems(rules, templates);
      if (reasons.length > 0) throw new Refusal(400, reasons);
      armed = (rules as FaultRule[]).map(arm);
    },
    change: (changes) => {
      if (!checkChange(changes)) throw new Refusal(400, told(checkChange.errors));
      const { add = [], remove = [] } = changes as { add?: FaultRule[]; remove?: FaultRule[] };
      const reasons = problems(add, templates, "add");
      if (reasons.length > 0) throw new Refusal(400, reasons);
      const isOneOf = (all: readonly Armed[], { rule }: Armed) =>
        all.some((other) => isDeepStrictEqual(other.rule, rule));
      const gone = remove.map(arm);
      const left = armed.filter((one) => !isOneOf(gone, one));
      for (const one of add.map(arm)) if (!isOneOf(left, one)) left.push(one);
      armed = left;
    },
  };
}

function arm(given: FaultRule & { readonly fired?: number }): Armed {
  const { fired: _fired, ...rule } = given;
  const random = createRandom(rule.seed ?? 1);
  const { probability } = rule;
  const chance = probability === undefined ? undefined : () => random.fraction() < probability;
  return { rule, chance, matched: 0, fired: 0 };
}

/** The schema's complaints as the service words them. */
function told(errors: typeof check.errors): Reason[] {
  return (errors ?? []).map(({ message, instancePath, params }): Reason => {
    const more = params["allowedValues"] ?? params["additionalProperty"];
    const field = instancePath
      .slice(1)
      .replaceAll("/", ".")
      .replace(/(?:^|\.)(\d+)(?=\.|$)/g, "[$1]");
    return {
      reason: more === undefined ? message! : `${message}: ${more}`,
      ...(field !== "" && { field }),
    };
  });
}

/** What is wrong with the rules, which stand in the field `place`, or are the body. */
function problems(rules: unknown, templates: ReadonlySet<string>, place = ""): Reason[] {
  if (!check(rules)) return told(check.errors);
  const found: Reason[] = [];
  (rules as FaultRule[]).forEach((rule, at) => {
    if (rule.do === "status" && rule.status === undefined)
      found.push({ reason: "status is required when a rule says status", field: `${place}[${at}].status` });
    if (rule.do === "delay" && rule.seconds === undefined)
      found.push({ reason: "seconds is required when a rule says delay", field: `${place}[${at}].seconds` });
    if (rule.path !== "*" && !templates.has(rule.path))
      found.push({
        reason: `${rule.path} is no path of the contract; write it as there (/volumes/{volumeId}) or *`,
        field: `${place}[${at}].path`,
      });
    if (rule.nth !== undefined && rule.probability !== undefined)
      found.push({ reason: "give nth or probability, not both", field: `${place}[${at}].probability` });
  });
  return found;
}

/** The words of an injected error answer. */
export function faultReason(status: number): string {
  return status === 429 ? "Too many requests" : (STATUS_CODES[status] ?? `Status ${status}`);
}
