/** The engine's side of the protocol, for tests: a plugin in this process with a client, folders, and names. */

import { join } from "node:path";
import { servePlugin } from "../../provider/pulumi/server.ts";
import type { Parts } from "../../provider/pulumi/session.ts";
import { freshFolder } from "../folders.ts";
import { connect } from "./client.ts";

export {
  type Client,
  connect,
  type Heard,
  type Kept,
  keptBy,
  type Naming,
  type Refusal,
  refusal,
  startEngine,
} from "./client.ts";

export const thing = "plumbline:test/thing:Thing";
export const urnOf = (name: string, type = thing, stack = "dev") =>
  `urn:pulumi:${stack}::project::plumbline:test:Parent$${type}::${name}`;

/** A plugin in this process, on a socket, with a client. */
export async function startPlugin(
  parts: Parts,
  options: { folder?: string; engineAddress?: string; run?: string } = {},
) {
  const createsFolder = join(options.folder ?? freshFolder(), "creates");
  const { engineAddress, run } = options;
  const server = await servePlugin({
    load: async () => parts,
    createsFolder,
    ...(engineAddress !== undefined && { engineAddress }),
    ...(run !== undefined && { run }),
  });
  const client = connect(server.port);
  return {
    ...client,
    session: server.session,
    port: server.port,
    createsFolder,
    close: async () => {
      client.close();
      await server.close();
    },
  };
}
