/** InstanceSettings: how support staff reach one compute instance (contract section 2.8). Every instance has them. */

import { flag, group, id, integer, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";

const defaults = { access: true, ip: "any", port: null, user: null };

export const InstanceSettings = resource({
  area: "managed",
  name: "InstanceSettings",
  description:
    "How support staff log in to a compute instance. Every instance has such settings: creating this takes them over, whatever they are, and deleting it puts the defaults back; the instance itself is left alone. Import by the instance's id or its label.",
  path: "/managed/compute-settings/{computeId}",
  phrase: ["of instance {computeId}"],
  nameFormat: "INSTANCE_LABEL",
  takesOver: true,
  inputs: {
    computeId: id({
      description: "Id of the compute instance.",
      reference: "compute/instance",
      immutable: true,
      wireName: "id",
    }),
    ssh: optional(
      group(
        {
          access: optional(
            flag({ description: "True: support staff may log in. Default: true.", default: defaults.access }),
          ),
          ip: optional(
            text({
              description: "The address to use, or `any`. Default: `any`.",
              format: "ip-or-any",
              normal: ["address", "lower-case"],
              default: defaults.ip,
            }),
          ),
          port: optional(
            integer({
              description: "The port to use, 1 to 65535. Left out, 22.",
              minimum: 1,
              maximum: 65_535,
              default: null,
            }),
          ),
          user: optional(
            text({
              description: "The user to log in as, at most 32 characters. Left out, root.",
              minLength: 1,
              maxLength: 32,
              default: null,
            }),
          ),
        },
        { description: "How to log in over SSH. What is left out has its default.", typeName: "InstanceSsh" },
      ),
    ),
  },
  outputs: {
    label: text({ description: "Label of the instance." }),
    group: optional(text({ description: "Group of the instance." })),
  },
  leftOut: ({ ssh }) => {
    const set = Object.entries((ssh ?? {}) as { readonly [name: string]: unknown });
    const isDefault = set.every(([name, value]) => (defaults as { [name: string]: unknown })[name] === value);
    return isDefault ? "these are the defaults, which every instance has" : undefined;
  },
  delete: ({ service, path }) => service.put(path, { ssh: defaults }),
});
