/** Fields of a managed database that are the same for both kinds (contract section 2.5). */

import { anything, choice, flag, group, id, integer, list, optional, text } from "../../core/type/field.ts";

/** When maintenance happens; it replaces the whole window, and what is left out is the service's choice. */
export const updates = optional(
  group(
    {
      frequency: optional(
        choice(["weekly", "monthly"], { description: "How often. Default: `weekly`.", default: "weekly" }),
      ),
      dayOfWeek: optional(
        integer({ description: "Day, 1 (Monday) to 7 (Sunday).", minimum: 1, maximum: 7, computed: true }),
      ),
      hourOfDay: optional(
        integer({
          description: "Hour at which it may begin (UTC), 0 to 23.",
          minimum: 0,
          maximum: 23,
          computed: true,
        }),
      ),
      duration: optional(
        integer({
          description: "How many hours it may take, 1 to 3.",
          minimum: 1,
          maximum: 3,
          computed: true,
        }),
      ),
      weekOfMonth: optional(
        integer({
          description: "Week of the month, 1 to 4: required for `monthly`, not for `weekly`.",
          minimum: 1,
          maximum: 4,
          default: null,
        }),
      ),
    },
    {
      description:
        "Window in which operating-system patches may be applied. Left out, the service chooses it.",
      updateOnly: true,
      computed: true,
      typeName: "MaintenanceWindow",
      demands: [
        {
          when: { frequency: { in: ["monthly"] } },
          ...{ input: "weekOfMonth", is: "given", says: "is required for monthly maintenance" },
        },
        {
          when: { frequency: { notIn: ["monthly"] } },
          input: "weekOfMonth",
          is: "absent",
          says: "is for monthly maintenance only; take it out",
        },
      ],
    },
  ),
);

export const common = {
  label: optional(
    text({
      description:
        "Unique among the account's databases: 3 to 32 characters. Named automatically when left out.",
      minLength: 3,
      maxLength: 32,
      unique: true,
      adoptKey: true,
      naming: { maxLength: 32, allowed: "A-Za-z0-9_-" },
    }),
  ),
  region: text({ description: "Id of the region (`us-east`).", minLength: 1, immutable: true }),
  type: text({
    description:
      "Id of the node type (`g6-standard-1`, see `getTypes`). A change resizes in place, to a type with more disk only.",
    minLength: 1,
  }),
  allowList: optional(
    list(
      text({
        description: "An address or a range (`203.0.113.1`, `192.0.2.0/24`).",
        format: "ip-or-range",
        normal: ["address", "single-host"],
      }),
      {
        description:
          "Addresses and ranges that can connect; order does not matter. `0.0.0.0/0` lets everybody in; empty lets nobody in.",
        normal: "set",
        default: [],
      },
    ),
  ),
  clusterSize: optional(
    integer({
      description: "Nodes: 1, or 3 for high availability. Default: 1.",
      minimum: 1,
      maximum: 3,
      immutable: true,
      default: 1,
    }),
  ),
  encrypted: optional(
    flag({
      description: "Whether its disks are encrypted. Default: false.",
      immutable: true,
      default: false,
    }),
  ),
  sslConnection: optional(
    flag({ description: "Whether connections must use TLS. Default: true.", immutable: true, default: true }),
  ),
  updates,
  credentialsResetTrigger: optional(
    anything({
      description:
        "Any value; a change of it makes the service choose a new root password. A backup from before it cannot be restored afterwards.",
      trigger: true,
    }),
  ),
  patchTrigger: optional(
    anything({
      description:
        "Any value; a change of it applies operating-system patches now. A single node is down meanwhile.",
      trigger: true,
    }),
  ),
  restore: optional(
    group(
      {
        backupId: id({
          description: "Number of the backup (a Snapshot's `snapshotId`, or an automatic one's).",
          reference: "databases/backup",
        }),
        trigger: anything({ description: "Any value; a change of it restores the backup." }),
      },
      {
        description:
          "Puts a backup in place of all data of the database whenever it changes. Declared with a new database it does nothing.",
        trigger: true,
        typeName: "Restore",
      },
    ),
  ),
};
