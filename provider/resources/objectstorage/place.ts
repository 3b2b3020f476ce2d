/** Where something of a bucket is: the inputs that name it, and the rules for names of objects (contract section 2.6; notes, section 6). */

import { text } from "../../core/type/field.ts";

/** Id of the bucket's cluster. */
export const cluster = text({
  description: "Id of the cluster that holds the bucket (`us-east-1`).",
  minLength: 1,
  immutable: true,
  adoptKey: true,
  rules: [{ pattern: "^[^/]*$", says: "must not have a slash" }],
});

/** Label of the bucket. */
export const bucket = text({
  description: "Label of the bucket.",
  minLength: 1,
  immutable: true,
  adoptKey: true,
  rules: [{ pattern: "^[^/]*$", says: "must not have a slash" }],
});

/** Name of an object. */
export const name = text({
  description:
    "Name of the object, at most 1024 bytes of UTF-8. It may hold slashes, which make folders to those who list them so.",
  minLength: 1,
  immutable: true,
  adoptKey: true,
});

const longestName = 1024;

/** Why an object cannot have the name, if so. */
export function nameProblem(name: string): string | undefined {
  if (/\p{Surrogate}/u.test(name)) return "holds half a character (an unpaired surrogate)";
  if (name === "." || name === "..") return `cannot be "${name}": no URL leads to such an object`;
  const { length } = new TextEncoder().encode(name);
  return length > longestName ? `must have at most ${longestName} bytes of UTF-8, not ${length}` : undefined;
}
