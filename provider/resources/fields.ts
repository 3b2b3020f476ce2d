/** Fields that types of several areas share. */

import { list, optional, text } from "../core/type/field.ts";

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

/** A function's argument that keeps to the objects with a tag. */
export const taggedWith = (nouns: string) =>
  text({
    description: `Only ${nouns} with this tag; case does not matter.`,
    wireName: "tags",
    normal: "lower-case",
  });
