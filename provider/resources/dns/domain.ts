/** Domain: a DNS zone hosted by the service (contract section 2.3). */

import { choice, group, id, integer, list, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { tags, times } from "../fields.ts";

const seconds = (description: string) =>
  optional(
    integer({
      description: `${description} The service rounds it up to 0, 30, 120, 300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600 or 2419200.`,
      minimum: 0,
      normal: "seconds-up",
      default: 0,
    }),
  );

const addresses = (description: string) =>
  optional(
    list(text({ description: "An IPv4 or IPv6 address.", format: "ip", normal: ["address", "lower-case"] }), {
      description,
      normal: "set",
      default: [],
    }),
  );

/** Total length of all addresses of a list. */
const listLimit = 1000;

export const Domain = resource({
  area: "dns",
  name: "Domain",
  description:
    "A DNS zone hosted by the service. Deleting it deletes all its records. Import by its id or its name (`example.com`).",
  path: "/domains/{domainNumber}",
  phrase: ["{domain}", "{type}"],
  nameFormat: "DOMAIN_NAME",
  naturalName: (object) => String(object["domain"]),
  inputs: {
    domain: text({
      description: "The zone's name (`example.com`), unique on the whole platform. Changed in place.",
      minLength: 1,
      maxLength: 253,
      unique: true,
      adoptKey: true,
      normal: ["trailing-dot", "lower-case"],
      rules: [
        {
          pattern: "^(\\*\\.)?([a-zA-Z0-9_-]{1,63}\\.)+([a-zA-Z]{2,3}\\.)?([a-zA-Z]{2,16}|xn--[a-zA-Z0-9]+)$",
          says: "must be a domain name of at least two labels of at most 63 letters, digits, hyphens and underscores, without a final dot",
        },
      ],
    }),
    type: choice(["master", "slave"], {
      typeName: "DomainType",
      description:
        "`master`: the zone is edited here. `slave`: it is copied from the servers in `masterIps`.",
    }),
    status: optional(
      choice(["active", "disabled"], {
        description: "`disabled` zones are not rendered. Default: `active`.",
        default: "active",
      }),
    ),
    description: optional(text({ description: "For display only.", maxLength: 253, default: "" })),
    group: optional(text({ description: "For display only.", maxLength: 50, default: "" })),
    soaEmail: optional(
      text({
        description: "Address of who is responsible for the zone. Required for a `master`.",
        format: "email",
        default: "",
      }),
    ),
    masterIps: addresses(
      "Servers that a `slave` copies the zone from: at least one; all together at most 1000 characters.",
    ),
    axfrIps: addresses("Addresses that may transfer the zone (AXFR); all together at most 1000 characters."),
    tags: tags(),
    ttlSec: seconds("How long resolvers may keep records that have no TTL of their own. 0 means 86400."),
    refreshSec: seconds("How often secondary servers ask for changes. 0 means 14400."),
    retrySec: seconds("How soon secondary servers ask again after a failed refresh. 0 means 14400."),
    expireSec: seconds("After how long without a refresh secondary servers stop answering. 0 means 1209600."),
    importFrom: optional(
      group(
        {
          remoteNameserver: text({
            description:
              "The nameserver to transfer the zone from; it must allow AXFR from the service's addresses.",
            minLength: 1,
          }),
        },
        {
          description:
            "Fills the new zone by a transfer (AXFR) from another nameserver. Taking it out later changes nothing.",
          immutable: true,
          writeOnly: true,
          computed: true,
        },
      ),
    ),
    cloneOf: optional(
      id({
        description:
          "Id of a Domain whose settings and records the new zone copies. Taking it out later changes nothing.",
        reference: "dns/domain",
        immutable: true,
        writeOnly: true,
        computed: true,
      }),
    ),
  },
  outputs: {
    errors: optional(
      text({ description: "What the service found wrong with the zone; empty when nothing.", movedBy: true }),
    ),
    ...times,
  },
  demands: [
    {
      when: { importFrom: "given" },
      ...{ input: "cloneOf", is: "absent", says: "cannot be combined with importFrom; keep one" },
    },
    {
      when: { type: { in: ["master"] }, importFrom: "absent", cloneOf: "absent" },
      ...{ input: "soaEmail", is: "filled", says: "is required for a domain of type master" },
    },
    {
      when: { type: { in: ["slave"] } },
      ...{ input: "masterIps", is: "filled", says: "needs at least one address for a domain of type slave" },
    },
  ],
  check({ values, refuse }) {
    for (const name of ["masterIps", "axfrIps"] as const) {
      const length = (values[name] ?? []).join("").length;
      if (length > listLimit) refuse(name, `may hold ${listLimit} characters in all, not ${length}`);
    }
  },
  createRequest({ domain, importFrom, cloneOf }) {
    if (importFrom) {
      const body = { domain, remote_nameserver: importFrom.remoteNameserver };
      return { path: "/domains/import", body, fields: ["domain", "importFrom"] };
    }
    if (cloneOf === undefined) return undefined;
    return { path: `/domains/${cloneOf}/clone`, body: { domain }, fields: ["domain", "cloneOf"] };
  },
});
