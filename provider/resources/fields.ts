/** Fields that types of several areas share. */

import { list, optional, text } from "../core/field.ts";

/** Tags: a set that takes no notice of case. */
export const tags = () =>
  optional(
    list(text({ description: "A tag; case does not matter.", normal: "lower-case" }), {
      description: "Tags, for organisation only; order and case do not matter.",
      normal: "set",
      default: [],
    }),
  );

/** When an object was made and last changed, as the service tells it. */
export const times = {
  created: text({ description: "When it was made (UTC)." }),
  updated: optional(text({ description: "When it was last changed (UTC).", movedBy: true })),
};
