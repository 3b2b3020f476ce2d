/** Who may do what with objects of the kinds: the rights of the controller and of people, and the policy that keeps what is protected. Derived from types. Pure. */

import type { ResourceType } from "../../type/resource.ts";
import { domain, kindOf } from "./form.ts";
import type { Json } from "./structural.ts";

const rbac = "rbac.authorization.k8s.io";

/** Names of the resources by group; the Account's is none of a type's. */
function resourcesByGroup(types: readonly ResourceType[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map([[domain, ["accounts"]]]);
  for (const { group, plural } of types.map(kindOf))
    groups.set(group, [...(groups.get(group) ?? []), plural]);
  return groups;
}

/** Roles and the policy, for every kind. */
export function accessOf(types: readonly ResourceType[]): readonly Json[] {
  const groups = resourcesByGroup(types);
  const rules = (verbs: readonly string[], subresource = "") =>
    [...groups].map(([group, resources]) => ({
      apiGroups: [group],
      resources: resources.map((each) => `${each}${subresource}`),
      verbs,
    }));
  return [
    role("plumbline-controller", [
      // Of an object its annotations and its finalizer. Objects are made and deleted by whoever declares them.
      ...rules(["get", "list", "watch", "patch"]),
      ...rules(["update"], "/status"),
      // Which Secrets it may write is told by a policy of its own.
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "patch"] },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
    ]),
    role("plumbline-view", rules(["get", "list", "watch"]), "view"),
    role(
      "plumbline-edit",
      rules(["create", "update", "patch", "delete", "deletecollection"]),
      "edit",
      "admin",
    ),
    ...protection([...groups.keys()]),
  ];
}

/** `addedTo`: roles that every cluster has, and that get these rights, too. */
function role(name: string, rules: readonly Json[], ...addedTo: readonly string[]): Json {
  const labels = Object.fromEntries(addedTo.map((each) => [`${rbac}/aggregate-to-${each}`, "true"]));
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name, ...(addedTo.length > 0 && { labels }) },
    rules,
  };
}

/** What has the annotation is not deleted: an object, its namespace, and the definition of a kind, with which all its objects would go. */
function protection(groups: readonly string[]): readonly Json[] {
  const name = `protect.${domain}`;
  const key = `'${domain}/protect'`;
  const annotated = "oldObject.metadata.annotations";
  const away = `is protected: take its annotation ${domain}/protect away first`;
  const judged = (apiGroups: readonly string[], resources: readonly string[]) => ({
    ...{ apiGroups, resources, apiVersions: ["*"], operations: ["DELETE"] },
  });
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            judged(groups, ["*"]),
            judged(["apiextensions.k8s.io"], ["customresourcedefinitions"]),
            judged([""], ["namespaces"]),
          ],
        },
        validations: [
          {
            expression: `!has(${annotated}) || !(${key} in ${annotated}) || ${annotated}[${key}] != 'true'`,
            messageExpression: `oldObject.kind + ' ' + oldObject.metadata.name + ' ${away}'`,
            message: `it ${away}`,
            reason: "Forbidden",
          },
        ],
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
