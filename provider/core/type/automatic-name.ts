/** Names for resources whose unique label is left out. Pure: randomness comes from the caller's seed. */

import type { CheckRequest } from "../protocol.ts";
import type { Value } from "../value.ts";
import type { NamingRule } from "./field.ts";

/** `<logical name>-<7 hex>`, the logical name fitted to the rule; equal seeds give equal names. */
export function automaticName(logicalName: string, rule: NamingRule, seed: Uint8Array): string {
  const suffix = [...seed.slice(0, 4)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 7);
  return `${fitted(logicalName, rule)}-${suffix}`;
}

/** True when the name is one that `automaticName` makes for this resource. */
export function isAutomaticName(name: Value | undefined, logicalName: string, rule: NamingRule): boolean {
  if (typeof name !== "string") return false;
  return name.slice(0, -8) === fitted(logicalName, rule) && /^-[0-9a-f]{7}$/.test(name.slice(-8));
}

/** The logical name with foreign characters as single hyphens, cut to leave room for the suffix. */
function fitted(logicalName: string, rule: NamingRule): string {
  let text = logicalName.replace(new RegExp(`[^${rule.allowed}]+`, "gu"), "-");
  text = text
    .replace(/--+/g, "-")
    .replace(/__+/g, "_")
    .replace(/^[-_]+/, "");
  if (rule.startsWithLetter && !/^[A-Za-z]/.test(text)) text = `r-${text}`;
  text = text.slice(0, rule.maxLength - 8).replace(/[-_]+$/, "");
  return text === "" ? "r" : text;
}

export type NameDecision = { readonly name: string } | { readonly failure: string };

/** The name to use when the user gives none: the one kept from before, else by the user's autonaming mode, else automatic. */
export function decideName(
  request: Pick<CheckRequest, "name" | "randomSeed" | "autonaming">,
  rule: NamingRule,
  previous: Value | undefined,
): NameDecision {
  if (typeof previous === "string" && previous !== "") return { name: previous };
  const { autonaming } = request;
  if (autonaming?.mode === "disable") {
    return { failure: "is required: automatic names are switched off (pulumi:autonaming)" };
  }
  if (autonaming?.mode === "enforce") return { name: autonaming.proposedName };
  if (autonaming?.mode === "propose") return { name: shortened(autonaming.proposedName, rule) };
  if (!request.randomSeed || request.randomSeed.length < 4) {
    return { failure: "is required: there is no random seed to name it automatically" };
  }
  return { name: automaticName(request.name, rule, request.randomSeed) };
}

/** A proposed name made to fit: the end, which tells proposals apart, is kept. */
function shortened(proposed: string, rule: NamingRule): string {
  const clean = proposed
    .replace(new RegExp(`[^${rule.allowed}]+`, "gu"), "-")
    .replace(/--+/g, "-")
    .replace(/__+/g, "_");
  const named =
    rule.startsWithLetter && !/^[A-Za-z]/.test(clean) ? `r-${clean.replace(/^[-_]+/, "")}` : clean;
  if (named.length <= rule.maxLength) return named;
  const end = named.slice(-8).replace(/^[-_]+/, "");
  return `${named.slice(0, rule.maxLength - 9).replace(/[-_]+$/, "")}-${end}`;
}
