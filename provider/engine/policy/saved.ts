/** The steps of a saved plan as rules see them; its secrets stay shut. */

import { urnParts } from "../../core/engines/urn.ts";
import type { Step } from "../event.ts";
import type { SavedPlan } from "../operations/plan.ts";
import { decodeMap, sealedJson } from "../state/encoding.ts";
import type { SeenStep } from "./rule.ts";
import { type Known, seenStep } from "./view.ts";

/** What was read of an object when the plan was made stands for what it was last applied with. */
export function seenPlan(plan: SavedPlan, catalogue: Known): SeenStep[] {
  const shut = { open: () => sealedJson };
  return plan.steps.map(({ op, urn, id, replaceReasons, paths, inputs, seen, retained }) => {
    const step: Step = {
      op,
      urn,
      type: urnParts(urn).type,
      name: urnParts(urn).name,
      ...(id === undefined ? {} : { id }),
      detailedDiff: Object.fromEntries(paths.map((path) => [path, { kind: "update", inputDiff: true }])),
      replaceReasons,
      ...(retained ? { retained } : {}),
      ...(inputs ? { newInputs: decodeMap(inputs, shut) } : {}),
      ...(seen ? { oldInputs: decodeMap(seen, shut) } : {}),
    };
    return seenStep(step, catalogue);
  });
}
