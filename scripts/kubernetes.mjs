/**
 * Where the tests of the controller get a cluster from: `etcd`, `kube-apiserver` and `kubectl`, built with Go from the versions that the `go.mod` of
 * their folders in `tools` pin, kept in `.cache`. Run by itself it builds them (a quarter of an hour, once), and prints where they are.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { goTools, suffix } from "./go-tools.mjs";

const programs = [
  { name: "etcd", main: "go.etcd.io/etcd/server/v3" },
  { name: "kube-apiserver", main: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { name: "kubectl", main: "k8s.io/kubernetes/cmd/kubectl" },
].map((program) => ({ ...program, tools: goTools(program.name, [program]) }));

/** `{ etcd, apiServer, kubectl }`, as far as all of them are there without building. */
export function findKubernetes() {
  const found = programs.map(({ name, tools }) => {
    const bin = tools.find();
    return bin && join(bin, name + suffix);
  });
  const [etcd, apiServer, kubectl] = found;
  return etcd && apiServer && kubectl ? { etcd, apiServer, kubectl } : undefined;
}

/** Builds what is missing. `{ etcd, apiServer, kubectl }`, or `{ reason }` why there is none. */
export function ensureKubernetes({ log = console.log } = {}) {
  for (const { name, tools } of programs) {
    if (tools.find() !== undefined) continue;
    log(`building ${name} for the tests of the controller with go; this takes several minutes, once`);
    const { reason } = tools.build();
    if (reason !== undefined) return { reason: `${name}: ${reason}` };
  }
  return findKubernetes();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { etcd, apiServer, kubectl, reason } = ensureKubernetes({ log: console.error });
  if (reason === undefined) console.log(`${etcd}\n${apiServer}\n${kubectl}`);
  else {
    console.error(reason);
    process.exitCode = 1;
  }
}
