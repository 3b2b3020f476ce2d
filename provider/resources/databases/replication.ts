/** What the number of a database's nodes, its replication and its commits ask of each other (contract section 2.5). */

import type { Demand, State } from "../../core/type/demand.ts";
import { wordsOf } from "../../core/type/field.ts";
import { commitType, type Kind } from "./kinds.ts";

type Demanded = Demand<"clusterSize" | "replicationType" | "replicationCommitType">;

export const nodes: Demanded = {
  input: "clusterSize",
  is: { notIn: [2] },
  says: "must be 1 or 3, not 2",
};

/** One node, which is what a declaration that says nothing has. */
const single: State = { notIn: [2, 3] };
const three: State = { in: [3] };

const commits = wordsOf(commitType.replicationCommitType)!;

/** Demands of a kind's databases. */
export function replicationDemands({ replication, commit = {} }: Kind): readonly Demanded[] {
  const all = [...replication.single, ...replication.available];
  const sizes = [
    { clusterSize: single, allowed: replication.single, words: "a single node" },
    { clusterSize: three, allowed: replication.available, words: "three nodes" },
  ];
  const fitting = sizes.map(
    ({ clusterSize, allowed, words }): Demanded => ({
      when: { clusterSize },
      input: "replicationType",
      is: { notIn: all.filter((each) => !allowed.includes(each)) },
      says: `must be ${allowed.join(" or ")} for ${words}, not {replicationType}`,
    }),
  );
  const committing = Object.entries(commit).flatMap(([type, allowed]) => {
    const demand: Demanded = {
      ...{ input: "replicationCommitType", is: { notIn: commits.filter((each) => !allowed.includes(each)) } },
      says: `must be ${allowed.join(" or ")} with ${type} replication`,
    };
    const chosen = sizes.filter((size) => size.allowed.at(-1) === type);
    return [
      { ...demand, when: { replicationType: { in: [type] } } },
      ...chosen.map(
        ({ clusterSize }): Demanded => ({ ...demand, when: { clusterSize, replicationType: "absent" } }),
      ),
    ];
  });
  return [...fitting, ...committing];
}
