/** A diff in the protocol's shape. It knows no resource. */

import wire from "@pulumi/pulumi/proto/provider_pb.js";
import { parsePath } from "../../core/property-path.ts";
import type { DiffKind, DiffResponse } from "../../core/protocol.ts";

const kinds: { readonly [kind in DiffKind]: number } = {
  add: 0,
  "add-replace": 1,
  delete: 2,
  "delete-replace": 3,
  update: 4,
  "update-replace": 5,
};

/** The protocol's shape of a diff. Without changes everything else stays empty, for the engine ignores it. */
export function diffReply(diff: DiffResponse): wire.DiffResponse {
  const response = new wire.DiffResponse();
  if (!diff.changes) {
    response.setChanges(wire.DiffResponse.DiffChanges.DIFF_NONE);
    return response;
  }
  response.setChanges(wire.DiffResponse.DiffChanges.DIFF_SOME);
  const paths = Object.entries(diff.detailedDiff);
  for (const [path, { kind, inputDiff }] of paths) {
    const detail = new wire.PropertyDiff();
    detail.setKind(kinds[kind] as wire.PropertyDiff.Kind);
    detail.setInputdiff(inputDiff);
    response.getDetaileddiffMap().set(path, detail);
  }
  response.setHasdetaileddiff(paths.length > 0);
  response.setDiffsList([...new Set(paths.map(([path]) => String(parsePath(path)[0] ?? "")))]);
  response.setReplacesList([...diff.replaces]);
  response.setDeletebeforereplace(diff.deleteBeforeReplace);
  response.setStablesList([...diff.stables]);
  return response;
}
