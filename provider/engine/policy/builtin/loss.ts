/** Built-in rules about what goes for good. What is lost with an object is said by its type. */

import { flag, integer, optional } from "../../../core/type/field.ts";
import type { SeenStep } from "../rule.ts";
import { planRule, stepRule } from "./builtin.ts";

export const deleteLosesData = stepRule(
  {
    name: "delete-loses-data",
    description: "A delete with which data go for good: of a database, a volume, a snapshot, a cluster…",
    level: "advisory",
    allow: true,
    operations: ["delete"],
  },
  ({ lost }) => (lost === undefined ? [] : [{ message: `${lost} are lost with it` }]),
);

export const replaceLosesData = stepRule(
  {
    name: "replace-loses-data",
    description: "A replacement with which the old object's data go for good.",
    allow: true,
    operations: ["replace"],
  },
  ({ lost, replaceReasons }) => {
    if (lost === undefined) return [];
    const [property] = replaceReasons;
    return [
      {
        message: `${lost} are lost with the old object`,
        ...(property !== undefined && /^[A-Za-z]+$/.test(property) ? { property } : {}),
      },
    ];
  },
);

export const deleteLimit = planRule(
  {
    name: "delete-limit",
    description: "A run that deletes more resources than so many, or more than such a part of the stack.",
    allow: true,
    operations: ["delete", "replace"],
    fields: {
      count: optional(integer({ description: "Resources that may go at once.", minimum: 0 })),
      percent: optional(
        integer({
          description: "Percent of the stack's resources that may go at once.",
          minimum: 0,
          maximum: 100,
        }),
      ),
      small: optional(
        integer({
          description: "Stacks of at most so many resources may lose any part of them.",
          minimum: 0,
          default: 10,
        }),
      ),
      replacements: optional(
        flag({ description: "True counts replacements as deletes. Default: false.", default: false }),
      ),
    },
  },
  (steps, { settings, resources }) => {
    const goes = ({ operation, retained }: SeenStep): boolean =>
      !retained && (operation === "delete" || (operation === "replace" && settings["replacements"] === true));
    const gone = steps.filter(goes).length;
    const all = resources ?? steps.filter(({ oldInputs }) => oldInputs !== undefined).length;
    const { count, percent, small } = settings;
    if (typeof count === "number" && gone > count)
      return [{ message: `${gone} resources would be deleted, and ${count} may be at once` }];
    if (typeof percent !== "number" || all <= Number(small) || (100 * gone) / all <= percent) return [];
    return [{ message: `${gone} of ${all} resources would be deleted, and ${percent} % may be at once` }];
  },
);
