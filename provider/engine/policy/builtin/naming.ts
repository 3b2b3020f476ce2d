/** The built-in rule about names. */

import { list, optional, text } from "../../../core/type/field.ts";
import type { SeenStep } from "../rule.ts";
import { itemsIn, stepRule } from "./builtin.ts";

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

export const naming = stepRule(
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
  (step, { settings }) => {
    const types = itemsIn(settings["types"]).map(([, type]) => type);
    if (types.length > 0 && !types.includes(step.type)) return [];
    const found = nameOf(step);
    const pattern = String(settings["pattern"]);
    if (found === undefined || new RegExp(`^(?:${pattern})$`, "u").test(found.name)) return [];
    const { property, name } = found;
    return [{ property, message: `${JSON.stringify(name)} does not match ${pattern}` }];
  },
);
