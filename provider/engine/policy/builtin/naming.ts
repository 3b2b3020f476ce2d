/** The built-in rule about names. */

import { runInNewContext } from "node:vm";
import { list, optional, text } from "../../../core/type/field.ts";
import type { SeenStep } from "../rule.ts";
import { itemsIn, stepsRule } from "./builtin.ts";

/** The inputs that name an object, the most telling first. */
const nameInputs = ["label", "domain"] as const;

/** Its name and where it stands. What people do not name (a record, a pool) has none. */
function nameOf({ inputs = {}, type }: SeenStep): { property: string; name: string } | undefined {
  if (type === "plumbline:dns:Zone") return undefined;
  for (const property of nameInputs) {
    const name = inputs[property];
    if (typeof name === "string") return { property, name };
  }
  return undefined;
}

/** How long all names may take. Milliseconds. */
const patience = 5000;

/** For each name whether the whole of it matches. A pattern that takes for ever on one of them is ended, and throws. */
function matching(pattern: string, names: readonly string[]): boolean[] {
  const work = "const wanted = new RegExp(`^(?:${pattern})$`, 'u'); names.map((name) => wanted.test(name))";
  try {
    return runInNewContext(work, { pattern, names }, { timeout: patience }) as boolean[];
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw cause;
    throw new Error(`the pattern ${pattern} does not end within ${patience / 1000} seconds`, { cause });
  }
}

export const naming = stepsRule(
  {
    name: "naming",
    description:
      "An object whose `label` (a Domain's `domain`) does not match the pattern. Names that the service sees, not those of the stack file.",
    fields: {
      pattern: text({
        description: "Regular expression that the whole name must match (`acme-.*`).",
        minLength: 1,
      }),
      types: optional(
        list(text({ description: "A type (`plumbline:databases:MySqlInstance`)." }), {
          description: "Types that it is about; all when left out.",
          default: [],
        }),
      ),
    },
  },
  (steps, { settings }) => {
    const types = itemsIn(settings["types"]).map(([, type]) => type);
    const named = steps.flatMap((step, at) => {
      const found = types.length > 0 && !types.includes(step.type) ? undefined : nameOf(step);
      return found === undefined ? [] : [{ ...found, step: at }];
    });
    const pattern = String(settings["pattern"]);
    const fits = matching(
      pattern,
      named.map(({ name }) => name),
    );
    return named
      .filter((_, at) => !fits[at])
      .map(({ property, name, step }) => ({
        property,
        step,
        message: `${JSON.stringify(name)} does not match ${pattern}`,
      }));
  },
);
