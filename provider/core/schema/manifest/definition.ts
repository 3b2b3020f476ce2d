/** What every definition of ours has: names, columns, and the words of the status that other tools judge by. Pure. */

import { domain, type Kind, version } from "./form.ts";
import type { Json } from "./structural.ts";

export const name = (description: string): Json => ({
  description,
  type: "string",
  minLength: 1,
  maxLength: 253,
});

const conditions: Json = {
  description: "Ready, Reconciling, Stalled, Synced and Drifted, each with the reason.",
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status", "lastTransitionTime", "reason", "message"],
    properties: {
      type: { type: "string", maxLength: 316 },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      lastTransitionTime: { type: "string", format: "date-time" },
      reason: { type: "string", minLength: 1, maxLength: 1024 },
      message: { type: "string", maxLength: 32_768 },
    },
  },
};

/** What the status of every kind has. */
export const usualStatus: Json = {
  observedGeneration: {
    description: "The generation that the rest of the status is about.",
    type: "integer",
    format: "int64",
  },
  conditions,
};

/** A definition in the form that all kinds of ours have. */
export function definitionOf(
  { group, kind, plural }: Kind,
  {
    spec,
    status,
    columns,
    description,
    replicas,
  }: { readonly [part in "spec" | "status"]: Json } & {
    readonly columns: readonly Json[];
    readonly description: string;
    /** The input that says how many members it has, and the output of the same name. */
    readonly replicas?: string | undefined;
  },
): Json {
  const ready = {
    ...{ name: "Ready", type: "string" },
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
  };
  const singular = kind.toLowerCase();
  const scale = {
    specReplicasPath: `.spec.${replicas}`,
    statusReplicasPath: `.status.atProvider.${replicas}`,
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    // With the definition every object of the kind would go, and with those what they stand for.
    metadata: { name: `${plural}.${group}`, annotations: { [`${domain}/protect`]: "true" } },
    spec: {
      group,
      names: {
        kind,
        plural,
        singular,
        // What is a Service or a Cluster elsewhere, too, is told from those.
        shortNames: [`pl${singular}`],
        listKind: `${kind}List`,
        categories: ["plumbline"],
      },
      scope: "Namespaced",
      versions: [
        {
          ...{ name: version, served: true, storage: true },
          subresources: { status: {}, ...(replicas !== undefined && { scale }) },
          additionalPrinterColumns: [
            ready,
            ...columns,
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
          schema: {
            openAPIV3Schema: {
              description,
              type: "object",
              required: ["spec"],
              properties: {
                spec,
                // Whoever waits is told that nobody has looked yet: without a status an object would count as ready.
                status: { type: "object", default: { observedGeneration: -1 }, properties: status },
              },
            },
          },
        },
      ],
    },
  };
}
