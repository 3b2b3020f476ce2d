/** The Account of a namespace: which account of the service its objects belong to, and how it is asked. Pure. */

import { definitionOf, name, usualStatus } from "./definition.ts";
import { domain } from "./form.ts";
import { secretRef } from "./structural.ts";

const accountKind = { group: domain, kind: "Account", plural: "accounts" };

export const accountDefinition = definitionOf(accountKind, {
  description:
    "An account of the service that objects of this namespace belong to; those that name none belong to the one named `default`.",
  spec: {
    type: "object",
    required: ["tokenSecretRef"],
    properties: {
      tokenSecretRef: {
        description: "The key of a Secret of this namespace that has the token.",
        ...secretRef,
      },
      baseUrl: {
        description: "Address of the service, with its version.",
        type: "string",
        pattern: "^https?://",
      },
      brand: name("What the service's headers are named by."),
      interval: {
        description:
          "Time between two looks at everything that belongs to it, for example `10m` (30 s at least). Default: 10m.",
        ...{ type: "string", pattern: "^([0-9]+h)?([0-9]+m)?([0-9]+s)?$", minLength: 2, maxLength: 20 },
      },
      budget: {
        description: "The share of the service's limit that such looks may use, in percent. Default: 50.",
        ...{ type: "integer", minimum: 1, maximum: 100 },
      },
    },
  },
  status: {
    ...usualStatus,
    account: { description: "The account, as the service calls it.", type: "string" },
    lastSweep: { description: "When everything was looked at last.", type: "string", format: "date-time" },
  },
  columns: [{ name: "Account", type: "string", jsonPath: ".status.account" }],
});
