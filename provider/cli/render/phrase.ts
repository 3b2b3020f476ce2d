/** One phrase that says what a resource is (`www CNAME shop.example`, `40 GB us-east`), as its type would have it. */

import { containsSecret, containsUnknown, isValueMap, reveal, type Value } from "../../core/value.ts";
import type { Step } from "../../engine/event.ts";
import { catalogue } from "../../provider.ts";

/** Longer phrases are cut. */
const LONGEST = 60;

/** The phrase of a step's resource, as it will be or, for what goes, as it is; without what is unknown, secret, or only repeats its name. */
export function phraseOf(step: Step): string {
  const values = step.newInputs ?? step.oldInputs ?? {};
  const pieces = catalogue.resources.get(step.type)?.phrase ?? [];
  const known = pieces.flatMap((piece) => {
    let isWhole = true;
    const text = piece.replace(/\{(\w+)\}(?: (\w+)s$)?/g, (_, name: string, noun?: string) => {
      const shown = shortly(values[name]);
      if (shown === undefined) isWhole = false;
      return noun === undefined ? (shown ?? "") : `${shown} ${noun}${shown === "1" ? "" : "s"}`;
    });
    return isWhole ? [text] : [];
  });
  if (pieces[0] === "{label}" && known[0] === step.name) known.shift();
  const phrase = known.join(" ").replace(/\s+/g, " ");
  return phrase.length > LONGEST ? `${phrase.slice(0, LONGEST - 1)}…` : phrase;
}

/** A value in a word: of lists and maps how many there are in them. */
function shortly(given: Value | undefined): string | undefined {
  const value = given === undefined ? null : reveal(given);
  if (given === undefined || value === null || containsSecret(given)) return undefined;
  if (Array.isArray(value)) return String(value.length);
  if (containsUnknown(value)) return undefined;
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number") return String(value);
  return isValueMap(value) ? String(Object.keys(value).length) : undefined;
}
