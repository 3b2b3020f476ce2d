/** StackScript: a script that sets up new compute instances (contract section 2.2). */

import { flag, group, integer, list, optional, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { times } from "../fields.ts";

const advice =
  "the service never deletes a public StackScript: set retainOnDelete: true on the resource and apply that, and it can then leave the stack, or be replaced, while the script stays";

const userDefinedField = group(
  {
    name: text({ description: "Name of the variable that the script finds its value in." }),
    label: text({ description: "What to ask for." }),
    example: optional(text({ description: "A value as an example." })),
    default: optional(text({ description: "The value when none is given; without it, one must be." })),
    oneOf: optional(text({ description: "Values to choose one of, by commas.", wireName: "oneof" })),
    manyOf: optional(text({ description: "Values to choose any of, by commas.", wireName: "manyof" })),
  },
  { description: "A parameter of the script.", typeName: "UserDefinedField" },
);

export const StackScript = resource({
  area: "compute",
  name: "StackScript",
  description:
    "A script that runs when an instance made from it is first started. A public one can be changed, but neither be made private nor deleted. Import by its id or, for the account's own, its label.",
  path: "/compute/stackscripts/{stackScriptNumber}",
  own: { mine: true },
  nameFormat: "LABEL",
  inputs: {
    label: text({
      description: "For display only: 3 to 128 characters; several scripts may share one.",
      minLength: 3,
      maxLength: 128,
      adoptKey: true,
    }),
    images: list(text({ description: "Id of an image (`compute/debian12`), or `any/all`." }), {
      description: "The images that the script can be deployed with; order does not matter.",
      normal: "set",
    }),
    script: text({
      description:
        "The script. It begins with `#!`; `<UDF name=… label=…>` tags in it declare the parameters of a deployment. Kinds of line ends do not matter.",
      normal: "line-endings",
      rules: [{ pattern: "^#!", says: "must begin with #! and the interpreter's path" }],
    }),
    description: optional(text({ description: "What the script is for.", default: "" })),
    revNote: optional(text({ description: "What the last revision changed.", default: "" })),
    isPublic: optional(
      flag({
        description:
          "True lets every account see and deploy it. It can never be made private again: `false` is then refused, and taking it out of the declaration changes nothing. Default: false.",
        default: false,
        computed: true,
      }),
    ),
  },
  outputs: {
    userDefinedFields: list(userDefinedField, {
      description: "The parameters that the script declares.",
      movedBy: ["script"],
    }),
    deploymentsActive: integer({ description: "Instances made from it that there are now." }),
    deploymentsTotal: integer({ description: "Instances ever made from it." }),
    username: text({ description: "The user who made it." }),
    userAvatarId: text({ description: "Picture of that user." }),
    mine: flag({ description: "True when it belongs to the account." }),
    ...times,
  },
  refuseChange({ before, after, refuse }) {
    if (before.isPublic === true && after.isPublic === false) {
      refuse(
        "isPublic",
        "a public StackScript cannot be made private: leave isPublic out or true, or declare a new StackScript and keep this one with retainOnDelete: true",
      );
    }
  },
  // Nothing is made before the service has said whether the old script can go.
  collides: (before) => before.isPublic === true,
  async beforeDelete({ service, inputs, path, id }) {
    if (inputs.isPublic !== true) return;
    const script = await service.getFresh(path);
    if (script["is_public"] === true) throw new Error(`StackScript ${id} is public, and ${advice}`);
  },
  async explainDelete({ service, path, id }) {
    const script = await service.getFresh(path);
    return script["is_public"] === true ? `StackScript ${id} is public, and ${advice}` : undefined;
  },
});
