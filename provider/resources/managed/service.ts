/** Service: something whose answers managed monitoring watches (contract section 2.8). */

import { choice, flag, id, integer, list, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { times } from "../fields.ts";
import { addressForms, hostOf, isPrivate } from "./address.ts";
import { labelRule } from "./label.ts";

export const Service = resource({
  area: "managed",
  name: "Service",
  description:
    "A monitored service: while it does not answer as declared, there is an issue (`getIssues`), and the Contacts of its group are told. Nothing waits for a check, so its `status` is `pending` at first. Import by its id or its label.",
  path: "/managed/services/{serviceNumber}",
  phrase: ["{label}", "{serviceType}", "{address}"],
  nameFormat: "LABEL",
  asDeclared: (service) => ({ ...service, enabled: service["status"] !== "disabled" }),
  inputs: {
    label: text({
      description:
        "Name of the service: 3 to 64 ASCII letters, digits, hyphens, underscores, periods and spaces.",
      minLength: 3,
      maxLength: 64,
      adoptKey: true,
      rules: [labelRule],
    }),
    serviceType: choice(["url", "tcp"], {
      typeName: "ServiceType",
      description: "`url`: a request over HTTP or HTTPS. `tcp`: a connection to a port.",
    }),
    address: text({
      description:
        "For `url`, `https://example.org/path?query` (a fragment is dropped); for `tcp`, `example.org:25` or `tcp://example.org:25`. 3 to 100 characters.",
      minLength: 3,
      maxLength: 100,
      normal: "without-fragment",
    }),
    timeout: integer({
      description: "Seconds, 1 to 255, within which it must answer; after that it counts as down.",
      minimum: 1,
      maximum: 255,
    }),
    body: optional(
      text({
        description:
          "Text that the answer must contain for the service to count as up; at most 100 characters. Left out, any answer will do.",
        maxLength: 100,
        default: "",
      }),
    ),
    consultationGroup: optional(
      text({
        description: "The `group` of the Contacts to tell; at most 50 characters.",
        maxLength: 50,
        default: "",
      }),
    ),
    credentials: optional(
      list(id({ description: "Id of a managed Credential.", reference: "managed/credential" }), {
        description: "Ids of the Credentials that support staff may use to mend it; order does not matter.",
        normal: "set",
        default: [],
      }),
    ),
    notes: optional(text({ description: "What whoever handles an issue should know.", default: "" })),
    region: optional(
      text({
        description:
          "Id of the region (`us-east`) that a private address is in. Required for an address in 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16, and refused for any other.",
        minLength: 1,
        default: null,
      }),
    ),
    enabled: optional(
      flag({
        description: "False: it is kept, but not monitored until this is true again. Default: true.",
        updateOnly: true,
        default: true,
      }),
    ),
  },
  outputs: {
    status: text({
      description:
        "`pending` until the next check, then `ok` or `problem`; `disabled` while it is not monitored.",
      movedBy: ["serviceType", "address", "timeout", "body", "enabled"],
    }),
    ...times,
  },
  check({ values, declares, knows, refuse }) {
    const { serviceType, address } = values;
    if (serviceType === undefined || address === undefined) return;
    const host = hostOf(serviceType, address);
    if (host === undefined) refuse("address", `${addressForms[serviceType]}, not ${JSON.stringify(address)}`);
    else if (!knows("region")) return;
    else if (isPrivate(host) && !declares("region")) {
      refuse("region", `is required for the private address ${host}; give the region that it is in`);
    } else if (!isPrivate(host) && declares("region")) {
      refuse("region", `must not be given, as ${host} is no private address; take it out`);
    }
  },
  aspects: [
    {
      name: "enable",
      fields: ["enabled"],
      sync: ({ service, path, inputs }) =>
        service.post(`${path}/${inputs.enabled === false ? "disable" : "enable"}`),
    },
  ],
});
