/** What the service makes of a managed database, the same for both kinds (notes, section 5). */

import { group, integer, optional, text } from "../../core/type/field.ts";

export const outputs = {
  status: text({ description: "`active` when it is ready." }),
  version: text({ description: "Version of the engine." }),
  hosts: group(
    {
      primary: optional(text({ description: "Name of the primary node." })),
      secondary: optional(text({ description: "Name of the private network's node." })),
    },
    { description: "Where to connect to.", typeName: "Hosts" },
  ),
  port: integer({ description: "Port to connect to." }),
  totalDiskSizeGb: optional(integer({ description: "Size of its disk.", movedBy: ["type"] })),
  usedDiskSizeGb: optional(integer({ description: "How much of its disk is used.", movedBy: true })),
  caCertificate: optional(
    text({ description: "Certificate of the authority that signs its certificates (PEM).", elsewhere: true }),
  ),
  rootUsername: optional(text({ description: "Name of the root user.", elsewhere: true })),
  rootPassword: optional(
    text({
      description: "Password of the root user.",
      secret: true,
      elsewhere: true,
      movedBy: ["credentialsResetTrigger", "restore"],
    }),
  ),
};
