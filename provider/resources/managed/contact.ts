/** Contact: somebody to tell of problems that managed monitoring finds (contract section 2.8). */

import { group, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";

const number = (description: string) =>
  optional(
    text({
      description,
      default: null,
      rules: [
        {
          pattern: "^(?=(?:[^0-9]*[0-9]){3})\\+?[0-9 ()./-]+( ?(x|ext\\.?) ?[0-9]+)?$",
          says: "must be a phone number of at least three digits (+1 555 010 0199 ext. 7)",
        },
      ],
    }),
  );

export const Contact = resource({
  area: "managed",
  name: "Contact",
  description:
    "Somebody to tell when a monitored service fails. A Service names a group, and every Contact of the group is told. Import by its id or its name.",
  path: "/managed/contacts/{contactNumber}",
  phrase: ["{name}", "{email}"],
  nameFormat: "NAME",
  naturalName: (contact) => String(contact["name"]),
  inputs: {
    name: text({
      description:
        "Name of the person or team: 2 to 64 ASCII letters, digits, hyphens, underscores and spaces.",
      minLength: 2,
      maxLength: 64,
      adoptKey: true,
      rules: [
        {
          pattern: "^[A-Za-z0-9_ -]*$",
          says: "must have only ASCII letters, digits, hyphens, underscores and spaces",
        },
      ],
    }),
    email: text({ description: "The address that alerts go to.", format: "email", adoptKey: true }),
    group: optional(
      text({
        description:
          "The group that it is told with, which a Service names as its `consultationGroup`: 2 to 50 characters.",
        minLength: 2,
        maxLength: 50,
        default: null,
      }),
    ),
    phone: optional(
      group(
        { primary: number("The number to call first."), secondary: number("The number to call next.") },
        { description: "Numbers to call. One that is taken out is removed.", typeName: "ContactPhone" },
      ),
    ),
  },
  outputs: {
    updated: text({ description: "When it was last changed (UTC).", movedBy: true }),
  },
});
