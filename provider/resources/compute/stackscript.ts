/** StackScript: a script that sets up new compute instances (contract section 2.2). */

import { flag, group, integer, list, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
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
  { description: "Something that a deployment of the script is asked for.", typeName: "UserDefinedField" },
);

export const StackScript = resource({
  area: "compute",
  name: "StackScript",
  description:
    "A script that runs on an instance deployed with it, when that is first started. A public one can be changed, but never be made private again nor deleted: with the option `retainOnDelete: true` it leaves the stack, or is replaced, and stays on the service. Import by its id or, for the account's own, its label.",
  path: "/compute/stackscripts/{stackScriptNumber}",
  list: { own: { mine: true }, whole: "script" },
  phrase: ["{label}", "for {images} images"],
  nameFormat: "LABEL",
  inputs: {
    label: text({
      description: "Name for people: 3 to 128 characters; several scripts may share one.",
      minLength: 3,
      maxLength: 128,
      adoptKey: true,
    }),
    images: list(text({ description: "Id of an image (`compute/debian12`), or `any/all`." }), {
      description:
        "Ids of the images that the script can be deployed with (`compute/debian12`), or `any/all` for every one; order does not matter.",
      normal: "set",
    }),
    script: text({
      description:
        'The script. It begins with `#!`. Tags in its comments (`<UDF name="port" label="Port" default="80" />`) declare what a deployment is asked for and hands to the script as variables (`$PORT`). Windows line ends are sent as plain ones; a change between the two is none.',
      normal: "line-endings",
      rules: [{ pattern: "^#!", says: "must begin with #! and the interpreter's path" }],
    }),
    description: optional(text({ description: "What the script is for.", default: "" })),
    revNote: optional(text({ description: "What the last change of the script was about.", default: "" })),
    isPublic: optional(
      flag({
        description:
          "True lets every account see and deploy it, for ever: `false` is then refused in the preview, and taking it out of the declaration changes nothing. Default: false.",
        default: false,
        computed: true,
      }),
    ),
  },
  outputs: {
    userDefinedFields: list(userDefinedField, {
      description: "What a deployment is asked for: the fields that the script declares, in order.",
      movedBy: ["script"],
    }),
    deploymentsActive: integer({ description: "Instances deployed with it that there are now." }),
    deploymentsTotal: integer({ description: "Instances ever deployed with it." }),
    username: text({ description: "The user who made it." }),
    userAvatarId: text({ description: "Picture of that user: a hash of the mail address." }),
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
  standsBeside: true,
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
