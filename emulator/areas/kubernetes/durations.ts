/** How long what happens in a Kubernetes cluster takes, in seconds of the service's time, which `--speed` divides. */

export const clusterDurations = {
  /** From the creation to the API endpoints, and to the kubeconfig: somewhere between the two. Contract section 8: 2 to 5 minutes. */
  accessReadyLeast: 120,
  accessReadyMost: 300,
  /** From the deletion of a kubeconfig to the next. Notes, section 7.1: a while. */
  kubeconfigRenewed: 30,
  /** From the deletion of the service token to the next. Own choice. */
  tokenRenewed: 20,
  /** Until a node's instance exists. Own choice. */
  nodeCreated: 10,
  /** From its instance to `ready`. Own choice. */
  nodeReady: 60,
  /** From the request to the first node replaced. Own choice. */
  recycleStarted: 5,
} as const;
