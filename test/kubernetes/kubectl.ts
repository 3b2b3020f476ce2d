/** `kubectl` as its user types it, over a cluster of the test's. */

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findKubernetes } from "../../scripts/kubernetes.mjs";
import type { Cluster } from "./cluster.ts";

/** Where the words are paths, they are within the repository. */
export type Kubectl = (...words: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;

/** Of an administrator, or of one of the cluster's users. */
export function kubectlOf(cluster: Pick<Cluster, "kubeconfig">, user?: string): Kubectl {
  const config = cluster.kubeconfig(undefined, user);
  // What it remembers of a server is of that time.
  const home = mkdtempSync(join(dirname(config), "home-"));
  return async (...words) => {
    const child = spawn(findKubernetes()!.kubectl, words, {
      cwd: resolve(import.meta.dirname, "../.."),
      env: { PATH: process.env["PATH"], HOME: home, KUBECONFIG: config },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const code = await new Promise<number>((done) => child.once("close", (status) => done(status ?? -1)));
    return { code, stdout, stderr };
  };
}
