/** What the service makes of a cluster (contract section 4.5; notes, section 7.1). */

import { list, map, optional, text } from "../../core/type/field.ts";
import { times } from "../fields.ts";
import { nodes } from "./fields.ts";

export const outputs = {
  status: text({ description: "`ready`, or `not_ready` while it is deleted.", movedBy: true }),
  poolIds: map(text({ description: "Id of a pool." }), {
    description: "Ids of its pools, by your names.",
    movedBy: ["nodePools"],
  }),
  otherPoolIds: list(text({ description: "Id of a pool." }), {
    description: "Ids of pools that were made elsewhere: by a NodePool, or by hand.",
    movedBy: true,
  }),
  nodes: map(nodes("Nodes of a pool, oldest first."), {
    description: "The nodes of its pools, by your names.",
    movedBy: true,
  }),
  apiEndpoints: optional(
    list(text({ description: "An address." }), {
      description: "Addresses of its API server.",
      elsewhere: true,
    }),
  ),
  dashboardUrl: optional(text({ description: "Address of its dashboard.", elsewhere: true })),
  kubeconfig: optional(
    text({
      description: "Kubeconfig of its administrator, as YAML.",
      secret: true,
      elsewhere: true,
      movedBy: ["kubeconfigTrigger"],
    }),
  ),
  ...times,
};
