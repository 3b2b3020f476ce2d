/** The patterns that keep records out of a zone's hands: `name` or `name/TYPE`, with `*` for any characters. Pure. */

import { relativeName } from "../names.ts";
import { recordTypes } from "../record/types.ts";
import { ownerOf, type ZoneForm } from "./form.ts";

/** What is wrong with a pattern, if anything. */
export function faultOf(pattern: string): string | undefined {
  const [name, type, more] = pattern.split("/");
  if (name === "" || more !== undefined || type === "")
    return "must be a name (www, *.dev, @ for the domain itself) or NAME/TYPE";
  if (type === undefined || type === "*" || (recordTypes as readonly string[]).includes(type.toUpperCase()))
    return undefined;
  return `must end in one of ${recordTypes.join(", ")} or * after the slash`;
}

/** True for records that one of the patterns means. Names are relative to the zone or written in full; case does not matter. */
export function ignores(patterns: readonly string[], zone: string | undefined): (form: ZoneForm) => boolean {
  const rules = patterns
    .filter((pattern) => faultOf(pattern) === undefined)
    .map((pattern) => ruleOf(pattern, zone));
  return (form) => rules.some((isMeant) => isMeant(form));
}

function ruleOf(pattern: string, zone: string | undefined): (form: ZoneForm) => boolean {
  const [given = "", type = "*"] = pattern.split("/");
  const name = given === "@" ? "" : relativeName(given, zone);
  const parts = name.split("*").map((part) => part.replace(/[.\\+?^${}()|[\]]/g, "\\$&"));
  const text = new RegExp(`^${parts.join(".*")}$`);
  const wanted = type.toUpperCase();
  return (form) => (wanted === "*" || wanted === form.type) && text.test(ownerOf(form));
}
