/** Which API server is meant, and as whom: a kubeconfig, else what a pod is given. */

import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { type Connection, connect } from "./connection.ts";

/** `file` absent: `KUBECONFIG`, `~/.kube/config`, or the pod's own service account. Throws where it does not read. */
export function connectBy(file: string | undefined): Connection {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  return connect(config, process.env["POD_NAMESPACE"]);
}
