/** A bucket's label (contract section 2.6; rules of the notes, section 6). */

import { text } from "../../core/type/field.ts";

export const label = text({
  description:
    "Name of the bucket, part of its host name, unique in its cluster: 3 to 63 lower-case letters, digits, periods and hyphens. A change replaces the bucket; its objects do not move.",
  minLength: 3,
  maxLength: 63,
  immutable: true,
  adoptKey: true,
  rules: [
    { pattern: "^[a-z0-9.-]*$", says: "must have only lower-case letters, digits, periods and hyphens" },
    { pattern: "^[a-z0-9](.*[a-z0-9])?$", says: "must begin and end with a letter or digit" },
    { pattern: "^(?!.*(\\.\\.|\\.-|-\\.))", says: "must not have a period beside a period or a hyphen" },
    { pattern: "^(?!\\d{1,3}(\\.\\d{1,3}){3}$)", says: "must not be an IP address" },
  ],
});

/** Id of a cluster. */
export const cluster = text({
  description: "Id of the cluster that holds it (`us-east-1`).",
  minLength: 1,
  immutable: true,
  adoptKey: true,
  rules: [{ pattern: "^[^/]*$", says: "must not have a slash" }],
});
