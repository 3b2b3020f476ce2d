/** A first private network. */

import type { Template } from "./template.ts";

export const vpc: Template = {
  name: "vpc",
  about: "a private network with two subnets, and a disk",
  body: `config:
  region:
    type: string
    default: us-east

resources:
  network:
    type: plumbline:vpc:Vpc
    properties: { label: my-network, region: "\${region}" }
  webSubnet:
    type: plumbline:vpc:Subnet
    properties: { vpcId: "\${network.id}", label: web, ipv4: 10.10.1.0/24 }
  dataSubnet:
    type: plumbline:vpc:Subnet
    properties: { vpcId: "\${network.id}", label: data, ipv4: 10.10.2.0/24 }

  disk:
    type: plumbline:blockstorage:Volume
    properties: { label: my-data, size: 20, region: "\${region}" }
    # Its data goes with it: take this line out before you delete it.
    options: { protect: true }

outputs:
  networkId: \${network.id}
  diskPath: \${disk.filesystemPath}
`,
};
