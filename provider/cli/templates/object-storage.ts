/** A first bucket. */

import type { Template } from "./template.ts";

export const objectStorage: Template = {
  name: "object-storage",
  about: "a bucket, and a key that may write to it",
  body: `config:
  cluster:
    type: string
    default: us-east-1
  # Part of the bucket's host name, so it must be free in the cluster.
  bucket:
    type: string
    default: my-company-files

resources:
  files:
    type: plumbline:objectstorage:Bucket
    properties: { cluster: "\${cluster}", label: "\${bucket}" }
  key:
    type: plumbline:objectstorage:Key
    properties:
      label: \${bucket}-writer
      bucketAccess:
        - { cluster: "\${cluster}", bucketName: "\${files.label}", permissions: read_write }

outputs:
  address: https://\${files.hostname}
  accessKey: \${key.accessKey}
  secretKey: \${key.secretKey}
`,
};
