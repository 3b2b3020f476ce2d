/** The command `controller`: keeps the objects of a Kubernetes cluster true on the service, until it is told to end. */

import { type Command, InvalidArgumentError } from "commander";
import type { ControllerFlags } from "../controller/run.ts";
import { helped } from "../help.ts";

export function addControllerCommand(program: Command): void {
  helped(program.command("controller"), {
    examples: {
      controller: "all namespaces of the cluster that the kubeconfig, or the pod, names",
      "controller --metrics 0.0.0.0:9464": "with /healthz, /readyz and /metrics",
      "controller --namespace team-a team-b": "objects of two namespaces alone",
    },
  })
    .description("keep the objects of a Kubernetes cluster true on the service, until told to end")
    .option("--kubeconfig <file>", "the cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)")
    .option("--namespace <names...>", "objects of these namespaces alone (default: of all)")
    .option("--metrics <address>", "serve /healthz, /readyz and /metrics: PORT of this machine, or HOST:PORT")
    .option("--concurrency <n>", "objects of an Account that are looked at at once", count, 32)
    .action(async (flags: ControllerFlags) => {
      // Loaded only when asked for: no other command speaks to a cluster.
      const { runController } = await import("../controller/run.ts");
      await runController(flags);
    });
}

function count(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1000)
    throw new InvalidArgumentError("it must be a whole number from 1 to 1000.");
  return number;
}
