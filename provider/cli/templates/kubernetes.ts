/** A first Kubernetes cluster. */

import type { Template } from "./template.ts";

export const kubernetes: Template = {
  name: "kubernetes",
  about: "a Kubernetes cluster with a pool that grows with its load",
  body: `config:
  region:
    type: string
    default: us-east

resources:
  cluster:
    type: plumbline:kubernetes:Cluster
    properties:
      label: my-cluster
      region: \${region}
      # In quotes, as 1.30 would be the number 1.3.
      k8sVersion: "1.28"
      # The names are yours: a pool is followed by its name.
      nodePools:
        workers:
          type: g6-standard-2
          count: 2
          autoscaler: { enabled: true, min: 2, max: 6 }

outputs:
  kubeconfig: \${cluster.kubeconfig}
  endpoint: \${cluster.apiEndpoints[0]}
`,
};
