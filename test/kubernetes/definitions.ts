/** The definitions that this repository hands out, put into a cluster, and where objects of their kinds are. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../../provider/kubernetes/manifests.ts";
import { kinds } from "../../provider/provider.ts";
import type { Answer, Cluster } from "./cluster.ts";

const folder = resolve(import.meta.dirname, "../../deploy/kubernetes/definitions");

export const definitions: readonly Manifest[] = readdirSync(folder)
  .filter((name) => name !== "kustomization.yaml")
  .flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((each) => each.toJS() as Manifest),
  );

const plurals: { readonly [kind: string]: string } = {
  CustomResourceDefinition: "customresourcedefinitions",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
  ClusterRole: "clusterroles",
  Secret: "secrets",
  Account: "accounts",
};

/** The path of an object, by what it says of itself. */
export function pathOf({
  apiVersion,
  kind,
  metadata,
}: Pick<Manifest, "apiVersion" | "kind" | "metadata">): string {
  const root = apiVersion.includes("/") ? "/apis" : "/api";
  const plural =
    plurals[kind] ??
    [...kinds.values()].find((each) => each.kind === kind && apiVersion.startsWith(each.group))!.plural;
  const within = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  return `${root}/${apiVersion}${within}/${plural}/${metadata.name}`;
}

/** Applies them, makes the namespace `site`, and waits until every kind is served. The answers to each, in their order. */
export async function applyDefinitions(cluster: Cluster): Promise<readonly Answer[]> {
  const answers = await Promise.all(definitions.map((object) => cluster.apply(pathOf(object), object)));
  await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name: "site" } });
  for (const { group, plural } of kinds.values()) {
    const path = `/apis/${group}/v1alpha1/namespaces/site/${plural}`;
    for (let tries = 0; (await cluster.ask("GET", path)).status !== 200; tries += 1) {
      if (tries === 300) throw new Error(`${plural}.${group} is not served`);
      await sleep(100);
    }
  }
  return answers;
}
