/** A volume's label (contract section 2.10; pattern of the notes, section 10). */

import { text } from "../../core/type/field.ts";

export const label = text({
  description:
    "Unique on the account; part of the device path. A letter, then letters, digits, single hyphens and single underscores. Named automatically when left out.",
  minLength: 2,
  maxLength: 32,
  unique: true,
  adoptKey: true,
  naming: { maxLength: 32, allowed: "A-Za-z0-9_-", startsWithLetter: true },
  rules: [
    { pattern: "^[A-Za-z]", says: "must begin with a letter" },
    { pattern: "^[A-Za-z0-9_-]*$", says: "must have only ASCII letters, digits, hyphens and underscores" },
    { pattern: "^(?!.*(--|__))", says: "must not have two hyphens or two underscores in a row" },
  ],
});
