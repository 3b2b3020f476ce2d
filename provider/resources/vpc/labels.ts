/** The label rule that VPCs and their subnets share (contract section 2.9). */

import { text } from "../../core/type/field.ts";

/** A label that is unique among its siblings and named automatically when left out. */
export const label = (description: string) =>
  text({
    description,
    minLength: 1,
    maxLength: 64,
    unique: true,
    adoptKey: true,
    naming: { maxLength: 64, allowed: "A-Za-z0-9-" },
    rules: [
      { pattern: "^[A-Za-z0-9-]*$", says: "must have only ASCII letters, digits and hyphens" },
      { pattern: "^(?!.*--)", says: "must not have two hyphens in a row" },
    ],
  });
