/** A first database. */

import type { Template } from "./template.ts";

export const database: Template = {
  name: "database",
  about: "a PostgreSQL database that your servers may reach",
  body: `config:
  region:
    type: string
    default: us-east
  # Who can connect.
  allowList:
    type: array
    items: { type: string }
    default: [203.0.113.10/32]

resources:
  database:
    type: plumbline:databases:PostgreSqlInstance
    properties:
      label: my-database
      engine: postgresql/14.6
      region: \${region}
      type: g6-nanode-1
      allowList: \${allowList}
    # Its data goes with it: take this line out before you delete it.
    options: { protect: true }

outputs:
  host: \${database.hosts.primary}
  port: \${database.port}
  user: \${database.rootUsername}
  password: \${database.rootPassword}
`,
};
