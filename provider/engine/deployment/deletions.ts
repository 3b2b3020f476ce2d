/** The objects that a run may delete: those that its own preview deletes. Knows no reason for a deletion. */

import { EngineError } from "../failure.ts";
import type { ResourceState } from "../state/state.ts";

type Deleted = Pick<ResourceState, "urn" | "type" | "id">;

export interface Deletions {
  /** Notes a deletion that a preview shows. */
  readonly foresee: (object: Deleted) => void;
  /** Throws EngineError `plan` for an object that no preview of this run deletes. */
  readonly expect: (object: Deleted) => void;
  /** Takes over what a preview of the same run foresaw. */
  readonly take: (preview: Deletions) => void;
  readonly objects: ReadonlySet<string>;
}

const keyOf = ({ type, id }: Deleted): string => `${type} ${id ?? ""}`;

export function createDeletions(): Deletions {
  const objects = new Set<string>();
  return {
    objects,
    foresee: (object) => void objects.add(keyOf(object)),
    expect(object) {
      if (objects.has(keyOf(object))) return;
      throw new EngineError(
        "plan",
        `${object.urn}: its object ${object.id ?? ""} would be deleted, which the preview of this run does not show, so it is kept: run \`plumbline preview\` and look. If that does not show it either, please report a defect.`,
      );
    },
    take(preview) {
      for (const object of preview.objects) objects.add(object);
    },
  };
}
