/** What can be done to a database beside changing it: new credentials, patches, a restore (contract sections 3 and 4.3). */

import type { WireObject } from "../../core/service-port.ts";
import { type Fields, id } from "../../core/type/field.ts";
import type { Verb } from "../../core/type/resource.ts";
import { credentialsOf } from "./access.ts";

/** States from which a backup can be restored. */
export const isRestorable = (database: WireObject): boolean =>
  ["active", "degraded", "failed"].includes(String(database["status"]));

export const verbs: readonly Verb<Fields>[] = [
  {
    name: "restore",
    description: "Puts a backup in place of all data of the database.",
    destroys: "all data that the database has now",
    trigger: "restore",
    args: {
      backupId: id({ description: "Number of the backup.", reference: "databases/backup" }),
    },
    mayStart: isRestorable,
    run: async ({ service, path, args }) =>
      void (await service.post(`${path}/backups/${args["backupId"]}/restore`)),
  },
  {
    name: "resetCredentials",
    description: "Makes the service choose a new root password.",
    destroys: "the present root password, and the use of every backup taken until now",
    trigger: "credentialsResetTrigger",
    async run({ service, path, id: database, wait }) {
      const { password } = await credentialsOf(service, path);
      await service.post(`${path}/credentials/reset`);
      const isNew = (seen: WireObject | undefined) => seen !== undefined && seen["password"] !== password;
      await wait(`${path}/credentials`, `waiting for the new root password of database ${database}`, isNew);
    },
  },
  {
    name: "patch",
    description: "Applies operating-system patches now; a single node is down meanwhile.",
    trigger: "patchTrigger",
    run: async ({ service, path }) => void (await service.post(`${path}/patch`)),
  },
];
