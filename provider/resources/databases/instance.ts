/** A managed database, of either kind: one description for both types (contract section 2.5). */

import { choice, optional, text } from "../../core/type/field.ts";
import { type ResourceType, resource } from "../../core/type/resource.ts";
import { times } from "../fields.ts";
import { withAccess } from "./access.ts";
import { databaseCharges } from "./charges.ts";
import { common } from "./fields.ts";
import { commitType, type Kind } from "./kinds.ts";
import { outputs } from "./outputs.ts";
import { lookUpDatabase } from "./preview.ts";
import { nodes, replicationDemands } from "./replication.ts";
import { isRestorable, verbs } from "./verbs.ts";

const failures: { readonly [status: string]: string } = {
  failed: "the database has failed: restore a backup, or delete it",
  degraded: "the database is degraded: not all of its nodes work",
};

/** The resource type of a kind. */
export function instanceOf(kind: Kind): ResourceType {
  const { name, title } = kind;
  const replicationTypes = [...kind.replication.single, ...kind.replication.available];
  return resource({
    area: "databases",
    name: kind.type,
    description: `A managed ${title} database. It grows in place; a change of its engine makes a new, empty one. Import by its id or \`${name}/LABEL\`.`,
    path: `/databases/${name}/instances/{instanceNumber}`,
    phrase: ["{label}", "{engine}", "{type}", "{region}"],
    nameFormat: `${name}/LABEL`,
    naturalName: (database) => `${name}/${database["label"]}`,
    inputs: {
      engine: text({
        description: `Engine and version (\`${kind.example}\`, see \`getEngines\`). A change makes a new, empty database: its data must be moved by hand.`,
        immutable: true,
        rules: [{ pattern: `^${name}/.+`, says: `must be written ${name}/VERSION` }],
      }),
      ...common,
      replicationType: optional(
        choice(replicationTypes, {
          description: `How its nodes are kept alike: ${replicationTypes.at(-1)} when left out with three nodes, none with one.`,
          immutable: true,
          computed: true,
        }),
      ),
      // Where a kind lacks it, it asks nothing of it.
      ...((kind.commit ? commitType : {}) as typeof commitType),
    },
    outputs: { ...outputs, ...times },
    timeouts: { create: 3600, update: 3600, delete: 3600 },
    asDeclared: (database) => {
      const { engine, version } = database as { engine?: string; version?: string };
      return engine === undefined || engine.includes("/")
        ? database
        : { ...database, engine: `${engine}/${version}` };
    },
    demands: [nodes, ...replicationDemands(kind)],
    lookup: (context) => lookUpDatabase(kind, context),
    ready: {
      usually: "15 to 30 min",
      isReady: (database) => database["status"] === "active",
      failure: (database) => failures[String(database["status"])],
    },
    aspects: [
      {
        name: "resize",
        fields: ["type"],
        sync: ({ service, path, inputs }) => service.put(path, { type: inputs.type }),
      },
    ],
    verbs,
    observe: withAccess,
    charges: (database) => databaseCharges(kind, database),
    lost: "all its data and its backups",
    beforeDelete: async ({ path, id, wait }) =>
      void (await wait(
        path,
        `waiting for database ${id} to end what it does`,
        (database) => database === undefined || isRestorable(database),
      )),
  });
}
